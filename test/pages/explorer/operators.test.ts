import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { csvIn, isPage, saved, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const path = '/explore/operators';
isPage(explorer, path, { heading: 'Operators', statements: 4 });

const table = (page: Page) => page.getByRole('figure', { name: /^(Pools|Node operators)$/ });
const names = (page: Page) => table(page).locator('tbody th > a').allInnerTexts();
/** Waits until the list begins with the name. */
const begins = (page: Page, name: string) =>
  table(page).locator('tbody tr').first().getByText(name, { exact: true }).waitFor();

async function list(args: string): Promise<string[]> {
  const { data } = await explorer.gateway.graphql(
    `{ operators(window: THIRTY_DAYS, idType: POOL, ${args}) { nodes { operatorId } } }`,
  );
  return data.operators.nodes.map(({ operatorId }: { operatorId: string }) => operatorId);
}

describe.skipIf(noBrowser)('the operators', () => {
  it('are not filtered by a number that is too large, which the field tells', async () => {
    const { page } = await explorer.open(path);
    await settled(page);
    const field = page.getByLabel('Validators, at least');
    await field.fill('99999999999');
    await field.press('Enter');
    expect(await field.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow)).toBe(true);
    await field.fill('1e3');
    await field.press('Enter');
    expect(await field.evaluate((input: HTMLInputElement) => input.validity.customError)).toBe(true);
    expect(new URL(page.url()).search).toBe('');
    await field.fill('1000000');
    await field.press('Enter');
    await page.getByRole('status').getByText('No operator matches').first().waitFor();
  });

  it('keep the focus in the field that filters them, which follows the URL; their number is announced', async () => {
    const { page } = await explorer.open(path);
    await settled(page);
    const field = page.getByLabel('Name');
    await field.fill('cedar');
    await field.press('Enter');
    const found = (await list('where: { name: "cedar" }')).length;
    await page.getByRole('status').getByText(`${found} in all`).waitFor();
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await field.fill('nobody');
    await field.press('Enter');
    await page.getByRole('status').getByText('0 in all').waitFor();
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe('cedar');
    await page.getByRole('link', { name: 'Remove filters' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('keep the focus at the pager when a page has no next one', async () => {
    const { page } = await explorer.open(`${path}?class=pool`);
    await settled(page);
    const pager = page.getByRole('navigation', { name: /^Pages of/ });
    for (;;) {
      const next = pager.getByRole('link', { name: 'Next' });
      if ((await next.count()) === 0) break;
      const { search } = new URL(page.url());
      await next.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.search !== search);
      await settled(page);
    }
    expect(await pager.evaluate((nav) => nav.contains(document.activeElement))).toBe(true);
  });

  it('begin at the top of the list when its next page is opened', async () => {
    const { page } = await explorer.open(`${path}?class=pool`);
    await settled(page);
    await page.setViewportSize({ width: 1280, height: 400 });
    const list = table(page);
    const top = () => list.evaluate((figure) => figure.getBoundingClientRect().top);
    const next = list.getByRole('link', { name: 'Next' });
    await next.scrollIntoViewIfNeeded();
    expect(await top()).toBeLessThan(0);
    await next.click();
    await page.waitForURL(/after=/);
    const head = await page.locator('.top').evaluate((one) => one.getBoundingClientRect().bottom);
    await eventually(async () => expect(await top()).toBeGreaterThanOrEqual(head));
    expect(await top()).toBeLessThan(head + 24);
  });

  it('are not hidden below the head when a link above gets the focus', async () => {
    const { page } = await explorer.open(path);
    await settled(page);
    await page.setViewportSize({ width: 1280, height: 400 });
    const links = table(page).locator('tbody th > a');
    await links.nth(12).focus();
    await page.evaluate(() => window.scrollBy(0, 300));
    const head = await page.locator('.top').evaluate((one) => one.getBoundingClientRect().bottom);
    for (let stop = 0; stop < 12; stop += 1) {
      await page.keyboard.press('Shift+Tab');
      const top = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top);
      expect(top).toBeGreaterThanOrEqual(head);
    }
  });

  it('are ordered by the server when the head of a column is followed, and back by the browser', async () => {
    const { page, sent } = await explorer.open(path);
    const [largest] = await list('first: 1');
    await begins(page, largest as string);
    await table(page).getByRole('link', { name: 'Effectiveness' }).click();
    const best = await list('orderBy: { field: AVG_VALIDATOR_EFFECTIVENESS, direction: DESC }, first: 20');
    await begins(page, best[0] as string);
    expect(await names(page)).toEqual(best);
    await table(page).getByRole('link', { name: 'Effectiveness' }).click();
    await begins(
      page,
      (await list('orderBy: { field: AVG_VALIDATOR_EFFECTIVENESS, direction: ASC }, first: 1'))[0] as string,
    );
    expect(await table(page).locator('[aria-sort]').getAttribute('aria-sort')).toBe('ascending');
    expect(sent.at(-1)?.variables.orderBy).toEqual({
      field: 'AVG_VALIDATOR_EFFECTIVENESS',
      direction: 'ASC',
    });
    await page.goBack();
    await begins(page, best[0] as string);
  });

  it.each(['Last day, Oct 30', '30 d'])(
    'tell who missed most blocks in %s, from the overview by keyboard and on the head of the column',
    async (range) => {
      const { page } = await explorer.open('/');
      await page.getByRole('link', { name: 'by pool' }).press('Enter');
      await page.waitForURL(/range=1d&order=MISSED_PROPOSAL_COUNT/);
      await page.getByText('The newest stored day, Oct 30, 2025; chain days', { exact: false }).waitFor();
      await page.getByText(range, { exact: true }).click();
      await settled(page);
      const window = range === '30 d' ? 'THIRTY_DAYS' : 'ONE_DAY';
      const { data } = await explorer.gateway.graphql(`{ operators(window: ${window}, idType: POOL, first: 1,
        orderBy: { field: MISSED_PROPOSAL_COUNT }) { nodes { operatorId summary(window: ${window}) { missedProposalCount } } } }`);
      const [{ operatorId, summary }] = data.operators.nodes;
      await begins(page, operatorId);
      expect(await table(page).locator('[aria-sort]').innerText()).toMatch(/^Missed blocks/);
      const head = await table(page).locator('thead th').allInnerTexts();
      const cells = await table(page).locator('tbody tr').first().locator('th, td').allInnerTexts();
      const missed = cells[head.findIndex((text) => text.startsWith('Missed blocks'))];
      expect(missed?.replaceAll(',', '')).toBe(summary.missedProposalCount);
      await table(page).getByRole('link', { name: 'Missed blocks' }).press('Enter');
      await page.waitForURL(/direction=ASC/);
      expect(Number(summary.missedProposalCount)).toBeGreaterThan(0);
    },
  );

  it.each([
    ['1d', 'ONE_DAY'],
    ['30d', 'THIRTY_DAYS'],
  ])(
    'tell what validators in no pool did in the range %s, where all of it is counted',
    async (range, window) => {
      const { page } = await explorer.open(`${path}?range=${range}`, { locale: 'en-US' });
      await settled(page);
      const { data } = await explorer.gateway.graphql(`{
      networkOverview(window: ${window}) { validatorCount missedProposalCount proposedCount }
      operators(window: ${window}, idType: POOL, first: 200) { totalCount nodes {
        summary(window: ${window}) { validatorCount missedProposalCount proposerDutyCount } } } }`);
      const { networkOverview: all, operators } = data;
      expect(operators.nodes).toHaveLength(operators.totalCount);
      const sum = (field: string) =>
        operators.nodes.reduce((total: number, { summary }: any) => total + Number(summary[field]), 0);
      const rest = [
        all.validatorCount - sum('validatorCount'),
        all.validatorCount,
        all.missedProposalCount - sum('missedProposalCount'),
        Number(all.missedProposalCount) + Number(all.proposedCount) - sum('proposerDutyCount'),
      ].map((number) => number.toLocaleString('en-US'));
      const [validators, of, missed, due] = rest;
      await page
        .getByText(
          `Validators in no pool are in no row: ${validators} of all ${of}, which missed ${missed} of ${due} blocks.`,
        )
        .waitFor();
      await page.getByText('Exchanges', { exact: true }).click();
      await page.waitForURL(/type=cex/);
      await page.getByText('Validators in no pool are in no row.').waitFor();
      await page.getByLabel('Class').selectOption('deposit-address');
      await page.waitForURL(/class=deposit-address/);
      await settled(page);
      expect(await page.getByText('are in no row').count()).toBe(0);
    },
  );

  it.each<[name: string, change: (data: any) => void]>([
    ['are of other days', ({ networkOverview }) => (networkOverview.endEpoch += 1)],
    ['are not known of a pool', ({ largest }) => (largest.nodes[3].summary.missedProposalCount = null)],
    [
      'are more than those of the network',
      ({ networkOverview }) => (networkOverview.missedProposalCount = '1'),
    ],
  ])('tell no figures of validators in no pool where those of the pools %s', async (_name, change) => {
    const { page } = await explorer.open('/health');
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      change(body.data);
      await route.fulfill({ response, json: body });
    });
    await page.goto(explorer.gateway.url + path);
    await page.getByText('Validators in no pool are in no row.').waitFor();
  });

  it('lead to an operator with their range, by keyboard, from the table and from the plot', async () => {
    const { page } = await explorer.open(`${path}?range=7d&network=mainnet`);
    await settled(page);
    const box = page.getByRole('figure', { name: 'Share of stake' }).locator('.plot a').first();
    expect(await box.getAttribute('href')).toMatch(/\?range=7d/);
    const first = table(page).locator('tbody th a').first();
    const name = await first.innerText();
    await first.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await settled(page);
    expect(await page.getByLabel('7 d', { exact: true }).isChecked()).toBe(true);
    for (const [link, of] of [
      ['pool', /class=pool&range=7d/],
      ['Compare', /&range=7d/],
    ] as const)
      expect(
        await page.locator('main header').getByRole('link', { name: link, exact: true }).getAttribute('href'),
      ).toMatch(of);
  });

  it.each([
    ['1d', 'ONE_DAY'],
    ['7d', 'SEVEN_DAYS'],
    ['30d', 'THIRTY_DAYS'],
  ])('tell who lost most stake in ETH in the range %s, by keyboard, and back', async (range, window) => {
    const days = Number.parseInt(range, 10);
    const { page } = await explorer.open(`${path}?range=${range}`);
    await settled(page);
    const before = await names(page);
    const head = table(page).getByRole('link', { name: `± ${days} d (ETH)` });
    await head.press('Enter');
    await page.waitForURL(/order=SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE/);
    await settled(page);
    await head.press('Enter');
    await page.waitForURL(/direction=ASC/);
    const { data } = await explorer.gateway.graphql(`{ operators(window: ${window}, idType: POOL, first: 20,
      orderBy: { field: SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE, direction: ASC }) {
        nodes { operatorId summary(window: ${window}) { change(over: ${window}) { sumEndEpochEffectiveBalance } } } } }`);
    const [most] = data.operators.nodes;
    await begins(page, most.operatorId);
    expect(await names(page)).toEqual(data.operators.nodes.map((node: any) => node.operatorId));
    const gwei = BigInt(most.summary.change.sumEndEpochEffectiveBalance);
    expect(gwei).toBeLessThan(0n);
    const cell = table(page).locator('tbody tr').first().locator('td:has(.change)').first();
    expect((await cell.innerText()).replaceAll(',', '')).toBe(`−${Math.round(-Number(gwei) / 1e9)}`);
    expect(await cell.getAttribute('title')).toBe(String(Number(gwei) / 1e9));
    await page.goBack();
    await page.goBack();
    await expect.poll(() => names(page)).toEqual(before);
  });

  it('are found by name, tag and size, and the URL keeps it', async () => {
    const { page } = await explorer.open(path);
    await page.getByLabel('Name').fill('cedar');
    await page.getByLabel('Name').press('Enter');
    await begins(page, 'Cedar Exchange');
    expect(await names(page)).toEqual(await list('where: { name: "cedar" }'));
    await page.getByRole('link', { name: 'Remove filters' }).click();
    await begins(page, (await list('first: 1'))[0] as string);
    await table(page).getByRole('link', { name: 'custodian' }).first().click();
    await page.waitForURL(/tag=custodian/);
    const custodians = await list('where: { tags: ["custodian"], minValidators: 5000 }, first: 20');
    await begins(page, custodians[0] as string);
    await page.getByLabel('Validators, at least').fill('5000');
    await page.getByLabel('Validators, at least').press('Enter');
    await page.waitForURL(/min=5000/);
    await expect.poll(() => names(page)).toEqual(custodians);
    await page.reload();
    await begins(page, custodians[0] as string);
    expect(await names(page)).toEqual(custodians);
  });

  it('have another class, where names are not searched among addresses', async () => {
    const { page, sent } = await explorer.open(`${path}?name=cedar&type=lst&range=7d`);
    await page.getByText('No operator matches').first().waitFor();
    expect(sent[0]?.variables).toMatchObject({
      poolType: 'LST',
      window: 'SEVEN_DAYS',
      where: { name: 'cedar' },
    });
    await page.getByLabel('Class').selectOption('withdrawal-address');
    await page.getByRole('figure', { name: 'Withdrawal addresses' }).locator('tbody tr').first().waitFor();
    expect(sent.at(-1)?.variables).toMatchObject({
      idType: 'WITHDRAWAL_ADDRESS',
      poolType: 'ALL',
      where: null,
    });
    expect(await page.getByLabel('Name').count()).toBe(0);
  });

  it('are walked through to the last page and back, by cursors of the URL', async () => {
    const { page, sent } = await explorer.open(`${path}?class=node-operator`);
    const pages: string[][] = [];
    for (;;) {
      await table(page).locator('tbody tr').first().waitFor();
      await settled(page);
      pages.push(await names(page));
      const next = page.getByRole('link', { name: 'Next' });
      if ((await next.count()) === 0) break;
      const { url } = { url: page.url() };
      await next.click();
      await page.waitForURL((now) => now.href !== url);
      await expect.poll(() => names(page)).not.toEqual(pages.at(-1));
    }
    expect(new Set(pages.flat()).size).toBe(200);
    expect(sent.at(-1)?.variables.after).toBe(new URL(page.url()).searchParams.get('after'));
    await page.getByRole('link', { name: 'Previous' }).click();
    await expect.poll(() => names(page)).toEqual(pages.at(-2));
  });

  it('are numbered through all pages, and saved as one file without a request for each row', async () => {
    const { page, sent } = await explorer.open(`${path}?class=node-operator`);
    await settled(page);
    const ranks = () => table(page).locator('tbody td:first-child').allInnerTexts();
    expect(await ranks()).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
    const pager = page.getByRole('navigation', { name: 'Pages of operators' });
    await pager.getByText('1 to 20 of 200').waitFor();
    await pager.getByRole('link', { name: 'Next' }).click();
    await pager.getByText('21 to 40 of 200').waitFor();
    expect((await ranks())[0]).toBe('21');
    await pager.getByRole('link', { name: 'Previous' }).click();
    await pager.getByText('1 to 20 of 200').waitFor();
    const before = sent.length;
    const file = await saved(
      page,
      table(page).getByRole('button', { name: 'All 200 as CSV: Node operators' }),
    );
    const lines = (await csvIn(file)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toMatch(/^200,/);
    expect(sent.slice(before).map(({ operationName }) => operationName)).toEqual(['operatorsWholeQuery']);
  });

  it('are walked by arrow keys, and copied with all digits', async () => {
    const { page } = await explorer.open(path);
    await settled(page);
    const links = table(page).locator('tbody th > a');
    const isAt = (index: number) => links.nth(index).evaluate((link) => link === document.activeElement);
    await links.first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await isAt(1)).toBe(true);
    await page.keyboard.press('End');
    expect(await isAt(19)).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await isAt(18)).toBe(true);
    const { data } = await explorer.gateway.graphql(
      `{ operators(window: THIRTY_DAYS, idType: POOL, first: 1) { nodes { summary(window: THIRTY_DAYS) {
        avgValidatorEffectiveness } } } }`,
    );
    const exact = data.operators.nodes[0].summary.avgValidatorEffectiveness;
    const copied = await table(page)
      .locator('tbody tr')
      .first()
      .evaluate((row) => {
        getSelection()?.selectAllChildren(row);
        const clipboardData = new DataTransfer();
        row.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
        return clipboardData.getData('text/plain');
      });
    expect(copied).toContain(String(exact));
    const cell = table(page).locator('tbody tr').first().locator(`td[title="${exact}"]`);
    expect((await cell.innerText()).replace('.', '').length).toBeLessThanOrEqual(6);
  });

  it('have trend lines, and a CSV file of exactly the rows', async () => {
    const { page } = await explorer.open(path);
    const figure = table(page);
    await figure.locator('svg.spark').first().waitFor();
    expect(await figure.locator('svg.spark').count()).toBe(20);
    const file = await saved(page, figure.getByRole('button', { name: /^CSV of/ }));
    const [head, ...lines] = (await csvIn(file)).trimEnd().split('\r\n');
    expect(head).toBe(
      'Rank,Operator,Share of stake (0–1),Change of the stake in 30 days (ETH),Change of the share in 30 days (percentage points),Validators,Effectiveness (%),"Effectiveness of 14 days (%), oldest first",Missed blocks,APR (%),Stake (ETH),Labels',
    );
    const { data } = await explorer.gateway.graphql(
      `{ operators(window: THIRTY_DAYS, idType: POOL, first: 20) { nodes { operatorId operatorTags { name }
          summary(window: THIRTY_DAYS) { change(over: THIRTY_DAYS) { networkPenetration sumEndEpochEffectiveBalance } networkPenetration validatorCount avgValidatorEffectiveness missedProposalCount aprPercentage sumEndEpochEffectiveBalance }
          history(window: THIRTY_DAYS, orderBy: { field: DATE, direction: ASC }, last: 14) { nodes { avgValidatorEffectiveness } } } } }`,
    );
    const cell = (text: string) => (text.includes(',') ? `"${text}"` : text);
    const expected = data.operators.nodes.map(
      ({ operatorId, operatorTags, summary, history }: any, index: number) =>
        [
          index + 1,
          cell(operatorId),
          summary.networkPenetration,
          Number(summary.change.sumEndEpochEffectiveBalance) / 1e9,
          Number((100 * summary.change.networkPenetration).toPrecision(15)),
          summary.validatorCount,
          summary.avgValidatorEffectiveness,
          history.nodes.map((day: any) => day.avgValidatorEffectiveness).join(' '),
          summary.missedProposalCount,
          summary.aprPercentage ?? '',
          BigInt(summary.sumEndEpochEffectiveBalance) / 10n ** 9n,
          cell(operatorTags.map(({ name }: { name: string }) => name).join(', ')),
        ].join(','),
    );
    expect(lines).toEqual(expected);
  });
});

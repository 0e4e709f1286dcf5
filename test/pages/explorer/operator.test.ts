import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { csvIn, isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const path = '/explore/operators/pool/Alder%20Liquid';
const performance = `${path}?tab=performance`;
isPage(explorer, path, { heading: 'Alder Liquid', statements: 12 });
isPage(explorer, performance, { heading: 'Alder Liquid', statements: 9 });
isPage(explorer, `${path}?tab=rewards`, { heading: 'Alder Liquid', statements: 9 });
isPage(explorer, `${path}?tab=validators`, { heading: 'Alder Liquid', statements: 9 });
isPage(explorer, `${path}?tab=events`, { heading: 'Alder Liquid', statements: 9 });

const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
async function csv(page: Page, name: string) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `CSV of ${name}`, exact: true }).click(),
  ]);
  return (await csvIn(file)).trimEnd().split('\r\n');
}
const ask = async (fields: string, args = '') => {
  const { data } = await explorer.gateway.graphql(
    `{ operator(operatorId: "Alder Liquid", idType: POOL${args}) { ${fields} } }`,
  );
  return data.operator;
};

describe.skipIf(noBrowser)('one operator', () => {
  it('shows the four windows side by side, as exact in CSV as the API has them', async () => {
    const { page } = await explorer.open(path);
    await figure(page, 'The four windows').waitFor();
    const [head, effectiveness] = await csv(page, 'The four windows');
    expect(head).toBe('Figure,Last day,7 days,30 days,All time');
    const windows = await ask(
      ['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL']
        .map((window) => `${window}: summary(window: ${window}) { avgValidatorEffectiveness }`)
        .join(' '),
    );
    const all = Object.values(windows) as Record<string, number>[];
    expect(effectiveness).toBe(
      ['Effectiveness (%)', ...all.map((one) => one.avgValidatorEffectiveness)].join(','),
    );
  });

  it('leaves out windows that have the figures of a shorter one, and says so', async () => {
    const { page } = await explorer.open('/health');
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const { operator } = body.data;
      if (operator) operator.allTime = operator.thirtyDays = operator.sevenDays;
      await route.fulfill({ response, json: body });
    });
    await page.goto(`${explorer.gateway.url}${path}?range=1d`); // the document also has the window of the range
    const windows = figure(page, 'The four windows');
    await windows.getByText('30 days and All time are the same as 7 days, so far.').waitFor();
    expect((await csv(page, 'The four windows'))[0]).toBe('Figure,Last day,7 days');
    expect(await windows.locator('figcaption').innerText()).toContain('of chain days up to Oct 30, 2025.');
  });

  it('has no effectiveness without validators, here and in the list', async () => {
    const { data } = await explorer.gateway.graphql(`{ operators(window: THIRTY_DAYS, idType: POOL, first: 1,
      orderBy: { field: VALIDATOR_COUNT, direction: ASC }) {
      nodes { operatorId summary(window: THIRTY_DAYS) { validatorCount avgValidatorEffectiveness } } } }`);
    const [{ operatorId, summary }] = data.operators.nodes;
    expect(summary).toEqual({ validatorCount: 0, avgValidatorEffectiveness: 0 });
    const { page } = await explorer.open(`/explore/operators/pool/${encodeURIComponent(operatorId)}`);
    await settled(page);
    expect(await page.locator('.tile', { hasText: 'Effectiveness' }).locator('.value').innerText()).toBe('–');
    const uptime = (await csv(page, 'The four windows')).find((line) => line.startsWith('Uptime'));
    expect(uptime).toMatch(/^Uptime \(0–1\),*$/);
    await page.goto(`${explorer.gateway.url}/explore/operators?order=VALIDATOR_COUNT&direction=ASC`);
    await settled(page);
    const head = await page.locator('figure thead th').allInnerTexts();
    const cells = page.locator('figure tbody tr').first().locator('th, td');
    const place = head.findIndex((text) => text.startsWith('Effectiveness'));
    expect(await cells.nth(place).innerText()).toBe('–');
  });

  it.each([
    [390, [2, 2, 1]],
    [900, [3, 2]],
    [1280, [5]],
  ])('has its tiles in rows of about equal length at %i px, which are full', async (width, expected) => {
    const { page } = await explorer.open(path, { viewport: { width, height: 800 } });
    await figure(page, 'The four windows').waitFor();
    const boxes = await page.locator('.tile').evaluateAll((all) =>
      all.map((one) => {
        const { top, right } = one.getBoundingClientRect();
        return { top: Math.round(top), right: Math.round(right) };
      }),
    );
    const rows = [...new Set(boxes.map(({ top }) => top))].map((top) =>
      boxes.filter((box) => box.top === top),
    );
    expect(rows.map((row) => row.length)).toEqual(expected);
    expect(new Set(rows.map((row) => row.at(-1)?.right)).size).toBe(1);
  });

  it('has its tabs in the URL, by keyboard too, and keeps the range through tabs that have none', async () => {
    const { page, sent } = await explorer.open(`${performance}&granularity=hour&range=7d`);
    await settled(page);
    const tabs = page.getByRole('navigation', { name: 'Parts of the operator' });
    const isPresent = (name: string) =>
      tabs.getByRole('link', { name }).and(page.locator('[aria-current=page]')).waitFor();
    await isPresent('Performance');
    await tabs.getByRole('link', { name: 'Rewards' }).press('Enter');
    await isPresent('Rewards');
    await settled(page);
    // The focus stays; hours are stored for attestations only.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Rewards');
    expect(new URL(page.url()).search).toBe('?tab=rewards&range=7d');
    expect(await csv(page, 'Rewards')).toHaveLength(8);
    const { rewards } = await ask(
      `rewards(first: 7) { nodes { date sumRewards sumConsensusRewards sumExecutionRewards } }`,
    );
    const sum = (of: string) =>
      rewards.nodes.reduce((all: bigint, row: Record<string, string>) => all + BigInt(row[of] as string), 0n);
    const exact = async (name: string) =>
      Number(
        (await page.locator('.tile', { hasText: name }).locator('.value').getAttribute('title'))?.replaceAll(
          /[^\d.]/g,
          '',
        ),
      );
    expect(await exact('Consensus')).toBeCloseTo(Number(sum('sumConsensusRewards')) / 1e9, 6);
    expect(sum('sumConsensusRewards') + sum('sumExecutionRewards')).toBe(sum('sumRewards'));
    await tabs.getByRole('link', { name: 'Rewards' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await isPresent('Validators');
    await settled(page);
    expect(await page.getByRole('group', { name: 'Range' }).count()).toBe(0);
    await tabs.getByRole('link', { name: 'Summary' }).click();
    await page.waitForURL((url) => url.search === '?range=7d');
    await figure(page, 'The four windows').waitFor();
    await page.goBack();
    await isPresent('Validators');
    expect(sent.every(({ operationName }) => operationName === 'operatorQuery')).toBe(true);
    await page.goto(`${explorer.gateway.url}${path}?tab=nothing`);
    await page.getByText('tab is “nothing”, but must be one of summary, performance').waitFor();
  });

  it('shows votes by any granularity in both calendars, from and to dates that the URL keeps', async () => {
    const { page, sent } = await explorer.open(performance);
    await figure(page, 'Missed and wrong votes').locator('svg').first().waitFor();
    await page.getByLabel('Granularity').selectOption('week');
    await page.getByText('UTC days').click();
    await page.getByLabel('From', { exact: true }).fill('2025-09-01');
    await page.getByLabel('From', { exact: true }).blur();
    await page.getByLabel('To', { exact: true }).fill('2025-10-05');
    await page.getByLabel('To', { exact: true }).blur();
    await page.waitForURL(/granularity=week.*calendar=utc.*from=2025-09-01.*to=2025-10-05/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      granularity: 'WEEK',
      utc: true,
      fromDate: '2025-09-01',
      toDate: '2025-10-05',
    });
    const { attestations } = await ask(
      `attestations(granularity: WEEK, utc: true, fromDate: "2025-09-01", toDate: "2025-10-05",
        orderBy: { field: PERIOD, direction: DESC }, first: 9) {
        nodes { startTimestamp sumMissedAttestations sumWrongHeadVotes } }`,
    );
    await expect
      .poll(async () =>
        (await csv(page, 'Missed and wrong votes')).slice(1).map((line) => line.split(',').slice(0, 3)),
      )
      .toEqual(
        attestations.nodes.map((row: any) => [
          row.startTimestamp,
          row.sumMissedAttestations,
          row.sumWrongHeadVotes,
        ]),
      );
    expect(attestations.nodes).toHaveLength(5);
    await page.getByLabel('Granularity').selectOption('hour');
    await page.waitForURL(/granularity=hour/);
    await settled(page);
    // The sample has hours of the last days of October only.
    await figure(page, 'Effectiveness').getByText('No hours of it are stored in this range.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2025-10-31');
    await page.getByLabel('To', { exact: true }).blur();
    await page.waitForURL(/to=2025-10-31/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ granularity: 'HOUR', utc: true, fromDate: '2025-09-01' });
    expect((await csv(page, 'Effectiveness')).length).toBeGreaterThan(24);
  });

  it('is busy until the figures of another granularity are shown, not only until they have arrived', async () => {
    const { page } = await explorer.open(
      `${performance}&granularity=week&calendar=utc&from=2025-10-06&to=2025-10-31`,
    );
    await figure(page, 'Effectiveness').locator('svg').first().waitFor();
    await settled(page);
    const shown = page.evaluate(
      () =>
        new Promise<number>((done) => {
          const main = document.querySelector('main') as HTMLElement;
          const votes = [...document.querySelectorAll('figure')].find((one) =>
            one.textContent?.startsWith('Missed and wrong votes'),
          );
          new MutationObserver(() => {
            if (main.ariaBusy === 'false') done(votes?.querySelectorAll('tbody tr').length ?? 0);
          }).observe(main, { attributeFilter: ['aria-busy'] });
        }),
    );
    await page.getByLabel('Granularity').selectOption('hour');
    expect(await shown).toBeGreaterThan(24);
  });

  it('shows one figure by day, between the dates of the range', async () => {
    const { page } = await explorer.open(`${path}?from=2025-10-01&to=2025-10-20`);
    await figure(page, 'Effectiveness by day').waitFor();
    await page.getByRole('combobox', { name: 'Figure' }).selectOption('apr');
    const { history } = await ask(
      'history(window: THIRTY_DAYS, fromDate: "2025-10-01", toDate: "2025-10-20") { nodes { date aprPercentage } }',
    );
    expect((await csv(page, 'APR by day')).slice(1).reverse()).toEqual(
      history.nodes.map((day: any) => `${day.date},${day.aprPercentage}`),
    );
  });

  it('lists slashings, missed blocks and consolidations, apart from each other and between dates', async () => {
    const address = '0xfa8d24b6bee4e9f820dc010e5aca4804171d2eed';
    const operator = `{ operatorId: "${address}", idType: DEPOSIT_ADDRESS }`;
    const { data } = await explorer.gateway.graphql(
      `{ slashings(where: { operator: ${operator} }, first: 40) { totalCount nodes { slashingEpoch } }
        operator(operatorId: "${address}", idType: DEPOSIT_ADDRESS) {
          consolidations(utc: true, fromDate: "2025-10-20") { totalCount } proposalCounts { missed } } }`,
    );
    expect(data.slashings.totalCount).toBeGreaterThan(20);
    const { page } = await explorer.open(`/explore/operators/deposit-address/${address}?tab=events`);
    const slashings = figure(page, 'Slashings');
    await slashings.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/slashed-after=/);
    await settled(page);
    const epochs = (await csv(page, 'Slashings')).slice(1).map((line) => Number(line.split(',')[1]));
    const all = data.slashings.nodes.map((one: { slashingEpoch: number }) => one.slashingEpoch);
    expect(epochs).toEqual(all.slice(20));
    await page.getByLabel('From', { exact: true }).fill('2025-10-20');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.search === '?tab=events&from=2025-10-20');
    await settled(page);
    const tile = (name: string) => page.locator('.tile', { hasText: name }).locator('.value').innerText();
    expect(Number(await tile('Consolidations'))).toBe(data.operator.consolidations.totalCount);
    expect(Number(await tile('Missed blocks'))).toBeLessThanOrEqual(data.operator.proposalCounts.missed);
  });

  it('walks through its validators by cursors of the URL', async () => {
    const { page } = await explorer.open(`${path}?tab=validators`);
    const rows = figure(page, 'Validators').locator('tbody th');
    const { validators } = await ask('validators(first: 40) { nodes { validatorIndex } }');
    const indices = validators.nodes.map((one: { validatorIndex: number }) => String(one.validatorIndex));
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual(indices.slice(0, 20));
    await figure(page, 'Validators').getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/after=/);
    await expect.poll(() => rows.allInnerTexts()).toEqual(indices.slice(20));
    await page.reload();
    await expect.poll(() => rows.allInnerTexts()).toEqual(indices.slice(20));
  });

  it('is opened by a dot or a box of the operators, by mouse and keyboard, without loading the page anew', async () => {
    const { page } = await explorer.open('/explore/operators?range=7d');
    await page.evaluate(() => Object.assign(window, { same: true }));
    const dot = figure(page, 'Effectiveness against size').getByRole('link', { name: /^Alder Liquid,/ });
    await dot.click();
    await page.getByRole('heading', { level: 1, name: 'Alder Liquid' }).waitFor();
    await page.goBack();
    const box = figure(page, 'Share of stake').getByRole('link', { name: /^Cedar Exchange,/ });
    await box.focus();
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cedar Exchange' }).waitFor();
    expect(await page.evaluate(() => 'same' in window)).toBe(true);
  });

  it('leads from a pool to its shares, and from a share to its pool and node operator', async () => {
    const { page } = await explorer.open(path);
    await figure(page, 'Its node operators').getByRole('link').nth(2).click();
    await page.getByRole('heading', { level: 1, name: /^Alder Liquid - / }).waitFor();
    await page.locator('.about').getByRole('link', { name: 'Alder Liquid', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Alder Liquid', exact: true }).waitFor();
  });

  it('walks through all its pool shares', async () => {
    const { page } = await explorer.open(path);
    const shares = figure(page, 'Its node operators');
    await shares.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/shares-after=/);
    await shares.getByRole('link', { name: 'Previous' }).waitFor();
    await settled(page);
    const shown = (await csv(page, 'Its node operators')).slice(1).map((line) => line.split(',')[0]);
    const { poolShares } = await ask(
      'poolShares(window: THIRTY_DAYS, first: 40) { totalCount nodes { operatorId } }',
    );
    expect(shown).toEqual(poolShares.nodes.slice(20).map((one: any) => one.operatorId));
    await shares.getByText(`21 to ${20 + shown.length} of ${poolShares.totalCount}`).waitFor();
  });

  it('says so of an operator that does not exist, and of a class that does not', async () => {
    const { page } = await explorer.open('/explore/operators/pool/Nobody');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.goto(`${explorer.gateway.url}/explore/operators/nothing/Nobody`);
    await page.getByText('There is no class of operators named nothing.').waitFor();
  });
});

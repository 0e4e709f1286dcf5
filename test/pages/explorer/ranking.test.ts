import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { csvIn, isPage, refusal, saved, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const { gateway, open } = explorer;
const path = '/explore/validators';
isPage(explorer, path, { heading: 'Validators', statements: 5 });

const table = (page: Page) => page.getByRole('figure', { name: 'Ranking' });
const shown = (page: Page) => table(page).locator('tbody th').allInnerTexts();
async function ranked(args: string): Promise<string[]> {
  const { data, errors } = await gateway.graphql(
    `{ validatorRanking(${args}) { nodes { validatorIndex } } }`,
  );
  expect(errors).toBeUndefined();
  return data.validatorRanking.nodes.map((row: any) => String(row.validatorIndex));
}
/** An operator of the sample data that has days of validators, and one of its pool's names. */
async function ranker(): Promise<{ pool: string; validators: number }> {
  const { rows } = await gateway.database.pool.query({
    text: `select pool, count(distinct validator_index)::int as validators from validators join validator_days using (network, validator_index)
      where network = 'mainnet' and pool is not null group by 1 order by 2 desc, 1 limit 1`,
    values: [],
  });
  return rows[0] as { pool: string; validators: number };
}

describe.skipIf(noBrowser)('the ranking of validators', () => {
  it('is reached from the navigation, and ordered by the heads of its columns, by keyboard', async () => {
    const { page, sent } = await open('/');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Validators' })
      .press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Validators' }).waitFor();
    await settled(page);
    expect(await shown(page)).toEqual(await ranked('days: 1, first: 20'));
    for (const [head, field] of [
      ['Missed attestations', 'MISSED'],
      ['Rewards', 'REWARDS'],
    ] as const) {
      await table(page).getByRole('link', { name: head }).press('Enter');
      await page.waitForURL(new RegExp(`order=${field}`));
      await settled(page);
      expect(await shown(page)).toEqual(await ranked(`days: 1, first: 20, orderBy: { field: ${field} }`));
    }
    await table(page).getByRole('link', { name: 'Rewards' }).press('Enter');
    await page.waitForURL(/direction=ASC/);
    await settled(page);
    expect(await shown(page)).toEqual(
      await ranked('days: 1, first: 20, orderBy: { field: REWARDS, direction: ASC }'),
    );
    expect(sent.at(-1)?.operationName).toBe('validatorsQuery');
    await page.goBack();
    await settled(page);
    expect(await shown(page)).toEqual(await ranked('days: 1, first: 20, orderBy: { field: REWARDS }'));
  });

  it.each([
    ['', { from: '2025-10-30', to: '2025-10-30' }],
    ['?calendar=utc', { from: '2025-10-31', to: '2025-10-31', calendar: 'utc' }],
    ['?range=7d', { range: '7d' }],
    ['?from=2025-10-01&to=2025-10-05', { from: '2025-10-01', to: '2025-10-05' }],
  ])('leads to a validator with the days that were ranked (%s), by keyboard', async (given, params) => {
    const { page } = await open(path + given);
    await settled(page);
    const cells = table(page).locator('tbody tr').first().locator('th, td');
    const head = await table(page).locator('thead th').allInnerTexts();
    const rewards = await cells
      .nth(head.findIndex((text) => text.startsWith('Rewards')))
      .getAttribute('data-exact');
    await table(page).locator('tbody th a').first().press('Enter');
    await page.waitForURL(/explore\/validators\/\d+/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(params);
    await settled(page);
    const tile = page.locator('.tile', { hasText: 'Rewards' }).locator('.value');
    expect(await tile.getAttribute('title')).toBe(`${rewards} ETH`);
  });

  it('is of windows, counted back from the newest stored day, and of dates, in both calendars; the address keeps them', async () => {
    const { page, sent } = await open(`${path}?order=MISSED`);
    await settled(page);
    const order = 'orderBy: { field: MISSED }';
    await page.getByText('30 d', { exact: true }).click();
    await page.waitForURL(/range=30d/);
    await settled(page);
    expect(await shown(page)).toEqual(await ranked(`days: 30, first: 20, ${order}`));
    await page.getByText('UTC days', { exact: true }).click();
    await page.waitForURL(/calendar=utc/);
    await settled(page);
    expect(await shown(page)).toEqual(await ranked(`days: 30, utc: true, first: 20, ${order}`));
    await page.getByText(/ in UTC days: 300 validators with a stored day\./).waitFor();
    await page.getByLabel('From', { exact: true }).fill('2025-10-01');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.getByLabel('To', { exact: true }).fill('2025-10-03');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await page.waitForURL(/to=2025-10-03/);
    await settled(page);
    const between = `fromDate: "2025-10-01", toDate: "2025-10-03", utc: true, first: 20, ${order}`;
    expect(await shown(page)).toEqual(await ranked(between));
    expect(sent.at(-1)?.variables).toMatchObject({ days: null });
    await page.getByText('By what they did from Oct 1, 2025 to Oct 3, 2025, in UTC days').waitFor();
    await page.reload();
    await settled(page);
    expect(await shown(page)).toEqual(await ranked(between));
  });

  it('is of an operator, from its page by keyboard; one that does not exist is told', async () => {
    const { pool, validators } = await ranker();
    const { page } = await open(`/explore/operators/pool/${encodeURIComponent(pool)}?tab=validators`);
    await page.getByRole('link', { name: 'Rank them' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Validators' }).waitFor();
    await settled(page);
    const where = `where: { operator: { operatorId: ${JSON.stringify(pool)}, idType: POOL } }`;
    expect(await shown(page)).toEqual(await ranked(`days: 1, first: 20, ${where}`));
    await table(page)
      .getByText(`of ${validators}`)
      .or(table(page).getByText(`${validators} in all`))
      .waitFor();
    await page.getByRole('combobox', { name: 'Operator', exact: true }).fill('Nobody at all');
    await page.getByRole('combobox', { name: 'Operator', exact: true }).press('Enter');
    await page.getByText('No pool has “Nobody at all” in its name.').first().waitFor();
  });

  it('is walked page by page, with ranks through all of them, saved as a whole, and asked for by REST', async () => {
    const { page } = await open(`${path}?range=all&order=REWARDS`);
    await settled(page);
    const first = await shown(page);
    const ranks = () => table(page).locator('tbody td:first-child').allInnerTexts();
    await table(page).getByRole('link', { name: 'Next' }).press('Enter');
    await page.waitForURL(/after=/);
    await settled(page);
    expect((await ranks())[0]).toBe('21');
    const all = await ranked('first: 200, orderBy: { field: REWARDS }');
    expect([...first, ...(await shown(page))]).toEqual(all.slice(0, 40));
    const file = await saved(page, table(page).getByRole('button', { name: 'All 300 as CSV: Ranking' }));
    const [head, ...lines] = (await csvIn(file)).trimEnd().split('\r\n');
    expect(head).toBe(
      'Rank,Validator,Days,Effectiveness (%),Rewards (ETH),Missed attestations,Operators,Status',
    );
    expect(lines).toHaveLength(300);
    expect(lines.slice(0, 200).map((line) => line.split(',')[1])).toEqual(all);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await table(page).getByRole('button', { name: 'Share Ranking' }).press('Enter');
    await table(page).getByRole('button', { name: 'Copy as REST' }).press('Enter');
    await table(page).getByText('Copied: REST.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const address = new URL(/'([^']+)'/.exec(copied)?.[1] ?? '');
    const { json } = await gateway.get(address.pathname + address.search);
    expect(json.results.map((row: any) => String(row.validatorIndex))).toEqual(all.slice(20, 40));
  });

  it('says why it was refused, and keeps its range and filters: for what would take too long, and for one ranking too many', async () => {
    const { page, violations } = await open(`${path}?range=7d`);
    await settled(page);
    let answer = refusal('BAD_INPUT', 200);
    await page.route('**/graphql', (route) => route.fulfill(answer));
    await page.getByText('30 d', { exact: true }).click();
    await page.getByRole('alert').getByRole('heading', { name: 'This cannot be ranked' }).waitFor();
    await page.getByText('The message of BAD_INPUT.').waitFor();
    expect(await page.getByLabel('30 d', { exact: true }).isChecked()).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations()).toEqual([]);
    }
    answer = refusal('RATE_LIMITED', 200, { 'retry-after': '2' });
    await page.getByText('90 d', { exact: true }).click();
    await page.getByRole('alert').getByRole('heading', { name: 'Too many at once' }).waitFor();
    await page.getByText('The message of RATE_LIMITED.').waitFor();
    await page.unroute('**/graphql');
    await table(page).locator('tbody tr').first().waitFor(); // it tries again by itself
    expect(await shown(page)).toEqual(await ranked('days: 90, first: 20'));
  });

  it('shows that a ranking is being made, with the one before it', async () => {
    const { page } = await open(`${path}?range=7d`);
    await settled(page);
    const go = new AbortController();
    await page.route('**/graphql', async (route) => {
      if (!go.signal.aborted) await once(go.signal, 'abort');
      await route.continue();
    });
    await page.getByText('30 d', { exact: true }).click();
    await page.locator('main[aria-busy="true"]').waitFor();
    expect(await table(page).locator('tbody tr').count()).toBe(20);
    go.abort();
    await settled(page);
    expect(await shown(page)).toEqual(await ranked('days: 30, first: 20'));
  });
});

import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
const SET = '/explore/sets/5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
async function firstOf(idType: string): Promise<string> {
  const { data } = await gateway.graphql(
    `{ operators(window: ONE_DAY, idType: ${idType}, first: 1) { nodes { operatorId } } }`,
  );
  return encodeURIComponent(data.operators.nodes[0].operatorId);
}

async function authorityPath(): Promise<string> {
  const { data } = await gateway.graphql(
    '{ stakeAuthorities(window: ONE_DAY, first: 1) { nodes { stakeAuthority } } }',
  );
  return `/explore/solana?authority=${data.stakeAuthorities.nodes[0].stakeAuthority}`;
}

const byDay = ['7 d', '30 d', '90 d', '1 y', 'All'];
/** The newest chain day of the sample, which ends about noon of the newest UTC day. */
const [CHAIN_DAY, UTC_DAY] = ['Oct 30', 'Oct 31'];
const lastDay = `Last day, ${CHAIN_DAY}`;
const byWindow = [lastDay, '7 d', '30 d', 'All'];

describe.skipIf(noBrowser)('the range of a page is one control, with what the API can answer', () => {
  it.each([
    ['the overview', async () => '/', byDay],
    ['the operators', async () => '/explore/operators', byWindow],
    ['a pool', async () => `/explore/operators/pool/${await firstOf('POOL')}`, [lastDay, ...byDay]],
    ['the blocks', async () => '/explore/blocks', ['All']],
    ['the slashings', async () => '/explore/slashings', ['All']],
    ['the consolidations', async () => '/explore/consolidations', ['All']],
    ['a validator', async () => '/explore/validators/39361', byDay],
    ['a set', async () => SET, [`Last day, ${UTC_DAY}`, ...byDay]],
    ['a stake authority', authorityPath, byDay],
    ['rewards of another network', async () => '/explore/rewards/polkadot', ['7 d', '30 d', '90 d']],
  ])('%s', async (_name, pathOf, offered) => {
    const path = await pathOf();
    const { page } = await open(path);
    const heading = page.getByRole('heading', { level: 1 });
    await settled(page);
    const title = await heading.innerText();
    const choice = page.getByRole('group', { name: 'Range' });
    expect(await choice.locator('label').allInnerTexts()).toEqual(offered);
    const rangeOf = (name: string) =>
      name.startsWith('Last day') ? '1d' : name.replace(' ', '').toLowerCase();
    const said = page.locator('.range > .hint');
    // Pages begin with the same range, where they have it, and say what it is.
    const days =
      path.includes('/sets/') || /solana|blocks|slashings|rewards/.test(path) ? 'UTC days' : 'chain days';
    const newest = days === 'UTC days' ? UTC_DAY : CHAIN_DAY;
    // No day of that validator is stored.
    const named = /validators/.test(path) ? 'the newest stored one' : `${newest}, 2025`;
    const usual = offered.includes('30 d') ? `30 days up to ${named}` : 'All stored days';
    expect(await said.innerText()).toMatch(new RegExp(`^${usual}; ${days}`));
    for (const range of offered.map(rangeOf)) {
      await page.goto(`${gateway.url}${path}${path.includes('?') ? '&' : '?'}range=${range}`);
      await settled(page);
      expect([range, await heading.innerText()]).toEqual([range, title]);
      const chosen = choice.locator('label:has(input:checked)');
      expect(rangeOf(await chosen.innerText())).toBe(range);
      const words = {
        '1d': `The newest stored day, ${newest}, 2025`,
        all: 'All stored days',
        '1y': '365 days up to',
      }[range];
      expect(await said.innerText()).toContain(words ?? `${Number.parseInt(range, 10)} days up to`);
    }
    const hasDates = offered !== byWindow;
    expect(await page.locator('main').getByLabel('From', { exact: true }).count()).toBe(hasDates ? 1 : 0);
  });

  it('is dates or a range: choosing one removes the other', async () => {
    const { page, sent } = await open('/?range=90d');
    await settled(page);
    await page.getByLabel('From', { exact: true }).fill('2025-10-01');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.search === '?from=2025-10-01');
    await page.getByLabel('To', { exact: true }).fill('2025-10-10');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.search === '?from=2025-10-01&to=2025-10-10');
    await settled(page);
    // As many days before them are asked for, to compare with.
    expect(sent.at(-1)?.variables).toMatchObject({
      fromDate: '2025-09-21',
      toDate: '2025-10-10',
      periods: 20,
      granularity: 'DAY',
    });
    expect(await page.getByRole('group', { name: 'Range' }).locator('input:checked').count()).toBe(0);
    const staked = page.getByRole('figure', { name: 'Staked' });
    await staked.getByText('Table', { exact: true }).click();
    expect(await staked.locator('tbody tr').count()).toBe(10);
    const said = page.locator('.range > .hint');
    expect(await said.innerText()).toBe(
      'From Oct 1, 2025 to Oct 10, 2025; chain days, from about noon to noon UTC',
    );
    await page.getByText('UTC days', { exact: true }).click();
    await said.getByText('From Oct 1, 2025 to Oct 10, 2025; UTC days').waitFor();
    await page.getByText('Chain days', { exact: true }).click();
    await page.getByText('7 d', { exact: true }).click();
    await page.waitForURL((url) => url.search === '?range=7d');
  });

  it('of an operator is that of its plots: the page says of which window its other figures are', async () => {
    const path = `/explore/operators/pool/${await firstOf('POOL')}`;
    const { page } = await open(path);
    await settled(page);
    const note = page.getByText('these are of 30 days');
    expect(await note.count()).toBe(0);
    await page.goto(`${gateway.url}${path}?range=1y`);
    await note.first().waitFor();
  });

  it('of the operators leaves out their changes and trends for all time, and is then not ordered by them', async () => {
    const { page } = await open('/explore/operators?range=7d&order=NETWORK_PENETRATION_CHANGE');
    await settled(page);
    await page.getByText('All', { exact: true }).first().click();
    await page.waitForURL(/range=all/);
    await page.getByText('All time has no changes and no trend by day').waitFor();
    expect(await page.locator('figure svg.spark').count()).toBe(0);
    for (const name of ['30 days', /^±/])
      expect(await page.getByRole('columnheader', { name }).count()).toBe(0);
    await page.goto(`${gateway.url}/explore/operators/pool/${await firstOf('POOL')}?range=all`);
    await page.getByText('All time has no figures by day.').waitFor();
  });
});

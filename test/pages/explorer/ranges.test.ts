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
const byWindow = ['1 d', '7 d', '30 d', 'All'];

describe.skipIf(noBrowser)('the range of a page is one control, with what the API can answer', () => {
  it.each([
    ['the overview', async () => '/', byDay],
    ['the operators', async () => '/explore/operators', byWindow],
    ['a pool', async () => `/explore/operators/pool/${await firstOf('POOL')}`, ['1 d', ...byDay]],
    ['the blocks', async () => '/explore/blocks', ['All']],
    ['the slashings', async () => '/explore/slashings', ['All']],
    ['the consolidations', async () => '/explore/consolidations', ['All']],
    ['a validator', async () => '/explore/validators/39361', byDay],
    ['a set', async () => SET, ['1 d', ...byDay]],
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
    for (const range of offered.map((name) => name.replace(' ', '').toLowerCase())) {
      await page.goto(`${gateway.url}${path}${path.includes('?') ? '&' : '?'}range=${range}`);
      await settled(page);
      expect([range, await heading.innerText()]).toEqual([range, title]);
      const chosen = choice.locator('label:has(input:checked)');
      expect((await chosen.innerText()).replace(' ', '').toLowerCase()).toBe(range);
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

  it('of the operators leaves out their trends for all time', async () => {
    const { page } = await open('/explore/operators?range=all');
    await page.getByText('all time has no change and no trend by day').waitFor();
    expect(await page.locator('figure svg.spark').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: '30 days' }).count()).toBe(0);
    await page.goto(`${gateway.url}/explore/operators/pool/${await firstOf('POOL')}?range=all`);
    await page.getByText('All time has no figures by day.').waitFor();
  });
});

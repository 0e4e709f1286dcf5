import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
const windows = ['1 day', '7 days', '30 days', 'All time'];

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

describe.skipIf(noBrowser)('the window of the figures can be each of the four on', () => {
  it.each([
    ['the overview', async () => '/'],
    ['the operators', async () => '/explore/operators'],
    ['a pool', async () => `/explore/operators/pool/${await firstOf('POOL')}`],
    ['a node operator', async () => `/explore/operators/node-operator/${await firstOf('NODE_OPERATOR')}`],
    ['the consolidations', async () => '/explore/consolidations'],
    ['a stake authority', authorityPath],
  ])('%s', async (_name, pathOf) => {
    const path = await pathOf();
    const { page } = await open(path);
    const heading = page.getByRole('heading', { level: 1 });
    await settled(page);
    const title = await heading.innerText();
    const choice = page.getByRole('group', { name: /^Window of the/ });
    expect(await choice.locator('label').allInnerTexts()).toEqual(windows);
    for (const window of ['7d', '30d', 'all']) {
      await page.goto(`${gateway.url}${path}${path.includes('?') ? '&' : '?'}window=${window}`);
      await settled(page);
      expect([window, await heading.innerText()]).toEqual([window, title]);
    }
  });

  it('the operators, whose trends are left out for all time', async () => {
    const { page } = await open('/explore/operators?window=all');
    await page.getByText('all time has no trend by day').waitFor();
    expect(await page.locator('svg.spark').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: '30 days' }).count()).toBe(0);
    await page.goto(`${gateway.url}/explore/operators/pool/${await firstOf('POOL')}?window=all`);
    await page.getByText('All time has no figures by day.').waitFor();
  });
});

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { csvIn, isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const empty = useExplorer({ template: 'empty' });
const { gateway, open } = explorer;

isPage(explorer, '/explore/solana', { heading: 'Solana', statements: 7 });
isPage(explorer, '/explore/rewards/polkadot', { heading: 'Polkadot rewards', statements: 3 });

describe.skipIf(noBrowser)('Solana', () => {
  it('shows the Gini coefficient beside the share of the largest stake authorities, for all of them', async () => {
    const { page } = await open('/explore/solana?range=7d', { locale: 'en-GB' });
    await settled(page);
    const { data } = await gateway.graphql(
      `{ solanaNetworkOverview(window: ONE_DAY) { giniCoefficient totalDelegatedStake stakeConcentration { rank ratio delegatedStake } }
        stakeAuthorities(window: SEVEN_DAYS) { totalCount } }`,
    );
    const { giniCoefficient, totalDelegatedStake, stakeConcentration: points } = data.solanaNetworkOverview;
    const ten = page.locator('.tile', { hasText: 'With the ten largest' }).locator('.value');
    const { delegatedStake } = points.find((one: any) => one.rank === 10);
    const share = (100 * delegatedStake) / totalDelegatedStake;
    expect(await ten.innerText()).toBe(`${share.toFixed(2)}%`); // of all stake, as in the list below
    const gini = page.locator('.tile', { hasText: 'Gini coefficient' }).locator('.value');
    expect(await gini.innerText()).toBe(giniCoefficient.toFixed(3));
    const figure = page.getByRole('figure', { name: 'Concentration of stake' });
    await figure.getByText('Table', { exact: true }).click();
    const rows = figure.locator('tbody tr');
    expect(await rows.count()).toBe(points.length);
    expect(points.at(-1)).toMatchObject({ rank: data.stakeAuthorities.totalCount, ratio: 1 });
    expect(await rows.nth(2).locator('th, td').allInnerTexts()).toEqual([
      String(points[2].rank),
      expect.stringMatching(/^[\d,.]+$/),
      `${((100 * points[2].delegatedStake) / totalDelegatedStake).toFixed(2)}%`,
    ]);
    // The ten largest have one share, in the tile and in the plot.
    const place = points.findIndex((one: any) => one.rank === 10);
    expect(await rows.nth(place).locator('td').last().innerText()).toBe(await ten.innerText());
  });

  it('orders and pages the stake authorities on the server, and narrows them by type', async () => {
    const { page, sent } = await open('/explore/solana?type=pool');
    const figure = page.getByRole('figure', { name: 'Stake authorities' });
    await figure.getByRole('link', { name: 'Delegator APY' }).click();
    await page.waitForURL(/order=DELEGATOR_APY/);
    await settled(page);
    await figure.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/after=/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      type: 'POOL',
      orderBy: { field: 'DELEGATOR_APY', direction: 'DESC' },
      first: 20,
    });
    const { data } = await gateway.graphql(
      `{ stakeAuthorities(window: THIRTY_DAYS, type: POOL, orderBy: { field: DELEGATOR_APY }, first: 21) {
        nodes { poolName } } }`,
    );
    await figure.locator('tbody tr').first().getByText(data.stakeAuthorities.nodes[20].poolName).waitFor();
  });

  it('tells which stake authorities lost most SOL in the range, by keyboard, and back', async () => {
    const { page } = await open('/explore/solana?range=7d');
    await settled(page);
    const figure = page.getByRole('figure', { name: 'Stake authorities' });
    const names = () => figure.locator('tbody th').allInnerTexts();
    const before = await names();
    const head = figure.getByRole('link', { name: '± 7 d (SOL)' });
    for (const url of [/order=DELEGATED_STAKE_CHANGE/, /direction=ASC/]) {
      await head.press('Enter');
      await page.waitForURL(url);
      await settled(page);
    }
    const { data } = await gateway.graphql(
      `{ stakeAuthorities(window: SEVEN_DAYS, orderBy: { field: DELEGATED_STAKE_CHANGE, direction: ASC }, first: 1) {
        nodes { summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { delegatedStake } } } } }`,
    );
    const lost = Number(data.stakeAuthorities.nodes[0].summary.change.delegatedStake);
    expect(lost).toBeLessThan(0);
    const first = await figure.locator('tbody tr').first().innerText();
    expect(first.replaceAll(',', '')).toContain(`−${Math.round(-lost)}`);
    await page.goBack();
    await page.goBack();
    await expect.poll(names).toEqual(before);
    await page.goto(`${gateway.url}/explore/solana?range=all&order=DELEGATED_STAKE_CHANGE`);
    await settled(page);
    expect(await figure.getByRole('columnheader', { name: /^±/ }).count()).toBe(0);
    expect(await names()).toEqual(before);
  });

  it('keeps an order whose rows are loading when the next page of the rows before is asked for', async () => {
    const { page, sent } = await open('/explore/solana?type=pool');
    await settled(page);
    const figure = page.getByRole('figure', { name: 'Stake authorities' });
    const answers = new AbortController();
    await page.route('**/graphql', async (route) => {
      if (!answers.signal.aborted) await once(answers.signal, 'abort');
      await route.continue();
    });
    await figure.getByRole('link', { name: 'Delegator APY' }).click();
    await page.waitForURL(/order=DELEGATOR_APY/);
    await figure.getByRole('link', { name: 'Next' }).click();
    answers.abort();
    await settled(page);
    expect(new URL(page.url()).searchParams.get('order')).toBe('DELEGATOR_APY');
    expect(sent.at(-1)?.variables).toMatchObject({ orderBy: { field: 'DELEGATOR_APY' }, after: null });
    await figure.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/order=DELEGATOR_APY.*after=/);
  });

  it('shows the stake of one authority over time, in one document', async () => {
    const { page, sent } = await open('/explore/solana?type=pool');
    const table = page.getByRole('figure', { name: 'Stake authorities' });
    const link = table.locator('tbody a').first();
    const [name, address] = [await link.innerText(), await link.getAttribute('title')];
    await link.click();
    const figure = page.getByRole('figure', { name: `Stake of ${name}` });
    await settled(page);
    expect(sent).toHaveLength(2);
    expect(sent.at(-1)?.variables).toMatchObject({ authority: address, one: true });
    await figure.getByText('Table', { exact: true }).click();
    expect(await figure.locator('tbody tr').count()).toBe(30);
  });

  it('says so when nothing is stored', async () => {
    const { page } = await empty.open('/explore/solana');
    await page.getByRole('heading', { name: 'No figures of Solana are stored' }).waitFor();
  });
});

describe.skipIf(noBrowser)('rewards of another network', () => {
  it.each([
    ['avalanche', 'AVAX'],
    ['babylon', 'BABY'],
    ['cardano', 'ADA'],
    ['celestia', 'TIA'],
    ['polygon', 'POL'],
    ['solana', 'SOL'],
  ])('%s: are daily, in %s, and the network can be chosen', async (name, unit) => {
    const { page, complaints } = await open('/explore/account');
    const networks = page.getByRole('navigation', { name: 'Pages', exact: true });
    await networks.getByRole('link', { name: new RegExp(name, 'i') }).click();
    if (name === 'solana') await networks.getByRole('link', { name: 'Rewards' }).click();
    await page.getByText(`What all validators and their delegators earned, in ${unit}.`).waitFor();
    await settled(page);
    expect(complaints).toEqual([]);
  });

  it('are those of one validator too, once its name is followed, with all digits in the CSV file', async () => {
    const { page } = await open('/explore/rewards/polygon?order=STAKE&range=30d');
    const validators = page.getByRole('figure', { name: 'Validators', exact: true });
    const link = validators.locator('tbody a').first();
    const name = await link.innerText();
    await link.click();
    const figure = page.getByRole('figure', { name: `Rewards of ${name}` });
    await settled(page);
    await figure.getByText('Table', { exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: /^CSV/ }).click(),
    ]);
    const [head, first] = (await csvIn(file)).split('\r\n');
    expect(head).toBe('Date (UTC),Validators (POL),Delegators (POL),Stake (POL)');
    const id = new URL(page.url()).searchParams.get('validator');
    const { data } = await gateway.graphql(
      `{ validatorRewards(network: POLYGON, validatorId: "${id}",
          orderBy: { field: DATE, direction: ASC }, last: 30) {
        nodes { date validatorRewards delegatorRewards stake } } }`,
    );
    expect(first).toBe(Object.values(data.validatorRewards.nodes[0]).join(','));
    await figure.getByRole('link', { name: 'All validators' }).click();
    await figure.waitFor({ state: 'detached' });
  });

  it('of a network that there is not: says so; without days: says so', async () => {
    const { page } = await open('/explore/rewards/nowhere');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    const other = await empty.open('/explore/rewards/cardano');
    await other.page.getByText('No day of Cardano is stored.').waitFor();
  });
});

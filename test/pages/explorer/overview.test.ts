import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { csvIn, isPage, settled, useExplorer } from '../../support/explorer.ts';
import { importBlocks } from '../../support/live-rows.ts';

const explorer = useExplorer();
const empty = useExplorer({ template: 'empty' });
isPage(explorer, '/', { heading: 'Overview', statements: 12 });

describe.skipIf(noBrowser)('the overview', () => {
  it('shows the figures of the network, exact in their titles, and until when they go', async () => {
    const { page } = await explorer.open('/', { locale: 'en-GB' });
    const { data } = await explorer.gateway.graphql(
      '{ networkOverview { validatorCount sumEndEpochEffectiveBalance asOf { epoch } } }',
    );
    const { validatorCount, sumEndEpochEffectiveBalance: gwei, asOf } = data.networkOverview;
    const tile = (name: string) => page.locator('.tile', { hasText: name }).locator('.value');
    await settled(page); // tiles that are drawn before the application have no titles
    await tile('Active validators').waitFor();
    expect(await tile('Active validators').innerText()).toBe(validatorCount.toLocaleString('en-GB'));
    const whole = (BigInt(gwei) / 10n ** 9n).toLocaleString('en-GB');
    expect(await tile('Staked').getAttribute('title')).toContain(`${whole}`);
    expect(await page.locator('.as-of').innerText()).toMatch(new RegExp(`UTC .*epoch ${asOf.epoch}`));
  });

  it('has tiles of the range that compare it with as many days before, and sum what the API returns', async () => {
    const { page, sent } = await explorer.open('/?range=7d', { locale: 'en-GB' });
    await settled(page);
    expect(sent[0]?.variables).toMatchObject({ granularity: 'DAY', periods: 14, utc: false });
    const { data } = await explorer.gateway.graphql(`{ networkOverview {
      history(orderBy: { field: PERIOD, direction: DESC }, first: 14) {
        nodes { sumConsensusRewards aprPercentage } } } }`);
    const days = data.networkOverview.history.nodes;
    const sum = (rows: any[]) => rows.reduce((all, row) => all + BigInt(row.sumConsensusRewards), 0n);
    const mean = (rows: any[]) => rows.reduce((all, row) => all + row.aprPercentage, 0) / rows.length;
    const [shown, before] = [days.slice(0, 7), days.slice(7)];
    const tile = (name: string) => page.locator('.tile', { hasText: name });
    const rewards = tile('Consensus rewards');
    expect((await rewards.locator('.value').getAttribute('title'))?.replaceAll(',', '')).toBe(
      `${Number(sum(shown)) / 1e9} ETH`,
    );
    const by = (100 * Number(sum(shown))) / Number(sum(before)) - 100;
    const signed = (value: number, digits: number) =>
      `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
    expect(await rewards.locator('.change').innerText()).toBe(`${signed(by, 2)}%`);
    const apr = tile('APR');
    expect(await apr.locator('.value').innerText()).toBe(`${mean(shown).toFixed(2)}%`);
    expect(await apr.locator('.change').innerText()).toBe(`${signed(mean(shown) - mean(before), 2)} points`);
    await page.getByText('UTC days').click();
    await page.waitForURL(/calendar=utc/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ utc: true, periods: 14 });
  });

  it('tells which pools are the largest, and which gained and lost stake this week', async () => {
    const { page } = await explorer.open('/');
    await settled(page);
    const { data } = await explorer.gateway.graphql(`{
      largest: operators(window: SEVEN_DAYS, idType: POOL, first: 10) { nodes { operatorId } }
      lost: operators(window: SEVEN_DAYS, idType: POOL, first: 1,
        orderBy: { field: SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE, direction: ASC }) {
        nodes { operatorId summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { networkPenetration sumEndEpochEffectiveBalance } } } } }`);
    const namesOf = (title: string) =>
      page.getByRole('figure', { name: title }).locator('tbody th').allInnerTexts();
    const ids = data.largest.nodes.map(({ operatorId }: { operatorId: string }) => operatorId);
    expect(await namesOf('Largest pools')).toEqual(ids);
    const [lost] = data.lost.nodes;
    expect((await namesOf('Stake gained and lost this week')).at(-1)).toBe(lost.operatorId);
    const last = page
      .getByRole('figure', { name: 'Stake gained and lost this week' })
      .locator('tbody tr')
      .last();
    const points = Math.abs(100 * lost.summary.change.networkPenetration).toFixed(3);
    expect(await last.innerText()).toContain(`−${points}`);
    const eth = Number(lost.summary.change.sumEndEpochEffectiveBalance) / 1e9;
    expect(eth).toBeLessThan(0);
    expect((await last.innerText()).replaceAll(',', '')).toContain(`−${Math.round(-eth)}`);
    await page.getByRole('link', { name: 'All by stake lost' }).press('Enter');
    await page.waitForURL(/operators\?range=7d&order=SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE&direction=ASC/);
    await settled(page);
    expect(await page.locator('figure tbody th').first().innerText()).toBe(lost.operatorId);
  });

  it.each([
    ['names the pools whose effectiveness fell most within a week', [-3.271, -1.2, -0.9], 'fell most at '],
    ['says that no pool lost effectiveness within a week', [-0.9, 0, null], 'No pool of 100 validators'],
    ['says nothing of changes within a week that are not known', [null, null, null], 'slashed.'],
  ])('%s', async (_name, changes, expected) => {
    const { page } = await explorer.open('/');
    let names: string[] = [];
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('overviewQuery')) return route.continue(); // a stream has no end
      const response = await route.fetch();
      const body = await response.json();
      const nodes: any[] = body.data?.fallen?.nodes ?? [];
      if (nodes.length > 0) names = nodes.map(({ operatorId }) => operatorId);
      for (const [at, { summary }] of nodes.entries()) {
        const change = changes[at];
        summary.change = change == null ? null : { ...summary.change, avgValidatorEffectiveness: change };
      }
      await route.fulfill({ response, json: body });
    });
    await page.reload();
    await settled(page);
    const text = await page.locator('main .about').innerText();
    expect(names).toHaveLength(3);
    expect(text).toContain(expected);
    expect(text.includes('effectiveness')).toBe(expected !== 'slashed.');
    const named = names.filter((_, at) => (changes[at] ?? 0) < -1);
    expect(names.filter((name) => text.includes(name))).toEqual(named);
    for (const [at, name] of named.entries())
      expect(text).toContain(`${name} (−${Math.abs(changes[at] as number).toFixed(2)})`);
  });

  it('asks for the pools of 100 validators or more whose effectiveness fell most within a week', async () => {
    const { sent } = await explorer.open('/');
    await eventually(() => expect(sent.length).toBeGreaterThan(0));
    const { data } = await explorer.gateway.graphql(sent[0]?.query as string, sent[0]?.variables);
    const { data: all } =
      await explorer.gateway.graphql(`{ operators(window: SEVEN_DAYS, idType: POOL, first: 200) {
      nodes { operatorId summary(window: SEVEN_DAYS) { validatorCount change(over: SEVEN_DAYS) { avgValidatorEffectiveness } } } } }`);
    const changeOf = ({ summary }: any) => summary.change.avgValidatorEffectiveness;
    const fallen = all.operators.nodes
      .filter(({ summary }: any) => summary.validatorCount >= 100 && summary.change)
      .sort((one: any, other: any) => changeOf(one) - changeOf(other));
    expect(data.fallen.nodes.map(changeOf)).toEqual(fallen.slice(0, 3).map(changeOf));
  });

  it('draws a plot of each figure, with its table and a CSV file of exact numbers', async () => {
    const { page } = await explorer.open('/?range=30d');
    const figure = page.getByRole('figure', { name: 'Rewards', exact: true });
    await figure.locator('svg').first().waitFor();
    await figure.getByText('Table', { exact: true }).click();
    expect(await figure.getByRole('row').count()).toBeGreaterThan(10);
    const [file] = await Promise.all([page.waitForEvent('download'), figure.getByText('CSV').click()]);
    expect(file.suggestedFilename()).toBe('rewards.csv');
    const [head, first] = (await csvIn(file)).split('\r\n');
    expect(head).toBe('Period (UTC),Consensus (ETH),Fees and MEV (ETH)');
    const { data } = await explorer.gateway.graphql(
      `{ networkOverview { history(orderBy: { field: PERIOD, direction: DESC }, first: 30) {
        nodes { date sumConsensusRewards } } } }`,
    );
    const { date, sumConsensusRewards: gwei } = data.networkOverview.history.nodes.at(-1);
    const exact = `${gwei.slice(0, -9)}.${gwei.slice(-9)}`.replace(/0+$/, '');
    expect(first).toMatch(new RegExp(`^${date},${exact.replace('.', '\\.')},`));
  });

  it('plots participation over time, and says so where no day of validators is stored', async () => {
    const { page } = await explorer.open('/?range=30d', { locale: 'en-GB' });
    const figure = page.getByRole('figure', { name: 'Participation' });
    await figure.locator('.plot svg').waitFor();
    expect(await figure.locator('.legend li').allInnerTexts()).toEqual([
      'Included',
      'With the correct target',
      'Slashings, or more than 10% missed',
    ]);
    const { data } = await explorer.gateway.graphql(`{ networkOverview {
      history(orderBy: { field: PERIOD, direction: DESC }, first: 1) { nodes { participationRatio } } } }`);
    await figure.getByText('Table', { exact: true }).click();
    const [{ participationRatio }] = data.networkOverview.history.nodes;
    expect(await figure.locator('tbody tr').last().innerText()).toContain(
      (100 * participationRatio).toFixed(2),
    );
    await page.goto(`${explorer.gateway.url}/?network=hoodi`);
    await figure.getByText('No day of all validators of this network is stored.').waitFor();
  });

  it('opens the document of a card with its variables in GraphiQL, where it runs', async () => {
    const opened = await explorer.open('/?range=30d');
    await opened.page.getByRole('button', { name: 'Share APR' }).click();
    const link = opened.page.getByRole('link', { name: 'APR: open in GraphiQL' });
    const [graphiql] = await Promise.all([opened.page.context().waitForEvent('page'), link.click()]);
    await graphiql.getByRole('tab', { name: 'overviewQuery' }).waitFor();
    expect(new URL(graphiql.url()).hash).toBe('');
    await graphiql.getByRole('button', { name: /execute query/i }).click();
    await graphiql.waitForFunction(() =>
      /networkOverview/.test(document.querySelector('.result-window')?.textContent ?? ''),
    );
  });

  it('shows a block that another process imports within a second, without a reload', async () => {
    const { page } = await explorer.open('/');
    const figure = page.getByRole('figure', { name: 'Newest blocks' });
    await figure.getByText('Live').waitFor();
    const rows = figure.locator('tbody tr');
    const before = await rows.first().innerText();
    const slot = Number(before.split('\t')[0]) + 1;
    await page.evaluate(() => Object.assign(window, { same: true }));
    await importBlocks(explorer.gateway, [slot]);
    const began = performance.now();
    await rows.getByText(String(slot)).waitFor();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await rows.count()).toBe(10);
    expect(await rows.first().innerText()).toContain(String(slot));
    expect(await page.evaluate(() => 'same' in window)).toBe(true);
  });

  it('misses no block while its stream is interrupted, and holds none while the tab is hidden', async () => {
    const { page } = await explorer.open('/');
    const figure = page.getByRole('figure', { name: 'Newest blocks' });
    await figure.getByText('Live').waitFor();
    const rows = figure.locator('tbody tr');
    const slot = Number((await rows.first().innerText()).split('\t')[0]) + 1;
    const show = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await show(true);
    await figure.getByText('As of when').waitFor();
    await importBlocks(explorer.gateway, [slot]);
    await page.waitForTimeout(500);
    expect(await rows.getByText(String(slot)).count()).toBe(0);
    await show(false);
    await rows.getByText(String(slot)).waitFor();
    await eventually(async () => expect(await figure.getByText('Live').count()).toBe(1));
  });

  it('prints its figures and plots, without what is there to be clicked', async () => {
    const { page } = await explorer.open('/');
    await page.locator('.figure svg').first().waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const hidden of ['.top', '.bottom', '.tools', '.controls'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
    for (const shown of ['.tile', '.figure svg', '.figure > .scroll'])
      await page.locator(shown).first().waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toMatch(/^rgb\([0-5]?\d,/);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(20_000);
  });

  it('says so of a network without stored days, and keeps the network in its links', async () => {
    const { page } = await empty.open('/?network=holesky');
    await page.getByRole('heading', { name: 'No day of this network is stored' }).waitFor();
    expect(await page.getByRole('link', { name: 'Overview' }).getAttribute('href')).toBe('/?network=holesky');
    await page.getByLabel('Chain').selectOption('mainnet');
    await page.waitForURL((url) => url.search === '');
  });
});

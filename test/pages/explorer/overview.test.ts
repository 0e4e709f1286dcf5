import type { Page } from 'playwright-core';
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

  /** Opens the overview with what `change` makes of its response. */
  async function openChanged(change: (data: any) => void, path = '/', now?: Date) {
    const { page } = await explorer.open('/health');
    if (now) await page.clock.setFixedTime(now);
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('overviewQuery')) return route.continue(); // a stream has no end
      const response = await route.fetch();
      const body = await response.json();
      change(body.data);
      await route.fulfill({ response, json: body });
    });
    await page.goto(explorer.gateway.url + path);
    await settled(page);
    return page;
  }
  const verdictOf = (page: Page) => page.locator('main .verdict');
  const aboutOf = (page: Page) => page.locator('main .about');
  const setFallen = (data: any, changes: readonly (number | null)[]) => {
    for (const [at, { summary }] of data.fallen.nodes.entries()) {
      const change = changes[at];
      summary.change = change == null ? null : { ...summary.change, avgValidatorEffectiveness: change };
    }
  };
  /** The day after the newest of the sample, when nothing newer can be there. */
  const NEXT_DAY = new Date('2025-10-31T20:00:00Z');

  it.each([
    ['names the pools whose effectiveness fell most within a week', [-3.271, -1.2, -0.9]],
    ['says that no pool lost effectiveness within a week', [-0.9, 0, null]],
    ['says nothing of changes within a week that are not known', [null, null, null]],
  ] as const)('%s', async (_name, changes) => {
    let names: string[] = [];
    let newest: number[] = [];
    const page = await openChanged((data) => {
      names = data.fallen.nodes.map(({ operatorId }: any) => operatorId);
      newest = data.fallen.nodes.map(({ newestDay }: any) => newestDay.avgValidatorEffectiveness);
      setFallen(data, changes);
    });
    expect(names).toHaveLength(3);
    const [verdict, about] = [await verdictOf(page).innerText(), await aboutOf(page).innerText()];
    const named = names.filter((_, at) => (changes[at] ?? 0) < -1);
    expect(names.filter((name) => verdict.includes(name))).toEqual(named);
    expect(verdict.includes('the mean effectiveness of seven days fell most at')).toBe(named.length > 0);
    const isSteady = named.length === 0 && changes.some((change) => change !== null);
    expect(about.includes('No pool of 100 validators or more lost more than a point')).toBe(isSteady);
    for (const [at, name] of named.entries()) {
      const fall = `−${Math.abs(changes[at] as number).toFixed(2)} points`;
      expect(verdict).toContain(`${name} (${fall}; ${newest[at]?.toFixed(2)}% on the newest day)`);
      const link = verdictOf(page).getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toContain('?range=7d');
    }
  });

  it('gives no newest day of a fallen pool that had no validators on it, or no figures', async () => {
    const page = await openChanged((data) => {
      setFallen(data, [-3, -2, -1.5]);
      data.fallen.nodes[0].newestDay = { validatorCount: 0, avgValidatorEffectiveness: 0 };
      data.fallen.nodes[1].newestDay = null;
    });
    const verdict = await verdictOf(page).innerText();
    expect(verdict).toContain('(−3.00 points)');
    expect(verdict).toContain('(−2.00 points)');
    expect(verdict).toMatch(/\(−1\.50 points; \d+\.\d\d% on the newest day\)/);
  });

  it.each<[name: string, change: (data: any) => void, expected: string | RegExp]>([
    ['nothing', () => undefined, 'Nothing unusual on Oct 30, 2025 (chain day).'],
    [
      'too few votes for finality',
      ({ networkOverview: { history } }) => (history.nodes[0].targetParticipationRatio = 0.66),
      /Unusual on Oct 30, 2025 \(chain day\): 66.00% of attestations had the correct target, too few/,
    ],
    [
      'less participation than in the days before',
      ({ networkOverview: { history } }) => (history.nodes[0].participationRatio -= 0.02),
      /: 97\.\d\d% of due attestations were included, but 99\.\d\d% in the days before\.$/,
    ],
    [
      'participation that is hardly less',
      ({ networkOverview: { history } }) => (history.nodes[0].participationRatio -= 0.008),
      /^Nothing unusual/,
    ],
    [
      'more missed blocks than in the days before',
      ({ networkOverview: { history } }) => (history.nodes[0].missedProposalRatio = 0.02),
      /: 2\.00% of blocks were missed, but 0\.\d\d% in the days before\.$/,
    ],
    [
      'no figures of attestations',
      ({ networkOverview: { history } }) =>
        Object.assign(history.nodes[0], { participationRatio: null, targetParticipationRatio: null }),
      'Nothing unusual in what is stored of Oct 30, 2025 (chain day).',
    ],
  ])('judges the newest day by one line: %s', async (_name, change, expected) => {
    const page = await openChanged(
      (data) => {
        data.slashed.nodes = data.slashed.nodes.filter(({ date }: any) => date !== '2025-10-30');
        setFallen(data, [0, 0, 0]);
        change(data);
      },
      '/?range=30d',
      NEXT_DAY,
    );
    const verdict = await verdictOf(page).innerText();
    if (typeof expected === 'string') expect(verdict).toBe(expected);
    else expect(verdict).toMatch(expected);
    const tone = /what is stored/.test(verdict) ? null : /^Nothing/.test(verdict) ? 'good' : 'note';
    expect(await verdictOf(page).getAttribute('data-tone')).toBe(tone);
  });

  it('says how old its data are, by green dots only while they are the newest that there can be', async () => {
    const page = await openChanged(() => undefined, '/', NEXT_DAY);
    expect(await page.locator('.as-of').innerText()).toMatch(/\(8 hours ago, the newest whole day\)/);
    expect(await page.locator('.as-of').getAttribute('data-age')).toBe('new');
    const late = await openChanged(() => undefined, '/', new Date('2025-11-01T18:00:00Z'));
    expect(await late.locator('.as-of').getAttribute('data-age')).toBe('late');
    const figure = (one: Page) => one.getByRole('figure', { name: 'Newest blocks' });
    await figure(late).getByText('; the newest is of 18 hours ago.').waitFor();
    const old = await openChanged(() => undefined, '/', new Date('2025-11-03T18:00:00Z'));
    expect(await old.locator('.as-of').getAttribute('data-age')).toBe('old');
    expect(await verdictOf(old).innerText()).toMatch(/the newest day ended 3 days ago/);
    const fresh = await openChanged(() => undefined, '/', new Date('2025-11-01T00:10:00Z'));
    await fresh.locator('.live[data-age="new"]').waitFor();
    expect(await fresh.getByText('; the newest is of').count()).toBe(0);
  });

  it.each([
    ['chain', 'Oct 30, 2025', 'Chain day', { from: '2025-10-30', to: '2025-10-31' }],
    ['utc', 'Oct 31, 2025', 'Date (UTC)', { from: '2025-10-31', to: '2025-10-31' }],
  ])(
    'dates the newest slashing by %s days everywhere, and leads to it',
    async (calendar, date, head, dates) => {
      const { page } = await explorer.open(`/?calendar=${calendar}`);
      await settled(page);
      const verdict = await verdictOf(page).innerText();
      expect(verdict).toContain(`Unusual on ${date} (`);
      const rows = page.getByRole('figure', { name: 'Newest slashings' }).locator('tr');
      expect(await rows.first().innerText()).toMatch(new RegExp(`^${head.replace(/[()]/g, '.')}`));
      const [day, epoch] = (await rows.nth(1).innerText()).split(/\t/);
      expect(day?.trim()).toBe(date);
      await verdictOf(page).getByRole('link', { name: '1 validator was slashed' }).press('Enter');
      await page.waitForURL(/explore\/slashings/);
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(dates);
      await settled(page);
      const list = page.getByRole('figure', { name: 'Slashed validators' }).locator('tbody');
      expect(await list.innerText()).toContain(epoch?.trim());
      await page.goBack();
      await settled(page);
      expect(await verdictOf(page).innerText()).toBe(verdict);
      const marks = page.getByRole('figure', { name: 'Rewards', exact: true }).locator('.plot a');
      const hrefs = await marks.evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      expect(hrefs).toContain(`/explore/slashings?${new URLSearchParams(dates)}`);
    },
  );

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
    expect(head).toBe('Period (chain days),Consensus (ETH),Fees and MEV (ETH)');
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

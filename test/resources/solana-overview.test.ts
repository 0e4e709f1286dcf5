import fc from 'fast-check';
import { parse } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { TimeWindow } from '../../src/chain/windows.ts';
import { SolanaNetworkOverview, solanaOverviewFields } from '../../src/resources/solana-overview/record.ts';
import { decimals, ratios, signedDecimals, written } from '../support/decimals.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { sampleSolanaOverviews } from '../support/sample.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const V0 = '/v0/solana/network/overview';
const V1 = '/v1/solana/network/overview';
const windowEnum = { '1d': 'ONE_DAY', '7d': 'SEVEN_DAYS', '30d': 'THIRTY_DAYS', all: 'ALL' } as const;
const fields = solanaOverviewFields
  .join(' ')
  .replace('timeWindow', 'timeWindow: window')
  .replace('activeValidatorDiff', 'activeValidatorDiff: activeValidatorCountDiff');
const decimalFields = [
  'rewardsSolanaVoting',
  'rewardsSolanaProposals',
  'rewardsSolanaMev',
  'rewardsSolanaRent',
  'totalDelegatedStake',
  'stakeAccountWithdrawAuthorityRatio',
  'stakeAccountStakeAuthorityRatio',
  'networkEffectivenessDiff',
  'giniCoefficient',
];

/** The body with each number as the text it was written with. */
const exact = (text: string): any => parse(text, null, (digits) => digits);
/** The row with its ratios as doubles, as GraphQL shows them. */
const withRatios = (row: any) => ({
  ...row,
  ...Object.fromEntries(decimalFields.slice(5).map((name) => [name, Number(row[name])])),
});
const fromGraphql = (node: any) => ({
  ...node,
  timeWindow: TimeWindow.options.find((name) => windowEnum[name] === node.timeWindow),
});

describe(`GET ${V1}`, () => {
  it('is paged by limit and offset, with links both ways', async () => {
    const all = (await gateway.get(V1)).json.results;
    const page = await gateway.get(`${V1}?limit=2&offset=1`);
    expect([page.status, page.json.pages, page.json.results]).toEqual([200, 2, all.slice(1, 3)]);
    const { pathname, search } = new URL(page.json.next);
    expect((await gateway.get(pathname + search)).json).toMatchObject({ next: null, results: all.slice(3) });
    expect(page.json.previous).toMatch(/limit=1&offset=0$/);
    const one = await gateway.get(`${V1}?window=7d&limit=200&offset=1`);
    expect([one.json.pages, one.json.results, one.json.next]).toEqual([1, [], null]);
  });

  it.each(['limit=0', 'limit=201', 'offset=-1', 'offset=x'])('refuses %s', async (query) => {
    const { status, json } = await gateway.get(`${V1}?${query}`);
    expect([status, json.detail[0].loc]).toEqual([400, ['query', query.split('=')[0]]]);
  });
});

describe.each([
  { path: V0, rowsOf: (body: any) => body },
  { path: V1, rowsOf: (body: any) => body.results },
])('GET $path', ({ path, rowsOf }) => {
  it('answers one record a window in the order 1d, 7d, 30d, all, with the documented keys in order', async () => {
    const { status, json, headers } = await gateway.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(rowsOf(json).map((row: any) => row.timeWindow)).toEqual(['1d', '7d', '30d', 'all']);
    for (const row of rowsOf(json)) expect(Object.keys(row)).toEqual(solanaOverviewFields);
  });

  it.each(TimeWindow.options)('is narrowed to window %s', async (window) => {
    const all = rowsOf((await gateway.get(path)).json);
    const { json } = await gateway.get(`${path}?window=${window}`);
    expect(rowsOf(json)).toEqual(all.filter((row: any) => row.timeWindow === window));
  });

  it('takes an empty or null window as absent, and ignores what it does not know', async () => {
    const { text } = await gateway.get(path);
    for (const query of ['window=', 'window=null', 'type=pool', 'from=1&size=0']) {
      expect((await gateway.get(`${path}?${query}`)).text).toBe(text);
    }
  });

  it.each(['1w', '7D', 'ALL', '1', '1d,7d'])('refuses window=%s with 400 naming it', async (window) => {
    const { status, json } = await gateway.get(`${path}?window=${window}`);
    expect(status).toBe(400);
    expect(json.detail).toEqual([
      {
        loc: ['query', 'window'],
        msg: `window is "${window}"; one of 1d, 7d, 30d, all is needed.`,
        type: 'enum',
      },
    ]);
  });

  it('refuses window given twice', async () => {
    const { status, json } = await gateway.get(`${path}?window=1d&window=1d`);
    expect(status).toBe(400);
    expect(json.detail).toMatchObject([{ loc: ['query', 'window'], type: 'repeated' }]);
  });

  it('does not look at the network header, which is of Ethereum', async () => {
    const { text } = await gateway.get(path);
    for (const network of ['hoodi', 'goerli']) {
      expect((await gateway.get(path, { 'x-service-network': network })).text).toBe(text);
    }
  });

  it('needs a token and a method that reads', async () => {
    expect((await gateway.fetch(path)).status).toBe(401);
    const posted = await gateway.fetch(path, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('reads all windows in one statement', async () => {
    await gateway.get(path);
    expect(gateway.statements).toEqual(['solanaOverviewsOf']);
  });
});

describe('the two versions', () => {
  it('v0 says that it is deprecated and by what, also when it refuses; v1 does not', async () => {
    for (const query of ['', '?window=1d', '?window=1w']) {
      const { headers } = await gateway.get(V0 + query);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('link')).toBe(`<${V1}>; rel="successor-version"`);
    }
    const unknown = await gateway.fetch(V0);
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('deprecation')).toMatch(/^@\d+$/);
    const { headers } = await gateway.get(V1);
    expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null]);
  });

  it('v0 answers decimals as text, v1 the same digits as JSON numbers', async () => {
    const [v0, v1] = [await gateway.get(V0), await gateway.get(V1)];
    for (const row of v0.json) for (const name of decimalFields) expect(row[name]).toBeTypeOf('string');
    for (const row of v1.json.results)
      for (const name of decimalFields) expect(row[name]).toBeTypeOf('number');
    expect(exact(v1.text).results).toEqual(exact(v0.text));
    // digits that a double would lose
    const { totalDelegatedStake: digits } = v0.json[0];
    expect(digits).not.toBe(String(Number(digits)));
  });

  it('v1 answers the v1 envelope, of one page', async () => {
    const { json } = await gateway.get(V1);
    expect(Object.keys(json)).toEqual(['previous', 'next', 'pages', 'results']);
    expect(json).toMatchObject({ previous: null, next: null, pages: 1 });
  });

  it('answer an empty list where there are no figures', async () => {
    const empty = await gatewayForTest({ template: 'empty' });
    expect((await empty.get(V0)).text).toBe('[]');
    expect((await empty.get(V1)).text).toBe('{"previous":null,"next":null,"pages":0,"results":[]}');
    expect((await empty.get(`${V0}?window=7d`)).text).toBe('[]');
    const { data } = await empty.graphql('{ solanaNetworkOverview(window: ALL) { window } }');
    expect(data.solanaNetworkOverview).toBeNull();
  });
});

describe('GraphQL solanaNetworkOverview', () => {
  it('answers the rows of REST, with ratios as doubles', async () => {
    const rest = (await gateway.get(V0)).json.map(withRatios);
    const { data } = await gateway.graphql(`{ solanaNetworkOverviews { ${fields} } }`);
    expect(data.solanaNetworkOverviews.map(fromGraphql)).toEqual(rest);
    for (const row of rest) {
      const one = await gateway.graphql(
        `query ($window: TimeWindow!) { solanaNetworkOverview(window: $window) { ${fields} } }`,
        { window: windowEnum[row.timeWindow as '1d'] },
      );
      expect(fromGraphql(one.data.solanaNetworkOverview)).toEqual(row);
    }
  });

  it('is a node of its window, and names the window and the change of validators as other types do', async () => {
    const { data } = await gateway.graphql(
      '{ solanaNetworkOverviews { id window activeValidatorCountDiff giniCoefficient } }',
    );
    const ids = TimeWindow.options.map((name) =>
      Buffer.from(`SolanaNetworkOverview:${name}`).toString('base64url'),
    );
    expect(data.solanaNetworkOverviews.map((row: any) => row.id)).toEqual(ids);
    for (const row of data.solanaNetworkOverviews) {
      expect(row.activeValidatorCountDiff).toBeTypeOf('number');
      expect(row.giniCoefficient).toBeTypeOf('number');
    }
    const fields = 'id window activeValidatorCountDiff giniCoefficient';
    gateway.statements.length = 0;
    const nodes = await gateway.graphql(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on SolanaNetworkOverview { ${fields} } } }`,
      { ids: [...ids, Buffer.from('SolanaNetworkOverview:2d').toString('base64url')] },
    );
    expect(nodes.data.nodes).toEqual([...data.solanaNetworkOverviews, null]);
    expect(gateway.statements).toEqual(['solanaOverviewsOf']);
  });

  it('reads several windows in one statement', async () => {
    const { errors } = await gateway.graphql(`{
      solanaNetworkOverviews { window }
      day: solanaNetworkOverview(window: ONE_DAY) { delegatorApy }
      week: solanaNetworkOverview(window: SEVEN_DAYS) { delegatorApy }
    }`);
    expect(errors).toBeUndefined();
    expect(gateway.statements).toEqual(['solanaOverviewsOf']);
  });

  it('refuses a query without a window', async () => {
    const { errors } = await gateway.graphql('{ solanaNetworkOverview { window } }');
    expect(errors?.[0].extensions.code).toBe('BAD_QUERY');
  });
});

describe('importing overviews', () => {
  const sample = [...sampleSolanaOverviews()];
  const first = sample[0] as SolanaNetworkOverview;

  it('takes what either version answers, and importing it again changes nothing', async () => {
    const other = await gatewayForTest({ template: 'empty' });
    const [v0, v1] = [await gateway.get(V0), await gateway.get(V1)];
    expect(await importText(other, 'solana-overview', v0.text)).toMatchObject({ inserted: 4, faults: [] });
    expect(await importText(other, 'solana-overview', v1.text)).toMatchObject({ inserted: 0, updated: 0 });
    expect((await other.get(V0)).text).toBe(v0.text);
    expect((await other.get(V1)).text).toBe(v1.text);
  });

  slow('keeps every digit from the file to the answer', async () => {
    const other = await gatewayForTest({ template: 'empty' });
    const row = fc.record({
      rewardsSolanaVoting: written(decimals),
      totalDelegatedStake: written(decimals),
      networkEffectivenessDiff: written(signedDecimals),
      giniCoefficient: written(ratios),
    });
    await fc.assert(
      fc.asyncProperty(row, async (values) => {
        const entries = Object.entries(values);
        const { rewardsSolanaVoting: _v, totalDelegatedStake: _t, ...rest } = first;
        const { networkEffectivenessDiff: _n, giniCoefficient: _g, ...others } = rest;
        const text = `{${entries.map(([name, { json }]) => `"${name}":${json}`)},${JSON.stringify(others).slice(1)}`;
        const report = await importText(other, 'solana-overview', text);
        expect(report.faults).toEqual([]);
        const expected = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
        const [v0] = (await other.get(V0)).json;
        expect(v0).toMatchObject(expected);
        const v1 = exact((await other.get(V1)).text);
        expect(v1.results[0]).toMatchObject(expected);
        const { data } = await other.graphql(`{ solanaNetworkOverviews { ${fields} } }`);
        expect(fromGraphql(data.solanaNetworkOverviews[0])).toEqual(withRatios(v0));
      }),
      { ...runs(60), endOnFailure: true },
    );
  });

  it('takes the window of the command line for rows that name none', async () => {
    const other = await gatewayForTest({ template: 'empty' });
    const { timeWindow: _, ...row } = first;
    const unnamed = JSON.stringify(row);
    expect((await importText(other, 'solana-overview', unnamed)).faults).toMatchObject([
      { field: 'timeWindow' },
    ]);
    expect((await importText(other, 'solana-overview', unnamed, { window: '30d' })).inserted).toBe(1);
    await importText(other, 'solana-overview', JSON.stringify(first), { window: 'all' });
    expect((await other.get(V0)).json.map((found: any) => found.timeWindow)).toEqual(['1d', '30d']);
  });

  it('tells what does not fit with its field, and two rows of one window', async () => {
    const other = await gatewayForTest({ template: 'empty' });
    const bad = { ...first, totalDelegatedStake: '-1', giniCoefficient: '1.5', activeValidatorCount: 1.5 };
    const { faults, loaded } = await importText(
      other,
      'solana-overview',
      JSON.stringify([bad, first, first]),
    );
    expect(loaded).toBe(false);
    expect(faults.map(({ place, field }) => [place, field])).toEqual([
      ['row 1', 'activeValidatorCount'],
      ['row 1', 'totalDelegatedStake'],
      ['row 1', 'giniCoefficient'],
      ['row 3', '(row)'],
    ]);
  });

  it('removes other windows only when told to', async () => {
    const other = await gatewayForTest({ template: 'empty' });
    await importText(other, 'solana-overview', JSON.stringify(sample));
    expect((await importText(other, 'solana-overview', JSON.stringify([first]))).removed).toBe(0);
    expect(
      (await importText(other, 'solana-overview', JSON.stringify([first]), { replace: true })).removed,
    ).toBe(3);
    expect((await other.get(V0)).json).toHaveLength(1);
  });
});

describe('the sample overviews', () => {
  it('fit the record, add up the stake of the stake authorities, and are the same each time', () => {
    const rows = [...sampleSolanaOverviews()];
    for (const row of rows) {
      const { asOfEpoch, asOfTime, ...figures } = row;
      expect(SolanaNetworkOverview.parse(row)).toEqual(figures);
      expect({ asOfEpoch, asOfTime }).toEqual({ asOfEpoch: 873, asOfTime: '2025-10-31T21:40:00Z' });
    }
    expect([...sampleSolanaOverviews()]).toEqual(rows);
  });
});

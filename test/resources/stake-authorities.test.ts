import { parse } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { TimeWindow } from '../../src/chain/windows.ts';
import { summaries } from '../../src/resources/stake-authorities/queries.ts';
import { stakeAuthorityFields } from '../../src/resources/stake-authorities/record.ts';
import { useGateway } from '../support/gateway.ts';
import { every, slow } from '../support/thorough.ts';
import { blocksIn } from '../support/typed.ts';
import { walkCursor, walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const V0 = '/v0/solana/delegators/stakeAuthorities';
const V1 = '/v1/solana/delegators/stakeAuthorities';
const windowEnum = { '1d': 'ONE_DAY', '7d': 'SEVEN_DAYS', '30d': 'THIRTY_DAYS', all: 'ALL' } as const;
const types = [null, 'pool', 'individual'] as const;
const delegationFields = ['validatorVoteAccount', 'validatorName', 'percentage'];
const figures = stakeAuthorityFields
  .filter((name) => !['stakeAuthority', 'poolName'].includes(name))
  .map((name) =>
    name === 'delegations'
      ? `delegations { ${delegationFields.join(' ').replace('percentage', 'percentage: ratio')} }`
      : name,
  )
  .join(' ');
const fieldsIn = (window: string) => `stakeAuthority poolName summary(window: ${window}) { ${figures} }`;
/** GraphQL has these as the nearest doubles. */
const ratios = [
  'stakingRewardsApy',
  'mevRewardsApr',
  'delegatorApy',
  'networkPenetration',
  'aggregateValidatorEffectiveness',
  'blendedVoteCommissionRate',
  'blendedMevCommissionRate',
];
/** A row of REST as a node of GraphQL. */
const inGraphql = ({ stakeAuthority, poolName, ...summary }: any) => ({
  stakeAuthority,
  poolName,
  summary: {
    ...summary,
    ...Object.fromEntries(ratios.map((name) => [name, Number(summary[name])])),
    delegations: summary.delegations.map((one: any) => ({ ...one, percentage: Number(one.percentage) })),
  },
});

const v0 = (query: string, headers = {}) => gateway.get(`${V0}?${query}`, headers);
const v1 = (query: string, headers = {}) => gateway.get(`${V1}?${query}`, headers);
/** The body with each number as the text it was written with. */
const exact = (text: string): any => parse(text, null, (digits) => digits);
const penetrations = (rows: any[]) => rows.map((row) => row.networkPenetration as string);

describe.each([
  {
    path: V0,
    size: 'size',
    from: 'from',
    keys: ['page', 'total', 'data', 'next'],
    rowsOf: (body: any) => body.data,
  },
  {
    path: V1,
    size: 'limit',
    from: 'offset',
    keys: ['previous', 'next', 'pages', 'results'],
    rowsOf: (body: any) => body.results,
  },
])('GET $path', ({ path, size, from, keys, rowsOf }) => {
  const get = (query: string, headers = {}) => gateway.get(`${path}?${query}`, headers);

  it('answers the documented envelope with the documented keys in order', async () => {
    const { status, json, headers } = await get('window=7d&type=pool');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(json)).toEqual(keys);
    for (const row of rowsOf(json)) {
      expect(Object.keys(row)).toEqual(stakeAuthorityFields);
      for (const delegation of row.delegations) expect(Object.keys(delegation)).toEqual(delegationFields);
    }
  });

  it('answers 15 of all kinds from the first on by default', async () => {
    const bare = await get('window=7d');
    expect(rowsOf(bare.json)).toHaveLength(15);
    expect(rowsOf((await get(`window=7d&${from}=0&${size}=15`)).json)).toEqual(rowsOf(bare.json));
  });

  it.each(TimeWindow.options)('answers window %s', async (window) => {
    const others = TimeWindow.options.filter((name) => name !== window);
    const { text } = await get(`window=${window}`);
    for (const other of others) expect((await get(`window=${other}`)).text).not.toBe(text);
  });

  it.each(['', 'type=', 'type=null'])('answers pools and individuals for "%s"', async (query) => {
    const rows = rowsOf((await get(`window=7d&${size}=200&${query}`)).json);
    expect(new Set(rows.map((row: any) => row.poolName === null))).toEqual(new Set([true, false]));
  });

  it('narrows to pools, which have a poolName, and to individuals, which have none', async () => {
    const rows = async (type: string) => rowsOf((await get(`window=7d&${size}=200&type=${type}`)).json);
    const [pools, individuals] = [await rows('pool'), await rows('individual')];
    for (const row of pools) expect(row.poolName).toMatch(/\S \S/);
    for (const row of individuals) expect(row.poolName).toBeNull();
    expect(pools.length).toBeGreaterThan(40);
    expect(individuals).toHaveLength(200);
  });

  it('takes each allowed bound of the size and of the start', async () => {
    expect(rowsOf((await get(`window=7d&${size}=1`)).json)).toHaveLength(1);
    expect(rowsOf((await get(`window=7d&${size}=200`)).json)).toHaveLength(200);
    expect(rowsOf((await get(`window=7d&${from}=1499`)).json)).toHaveLength(1);
    expect(rowsOf((await get(`window=7d&${from}=2147483647`)).json)).toEqual([]);
  });

  it.each([
    ['window', ''],
    ['window', 'null'],
    ['window', '1w'],
    ['window', '7D'],
    ['type', 'all'],
    ['type', 'Pool'],
    ['type', 'pools'],
    ['type', '1'],
    [from, '-1'],
    [from, '1.5'],
    [from, '1e3'],
    [from, 'x'],
    [from, '2147483648'],
    [size, ''],
    [size, 'null'],
    [size, '0'],
    [size, '201'],
    [size, '-1'],
    [size, '1.5'],
    [size, '0x10'],
    [size, '9223372036854775808'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const { status, json } = await get(name === 'window' ? `window=${value}` : `window=7d&${name}=${value}`);
    expect(status).toBe(400);
    expect(json.detail).toHaveLength(1);
    expect(json.detail[0].loc).toEqual(['query', name]);
    expect(json.detail[0].msg).toMatch(new RegExp(`^${name} `));
  });

  it.each(['window', 'type', size, from])('refuses %s given twice', async (name) => {
    const twice = `${name}=1&${name}=1`;
    const { status, json } = await get(name === 'window' ? twice : `window=7d&${twice}`);
    expect(status).toBe(400);
    expect(json.detail).toMatchObject([{ loc: ['query', name], type: 'repeated' }]);
  });

  it('tells all faults at once, a missing window too', async () => {
    const { status, json } = await get(`${size}=0&${from}=a&type=b`);
    expect(status).toBe(400);
    const told = json.detail.map((fault: any) => fault.loc.join('.')).sort();
    expect(told).toEqual(['window', 'type', from, size].map((name) => `query.${name}`).sort());
  });

  it('does not look at the network header, which is of Ethereum', async () => {
    expect((await get('window=7d', { 'x-service-network': 'goerli' })).text).toBe(
      (await get('window=7d')).text,
    );
  });

  it('needs a token and a method that reads', async () => {
    expect((await gateway.fetch(`${path}?window=7d`)).status).toBe(401);
    expect((await gateway.fetch(path, { method: 'DELETE' })).status).toBe(405);
  });

  it.each([1, 15, 200])('reads a page of %i in one statement', async (rows) => {
    await get(`window=7d&${size}=${rows}`);
    expect(gateway.statements).toEqual(['stakeAuthorityPages']);
  });
});

describe('the pages of v0', () => {
  it('say where they lie, and repeat the effective parameters in a relative next', async () => {
    const { json } = await v0('window=30d&size=5&type=pool&from=1&ignored=1');
    expect(json.page).toEqual({ from: 1, to: 6, size: 5 });
    expect(json.next).toBe(`${V0}?window=30d&type=pool&from=6&size=5&revision=1`);
    expect((await v0('window=30d&from=&type=')).json.next).toBe(
      `${V0}?window=30d&from=15&size=15&revision=1`,
    );
  });

  it('take an empty or null from as absent', async () => {
    const { text } = await v0('window=7d');
    for (const query of ['from=', 'from=null']) expect((await v0(`window=7d&${query}`)).text).toBe(text);
  });

  it('end with a next of null, and past the end are empty', async () => {
    expect((await v0('window=7d&from=1485')).json).toMatchObject({ total: 1500, next: null });
    expect((await v0('window=7d&from=1484')).json.next).not.toBeNull();
    const past = (await v0('window=7d&from=9000')).json;
    expect(past).toEqual({ page: { from: 9000, to: 9000, size: 15 }, total: 1500, data: [], next: null });
  });

  it('say that they are deprecated and by what, also when they refuse; those of v1 do not', async () => {
    for (const query of ['window=7d', '']) {
      const { headers } = await v0(query);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('link')).toBe(`<${V1}>; rel="successor-version"`);
    }
    const { headers } = await v1('window=7d');
    expect([headers.get('deprecation'), headers.get('link')]).toEqual([null, null]);
  });
});

describe('the pages of v1', () => {
  it('link to the pages around them with the query of the caller', async () => {
    const { json } = await v1('window=7d&limit=10&x=a%20b&offset=20');
    expect(json).toMatchObject({
      previous: `${gateway.url}${V1}?window=7d&limit=10&x=a+b&offset=10&revision=1`,
      next: `${gateway.url}${V1}?window=7d&limit=10&x=a+b&offset=30&revision=1`,
      pages: 150,
    });
    expect((await v1('window=7d&limit=10')).json.previous).toBeNull();
    expect((await v1('window=7d&limit=10&offset=1490')).json.next).toBeNull();
    expect((await v1('window=7d&limit=7')).json.pages).toBe(215);
  });

  it('give each row once walking back from an offset between pages', async () => {
    const { json } = await v1('window=7d&limit=10&offset=13');
    const rows = [...json.results];
    for (let link = json.previous; link; ) {
      const before = (await gateway.get(link.replace(gateway.url, ''))).json;
      rows.unshift(...before.results);
      link = before.previous;
    }
    expect(rows).toEqual((await v1('window=7d&limit=23')).json.results);
  });

  it('past the end are empty, with a way back', async () => {
    const { json } = await v1('window=7d&type=pool&limit=200&offset=4000');
    expect(json).toMatchObject({ next: null, pages: 1, results: [] });
    const back = (await gateway.get(json.previous.replace(gateway.url, ''))).json;
    expect(back.results).toEqual((await v1('window=7d&type=pool&limit=200')).json.results);
  });
});

const walkQuery = (
  page: string,
) => `query ($window: TimeWindow!, $type: StakeAuthorityType, $cursor: String) {
  stakeAuthorities(window: $window, type: $type, ${page}) {
    edges { node { ${fieldsIn('$window')} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Every row of a v1 list with its digits as text, by following one of the links until it is null. */
async function walkV1(start: string, direction: 'next' | 'previous'): Promise<any[]> {
  const rows: any[] = [];
  for (let link: string | null = start; link; ) {
    const body = exact((await gateway.get(link.replace(gateway.url, ''))).text);
    if (direction === 'next') rows.push(...body.results);
    else rows.unshift(...body.results);
    link = body[direction];
  }
  return rows;
}

describe('REST v0, REST v1 and GraphQL', () => {
  const cases = TimeWindow.options.flatMap((window) => types.map((type) => ({ window, type })));

  slow.each(every(12, cases, 1))(
    'give the same rows once each, both ways: $window $type',
    async ({ window, type }) => {
      const size = type === 'pool' ? 7 : 200;
      const query = `window=${window}${type ? `&type=${type}` : ''}`;
      const rows = await walkNext(gateway, `${V0}?${query}&size=${size}`);
      const { total } = (await v0(query)).json;
      expect(rows).toHaveLength(total);
      expect(new Set(rows.map((row) => row.stakeAuthority)).size).toBe(total);

      // v1 has digits as numbers; both sides as the text they were written with
      const inV1 = rows.map((row) => ({ ...row, validatorDelegates: String(row.validatorDelegates) }));
      expect(await walkV1(`${V1}?${query}&limit=${size}`, 'next')).toEqual(inV1);
      expect(await walkV1(`${V1}?${query}&limit=${size}&offset=${total}`, 'previous')).toEqual(inV1);

      const variables = { window: windowEnum[window], type: type?.toUpperCase() ?? null };
      for (const [page, direction] of [
        [`first: ${size}, after: $cursor`, 'forward'],
        [`last: ${size}, before: $cursor`, 'backward'],
      ] as const) {
        const nodes = await walkCursor(gateway, 'stakeAuthorities', walkQuery(page), direction, variables);
        expect(nodes).toEqual(rows.map(inGraphql));
      }
    },
    60_000,
  );

  it.each(every(4, TimeWindow.options, 1))(
    'order by network penetration descending, and split into the types: %s',
    async (window) => {
      const all = await walkNext(gateway, `${V0}?window=${window}&size=200`);
      const compare = (a: string, b: string) => Number(b) - Number(a) || (a === b ? 0 : a < b ? 1 : -1);
      expect(penetrations(all)).toEqual(penetrations(all).sort(compare));
      const pools = await walkNext(gateway, `${V0}?window=${window}&size=200&type=pool`);
      expect(pools).toEqual(all.filter((row) => row.poolName !== null));
      const individuals = await walkNext(gateway, `${V0}?window=${window}&size=200&type=individual`);
      expect(individuals).toEqual(all.filter((row) => row.poolName === null));
    },
  );

  it('write the same digits: text in v0, JSON numbers in v1', async () => {
    const decimal = stakeAuthorityFields.filter(
      (name) => !['stakeAuthority', 'validatorDelegates', 'delegations', 'poolName'].includes(name),
    );
    for (const row of (await v0('window=all&size=50')).json.data) {
      for (const name of decimal) expect(row[name]).toMatch(/^-?\d+\.\d{9,24}$/);
      for (const delegation of row.delegations) expect(delegation.percentage).toMatch(/^[01]\.\d{12}$/);
    }
    for (const row of (await v1('window=all&limit=50')).json.results) {
      for (const name of decimal) expect(row[name]).toBeTypeOf('number');
      for (const delegation of row.delegations) expect(delegation.percentage).toBeTypeOf('number');
    }
  });
});

describe('GraphQL stakeAuthorities', () => {
  const count = async (query: string, variables = {}) => (await gateway.ask(query, variables)).statements;

  it.each([1, 15, 200])('reads a page of %i in one statement, with its total too', async (first) => {
    const page = `stakeAuthorities(window: SEVEN_DAYS, first: ${first})`;
    expect(await count(`{ ${page} { nodes { stakeAuthority } } }`)).toEqual(['stakeAuthorityPages']);
    expect(await count(`{ ${page} { totalCount nodes { ${fieldsIn('SEVEN_DAYS')} } } }`)).toEqual([
      'stakeAuthorityPages',
    ]);
  });

  it('reads the other window of each authority of a page in one more statement', async () => {
    const query =
      '{ stakeAuthorities(window: ALL, first: 50) { nodes { summary(window: ONE_DAY) { window delegatorApy } } } }';
    expect(await count(query)).toEqual(['stakeAuthorityPages', 'stakeAuthoritiesByKey']);
    const { data } = await gateway.graphql(query);
    for (const node of data.stakeAuthorities.nodes) expect(node.summary.window).toBe('ONE_DAY');
  });

  it('reads nodes, and authorities by address, in one statement each', async () => {
    const { data } = await gateway.graphql(
      '{ stakeAuthorities(window: ALL, first: 20) { nodes { id stakeAuthority } } }',
    );
    const { nodes } = data.stakeAuthorities;
    const ids = nodes.map((node: any) => node.id);
    const byId = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on StakeAuthority { stakeAuthority } } }';
    expect(await count(byId, { ids })).toEqual(['stakeAuthoritiesById']);
    expect((await gateway.graphql(byId, { ids })).data.nodes).toEqual(nodes);
    const byAddress = nodes.map(
      (node: any, index: number) =>
        `a${index}: stakeAuthority(stakeAuthority: "${node.stakeAuthority}") { id }`,
    );
    expect(await count(`{ ${byAddress.join(' ')} }`)).toEqual(['stakeAuthoritiesById']);
  });

  it('finds one by its address, the same row as in the list; null when there is none', async () => {
    for (const row of (await v0('window=30d&size=3')).json.data) {
      const { data } = await gateway.graphql(
        `query ($id: String!) { stakeAuthority(stakeAuthority: $id) { ${fieldsIn('THIRTY_DAYS')} } }`,
        { id: row.stakeAuthority },
      );
      expect(data.stakeAuthority).toEqual(inGraphql(row));
    }
    const { data } = await gateway.graphql('{ stakeAuthority(stakeAuthority: "nobody") { id } }');
    expect(data.stakeAuthority).toBeNull();
  });

  it('answers null for global ids that are none of its own', async () => {
    const ids = ['all:nobody', '2d:nobody', 'all', ''].map((id) =>
      Buffer.from(`StakeAuthority:${id}`).toString('base64url'),
    );
    const { data } = await gateway.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(data.nodes).toEqual([null, null, null, null]);
  });

  it.each([
    ['first: 0', 'first'],
    ['first: 201', 'first'],
    ['last: -1', 'last'],
    ['first: 1, last: 1', 'last'],
    ['after: ""', 'after'],
    ['before: "nonsense"', 'before'],
  ])('refuses %s', async (args, name) => {
    const { errors } = await gateway.graphql(`{ stakeAuthorities(window: ALL, ${args}) { totalCount } }`);
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });

  it('refuses an empty address, and a cursor of another list', async () => {
    const empty = await gateway.graphql('{ stakeAuthority(stakeAuthority: "") { id } }');
    expect(empty.errors?.[0].extensions.code).toBe('BAD_INPUT');
    const { data } = await gateway.graphql(
      '{ stakeAuthorities(window: ALL, first: 1) { pageInfo { endCursor } } }',
    );
    const { errors } = await gateway.graphql(
      'query ($after: String) { stakeAuthorities(window: ALL, type: POOL, after: $after) { totalCount } }',
      { after: data.stakeAuthorities.pageInfo.endCursor },
    );
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });
});

describe('a deep page', () => {
  /** Blocks that the page's statement touches. */
  async function blocksOf(after: number, limit: number) {
    let asked: { text: string; values: unknown[] } | undefined;
    const recorder = {
      query: async (statement: { text: string; values: unknown[] }) => {
        asked = statement;
        return { rows: [] };
      },
    };
    const place = { timeWindow: '7d', type: 'individual', pinned: null, after, before: 2 ** 31 - 1 } as const;
    await summaries.pages(recorder as never, [place], limit, false, ['delegatedStake']);
    const { rows } = await gateway.database.pool.query({
      text: `explain (analyze, buffers, format json) ${asked?.text}`,
      values: asked?.values as unknown[],
    });
    return blocksIn(rows);
  }

  it.each([15, 200])('of %i costs what the first does', async (limit) => {
    const first = await blocksOf(-1, limit);
    expect(first).toBeLessThan(20 + limit * 5);
    expect(await blocksOf(4_700, limit)).toBeLessThan(first * 1.3);
  });
});

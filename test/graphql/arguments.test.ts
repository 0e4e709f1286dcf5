import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let slot: number;
let pools: { hoodi: string; mainnet: string };
beforeAll(async () => {
  gateway = await startGateway();
  slot = (await gateway.get('/v0/eth/blocks?size=1')).json.data[0].consensusSlot;
  const hoodi = { 'x-service-network': 'hoodi' };
  const one = async (query: string, headers = {}) =>
    (await gateway.get(`/v0/eth/operators?window=all&idType=pool&${query}`, headers)).json.data[0].id;
  pools = { hoodi: await one('size=1', hoodi), mainnet: await one('size=1') };
});
afterAll(() => gateway.close());

type List = {
  /** The query, with `{}` in place of the list. */
  within: () => string;
  field: string;
  /** The same list of REST. */
  rest: () => string;
  /** The field that identifies a row, with the same name in both APIs. */
  keys: string;
  /** Arguments, and the parameters that ask for the same. */
  asked: [graphql: string, rest: string][];
  network?: string;
};

const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const operator = () => `operator(operatorId: "${pools.mainnet}", idType: POOL) { {} }`;
/** Pairs of arguments, and the parameters of REST, whose default orders differ. */
const ranges: [string, string][] = [
  ['fromDate: "2025-09-20", toDate: "2025-10-12"', 'fromDate=2025-09-20&toDate=2025-10-12'],
  ['fromDay: 1745, toDay: 1777', 'fromDay=1745&toDay=1777'],
  ['fromDay: 1745, toDate: "2025-10-12", utc: true', 'fromDay=1745&toDate=2025-10-12&utc=true'],
];
const newest = ([args = '', query = '']: readonly string[]): [string, string] => [
  args,
  query.includes('sortOrder') ? query : `${query}&sortOrder=desc`,
];
const periods = [
  ...ranges,
  ['granularity: WEEK, utc: true', 'granularity=week&utc=true'],
  ['orderBy: { field: VALIDATOR_COUNT }', 'sortBy=validatorCount&sortOrder=desc'],
].map(newest);
const moved = [
  ['', ''],
  ...ranges,
  ['orderBy: { field: CONSOLIDATED_BALANCE }', 'sortBy=consolidatedBalance&sortOrder=desc'],
].map(newest);
const consolidationKeys = 'sourceValidatorIndex targetValidatorIndex epoch';

const lists: Record<string, List> = {
  'Operator.attestations': {
    within: operator,
    field: 'attestations',
    rest: () => `/v1/eth/entities/${encodeURIComponent(pools.mainnet)}/attestations?entityType=pool`,
    keys: 'day startDay startEpoch endEpoch',
    asked: periods,
  },
  'Query.attestations': {
    within: () => '{}',
    field: 'attestations',
    rest: () => `/v1/eth/entities/${encodeURIComponent(pools.mainnet)}/attestations?entityType=pool`,
    keys: 'day startDay startEpoch endEpoch',
    asked: [newest(['fromDay: 1, toDate: "2030-01-01"', 'fromDay=1&toDate=2030-01-01'])],
    network: 'MAINNET',
  },
  ...Object.fromEntries(
    ['effectiveness', 'attestations', 'proposals', 'rewards'].map((field) => [
      `PrivateSet.${field}`,
      {
        within: () => `privateSet(setId: "${SET}") { {} }`,
        field,
        rest: () => `/v1/eth/sets/${SET}/${field}?`,
        keys: 'day startDay startEpoch endEpoch validatorCount',
        asked: periods,
      },
    ]),
  ),
  'PrivateSet.validators': {
    within: () => `privateSet(setId: "${SET}") { {} }`,
    field: 'validators',
    rest: () => `/v1/eth/tags/${SET}/validators?`,
    keys: 'validatorIndex validatorPubkey',
    asked: [['', '']],
  },
  'Operator.consolidations': {
    within: operator,
    field: 'consolidations',
    rest: () =>
      `/v1/eth/validators/consolidations?entityId=${encodeURIComponent(pools.mainnet)}&entityType=pool`,
    keys: consolidationKeys,
    asked: moved,
  },
  'Query.consolidations': {
    within: () => '{}',
    field: 'consolidations',
    rest: () => '/v1/eth/validators/consolidations?',
    keys: consolidationKeys,
    asked: moved,
  },
  'Query.operatorConsolidations': {
    within: () => '{}',
    field: 'operatorConsolidations',
    rest: () => '/v1/eth/entityConsolidations?',
    keys: 'consolidationCount startDate endDate',
    asked: [...ranges, ['idType: POOL', 'entityType=pool']],
  },
  'Query.operatorConsolidationCapacities': {
    within: () => '{}',
    field: 'operatorConsolidationCapacities',
    rest: () => '/v1/eth/consolidationCapacity/entity?window=all',
    keys: 'consolidationCount capacityShare',
    asked: [
      ['window: ALL, orderBy: { field: CONSOLIDATED_BALANCE, direction: ASC }', 'sortOrder=asc'],
      [
        'window: ALL, idType: POOL, orderBy: { field: CONSOLIDATION_COUNT }',
        'entityType=pool&sortBy=consolidationCount',
      ],
    ],
  },
  'Query.operatorConsolidations of hoodi': {
    within: () => '{}',
    field: 'operatorConsolidations',
    rest: () => '/v1/eth/entityConsolidations?',
    keys: 'consolidationCount startDate endDate',
    asked: [['', '']],
    network: 'HOODI',
  },
  'Query.operatorConsolidationCapacities of hoodi': {
    within: () => '{}',
    field: 'operatorConsolidationCapacities',
    rest: () => '/v1/eth/consolidationCapacity/entity?window=all',
    keys: 'consolidationCount capacityShare',
    asked: [['window: ALL', '']],
    network: 'HOODI',
  },
  'Operator.poolShares': {
    within: operator,
    field: 'poolShares',
    rest: () => `/v0/eth/operators?window=all&parentId=${encodeURIComponent(pools.mainnet)}`,
    keys: 'displayName',
    asked: [['window: ALL', '']],
  },
  'Block.syncCommitteeRewards': {
    within: () => `block(slot: ${slot}) { {} }`,
    field: 'syncCommitteeRewards',
    rest: () => `/v0/eth/blocks/${slot}/syncCommitteeRewards?`,
    keys: 'validatorIndex syncCommitteeRewards: reward',
    asked: [['', '']],
  },
};

async function restRows(path: string, network: string | undefined, keys: string[]) {
  const rows: any[] = [];
  const size = path.startsWith('/v0') ? '' : '&limit=200';
  for (let next: string | null = path + size; next; ) {
    const headers: Record<string, string> = network ? { 'x-service-network': network.toLowerCase() } : {};
    const { status, json, text }: any = await gateway.get(next.replace(gateway.url, ''), headers);
    expect(status, text).toBe(200);
    rows.push(...(json.data ?? json.results));
    next = json.next;
  }
  return rows.map((row) => keys.map((key) => row[key]));
}

async function graphqlRows(list: List, args: string, backward: boolean) {
  const rows: any[] = [];
  const network = list.network ? `network: ${list.network}` : '';
  const entity = list.network && list.field === 'attestations' ? 'idType: POOL, operatorId: $pool' : '';
  for (let cursor: string | null = null; ; ) {
    const page = backward ? 'last: 60, before: $cursor' : 'first: 60, after: $cursor';
    const field = `${list.field}(${[args, network, entity, page].filter(Boolean).join(', ')})
      { nodes { ${list.keys} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
    const { data, errors }: any = await gateway.graphql(
      `query ($cursor: String${entity && ', $pool: String!'}) { ${list.within().replace('{}', field)} }`,
      { cursor, pool: pools.mainnet },
    );
    expect(errors).toBeUndefined();
    const top: any = Object.values(data)[0];
    const { nodes, pageInfo } = list.within() === '{}' ? top : top[list.field];
    const found = nodes.map((row: any) => list.keys.split(' ').map((key) => row[key]));
    rows[backward ? 'unshift' : 'push'](...found);
    if (!(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return rows;
    cursor = backward ? pageInfo.startCursor : pageInfo.endCursor;
  }
}

const cases = Object.entries(lists).flatMap(([name, list]) =>
  list.asked.map(([args, query]) => ({ name, args, query, list })),
);

it.each(cases)(
  '$name($args) has the rows of REST, page by page in both directions',
  async ({ list, args, query }) => {
    const rows = await restRows(`${list.rest()}&${query}`, list.network, list.keys.split(' '));
    if (!args.includes('CEX')) expect(rows.length).toBeGreaterThan(0);
    for (const backward of [false, true]) expect(await graphqlRows(list, args, backward)).toEqual(rows);
  },
);

it.each([
  ['', 'desc'],
  ['orderBy: { field: EPOCH, direction: ASC }', 'asc'],
])('Validator.consolidations(%s) has those of its validator, in every range', async (args, order) => {
  const all = (await gateway.get('/v1/eth/validators/consolidations?limit=200')).json.results;
  const target = all[0].targetValidatorIndex;
  const rest = (query: string) =>
    restRows(
      `/v1/eth/validators/consolidations?validator=${target}&sortBy=epoch&sortOrder=${order}&${query}`,
      undefined,
      ['sourceValidatorIndex'],
    );
  for (const [range, query] of [['', ''] as const, ...ranges]) {
    const list = {
      within: () => `validator(by: { index: ${target} }) { {} }`,
      field: 'consolidations',
      keys: 'sourceValidatorIndex',
    };
    for (const backward of [false, true])
      expect(await graphqlRows(list as List, [args, range].filter(Boolean).join(', '), backward)).toEqual(
        await rest(query),
      );
  }
});

it('the network of an argument counts for one thing too', async () => {
  const hoodi = { 'x-service-network': 'hoodi' };
  const { day } = (await gateway.get('/v0/eth/network/chainDailyRewards?size=1', hoodi)).json.data[0];
  const { validatorIndex } = (await gateway.get('/v0/eth/slashings?size=1', hoodi)).json.data[0];
  const query = `query ($day: Int!, $id: String!, $index: Int!) {
    chainDailyReward(network: HOODI, day: $day) { day network }
    operator(network: HOODI, operatorId: $id, idType: POOL) { operatorId network }
    slashing(network: HOODI, by: { index: $index }) { validatorIndex network } }`;
  const { data } = await gateway.graphql(query, { day, id: pools.hoodi, index: validatorIndex });
  expect(data).toEqual({
    chainDailyReward: { day, network: 'HOODI' },
    operator: { operatorId: pools.hoodi, network: 'HOODI' },
    slashing: { validatorIndex, network: 'HOODI' },
  });
});

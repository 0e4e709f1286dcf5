import {
  type GraphQLEnumType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { isLosslessNumber, parse } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { rooms, routes } from '../../src/resources/index.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';
import { slow } from '../support/thorough.ts';
import { parsed } from '../support/typed.ts';

/** How one question is asked of both APIs; `cursor` is put where Relay's arguments go. */
type Question = {
  /** REST path; `next` is followed to the end. */
  rest: string;
  /** Sent as X-Service-Network on REST; GraphQL has it as an argument. */
  network?: 'hoodi' | 'holesky';
  /** GraphQL field with its arguments. */
  graphql: (page: string) => string;
  /** The root field that contains this field, if it is not a root field itself. */
  within?: string;
  /** What the record's `id` is called in GraphQL. */
  idName?: string;
  /** The type of the rows where the list is of an interface. */
  type?: string;
  /** Exact in REST, doubles in GraphQL. */
  doubles?: string[];
};

/** Ratios of the overview of Solana, and of summaries of stake authorities. */
const doubles = [
  'stakeAccountWithdrawAuthorityRatio',
  'stakeAccountStakeAuthorityRatio',
  'networkEffectivenessDiff',
  'giniCoefficient',
];
const authorityDoubles = [
  'stakingRewardsApy',
  'mevRewardsApr',
  'delegatorApy',
  'networkPenetration',
  'aggregateValidatorEffectiveness',
  'blendedVoteCommissionRate',
  'blendedMevCommissionRate',
];
type Api = Question[] | { graphqlOnly: string };

/** The order of REST: GraphQL has the newest first. */
const oldest = (field: string) => `orderBy: { field: ${field}, direction: ASC },`;

const SAMPLE_SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';

let gateway: Gateway;
let pool: string;
const slots: Record<string, number> = {};
beforeAll(async () => {
  gateway = await startGateway();
  pool = (await gateway.get('/v0/eth/operators?window=30d&idType=pool&size=1')).json.data[0].id;
  for (const name of ['a', 'b', 'c', 'd']) {
    await gateway.fetch('/v1/eth/tags', {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  }
  const { rows } = await gateway.database.pool.query({
    text: 'select network, max(slot)::int as slot from sync_committee_rewards group by network',
    values: [],
  });
  for (const { network, slot } of rows) slots[network as string] = slot as number;
});
afterAll(() => gateway.close());

/** Every room has a question here: a test below fails for a room that has none. */
const apis: Record<string, () => Api> = {
  operators: () => [
    {
      rest: '/v0/eth/operators?window=7d&idType=poolShare&size=120',
      graphql: (page) => `operators(window: SEVEN_DAYS, idType: POOL_SHARE, ${page})`,
      idName: 'operatorId',
    },
    {
      rest: '/v0/eth/operators?window=30d&idType=pool&poolType=lst&size=9',
      graphql: (page) => `operators(window: THIRTY_DAYS, idType: POOL, poolType: LST, ${page})`,
      idName: 'operatorId',
    },
    {
      rest: '/v0/eth/operators?window=all&idType=nodeOperator&size=90',
      network: 'hoodi',
      graphql: (page) => `operators(network: HOODI, window: ALL, idType: NODE_OPERATOR, ${page})`,
      idName: 'operatorId',
    },
  ],
  slashings: () => [
    { rest: '/v0/eth/slashings?size=90', graphql: (page) => `slashings(${oldest('EPOCH')} ${page})` },
    {
      rest: '/v0/eth/slashings?from=900&size=30',
      graphql: (page) => `slashings(fromDay: 900, ${oldest('EPOCH')} ${page})`,
    },
    {
      rest: '/v0/eth/slashings?size=7',
      network: 'hoodi',
      graphql: (page) => `slashings(network: HOODI, ${oldest('EPOCH')} ${page})`,
    },
    {
      rest: '/v0/eth/slashings?size=7',
      network: 'holesky',
      graphql: (page) => `slashings(network: HOLESKY, ${oldest('EPOCH')} ${page})`,
    },
  ],
  attestations: () =>
    [
      ['', oldest('PERIOD')],
      ['&utc=true', `utc: true, ${oldest('PERIOD')}`],
      ['&granularity=week', `granularity: WEEK, ${oldest('PERIOD')}`],
      ['&granularity=hour', `granularity: HOUR, ${oldest('PERIOD')}`],
      ['&sortOrder=desc', ''],
      ['&utc=true&granularity=week&sortOrder=desc', 'utc: true, granularity: WEEK,'],
      ['&sortBy=sumMissedAttestations&sortOrder=desc', 'orderBy: { field: SUM_MISSED_ATTESTATIONS },'],
    ].map(([rest, graphql]) => ({
      rest: `/v1/eth/entities/${encodeURIComponent(pool)}/attestations?entityType=pool&limit=25${rest}`,
      graphql: (page: string) =>
        `attestations(operatorId: ${JSON.stringify(pool)}, idType: POOL, ${graphql} ${page})`,
      idName: 'operatorId',
    })),
  blocks: () => [
    { rest: '/v0/eth/blocks?size=200', graphql: (page) => `blocks(${page})` },
    {
      rest: '/v0/eth/blocks?size=60',
      network: 'hoodi',
      graphql: (page) => `blocks(network: HOODI, ${page})`,
    },
    {
      rest: '/v0/eth/blocks?size=60',
      network: 'holesky',
      graphql: (page) => `blocks(network: HOLESKY, ${page})`,
    },
  ],
  'chain-daily-rewards': () => [
    {
      rest: '/v0/eth/network/chainDailyRewards?size=200',
      graphql: (page) => `chainDailyRewards(${page})`,
    },
    {
      rest: '/v0/eth/network/chainDailyRewards?size=33',
      network: 'hoodi',
      graphql: (page) => `chainDailyRewards(network: HOODI, ${page})`,
    },
    {
      rest: '/v0/eth/network/chainDailyRewards?size=90',
      network: 'holesky',
      graphql: (page) => `chainDailyRewards(network: HOLESKY, ${page})`,
    },
  ],
  'private-sets': () => [
    {
      rest: '/v1/eth/tags?limit=2',
      graphql: (page) => `privateSets(${oldest('CREATED_AT')} ${page})`,
      idName: 'setId',
    },
    {
      rest: '/v1/tags?limit=200',
      graphql: (page) => `privateSets(${oldest('CREATED_AT')} ${page})`,
      idName: 'setId',
    },
    {
      rest: `/v1/eth/tags/${SAMPLE_SET}/validators?limit=90`,
      within: `privateSet(setId: "${SAMPLE_SET}")`,
      graphql: (page) => `validators(${page})`,
    },
    ...['effectiveness', 'proposals', 'rewards'].flatMap((name) =>
      [
        ['', oldest('PERIOD')],
        ['&utc=true&sortOrder=desc', 'utc: true,'],
        ['&granularity=week&sortBy=validatorCount', `granularity: WEEK, ${oldest('VALIDATOR_COUNT')}`],
      ].map(([rest, graphql]) => ({
        rest: `/v1/eth/sets/${SAMPLE_SET}/${name}?limit=25${rest}`,
        within: `privateSet(setId: "${SAMPLE_SET}")`,
        graphql: (page: string) => `${name}(${graphql} ${page})`,
        idName: 'operatorId',
      })),
    ),
    {
      rest: `/v1/eth/sets/${SAMPLE_SET}/attestations?limit=25`,
      within: `privateSet(setId: "${SAMPLE_SET}")`,
      graphql: (page) => `attestations(${oldest('PERIOD')} ${page})`,
      idName: 'operatorId',
    },
    {
      rest: `/v1/eth/entities/${SAMPLE_SET}/attestations?entityType=privateSet&granularity=week`,
      graphql: (page) =>
        `attestations(operatorId: "${SAMPLE_SET}", idType: PRIVATE_SET, granularity: WEEK, ${oldest('PERIOD')} ${page})`,
      idName: 'operatorId',
    },
  ],
  'sync-committee-rewards': () => [
    {
      rest: `/v0/eth/blocks/${slots.mainnet}/syncCommitteeRewards?limit=200`,
      graphql: (page) => `syncCommitteeRewards(slot: ${slots.mainnet}, ${page})`,
    },
    ...(['hoodi', 'holesky'] as const).map((network) => ({
      rest: `/v0/eth/blocks/${slots[network]}/syncCommitteeRewards?limit=200`,
      network,
      graphql: (page: string) =>
        `syncCommitteeRewards(network: ${network.toUpperCase()}, slot: ${slots[network]}, ${page})`,
    })),
  ],
  'solana-overview': () => [
    { rest: '/v0/solana/network/overview', graphql: () => 'solanaNetworkOverviews', doubles },
    { rest: '/v1/solana/network/overview', graphql: () => 'solanaNetworkOverviews', doubles },
  ],
  'stake-authorities': () =>
    ['v0', 'v1'].map((version) => ({
      rest: `/${version}/solana/delegators/stakeAuthorities?window=30d&type=pool&${version === 'v0' ? 'size' : 'limit'}=150`,
      graphql: (page: string) => `stakeAuthorities(window: THIRTY_DAYS, type: POOL, ${page})`,
      doubles: authorityDoubles,
    })),
  'network-rewards': () =>
    rewardLists.flatMap(({ network, id }) => {
      const name = network.toUpperCase();
      const title = network.replace(/^./, (first) => first.toUpperCase());
      return [
        {
          rest: `/v1/${network}/validators/${id}/rewards?limit=40`,
          graphql: (page: string) =>
            `validatorRewards(network: ${name}, validatorId: "${id}", ${oldest('DATE')} ${page})`,
          type: `${title}ValidatorReward`,
        },
        {
          rest: `/v1/${network}/network/rewards?sortOrder=desc&fromDate=2025-08-10&limit=40`,
          graphql: (page: string) => `networkRewards(network: ${name}, fromDate: "2025-08-10", ${page})`,
          type: `${title}NetworkReward`,
        },
      ];
    }),
  consolidations: () => [
    {
      rest: '/v1/eth/validators/consolidations?limit=50',
      graphql: (page) => `consolidations(${oldest('EPOCH')} ${page})`,
      idName: 'operatorId',
    },
    {
      rest: '/v1/eth/validators/consolidations?limit=7&utc=true&sortBy=consolidatedBalance&sortOrder=desc',
      network: 'hoodi',
      graphql: (page) =>
        `consolidations(network: HOODI, utc: true, orderBy: { field: CONSOLIDATED_BALANCE, direction: DESC }, ${page})`,
      idName: 'operatorId',
    },
  ],
  'consolidation-totals': () => [
    {
      rest: '/v1/eth/entityConsolidations?limit=9',
      graphql: (page) => `operatorConsolidations(${page})`,
      idName: 'operatorId',
    },
    {
      rest: '/v1/eth/entityConsolidations?entityType=depositAddress&utc=true&sortBy=startDate&sortOrder=asc&limit=20',
      graphql: (page) =>
        `operatorConsolidations(idType: DEPOSIT_ADDRESS, utc: true, orderBy: { field: START_DATE, direction: ASC }, ${page})`,
      idName: 'operatorId',
    },
    { rest: '/v1/eth/consolidationCapacity', graphql: () => 'consolidationCapacities' },
    {
      rest: '/v1/eth/consolidationCapacity',
      network: 'hoodi',
      graphql: () => 'consolidationCapacities(network: HOODI)',
    },
    {
      rest: '/v1/eth/consolidationCapacity/entity?window=all&entityType=withdrawalAddress&limit=8',
      graphql: (page) => `operatorConsolidationCapacities(window: ALL, idType: WITHDRAWAL_ADDRESS, ${page})`,
      idName: 'operatorId',
    },
  ],
  builders: () => ({ graphqlOnly: 'the interface documents no path for builders' }),
  history: () => ({ graphqlOnly: 'REST is as documented, without history' }),
  'saved-views': () => ({ graphqlOnly: 'REST is as documented, without views of the explorer' }),
  'validator-ranking': () => [
    {
      rest: '/v1/eth/validators/ranking?limit=70&fromDate=2025-07-01',
      graphql: (page) => `validatorRanking(fromDate: "2025-07-01", ${page})`,
    },
    {
      rest: '/v1/eth/validators/ranking?utc=true&sortBy=missed&sortOrder=asc&limit=9',
      graphql: (page) => `validatorRanking(utc: true, orderBy: { field: MISSED, direction: ASC }, ${page})`,
    },
  ],
  validators: () => ({ graphqlOnly: 'the interface documents no path for validators' }),
  'network-overview': () => ({ graphqlOnly: 'the interface documents no path for it' }),
  figures: () => ({ graphqlOnly: 'REST has those of private sets only' }),
  search: () => ({ graphqlOnly: 'the interface documents no path for it' }),
};

/** A number as the digits that were sent, anything else as it is. A double may be 7e-06 here and 0.000007 there. */
const digits = (value: any): any => {
  if (isLosslessNumber(value))
    return value.toString().replace(/^.*e.*$/i, (double) => String(Number(double)));
  if (Array.isArray(value)) return value.map(digits);
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, digits(inner)]));
  }
  return value;
};

async function restRows({ rest, network, doubles = [] }: Question): Promise<any[]> {
  const headers: Record<string, string> = network ? { 'X-Service-Network': network } : {};
  const rows: any[] = [];
  let next: string | null = rest;
  while (next) {
    const { status, text } = await gateway.get(next.replace(gateway.url, ''), headers);
    expect(status).toBe(200);
    const body: any = parse(text);
    rows.push(...(Array.isArray(body) ? body : (body.data ?? body.results)));
    next = Array.isArray(body) ? null : body.next;
  }
  return rows.map((row) => rounded(withDoubles(digits(row)), { doubles }));
}

/** With the nearest doubles in place of ratios that REST has exactly. */
const rounded = (row: any, { doubles = [] }: Pick<Question, 'doubles'>) => ({
  ...row,
  ...Object.fromEntries(doubles.map((name) => [name, String(Number(row[name]))])),
});

/** Shares of delegations are exact in REST, doubles in GraphQL. */
const withDoubles = (row: any) =>
  row.delegations
    ? {
        ...row,
        delegations: row.delegations.map((one: any) => ({ ...one, percentage: Number(one.percentage) })),
      }
    : row;

/** Fields of REST that have another name in GraphQL. */
const otherNames: Record<string, string> = {
  activeValidatorDiff: 'activeValidatorCountDiff',
  consensusProposerDuty: 'consensusOutcome',
  day: 'date',
  executionProposerDuty: 'executionOutcome',
  organizationId: 'account',
  percentage: 'ratio',
  syncCommitteeRewards: 'reward',
  timeWindow: 'window',
};
const fieldOf = (type: GraphQLObjectType, name: string) =>
  type.getFields()[name] ?? type.getFields()[otherNames[name] ?? ''];

/** The selection of these keys of a type, objects with all plain fields that they hold. */
function selection(type: GraphQLObjectType, names: string[]): string {
  return names
    .map((name) => {
      const field = fieldOf(type, name);
      const inner = getNamedType(field?.type);
      if (!isObjectType(inner)) return field && field.name !== name ? `${name}: ${field.name}` : name;
      const leaves = Object.values(inner.getFields()).filter((one) => isLeafType(getNamedType(one.type)));
      return `${name} { ${leaves.map((field) => field.name).join(' ')} }`;
    })
    .join(' ');
}

/** The keys of a REST row of an operator or stake authority: some are its own, the others are of its summary. */
function rowSelection(type: GraphQLObjectType, names: string[], question: string): string {
  const { summary } = type.getFields();
  const window = /window: (\w+)/.exec(question)?.[1];
  const own = names.filter((name) => fieldOf(type, name));
  const figures = names.filter((name) => !own.includes(name));
  if (!summary || figures.length === 0) return selection(type, names);
  const inner = selection(getNamedType(summary.type) as GraphQLObjectType, figures);
  return `${selection(type, own)} summary(window: ${window}) { ${inner} }`;
}

/** A node in the words of REST, to its depth: enum values as REST writes them, `id` under its own name. */
function asRest(type: GraphQLObjectType, node: any, idName: string | undefined): any {
  const { summary, ...own } = node;
  if (summary && type.getFields().summary) {
    const of = getNamedType(type.getFields().summary?.type) as GraphQLObjectType;
    return { ...asRest(type, own, idName), ...asRest(of, summary, idName) };
  }
  const entries = Object.entries(node).map(([name, value]) => {
    const named = getNamedType(fieldOf(type, name)?.type);
    const plain = (one: unknown) => {
      if (isEnumType(named) && one) return (named as GraphQLEnumType).getValue(String(one))?.value;
      return isObjectType(named) && one ? asRest(named, one, idName) : one;
    };
    const restName = name === idName ? 'id' : name === 'ratio' ? 'percentage' : name;
    return [restName, Array.isArray(value) ? value.map(plain) : plain(value)];
  });
  return Object.fromEntries(entries);
}

async function graphqlRows(question: Question, keys: string[], backward: boolean): Promise<any[]> {
  const field = /^\w+/.exec(question.graphql(''))?.[0] as string;
  const root = /^\w+/.exec(question.within ?? '')?.[0];
  const query = schema.getQueryType() as GraphQLObjectType;
  const parent = root ? (getNamedType(query.getFields()[root]?.type) as GraphQLObjectType) : query;
  const found = getNamedType(parent.getFields()[field]?.type) as GraphQLObjectType;
  const paged = found.name.endsWith('Connection');
  const node = (
    question.type
      ? schema.getType(question.type)
      : paged
        ? getNamedType(found.getFields().nodes?.type)
        : found
  ) as GraphQLObjectType;
  const names = keys.map((name) => (name === 'id' ? (question.idName ?? 'id') : name));
  const plain = rowSelection(node, names, question.graphql(''));
  const select = question.type ? `... on ${question.type} { ${plain} }` : plain;
  const rows: any[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page = backward ? 'last: 70, before: $cursor' : 'first: 70, after: $cursor';
    const inner = paged
      ? `nodes { ${select} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`
      : select;
    const asked = `${question.graphql(page)} { ${inner} }`;
    const whole = question.within ? `${question.within} { ${asked} }` : asked;
    const { text } = await gateway.graphql(
      `query ${paged ? '($cursor: String)' : ''} { ${whole} }`,
      paged ? { cursor } : {},
    );
    const { data: top, errors } = parsed<{ data: any; errors?: unknown }>(text);
    expect(errors).toBeUndefined();
    const data = root ? top[root] : top;
    const nodes = (paged ? data[field].nodes : data[field]).map((row: any) =>
      rounded(withDoubles(digits(asRest(node, row, question.idName))), question),
    );
    if (backward) rows.unshift(...nodes);
    else rows.push(...nodes);
    const info = paged ? data[field].pageInfo : {};
    if (!(backward ? info.hasPreviousPage : info.hasNextPage)) return rows;
    cursor = backward ? info.startCursor : info.endCursor;
  }
}

describe('the example of each path', () => {
  it.each(routes.filter(({ method }) => !method).map((route) => route.example))(
    '%s answers rows of the sample data',
    async (path) => {
      const { status, json } = await gateway.get(path);
      expect(status).toBe(200);
      const rows = Array.isArray(json) ? json : (json.data ?? json.results ?? [json]);
      expect(rows.length).toBeGreaterThan(0);
    },
  );
});

describe('both APIs', () => {
  it('are compared for every registered room', () => {
    expect(Object.keys(apis).sort()).toEqual(Object.keys(rooms).sort());
  });

  slow.each(Object.keys(apis))(
    'of %s give the same rows, digit for digit, in both directions',
    async (room) => {
      const api = (apis[room] as () => Api)();
      if ('graphqlOnly' in api) return expect(rooms[room]).toEqual([]);
      expect(api.length).toBeGreaterThanOrEqual(1);
      for (const question of api) {
        const rows = await restRows(question);
        expect(rows.length).toBeGreaterThan(3);
        const keys = Object.keys(rows[0]);
        expect(await graphqlRows(question, keys, false)).toEqual(rows);
        expect(await graphqlRows(question, keys, true)).toEqual(rows);
      }
    },
  );
});

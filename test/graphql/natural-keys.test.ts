import { type GraphQLObjectType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';

const gateway = useGateway();
const idOf = (text: string) => Buffer.from(text).toString('base64url');
const isNode = (type: GraphQLObjectType) => type.getInterfaces().some(({ name }) => name === 'Node');

/** Lists whose rows are nodes, with fields to compare. */
const lists: [type: string, list: string, fields: string, statements: string[]][] = [
  [
    'OperatorConsolidationCapacity',
    'operatorConsolidationCapacities(window: THIRTY_DAYS, idType: POOL, first: 5)',
    'operatorId idType window latestEpoch capacity consolidatedBalance consolidationCount capacityFilled capacityShare',
    ['latestChainBalances', 'consolidatedIn', 'entityTotals'],
  ],
  [
    'OperatorConsolidationCapacity',
    'operatorConsolidationCapacities(window: ALL, first: 5)',
    'operatorId idType window latestEpoch capacity consolidatedBalance consolidationCount capacityFilled capacityShare',
    ['latestChainBalances', 'consolidatedIn', 'entityTotals'],
  ],
  [
    'PendingConsolidation',
    'pendingConsolidations(first: 5)',
    'position sourceValidatorIndex targetValidatorIndex amount expectedEpoch',
    ['pendingConsolidationsBySource'],
  ],
];

describe.each(lists)('%s', (type, list, fields, statements) => {
  it(`rows of ${list.split('(')[1]} are found again by id, together`, async () => {
    const { data, errors } = await gateway.graphql(`{ ${list} { nodes { __typename id ${fields} } } }`);
    expect(errors).toBeUndefined();
    const rows = Object.values(data as Record<string, any>)[0].nodes;
    expect(rows.length).toBeGreaterThan(2);
    gateway.statements.length = 0;
    const again = await gateway.graphql(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on ${type} { ${fields} } } }`,
      { ids: rows.map(({ id }: any) => id) },
    );
    expect(again.data.nodes).toEqual(rows);
    expect(gateway.statements).toEqual(statements);
    const one = await gateway.graphql(
      `query ($id: ID!) { node(id: $id) { __typename ... on ${type} { ${fields} } } }`,
      {
        id: rows[1].id,
      },
    );
    const { id: _, ...row } = rows[1];
    expect(one.data.node).toEqual(row);
  });
});

describe('NetworkClientShare', () => {
  it('is found again by id', async () => {
    const fields = '__typename id network client validatorCount ratio';
    const { data } = await gateway.graphql(`{ networkOverview { clients { ${fields} } } }`);
    const { clients } = data.networkOverview;
    expect(clients.length).toBeGreaterThan(1);
    const ratios = clients.reduce((sum: number, { ratio }: any) => sum + ratio, 0);
    expect(ratios).toBeCloseTo(1, 12);
    gateway.statements.length = 0;
    const again = await gateway.graphql(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on NetworkClientShare { ${fields} } } }`,
      { ids: clients.map(({ id }: any) => id) },
    );
    expect(again.data.nodes).toEqual(clients);
    expect(gateway.statements).toEqual(['networkClients']);
  });
});

describe('rewards of other networks', () => {
  it.each(rewardLists)(
    'of $network are found again by id, a statement for each kind',
    async ({ network, id }) => {
      const name = network.toUpperCase();
      const title = `${network[0]?.toUpperCase()}${network.slice(1)}`;
      const [validator, whole] = [`${title}ValidatorReward`, `${title}NetworkReward`];
      const fields = (type: string) => {
        const own = Object.values((schema.getType(type) as GraphQLObjectType).getFields());
        return own.flatMap((field) => (field.args.length > 0 ? [] : [field.name])).join(' ');
      };
      const { data, errors } = await gateway.graphql(`{
      validatorRewards(network: ${name}, validatorId: "${id}", first: 3) { nodes { __typename ... on ${validator} { ${fields(validator)} } } }
      networkRewards(network: ${name}, first: 3) { nodes { __typename ... on ${whole} { ${fields(whole)} } } } }`);
      expect(errors).toBeUndefined();
      const rows = [...data.validatorRewards.nodes, ...data.networkRewards.nodes];
      expect(rows).toHaveLength(6);
      gateway.statements.length = 0;
      const again = await gateway.graphql(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on ${validator} { ${fields(validator)} } ... on ${whole} { ${fields(whole)} } } }`,
        { ids: rows.map((row: any) => row.id) },
      );
      expect(again.errors).toBeUndefined();
      expect(again.data.nodes).toEqual(rows);
      expect(gateway.statements).toEqual(['rewardsByDay', 'rewardsByDay']);
    },
  );
});

describe('node', () => {
  it.each([
    'OperatorConsolidationCapacity:mainnet:7d:pool:nobody',
    'OperatorConsolidationCapacity:mainnet:2d:pool:x',
    'OperatorConsolidationCapacity:nowhere:7d:pool:x',
    'OperatorConsolidationCapacity:mainnet:7d:validator:1',
    'OperatorConsolidationCapacity:holesky:7d:pool:x',
    'PendingConsolidation:mainnet:2147483647',
    'PendingConsolidation:mainnet:x',
    'NetworkClientShare:mainnet:nobody',
    'NetworkClientShare:nowhere:Prysm',
    'PolygonValidatorReward:27:1999-01-01',
    'PolygonValidatorReward:27:2025-13-01',
    'PolygonValidatorReward:027:2025-08-05',
    'PolygonValidatorReward:x',
    'CardanoValidatorReward:nobody:2025-08-05',
    'SolanaNetworkReward:x:2025-08-05',
    'SolanaNetworkReward::1999-01-01',
  ])('is null for %s', async (text) => {
    const { data, errors } = await gateway.graphql('query ($id: ID!) { node(id: $id) { id } }', {
      id: idOf(text),
    });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ node: null });
  });
});

it('each type with an id is a Node, or says why it is none', () => {
  const rows = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && 'id' in type.getFields() && !isNode(type),
  );
  const silent = rows.filter(({ description }) => !/Not a Node: /.test(description ?? ''));
  expect(silent.map(({ name }) => name).filter((name) => !/(Network|Validator)Reward$/.test(name))).toEqual(
    [],
  );
});

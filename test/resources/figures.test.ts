import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const gateway = useGateway();
const figures = ['attestations', 'effectiveness', 'proposals', 'rewards'] as const;

let pool: string;
beforeAll(async () => {
  pool = (await gateway.get('/v0/eth/operators?window=all&idType=pool&size=1')).json.data[0].id;
});

const set = async (field: string, args: string, selection: string) => {
  const { data, errors } = await gateway.graphql(
    `{ privateSet(setId: "${SET}") { ${field}${args && `(${args})`} { ${selection} } } }`,
  );
  expect(errors).toBeUndefined();
  return data.privateSet[field];
};

describe.each(figures)('the records of %s', (field) => {
  it('have an id that is unique in the list, and the same in another order', async () => {
    for (const granularity of ['DAY', 'WEEK', 'MONTH', 'ALL']) {
      const ids = async (order: string) => {
        const { nodes } = await set(field, `granularity: ${granularity}, first: 100${order}`, 'nodes { id }');
        return nodes.map((node: any) => node.id) as string[];
      };
      const found = await ids('');
      expect(found.length).toBeGreaterThan(0);
      expect(new Set(found).size).toBe(found.length);
      expect((await ids(', orderBy: { field: VALIDATOR_COUNT, direction: DESC }')).sort()).toEqual(
        found.sort(),
      );
    }
  });

  it('differ in their ids by calendar, granularity, and bounds where these cut periods', async () => {
    const ids = await Promise.all(
      ['', 'utc: true', 'granularity: ALL', 'granularity: YEAR', 'granularity: ALL, fromDay: 1'].map(
        async (args) => (await set(field, args, 'edges { node { id } }')).edges[0].node.id,
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are in the order of orderBy, newest or largest first by default', async () => {
    const column =
      { attestations: 'sumCorrectHead', effectiveness: 'avgUptime' }[field as string] ?? 'sumProposerRewards';
    const name = column.replace(/[A-Z]/g, '_$&').toUpperCase();
    const rows = async (args: string) =>
      (await set(field, `first: 100, ${args}`, `nodes { day ${column} }`)).nodes;
    const rising = await rows(`orderBy: { field: ${name}, direction: ASC }`);
    const values = rising.map((row: any) => Number(row[column]));
    expect(values).toEqual([...values].sort((a, b) => a - b));
    const falling = await rows(`orderBy: { field: ${name} }`);
    expect(falling.map((row: any) => Number(row[column]))).toEqual(values.toReversed());
    const days = await rows('');
    expect(await rows('orderBy: { field: PERIOD }')).toEqual(days);
    expect(await rows('orderBy: { field: PERIOD, direction: ASC }')).toEqual([...days].reverse());
  });

  it('name their owner in operatorId, with ids and without', async () => {
    const [row] = (await set(field, 'first: 1', 'nodes { operatorId id day }')).nodes;
    expect(row).toMatchObject({ operatorId: SET });
    expect((await set(field, 'first: 1', 'nodes { operatorId }')).nodes).toEqual([{ operatorId: SET }]);
  });
});

describe('Query.attestations', () => {
  const ask = (args: string, selection = 'nodes { operatorId day sumCorrectHead }') =>
    gateway.graphql(`query ($pool: String!) { attestations(${args}) { ${selection} } }`, { pool });

  it('takes operatorId and idType', async () => {
    const { data } = await ask('operatorId: $pool, idType: POOL');
    expect(data.attestations.nodes).toHaveLength(20);
    expect(data.attestations.nodes[0].operatorId).toBe(pool);
  });

  it('gives hours an id each', async () => {
    const { data } = await ask(
      'operatorId: $pool, idType: POOL, granularity: HOUR, first: 50',
      'nodes { id }',
    );
    expect(new Set(data.attestations.nodes.map((row: any) => row.id)).size).toBe(50);
  });

  it.each([
    ['idType: POOL', 'operatorId'],
    ['operatorId: "x"', 'idType'],
  ])('refuses %s alone', async (args, missing) => {
    const { errors } = await gateway.graphql(`{ attestations(${args}) { totalCount } }`);
    expect(errors?.[0].message).toContain(`argument "${missing}"`);
  });
});

describe('records and entities', () => {
  it('lead to their operators, those of a page in one statement', async () => {
    const { data, errors } = await gateway.graphql(
      `query ($pool: String!) { attestations(operatorId: $pool, idType: POOL, first: 5) {
        nodes { operatorId operator { operatorId idType } } } }`,
      { pool },
    );
    expect(errors).toBeUndefined();
    expect(data.attestations.nodes).toEqual(
      Array.from({ length: 5 }, () => ({ operatorId: pool, operator: { operatorId: pool, idType: 'POOL' } })),
    );
    const own = await set('rewards', 'first: 1', 'nodes { operator { operatorId idType } }');
    expect(own.nodes).toEqual([{ operator: { operatorId: SET, idType: 'PRIVATE_SET' } }]);
    gateway.statements.length = 0;
    const moved = await gateway.graphql(
      '{ consolidations(first: 10) { nodes { sourceEntities { operatorId operator { operatorId } } } } }',
    );
    expect(moved.errors).toBeUndefined();
    expect(gateway.statements).toEqual(['consolidationPages', 'entitiesByValidator', 'operatorsById']);
    const entities = moved.data.consolidations.nodes.flatMap((row: any) => row.sourceEntities);
    expect(entities.length).toBeGreaterThan(0);
    for (const { operatorId, operator } of entities)
      if (operator !== null) expect(operator.operatorId).toBe(operatorId);
  });
});

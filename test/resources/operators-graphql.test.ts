import { beforeEach, describe, expect, it } from 'vitest';
import { networks } from '../../src/chain/networks.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import { transaction } from '../../src/db/pool.ts';
import { operatorImporter } from '../../src/ingest/importers/operators.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import { idTypes } from '../../src/resources/operators/record.ts';
import { startGateway, useGateway } from '../support/gateway.ts';
import { every, slow } from '../support/thorough.ts';
import { walkCursor } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const enumOf = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const windowEnum = { '1d': 'ONE_DAY', '7d': 'SEVEN_DAYS', '30d': 'THIRTY_DAYS', all: 'ALL' } as const;
const fieldsIn = (window: string) => `operatorId idType operatorTags { name path idType } displayName
  summary(window: ${window}) { window validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
    clientPercentages { client percentage: ratio } networkPenetration relayerPercentages { relayer percentage: ratio } nodeOperatorCount
    aprPercentage sumEndEpochBalance sumEndEpochEffectiveBalance }`;

/** A REST row as text and a GraphQL row of the same fields agree when they are equal in this form. */
const fromGraphql = ({ operatorId, idType, summary: { window, ...figures }, ...node }: any) => ({
  id: operatorId,
  idType: idTypes.find((name) => enumOf(name) === idType),
  timeWindow: TimeWindow.options.find((name) => windowEnum[name] === window),
  ...node,
  ...figures,
});
/** Digits past 2^53 survive as text. */
const exact = (text: string) => JSON.parse(text.replace(/("sumEndEpoch\w*Balance"):(\d+)/g, '$1:"$2"'));

const list = (query: string, headers = {}) => gateway.get(`/v0/eth/operators?${query}`, headers);

const walkQuery = (
  args: string,
) => `query ($network: Network, $idType: OperatorIdType, $window: TimeWindow!, $cursor: String) {
  operators(network: $network, idType: $idType, window: $window, ${args}) {
    edges { node { ${fieldsIn('$window')} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('REST and GraphQL', () => {
  const classes = ['pool', 'nodeOperator', 'poolShare', 'depositAddress', 'withdrawalAddress'];
  const cases = networks.flatMap((network) =>
    classes.flatMap((idType) => TimeWindow.options.map((window) => ({ network, idType, window }))),
  );

  it.each(every(7, cases))(
    'give the same rows once each, both ways: $network $idType $window',
    async (asked) => {
      const { network, idType, window } = asked;
      const size = idType === 'pool' ? 7 : 200;
      const rows: any[] = [];
      let next: string | null = `/v0/eth/operators?window=${window}&idType=${idType}&size=${size}`;
      while (next) {
        const body: any = exact((await gateway.get(next, { 'x-service-network': network })).text);
        rows.push(...body.data);
        next = body.next;
      }
      expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
      const variables = {
        network: network.toUpperCase(),
        idType: enumOf(idType),
        window: windowEnum[window],
      };
      const forward = walkQuery(`first: ${size}, after: $cursor`);
      const backward = walkQuery(`last: ${size}, before: $cursor`);
      expect(
        (await walkCursor(gateway, 'operators', forward, 'forward', variables)).map(fromGraphql),
      ).toEqual(rows);
      expect(
        (await walkCursor(gateway, 'operators', backward, 'backward', variables)).map(fromGraphql),
      ).toEqual(rows);
    },
  );

  it('give the same pool shares of a parent', async () => {
    const pool = (await list('window=7d&idType=pool')).json.data[0].id;
    const rest = exact((await list(`window=7d&size=200&parentId=${encodeURIComponent(pool)}`)).text);
    const { data } = await gateway.graphql(
      `query ($pool: String!) {
        operators(window: SEVEN_DAYS, parentId: $pool, first: 200) { totalCount nodes { ${fieldsIn('SEVEN_DAYS')} } }
        operator(operatorId: $pool) { poolShares(window: SEVEN_DAYS, first: 200) { totalCount nodes { ${fieldsIn('SEVEN_DAYS')} } } }
      }`,
      { pool },
    );
    for (const connection of [data.operators, data.operator.poolShares]) {
      expect(connection.nodes.map(fromGraphql)).toEqual(rest.data);
      expect(connection.totalCount).toBe(rest.total);
    }
  });

  it('take the network of the header where no argument names one', async () => {
    const query = '{ operators(window: ALL, idType: POOL, first: 1) { nodes { network operatorId } } }';
    const { data } = await gateway.graphql(query, {}, { 'x-service-network': 'hoodi' });
    expect(data.operators.nodes[0].network).toBe('HOODI');
  });
});

describe('GraphQL operators', () => {
  const count = async (query: string, variables = {}) => (await gateway.ask(query, variables)).statements;

  it.each([1, 15, 200])('reads a page of %i in one statement, with its total too', async (first) => {
    const page = `operators(window: SEVEN_DAYS, first: ${first})`;
    expect(await count(`{ ${page} { nodes { operatorId } } }`)).toEqual(['operatorPages']);
    expect(await count(`{ ${page} { totalCount nodes { ${fieldsIn('SEVEN_DAYS')} } } }`)).toEqual([
      'operatorPages',
    ]);
  });

  it.each([1, 15, 40])('reads a page of %i with their pool shares in two statements', async (first) => {
    const query = `{ operators(window: SEVEN_DAYS, idType: POOL, first: ${first}) {
      nodes { operatorId poolShares(window: SEVEN_DAYS, first: 5) { totalCount nodes { ${fieldsIn('SEVEN_DAYS')} } } } } }`;
    expect(await count(query)).toEqual(['operatorPages', 'operatorPages']);
  });

  it('reads the other window of each operator of a page in one more statement', async () => {
    const query =
      '{ operators(window: ALL, first: 50) { nodes { summary(window: ONE_DAY) { window avgUptime } } } }';
    expect(await count(query)).toEqual(['operatorPages', 'operatorsByKey']);
  });

  it('reads all nodes of one kind in one statement', async () => {
    const { data } = await gateway.graphql('{ operators(window: ALL, first: 20) { nodes { id } } }');
    const ids = data.operators.nodes.map((node: any) => node.id);
    expect(await count('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).toEqual([
      'operatorsById',
    ]);
  });

  slow('finds an operator again by its global id', async () => {
    const { data } = await gateway.graphql(
      `{ operators(window: ALL, idType: POOL, first: 40) { nodes { id operatorId } } }`,
    );
    for (const { id, operatorId } of data.operators.nodes) {
      const again = await gateway.graphql(
        'query ($id: ID!) { node(id: $id) { id ... on Operator { operatorId } } }',
        { id },
      );
      expect(again.data.node).toEqual({ id, operatorId });
    }
  });

  it('answers null for what does not exist, and an error for a parent that does not', async () => {
    const { data } = await gateway.graphql('{ operator(operatorId: "nobody") { id } }');
    expect(data.operator).toBeNull();
    const { errors } = await gateway.graphql('{ operators(window: ALL, parentId: "nobody") { totalCount } }');
    expect(errors?.[0].extensions.code).toBe('NOT_FOUND');
  });

  it.each([
    ['first: 0', 'first'],
    ['first: 201', 'first'],
    ['last: -1', 'last'],
    ['first: 1, last: 1', 'last'],
    ['after: ""', 'after'],
    ['after: "MS4xLlswXQ"', 'after'],
    ['before: "nonsense"', 'before'],
  ])('refuses %s', async (args, name) => {
    const { data, errors } = await gateway.graphql(`{ operators(window: ALL, ${args}) { totalCount } }`);
    expect(data?.operators ?? null).toBeNull();
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });

  it('refuses a cursor of another list', async () => {
    const { data } = await gateway.graphql('{ operators(window: ALL, first: 1) { pageInfo { endCursor } } }');
    const { errors } = await gateway.graphql(
      'query ($after: String) { operators(window: ONE_DAY, after: $after) { totalCount } }',
      { after: data.operators.pageInfo.endCursor },
    );
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('answers empty pages without cursors', async () => {
    const { data } = await gateway.graphql(
      '{ operators(window: ALL, idType: VALIDATOR) { totalCount edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
    );
    expect(data.operators).toEqual({
      totalCount: 0,
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe('a pool and a node operator of one name', () => {
  it('have each their own pool shares, and an entity of that name has none', async () => {
    const one = await startGateway({ template: 'empty' });
    const row = (id: string, idType: string, more = {}) => ({
      ...{ id, idType, timeWindow: '7d', network: 'mainnet', validatorCount: 1, avgCorrectness: 1 },
      ...{ avgInclusionDelay: 1, avgUptime: 1, avgValidatorEffectiveness: 99, clientPercentages: [] },
      ...{ networkPenetration: 0.1, relayerPercentages: [], nodeOperatorCount: null, operatorTags: [] },
      ...{
        displayName: null,
        aprPercentage: null,
        sumEndEpochBalance: null,
        sumEndEpochEffectiveBalance: null,
      },
      ...{ poolId: null, nodeOperatorId: null, ...more },
    });
    await transaction(one.database.pool, (client) =>
      loadRows(client, operatorImporter, [
        row('Twin', 'pool'),
        row('Twin', 'nodeOperator'),
        row('Twin', 'entity'),
        row('Twin - A', 'poolShare', { poolId: 'Twin', nodeOperatorId: 'A' }),
        row('B - Twin', 'poolShare', { poolId: 'B', nodeOperatorId: 'Twin' }),
      ] as never),
    );
    const shares = async (idType: string) => {
      const { data } = await one.graphql(
        `{ operator(operatorId: "Twin", idType: ${idType}) { poolShares(window: SEVEN_DAYS) { nodes { operatorId } } } }`,
      );
      return data.operator.poolShares.nodes.map((node: any) => node.operatorId);
    };
    expect(await shares('POOL')).toEqual(['Twin - A']);
    expect(await shares('NODE_OPERATOR')).toEqual(['B - Twin']);
    expect(await shares('ENTITY')).toEqual([]);
    const { json } = await one.get('/v0/eth/operators?window=7d&parentId=Twin');
    expect(json.data.map((share: any) => share.id)).toEqual(['B - Twin', 'Twin - A']);
    await one.close();
  });
});

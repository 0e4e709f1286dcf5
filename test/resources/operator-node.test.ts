import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const idOf = (text: string) => Buffer.from(text).toString('base64url');
const pool = 'Alder Liquid';
const figures = `validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
  clientPercentages { client ratio } networkPenetration relayerPercentages { relayer ratio }
  nodeOperatorCount aprPercentage sumEndEpochBalance sumEndEpochEffectiveBalance`;

async function ask(query: string, variables?: object) {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(query, variables);
  return { data, errors, statements: [...gateway.statements] };
}

describe('an operator', () => {
  it('is one node with a summary for each window', async () => {
    const { data, errors, statements } = await ask(`{ operator(operatorId: "${pool}") {
      id operatorId network idType displayName operatorTags { name }
      week: summary(window: SEVEN_DAYS) { id window ${figures} operator { id operatorId displayName } }
      day: summary(window: ONE_DAY) { id window validatorCount }
    } }`);
    expect(errors).toBeUndefined();
    const { week, day, ...own } = data.operator;
    expect(own).toMatchObject({
      id: idOf(`Operator:mainnet:pool:${pool}`),
      operatorId: pool,
      network: 'MAINNET',
      idType: 'POOL',
    });
    expect(week.id).toBe(idOf(`OperatorSummary:mainnet:7d:pool:${pool}`));
    expect(day.id).toBe(idOf(`OperatorSummary:mainnet:1d:pool:${pool}`));
    expect([week.window, day.window]).toEqual(['SEVEN_DAYS', 'ONE_DAY']);
    expect(week.operator).toEqual({ id: own.id, operatorId: pool, displayName: own.displayName });
    expect(statements.filter((name) => name === 'operatorsByKey').length).toBeLessThanOrEqual(2);
    const { json } = await gateway.get(`/v0/eth/operators/${encodeURIComponent(pool)}/summary?window=7d`);
    expect(week.aprPercentage).toBe(json.aprPercentage);
  });

  it('is read together with the first summary that a query selects of it', async () => {
    const of = `operator(operatorId: "${pool}", idType: POOL)`;
    for (const [selection, statements] of [
      ['operatorId displayName summary(window: ALL) { aprPercentage }', ['operatorsByKey']],
      ['id operatorTags { name } summary(window: ALL) { id operator { displayName } }', ['operatorsByKey']],
      [
        'summary(window: ALL) { id } day: summary(window: ONE_DAY) { id }',
        ['operatorsByKey', 'operatorsByKey'],
      ],
      ['operatorId', ['operatorsById']],
    ] as const) {
      for (const time of [1, 2, 3]) {
        const found = await ask(`{ ${of} { ${selection} } }`);
        expect(found.errors, `${selection}, time ${time}`).toBeUndefined();
        expect(found.statements, `${selection}, time ${time}`).toEqual(statements);
      }
    }
  });

  it('has one id whatever window it is asked for in, and summaries have one for each window', async () => {
    const { data } = await ask(`{
      week: operators(window: SEVEN_DAYS, idType: POOL, first: 3) {
        nodes { id operatorId summary(window: SEVEN_DAYS) { id window } } }
      ever: operator(operatorId: "${pool}") { id summary(window: ALL) { id window } }
      none: operator(operatorId: "${pool}") { id day: summary(window: ONE_DAY) { id } }
    }`);
    const [first] = data.week.nodes;
    expect(first.operatorId).toBe(pool);
    expect(new Set([first.id, data.ever.id, data.none.id]).size).toBe(1);
    const ids = [first.summary.id, data.ever.summary.id, data.none.day.id];
    expect(new Set(ids).size).toBe(3);
    expect([first.summary.window, data.ever.summary.window]).toEqual(['SEVEN_DAYS', 'ALL']);
  });

  it('is found by its id, and by the ids of its summaries', async () => {
    const id = idOf(`Operator:mainnet:pool:${pool}`);
    const summaries = [`mainnet:7d:pool:${pool}`, `mainnet:all:pool:${pool}`].map((text) =>
      idOf(`OperatorSummary:${text}`),
    );
    const { data, errors } = await ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
        ... on Operator { operatorId summary(window: SEVEN_DAYS) { validatorCount } }
        ... on OperatorSummary { window validatorCount operator { id } } } }`,
      { ids: [id, ...summaries] },
    );
    expect(errors).toBeUndefined();
    const [operator, week, ever] = data.nodes;
    expect(operator).toMatchObject({ __typename: 'Operator', id, operatorId: pool });
    expect(week).toMatchObject({ __typename: 'OperatorSummary', id: summaries[0], window: 'SEVEN_DAYS' });
    expect(week.validatorCount).toBe(operator.summary.validatorCount);
    expect(ever).toMatchObject({ id: summaries[1], window: 'ALL', operator: { id } });
  });

  it.each([
    'Operator:mainnet:pool:Nobody',
    `Operator:mainnet:7d:pool:${pool}`,
    'Operator:mainnet:pool',
    'Operator:mainnet:2d:pool:Alder Liquid',
    `OperatorSummary:mainnet:pool:${pool}`,
    'OperatorSummary:mainnet:7d:pool:Nobody',
  ])('is null for an id of nothing: %s', async (id) => {
    const { data, errors } = await ask('query ($id: ID!) { node(id: $id) { id } }', { id: idOf(id) });
    expect([data, errors]).toEqual([{ node: null }, undefined]);
  });

  it('is null when it does not exist, and its summary is null in a window without one', async () => {
    const { data, errors } = await ask('{ operator(operatorId: "Nobody") { id } }');
    expect([data, errors]).toEqual([{ operator: null }, undefined]);
    await gateway.database.pool.query({
      text: `delete from operator_summaries where operator_id = $1 and id_type = 'pool' and time_window = '30d'`,
      values: ['Basalt Exchange'],
    });
    const found = await ask(
      '{ operator(operatorId: "Basalt Exchange") { operatorId summary(window: THIRTY_DAYS) { id } } }',
    );
    expect(found.data).toEqual({ operator: { operatorId: 'Basalt Exchange', summary: null } });
  });

  it.each(['summary { id }', 'poolShares { nodes { id } }', 'history { nodes { date } }'])(
    'refuses a field without its window: %s',
    async (field) => {
      for (const of of [`operator(operatorId: "${pool}")`, 'operators(window: ALL) { nodes']) {
        const { data, errors } = await ask(`{ ${of} { ${field} } ${of.endsWith('nodes') ? '}' : ''} }`);
        const name = field.split(' ')[0];
        expect([data, errors?.[0].message]).toEqual([
          undefined,
          `Field "${name}" argument "window" of type "TimeWindow!" is required, but it was not provided.`,
        ]);
      }
    },
  );

  it('lists its pool shares in a window', async () => {
    const { data } = await ask(`{ operator(operatorId: "${pool}") {
      week: poolShares(window: SEVEN_DAYS, first: 5) { nodes { operatorId summary(window: SEVEN_DAYS) { window } } }
      day: poolShares(window: ONE_DAY, first: 5) { nodes { operatorId summary(window: ONE_DAY) { window } } } } }`);
    const { week, day } = data.operator;
    expect(week.nodes.length).toBeGreaterThan(0);
    expect([week.nodes[0].summary.window, day.nodes[0].summary.window]).toEqual(['SEVEN_DAYS', 'ONE_DAY']);
  });

  it('is found by class and by the public key of a validator, and only its account finds a private set', async () => {
    const { data } = await ask(`{
      share: operators(window: SEVEN_DAYS, idType: POOL_SHARE, first: 1) { nodes { operatorId } }
      address: operators(window: SEVEN_DAYS, first: 1) { nodes { operatorId } } }`);
    for (const [idType, { nodes }] of [
      ['POOL_SHARE', data.share],
      ['DEPOSIT_ADDRESS', data.address],
    ] as const) {
      const id = JSON.stringify(nodes[0].operatorId);
      const found = await ask(
        `{ a: operator(operatorId: ${id}) { idType } b: operator(operatorId: ${id}, idType: ${idType}) { idType } }`,
      );
      expect(found.data).toEqual({ a: { idType }, b: { idType } });
    }
    const set = await ask(
      '{ operator(operatorId: "00000000-0000-4000-8000-000000000000", idType: PRIVATE_SET) { id } }',
    );
    expect(set.data).toEqual({ operator: null });
  });
});

describe('a private set', () => {
  it('is an operator of its account, with a summary in each window', async () => {
    const { data } = await ask(
      'mutation { createPrivateSet(input: { name: "Mine" }) { privateSet { setId } } }',
    );
    const { setId } = data.createPrivateSet.privateSet;
    const of = `operator(operatorId: "${setId}", idType: PRIVATE_SET)`;
    for (const time of [1, 2, 3]) {
      const found = await ask(`{ named: ${of} { displayName idType operatorTags { name } }
        ${of} { displayName summary(window: ALL) { window validatorCount clientPercentages { client ratio } } } }`);
      expect(found.errors, `time ${time}`).toBeUndefined();
      expect(found.data).toEqual({
        named: { displayName: 'Mine', idType: 'PRIVATE_SET', operatorTags: [] },
        operator: {
          displayName: 'Mine',
          summary: { window: 'ALL', validatorCount: 0, clientPercentages: [] },
        },
      });
    }
    const stranger = await ask(
      `{ operator(operatorId: "${setId}", idType: PRIVATE_SET, network: HOODI) { id } }`,
    );
    expect(stranger.data).toEqual({ operator: null });
  });
});

describe('a page of operators with their summaries', () => {
  const list = 'window: SEVEN_DAYS, idType: POOL, first: 10';

  it.each([
    ['nodes { operatorId summary(window: SEVEN_DAYS) { aprPercentage window } }', ['operatorPages']],
    ['nodes { id summary(window: SEVEN_DAYS) { id aprPercentage } }', ['operatorPages']],
    [
      'edges { node { displayName summary(window: SEVEN_DAYS) { operator { displayName operatorTags { name } } avgUptime } } }',
      ['operatorPages'],
    ],
    [
      'nodes { id summary(window: SEVEN_DAYS) { id } other: summary(window: ALL) { id aprPercentage } }',
      ['operatorPages', 'operatorsByKey'],
    ],
    [
      'nodes { summary(window: SEVEN_DAYS) { aprPercentage } other: summary(window: ALL) { operator { displayName } } }',
      ['operatorPages', 'operatorsByKey'],
    ],
  ])('takes as many statements as it has windows: %s', async (selection, statements) => {
    for (const time of [1, 2, 3]) {
      const found = await ask(`{ operators(${list}) { ${selection} } }`);
      expect(found.errors, `time ${time}`).toBeUndefined();
      expect(found.statements, `time ${time}`).toEqual(statements);
      expect(found.data.operators.nodes ?? found.data.operators.edges).toHaveLength(10);
    }
  });

  it('has the figures of REST', async () => {
    const { data } = await ask(`{ operators(${list}) { nodes {
      operatorId summary(window: SEVEN_DAYS) { validatorCount avgUptime aprPercentage } } } }`);
    const { json } = await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=10');
    expect(data.operators.nodes).toEqual(
      json.data.map(({ id, validatorCount, avgUptime, aprPercentage }: any) => ({
        operatorId: id,
        summary: { validatorCount, avgUptime, aprPercentage },
      })),
    );
  });

  it('costs nothing more for the window of the list, and a row more for each operator in another', async () => {
    const cost = async (selection: string) => {
      const { json } = await gateway.graphql(`query ($week: TimeWindow = SEVEN_DAYS) {
        operators(${list}) { nodes { ${selection} } }
        again: operators(window: $week, first: 1) { nodes { summary(window: $week) { window } ...F } }
      } fragment F on Operator { idType ... { again: summary(window: $week) { validatorCount } } }`);
      return json.extensions.cost;
    };
    const base = await cost('operatorId');
    expect(base).toMatchObject({ estimated: 21, charged: 21 });
    expect(await cost('summary(window: SEVEN_DAYS) { aprPercentage }')).toEqual(base);
    const other = 'summary(window: SEVEN_DAYS) { id } other: summary(window: ALL) { id }';
    expect(await cost(other)).toMatchObject({ estimated: 41, charged: 41 });
    // The estimate takes a variable and a value for two windows.
    expect(await cost('summary(window: $week) { id }')).toMatchObject({ estimated: 41, charged: 21 });
  });
});

describe('the operators of a validator', () => {
  it('are asked for without a window, with summaries in any', async () => {
    const some = await ask(
      `{ operator(operatorId: "${pool}") { validators(first: 1) { nodes { validatorIndex } } } }`,
    );
    expect(some.statements).toEqual(['operatorsById', 'operatorValidatorPages']);
    const by = `by: { index: ${some.data.operator.validators.nodes[0].validatorIndex} }`;
    const { data, errors, statements } = await ask(`{ validator(${by}) { operators { operatorId idType
      week: summary(window: SEVEN_DAYS) { validatorCount } } } }`);
    expect(errors).toBeUndefined();
    expect(data.validator.operators.length).toBeGreaterThan(0);
    expect(statements).toEqual(['validatorsByIndex', 'operatorsByKey']);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const idOf = (text: string) => Buffer.from(text).toString('base64url');
const pool = 'Sample Pool Alder';
const figures = `validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
  clientPercentages { client percentage } networkPenetration relayerPercentages { relayer percentage }
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
    const old = await ask(`{ operator(operatorId: "${pool}", window: SEVEN_DAYS) { ${figures} } }`);
    const { id, window, operator, ...shown } = week;
    expect(old.data.operator).toEqual(shown);
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
    const { errors } = await ask(`{ ${of} { validatorCount summary(window: ALL) { validatorCount } } }`);
    expect(errors?.[0].path).toEqual(['operator', 'validatorCount']);
  });

  it('has one id whatever window it is asked for in, and summaries have one for each window', async () => {
    const { data } = await ask(`{
      week: operators(window: SEVEN_DAYS, idType: POOL, first: 3) { nodes { id operatorId summary { id window } } }
      ever: operator(operatorId: "${pool}", window: ALL) { id summary { id window } }
      none: operator(operatorId: "${pool}") { id day: summary(window: ONE_DAY) { id } }
    }`);
    const [first] = data.week.nodes;
    expect(first.operatorId).toBe(pool);
    expect(new Set([first.id, data.ever.id, data.none.id]).size).toBe(1);
    const ids = [first.summary.id, data.ever.summary.id, data.none.day.id];
    expect(new Set(ids).size).toBe(3);
    expect([first.summary.window, data.ever.summary.window]).toEqual(['SEVEN_DAYS', 'ALL']);
  });

  it('is found by its id, by an id of old with a window, and by the ids of its summaries', async () => {
    const ids = [`Operator:mainnet:pool:${pool}`, `Operator:mainnet:7d:pool:${pool}`].map(idOf);
    const summaries = [`mainnet:7d:pool:${pool}`, `mainnet:all:pool:${pool}`].map((id) =>
      idOf(`OperatorSummary:${id}`),
    );
    const { data, errors } = await ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
        ... on Operator { operatorId summary(window: SEVEN_DAYS) { validatorCount } }
        ... on OperatorSummary { window validatorCount operator { id } } } }`,
      { ids: [...ids, ...summaries] },
    );
    expect(errors).toBeUndefined();
    const [now, then, week, ever] = data.nodes;
    expect(now).toMatchObject({ __typename: 'Operator', id: ids[0], operatorId: pool });
    expect(then).toEqual(now);
    expect(week).toMatchObject({ __typename: 'OperatorSummary', id: summaries[0], window: 'SEVEN_DAYS' });
    expect(week.validatorCount).toBe(now.summary.validatorCount);
    expect(ever).toMatchObject({ id: summaries[1], window: 'ALL', operator: { id: ids[0] } });
    const old = await ask(
      `query ($id: ID!) { node(id: $id) { ... on Operator { timeWindow validatorCount in(window: ONE_DAY) { timeWindow } } } }`,
      { id: ids[1] },
    );
    expect(old.data.node).toEqual({
      timeWindow: 'SEVEN_DAYS',
      validatorCount: week.validatorCount,
      in: { timeWindow: 'ONE_DAY' },
    });
  });

  it.each([
    'Operator:mainnet:pool:Nobody',
    'Operator:mainnet:7d:pool:Nobody',
    'Operator:mainnet:pool',
    'Operator:mainnet:2d:pool:Sample Pool Alder',
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
      values: ['Sample Pool Basalt'],
    });
    const found = await ask(
      '{ operator(operatorId: "Sample Pool Basalt") { operatorId summary(window: THIRTY_DAYS) { id } } }',
    );
    expect(found.data).toEqual({ operator: { operatorId: 'Sample Pool Basalt', summary: null } });
    const asked = await ask(
      '{ operator(operatorId: "Sample Pool Basalt", window: THIRTY_DAYS) { operatorId } }',
    );
    expect(asked.data).toEqual({ operator: null });
  });

  it('refuses a figure by its name where it was asked for without a window', async () => {
    for (const field of [
      'validatorCount',
      'aprPercentage',
      'clientPercentages { client }',
      'relayerPercentages { relayer }',
    ]) {
      const name = field.split(' ')[0];
      for (const time of [1, 2, 3]) {
        const { data, errors } = await ask(`{ operator(operatorId: "${pool}") { operatorId ${field} } }`);
        expect(errors, `${field}, time ${time}`).toHaveLength(1);
        expect(errors?.[0]).toMatchObject({
          message: `${name} needs a window; ask for summary(window:) { ${name} }.`,
          path: ['operator', name],
          extensions: { code: 'BAD_INPUT' },
        });
        expect(data.operator?.aprPercentage ?? null).toBeNull();
      }
    }
    const { errors } = await ask(`{ operator(operatorId: "${pool}") { timeWindow } }`);
    expect(errors?.[0].message).toBe('timeWindow needs a window; ask for summary(window:) { window }.');
  });

  it('refuses a summary and pool shares without a window by their argument', async () => {
    for (const field of ['summary { id }', 'poolShares { nodes { id } }']) {
      const { data, errors } = await ask(`{ operator(operatorId: "${pool}") { operatorId ${field} } }`);
      expect(errors?.[0]).toMatchObject({
        message: 'window is required here, because the operator was not asked for in a window.',
        extensions: { code: 'BAD_INPUT', faults: [{ loc: ['argument', 'window'] }] },
      });
      expect(data.operator.operatorId).toBe(pool);
    }
  });

  it('lists its pool shares in a window', async () => {
    const shares = 'nodes { operatorId summary { window validatorCount } }';
    const { data } = await ask(`{
      now: operator(operatorId: "${pool}") { poolShares(window: SEVEN_DAYS, first: 5) { ${shares} } }
      then: operator(operatorId: "${pool}", window: SEVEN_DAYS) {
        poolShares(first: 5, poolType: ALL) { ${shares} } other: poolShares(window: ONE_DAY, first: 5) { ${shares} } }
    }`);
    expect(data.now.poolShares.nodes.length).toBeGreaterThan(0);
    expect(data.then.poolShares).toEqual(data.now.poolShares);
    expect(data.then.other.nodes[0].summary.window).toBe('ONE_DAY');
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
        ${of} { displayName summary(window: ALL) { window validatorCount clientPercentages { client percentage } } } }`);
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
    ['nodes { operatorId summary { aprPercentage window } }', ['operatorPages']],
    ['nodes { id summary { id aprPercentage } }', ['operatorPages']],
    [
      'edges { node { displayName summary { operator { displayName operatorTags { name } } avgUptime } } }',
      ['operatorPages'],
    ],
    ['nodes { summary(window: SEVEN_DAYS) { aprPercentage } }', ['operatorPages']],
    [
      'nodes { id summary { id } other: summary(window: ALL) { id aprPercentage } }',
      ['operatorPages', 'operatorsByKey'],
    ],
    [
      'nodes { summary { aprPercentage } other: summary(window: ALL) { operator { displayName } } }',
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

  it('shows the figures that the deprecated fields show', async () => {
    const { data } = await ask(`{ new: operators(${list}) { nodes { operatorId summary { ${figures} } } }
      old: operators(${list}) { nodes { operatorId timeWindow ${figures} } } }`);
    expect(data.new.nodes).toEqual(
      data.old.nodes.map(({ operatorId, timeWindow, ...summary }: any) => ({ operatorId, summary })),
    );
  });

  it('costs as much as with the deprecated fields; another window costs a row more for each operator', async () => {
    const cost = async (selection: string) => {
      const { json } = await gateway.graphql(`{ operators(${list}) { nodes { ${selection} } } }`);
      return json.extensions.cost;
    };
    const old = await cost('operatorId aprPercentage');
    expect(old).toMatchObject({ estimated: 15, charged: 15 });
    expect(await cost('operatorId summary { aprPercentage }')).toMatchObject({ estimated: 15, charged: 15 });
    const other = await cost('summary { aprPercentage } other: summary(window: ALL) { aprPercentage }');
    expect(other).toMatchObject({ estimated: 35, charged: 35 });
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
    expect(statements).toEqual(['validatorsByIndex', 'operatorsById', 'operatorsByKey']);
    const old = await ask(
      `{ validator(${by}) { operators(window: SEVEN_DAYS) { operatorId idType validatorCount week: summary { validatorCount } } } }`,
    );
    expect(old.statements).toEqual(['validatorsByIndex', 'operatorsByKey']);
    expect(old.data.validator.operators).toEqual(
      data.validator.operators.map((one: any) => ({ ...one, validatorCount: one.week.validatorCount })),
    );
  });
});

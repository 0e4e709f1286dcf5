import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../support/accounts.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { FIRST, LARGE, makeLargeOperator } from '../support/large-operator.ts';

// A request also pays for rows that it reads and does not return: one unit for each thousand.

const VALIDATORS = 20_000;
/** Besides these, the sample data has 6,000 of mainnet. */
const ALL = 26;
const CONSOLIDATIONS = 4;

let database: TestDatabase;
let gateway: Gateway;
let set: string;
beforeAll(async () => {
  database = await createDatabase('sample');
  await makeLargeOperator(database.pool, VALIDATORS);
  gateway = await startGateway({ database });
  set = (await gateway.get('/v1/eth/tags')).json.results[0].id;
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

const id = JSON.stringify(LARGE);
const own = `{ operatorId: ${id}, idType: NODE_OPERATOR }`;
const operator = `operator(operatorId: ${id}, idType: NODE_OPERATOR)`;

describe('GraphQL', () => {
  it.each([
    [6, `consolidations(operatorId: ${id}, idType: NODE_OPERATOR, first: 1) { nodes { epoch } }`],
    [
      6,
      `consolidations(operatorId: ${id}, idType: NODE_OPERATOR, fromDay: 1600, first: 1) { totalCount nodes { epoch } }`,
    ],
    [6, 'consolidations(first: 1) { totalCount nodes { epoch } }'],
    [21, `consolidationHistory(where: { operator: ${own} }, first: 1) { totalCount nodes { day } }`],
    [21, 'consolidationHistory(first: 1) { totalCount nodes { day } }'],
    [6, 'validators(first: 1) { nodes { validatorIndex } }'],
    [6, 'validators(where: { status: ACTIVE }, first: 1) { totalCount nodes { validatorIndex } }'],
    [
      6 + ALL,
      'validators(fromEpoch: 1, orderBy: { field: ACTIVATION_EPOCH }, first: 1) { a: totalCount b: totalCount nodes { validatorIndex } }',
    ],
    [
      6 + 40,
      `validators(where: { operator: ${own}, status: ACTIVE }, first: 1) { totalCount nodes { validatorIndex } }`,
    ],
    [6 + 20, `validators(where: { operator: ${own}, slashed: true }, first: 1) { nodes { validatorIndex } }`],
    [6, `validators(where: { operator: ${own} }, first: 1) { nodes { validatorIndex } }`],
    [6, 'validators(where: { slashed: true }, first: 1) { totalCount nodes { validatorIndex } }'],
    [
      21,
      'operatorConsolidations(idType: NODE_OPERATOR, first: 1) { totalCount nodes { consolidationCount } }',
    ],
    [
      21 + CONSOLIDATIONS,
      'operatorConsolidations(idType: NODE_OPERATOR, fromDay: 1, first: 1) { totalCount nodes { consolidationCount } }',
    ],
    [2 + 6 + 20, `${operator} { validators(first: 1) { totalCount nodes { validatorIndex } } }`],
    [2 + 6, `${operator} { consolidations(first: 1) { totalCount nodes { epoch } } }`],
  ])('costs %i for %s', async (units, text) => {
    const { json, errors } = await gateway.graphql(`{ ${text} }`);
    expect(errors).toBeUndefined();
    expect(json.extensions.cost).toMatchObject({ estimated: units, charged: units });
    const again = await gateway.graphql(`{ ${text} }`); // compiled
    expect(again.json.extensions.cost).toMatchObject({ estimated: units, charged: units });
  });

  it('takes the operator from variables too, and the largest one for each of a list that is not known yet', async () => {
    const query = `query ($id: String!, $idType: OperatorIdType!) {
      validators(where: { operator: { operatorId: $id, idType: $idType }, slashed: false }, first: 1) { totalCount } }`;
    for (let time = 0; time < 2; time += 1) {
      const { json } = await gateway.graphql(query, { id: LARGE, idType: 'NODE_OPERATOR' });
      expect(json.extensions.cost).toMatchObject({ estimated: 46, charged: 46 });
    }
    const { json } = await gateway.graphql(
      '{ operators(window: ALL, idType: DEPOSIT_ADDRESS, first: 3) { nodes { validators(first: 1) { totalCount } } } }',
    );
    const { estimated, charged } = json.extensions.cost;
    expect(estimated).toBe(8 + 3 * (6 + 20));
    expect(charged).toBeLessThan(8 + 3 * 8);
  });

  it('refuses twenty totals of a large operator before they run, where the allowance does not have them', async () => {
    const { authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: 500 });
    const aliases = Array.from(
      { length: 20 },
      (_, day) =>
        `a${day}: validators(where: { operator: ${own}, slashed: ${day % 2 === 0} }, first: 1) { totalCount }`,
    );
    gateway.statements.length = 0;
    const { json } = await gateway.graphql(`{ ${aliases.join(' ')} }`, {}, { authorization });
    expect(json.errors[0].extensions).toMatchObject({ code: 'COST_LIMIT', estimate: 20 * 46, limit: 500 });
    expect(gateway.statements).toEqual([]);
  });
});

describe('REST', () => {
  it.each([
    [
      6,
      `/v1/eth/validators/consolidations?limit=1&entityType=nodeOperator&entityId=${encodeURIComponent(LARGE)}`,
    ],
    [6, '/v1/eth/validators/consolidations?limit=1'],
    [21 + CONSOLIDATIONS, '/v1/eth/entityConsolidations?limit=1&fromDay=1'],
    [21, '/v1/eth/entityConsolidations?limit=1'],
  ])('costs %i for %s', async (units, path) => {
    expect((await gateway.get(path)).headers.get('x-service-compute-units')).toBe(String(units));
  });

  it('costs the days of the validators that are added to a set, as GraphQL does', async () => {
    const { rows } = await database.pool.query({
      text: `select count(*)::int as days from (
        select network, utc from validator_day_dates union all select network, utc from archived_day_dates
      ) d where network = 'mainnet' and not utc`,
      values: [],
    });
    const added = (from: number) => Array.from({ length: 900 }, (_, n) => FIRST + from + n);
    const units = String(6 + Math.floor((900 * (rows[0]?.days as number)) / 1_000));
    expect(units).not.toBe('6');
    const rest = await gateway.fetch(`/v1/eth/tags/${set}/validators`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ pubkeys: added(0) }),
    });
    const graphql = await gateway.graphql(
      `mutation ($input: AddPrivateSetValidatorsInput!) { addPrivateSetValidators(input: $input) { userErrors { message } } }`,
      { input: { setId: set, validators: added(1_000).map((index) => ({ index })) } },
    );
    expect(rest.status).toBe(201);
    expect(graphql.errors).toBeUndefined();
    expect([rest, graphql].map(({ headers }) => headers.get('x-service-compute-units'))).toEqual([
      units,
      units,
    ]);
  });
});

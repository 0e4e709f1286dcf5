import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let account: Account;
beforeAll(async () => {
  gateway = await startGateway();
  account = await accountOf(gateway);
});
afterAll(() => gateway.close());

describe('the faults of a field', () => {
  it.each([
    ['blocks(first: 0, fromSlot: -1)', ['fromSlot', 'first']],
    ['chainDailyRewards(last: 201, fromDay: -1)', ['fromDay', 'last']],
    [
      'attestations(operatorId: "", idType: POOL, first: 0, fromDay: -1, toDay: -2)',
      ['operatorId', 'fromDay', 'toDay', 'first'],
    ],
    [
      'consolidations(by: { pubkey: "zz" }, operatorId: "x", fromDay: -1, first: 201)',
      ['by', 'idType', 'fromDay', 'first'],
    ],
    ['operators(window: ALL, parentId: "", first: 201)', ['parentId', 'first']],
    [
      'validatorRewards(network: POLKADOT, validatorId: "!", fromDate: "2025-02-02", toDate: "2025-01-01", first: 0)',
      ['validatorId', 'fromDate', 'first'],
    ],
  ])('are told all at once: %s', async (field, names) => {
    const { errors } = await gateway.graphql(`{ ${field} { totalCount } }`);
    expect(errors).toHaveLength(1);
    expect(errors?.[0].extensions.faults.map(({ loc }: any) => loc[1])).toEqual(names);
  });

  it.each([
    ['renamePrivateSet', '{ setId: "x", name: "" }', [['setId'], ['name']]],
    [
      'addPrivateSetValidators',
      '{ setId: "x", validators: [{ pubkey: "zz" }] }',
      [['setId'], ['validators', '0']],
    ],
    [
      'removePrivateSetValidators',
      '{ setId: "x", validators: [{ pubkey: "zz" }] }',
      [['setId'], ['validators', '0']],
    ],
  ])('are told all at once: of the input of %s', async (name, input, fields) => {
    const { data } = await account.graphql(`mutation { ${name}(input: ${input}) { userErrors { field } } }`);
    expect(data[name].userErrors.map(({ field }: any) => field)).toEqual(fields);
  });
});

it('the classes that a field takes are told by their names in the schema', async () => {
  const { errors } = await gateway.graphql('{ operatorConsolidations(idType: VALIDATOR) { totalCount } }');
  expect(errors?.[0].message).toBe(
    'idType is VALIDATOR; one of DEPOSIT_ADDRESS, WITHDRAWAL_ADDRESS, NODE_OPERATOR, POOL, POOL_SHARE is needed.',
  );
});

it('a value of a wrong form is told with its place in the document', async () => {
  const { errors } = await gateway.graphql('{ chainDailyRewards(fromDate: "2025-02-30") { totalCount } }');
  expect(errors?.[0]).toMatchObject({
    message: 'Date cannot be "2025-02-30"; a date like 2024-03-31 is needed.',
    locations: [{ line: 1, column: 31 }],
  });
});

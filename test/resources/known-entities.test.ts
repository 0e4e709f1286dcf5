import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

// An entity that exists and has no rows in a list is 200 with an empty list, wherever it is known from (decisions §1).

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  const validator = {
    validatorIndex: 1,
    validatorPubkey: `0x${'1'.repeat(96)}`,
    depositAddress: `0x${'2'.repeat(40)}`,
    withdrawalAddress: null,
    nodeOperator: 'Known',
    pool: null,
    activationEpoch: 0,
    exitEpoch: null,
    slashed: false,
  };
  const { faults } = await importText(gateway, 'validators', JSON.stringify([validator]));
  expect(faults).toEqual([]);
});
afterAll(() => gateway.close());

it.each([
  (name: string) => `/v1/eth/entities/${name}/attestations?entityType=nodeOperator`,
  (name: string) => `/v1/eth/validators/consolidations?entityType=nodeOperator&entityId=${name}`,
  (name: string) => `/v0/eth/operators?window=7d&parentId=${name}`,
])(
  'An entity that is known by its validators alone has an empty list, and an unknown one 404: %s',
  async (path) => {
    const known = await gateway.get(path('Known'));
    expect([known.status, known.json.results ?? known.json.data]).toEqual([200, []]);
    expect((await gateway.get(path('Unknown'))).status).toBe(404);
  },
);

import { describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { accountOf, mutated } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { subscribe } from '../support/subscribe.ts';

const gateway = useGateway({ template: 'empty' });
const load = (rows: object[], options = {}) =>
  importText(gateway, 'operators', JSON.stringify(rows), options);

describe('operatorChanged', () => {
  const query = `subscription ($id: String!, $type: OperatorIdType!, $window: TimeWindow!, $network: Network) {
    operatorChanged(operatorId: $id, idType: $type, window: $window, network: $network) {
      revision
      operator { operatorId idType network summary(window: $window) { avgUptime } }
      summary { window validatorCount avgUptime }
    }
  }`;
  const variables = { id: 'Pool A', type: 'POOL', window: 'SEVEN_DAYS' };

  it('begins with the figures of the window, and follows an import that changes one of them', async () => {
    await load([operator('Pool A'), operator('Pool B')]);
    const known = '{ operators(window: SEVEN_DAYS, idType: POOL) { totalCount } }';
    await eventually(async () =>
      expect((await gateway.graphql(known)).json.extensions.revision.operators).toBe(1),
    );
    const stream = await subscribe(gateway, query, variables);
    const other = await subscribe(gateway, query, { ...variables, window: 'ALL', network: 'MAINNET' });
    const first = (await stream.next()).data.operatorChanged;
    expect(first).toEqual({
      revision: 1,
      operator: { operatorId: 'Pool A', idType: 'POOL', network: 'MAINNET', summary: { avgUptime: 0.995 } },
      summary: { window: 'SEVEN_DAYS', validatorCount: 10, avgUptime: 0.995 },
    });
    await other.next();
    gateway.statements.length = 0;
    await load([operator('Pool B', { avgUptime: 0.5 })]);
    await load([operator('Pool A', { avgUptime: 0.75 })]);
    const next = (await stream.next()).data.operatorChanged;
    expect([next.summary.avgUptime, next.operator.summary.avgUptime]).toEqual([0.75, 0.75]);
    expect(next.revision).toBeGreaterThanOrEqual(2);
    expect(other.results).toHaveLength(1);
    expect(gateway.statements.filter((name) => name === 'operatorsByKey').length).toBeLessThanOrEqual(4);
  });

  it('has a null summary for an operator without figures in the window', async () => {
    await load([operator('Pool C', { timeWindow: '30d' })]);
    const text = `subscription { operatorChanged(operatorId: "Pool C", idType: POOL, window: ALL) {
      operator { operatorId displayName summary(window: ALL) { avgUptime } of30d: summary(window: THIRTY_DAYS) { avgUptime } }
      summary { avgUptime } } }`;
    const stream = await subscribe(gateway, text);
    const of30d = { avgUptime: 0.995 };
    expect((await stream.next()).data.operatorChanged).toEqual({
      operator: { operatorId: 'Pool C', displayName: null, summary: null, of30d },
      summary: null,
    });
    await load([operator('Pool C', { timeWindow: 'all', avgUptime: 0.9 })]);
    const summary = { avgUptime: 0.9 };
    expect((await stream.next()).data.operatorChanged).toMatchObject({
      operator: { summary, of30d },
      summary,
    });
  });

  it('ends with NOT_FOUND for an operator that does not exist, and refuses private sets', async () => {
    const cases = [
      [{ ...variables, id: 'nobody' }, 'NOT_FOUND', 'Pool "nobody" was not found on mainnet.'],
      [
        { ...variables, type: 'PRIVATE_SET' },
        'BAD_INPUT',
        'idType is PRIVATE_SET; subscribe to privateSetChanged(setId:).',
      ],
    ] as const;
    for (const [given, code, message] of cases) {
      const stream = await subscribe(gateway, query, given);
      await stream.ended;
      expect(stream.results[0].errors[0]).toMatchObject({ message, extensions: { code } });
      expect(stream.completed()).toBe(true);
    }
  });
});

describe('privateSetChanged', () => {
  const query = `subscription ($set: ID!) {
    privateSetChanged(setId: $set) { revision privateSet { name validators { totalCount } } }
  }`;

  it('follows the name, the validators, their days and the deletion, for the owner alone', async () => {
    const [owner, other] = [await accountOf(gateway), await accountOf(gateway)];
    const { privateSet } = await mutated(owner, 'createPrivateSet', { name: 'one' }, 'privateSet { setId }');
    const set = privateSet.setId;
    const { token } = owner;
    const stream = await subscribe(gateway, query, { set }, { token });
    const next = async () => (await stream.next()).data.privateSetChanged;
    const first = await next();
    expect(first.privateSet).toEqual({ name: 'one', validators: { totalCount: 0 } });

    const stranger = await subscribe(gateway, query, { set }, { token: other.token });
    await stranger.ended;
    expect(stranger.results[0].errors[0]).toMatchObject({
      message: `Private set "${set}" was not found.`,
      extensions: { code: 'NOT_FOUND' },
    });

    await mutated(owner, 'renamePrivateSet', { setId: set, name: 'two' }, 'privateSet { name }');
    const renamed = await next();
    expect([renamed.revision - first.revision, renamed.privateSet.name]).toEqual([1, 'two']);

    await gateway.database.pool.query({
      text: `with v as (
          insert into validators (network, validator_index, validator_pubkey, slashed) values ('mainnet', 5, '0x' || repeat('5', 96), false)
        ) select raise_revision('validators')`,
      values: [],
    });
    await mutated(
      owner,
      'addPrivateSetValidators',
      { setId: set, validators: [{ index: 5 }] },
      'privateSet { name }',
    );
    expect((await next()).privateSet.validators.totalCount).toBe(1);

    await gateway.database.pool.query({ text: `select raise_revision('validator-days')`, values: [] });
    expect((await next()).revision).toBe(first.revision + 3);

    await mutated(owner, 'deletePrivateSet', { setId: set }, 'deletedSetId');
    expect((await next()).privateSet).toBeNull();
    await stream.ended;
    expect(stream.completed()).toBe(true);
  });

  it('refuses an id that is no UUID, and NOT_FOUND is all that a missing set shows', async () => {
    const cases = [
      ['x', 'BAD_INPUT'],
      ['00000000-0000-4000-8000-000000000000', 'NOT_FOUND'],
    ] as const;
    for (const [set, code] of cases) {
      const stream = await subscribe(gateway, query, { set });
      await stream.ended;
      expect(stream.results[0].errors[0].extensions.code).toBe(code);
    }
  });
});

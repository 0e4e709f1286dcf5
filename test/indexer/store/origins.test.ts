import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockWriters } from '../../../src/db/changes/locks.ts';
import { transaction } from '../../../src/db/pool.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { operator, slashing } from '../../ingest/rows.ts';
import { eventually } from '../../support/eventually.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { importText } from '../../support/import.ts';
import { addressOf, type Made, madeFacts, madeRegistry, pubkeyOf, savedAs } from './made-facts.ts';
import { NETWORK, query, waitingLocks } from './rows.ts';

const EPOCH = 2_300;
const made: Made = { size: 30 };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  const store = openStore(gateway.database.pool, NETWORK);
  await store.write(madeFacts(made, EPOCH), savedAs('x'), madeRegistry(made), { partial: true });
  const reports = await store.publish();
  expect(reports.filter(({ state }) => state === 'failed')).toEqual([]);
});
afterAll(() => gateway.close());

const load = (resource: Parameters<typeof importText>[1], rows: unknown[], options = {}) =>
  importText(gateway, resource, JSON.stringify(rows), { network: NETWORK, ...options });

const slot = EPOCH * 32 + 2;
const block = (change: object) => ({
  ...{ consensusSlot: slot, validatorIndex: 1, consensusProposerDuty: 'missed', consensusRewards: 0 },
  ...{ totalRewards: null, relays: [], blockBuilderPubkeys: [] },
  ...change,
});

describe('what an index has written', () => {
  it.each([
    ['blocks', block({})],
    [
      'sync-committee-rewards',
      { consensusSlot: slot, validatorIndex: 1, syncCommitteeRewards: 5, position: 0 },
    ],
    ['chain-balances', { epoch: EPOCH, totalActiveBalance: 5 }],
    ['slashings', slashing(3, { slashingEpoch: EPOCH, withdrawableEpoch: EPOCH + 8_192 })],
  ] as const)(
    'is not changed by an import of %s, which names dataset, network and way out',
    async (resource, row) => {
      await expect(load(resource, [row])).rejects.toThrow(
        `nothing loaded; 1 of the ${resource} of hoodi are of epochs that stakegraph index has written (epoch ${EPOCH}, within ${EPOCH} to ${EPOCH}). Leave them out, or overwrite them with --replace.`,
      );
    },
  );

  it('is not changed by an import of operators, which it computes', async () => {
    await expect(load('operators', [operator('A', { network: NETWORK })])).rejects.toThrow(
      'the operators of hoodi are computed by stakegraph index',
    );
  });

  it('is beside rows of other epochs and networks, which are loaded', async () => {
    expect(await load('blocks', [block({ consensusSlot: slot - 64 })])).toMatchObject({ inserted: 1 });
    expect(await load('blocks', [block({})], { network: 'mainnet' })).toMatchObject({ inserted: 1 });
  });

  it('is changed by an import with --replace', async () => {
    const row = { epoch: EPOCH, totalActiveBalance: 5 };
    expect(await load('chain-balances', [row], { replace: true })).toMatchObject({ updated: 1 });
  });

  it('keeps what the chain tells of validators, while an import sets their labels', async () => {
    const row = {
      ...{
        validatorIndex: 4,
        validatorPubkey: pubkeyOf(4),
        depositAddress: addressOf(900),
        nodeOperator: 'N',
      },
      ...{ withdrawalAddress: addressOf(901), pool: 'P', activationEpoch: 7, exitEpoch: 9, slashed: true },
    };
    expect(await load('validators', [row])).toMatchObject({ updated: 1, inserted: 0 });
    const { data } = await gateway.graphql(
      '{ validator(network: HOODI, by: { index: 4 }) { depositAddress withdrawalAddress nodeOperator pool activationEpoch exitEpoch slashed } }',
    );
    expect(data.validator).toEqual({
      ...{ depositAddress: addressOf(900), withdrawalAddress: addressOf(4), nodeOperator: 'N', pool: 'P' },
      ...{ activationEpoch: 0, exitEpoch: null, slashed: false },
    });
    await expect(load('validators', [{ ...row, validatorPubkey: pubkeyOf(77) }])).rejects.toThrow(
      'validator 4 of hoodi has another public key on the chain',
    );
  });

  it('is not overwritten by an import that began before the epoch was committed', async () => {
    const { pool } = gateway.database;
    const row = { validatorIndex: 5, validatorPubkey: pubkeyOf(5), withdrawalAddress: addressOf(901) };
    const imports = await transaction(pool, async (client) => {
      await lockWriters(client, [], [NETWORK]);
      await client.query('update validators set exit_epoch = 5000, slashed = true where validator_index = 5');
      await client.query('update index_ranges set last_epoch = $1', [EPOCH + 1]);
      const begun = [
        load('validators', [{ ...row, activationEpoch: 0, exitEpoch: null, slashed: false, pool: 'P' }]),
        load('chain-balances', [{ epoch: EPOCH + 1, totalActiveBalance: 5 }]),
      ].map((one) => one.then(String, (error: Error) => error.message));
      await eventually(async () => expect(await waitingLocks(pool)).toBe(2), 20_000);
      await lockWriters(client, ['chain-balances', 'validators']);
      return begun;
    });
    expect((await Promise.all(imports))[1]).toContain('that stakegraph index has written');
    const { rows } = await query(
      pool,
      'select exit_epoch, slashed, pool from validators where validator_index = 5',
    );
    expect(rows).toEqual([{ exit_epoch: 5000, slashed: true, pool: 'P' }]);
    await query(pool, 'update index_ranges set last_epoch = $1', [EPOCH]);
  });

  it('is told by the datasets, with the origin of other rows', async () => {
    gateway.statements.length = 0;
    const { data } = await gateway.graphql('{ datasets { name origins { network origin } } }');
    expect(gateway.statements).toEqual(['listDatasets']);
    const of = (name: string) => data.datasets.find((row: any) => row.name === name)?.origins;
    expect(of('attestations')).toEqual([{ network: 'hoodi', origin: 'INDEX' }]);
    expect(of('operators')).toEqual([{ network: 'hoodi', origin: 'INDEX' }]);
    expect(of('blocks')).toEqual([
      { network: 'hoodi', origin: 'IMPORT' },
      { network: 'hoodi', origin: 'INDEX' },
      { network: 'mainnet', origin: 'IMPORT' },
    ]);
    expect((await query(gateway.database.pool, 'select count(*)::int as n from index_ranges')).rows).toEqual([
      { n: 1 },
    ]);
  });
});

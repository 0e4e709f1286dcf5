import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { builder } from './rows.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() => gateway.database.pool.query({ text: 'truncate blocks, builders', values: [] }));

const hex = (digit: string, bytes: number) => `0x${digit.repeat(bytes * 2)}`;
const SLOT = 12_000_000;
const block = (change: object = {}) => ({
  ...{ consensusSlot: SLOT, validatorIndex: 7, consensusProposerDuty: 'proposed' },
  ...{
    consensusBlockRoot: hex('a', 32),
    executionBlockHash: hex('b', 32),
    executionProposerDuty: 'proposed',
  },
  ...{ payloadStatus: 'full', bidValue: 70_000_000, bidBuilderIndex: 3, bidBuilderPubkey: hex('c', 48) },
  ...{ bidExecutionPayment: '18446744073709551615', bidFeeRecipient: hex('d', 20), bidPayment: 'settled' },
  ...change,
});
const empty = { payloadStatus: 'empty', executionBlockHash: null, executionProposerDuty: 'missed' };
const load = (resource: 'blocks' | 'builders', rows: unknown, options = {}) =>
  importText(gateway, resource, JSON.stringify(rows), options);
const faults = async (resource: 'blocks' | 'builders', row: object) =>
  (await load(resource, [row])).faults.map(({ field, msg }) => `${field} ${msg}`);

describe('an imported block of Gloas', () => {
  it('has the payload and the bid of its row', async () => {
    const own = { bidBuilderIndex: null, bidBuilderPubkey: null, bidPayment: null, bidValue: 0 };
    const rows = [
      block(),
      block({ consensusSlot: SLOT - 1, ...empty, bidPayment: 'unpaid' }),
      block({ consensusSlot: SLOT - 2, ...empty, ...own }),
      block({ consensusSlot: SLOT - 3, ...empty, payloadStatus: 'unknown', executionProposerDuty: null }),
    ];
    expect(await load('blocks', rows)).toMatchObject({ faults: [], inserted: 4 });
    expect(await load('blocks', rows)).toMatchObject({ faults: [], inserted: 0, updated: 0 });
    const { data } = await gateway.graphql(
      '{ blocks { nodes { executionOutcome payload { status } bid { builder { index } value executionPayment payment } } } }',
    );
    const of = { builder: { index: 3 }, value: '70000000', executionPayment: '18446744073709551615' };
    expect(data.blocks.nodes).toEqual([
      { executionOutcome: 'PROPOSED', payload: { status: 'FULL' }, bid: { ...of, payment: 'SETTLED' } },
      { executionOutcome: 'MISSED', payload: { status: 'EMPTY' }, bid: { ...of, payment: 'UNPAID' } },
      {
        ...{ executionOutcome: 'MISSED', payload: { status: 'EMPTY' } },
        bid: { ...of, builder: null, value: '0', payment: null },
      },
      { executionOutcome: null, payload: { status: 'UNKNOWN' }, bid: { ...of, payment: 'SETTLED' } },
    ]);
  });

  it('has the documented keys of REST, and no others', async () => {
    await load('blocks', [block()]);
    const { json } = await gateway.get(`/v0/eth/blocks/${SLOT}`);
    expect(Object.keys(json).filter((name) => /payload|bid/i.test(name))).toEqual([]);
    expect(json).toMatchObject({ executionProposerDuty: 'proposed', relays: [] });
  });

  it.each([
    [{ payloadStatus: 'half' }, 'payloadStatus'],
    [
      { executionProposerDuty: 'missed' },
      'executionProposerDuty is missed; with payloadStatus full, proposed',
    ],
    [{ ...empty, executionBlockHash: hex('b', 32) }, `executionBlockHash is ${hex('b', 32)}; with`],
    [{ bidValue: null }, 'bidValue must be given together with payloadStatus, or neither'],
    [{ payloadStatus: null }, 'bidExecutionPayment must be given together with payloadStatus'],
    [{ bidExecutionPayment: '18446744073709551616' }, 'bidExecutionPayment must be below 2^64'],
    [{ bidBuilderIndex: null }, 'bidPayment is settled; only the bid of a builder has it'],
    [{ bidBuilderPubkey: '0xab' }, 'bidBuilderPubkey must be 0x and 96 hex digits'],
    [{ bidPayment: 'late' }, 'bidPayment must be'],
    [{ consensusProposerDuty: 'missed' }, 'payloadStatus is full; a missed slot has no block'],
  ])('with %j is refused', async (change, fault) => {
    expect((await faults('blocks', block(change))).join('\n')).toContain(fault);
  });
});

describe('imported builders', () => {
  it('are found by public key, and are the same when loaded again', async () => {
    expect(await load('builders', [builder(1), builder(2)])).toMatchObject({ faults: [], inserted: 2 });
    expect(await load('builders', [builder(2)])).toMatchObject({ inserted: 0, updated: 0 });
    const { data } = await gateway.graphql(
      `{ builder(pubkey: "${builder(2).pubkey.toUpperCase().slice(2)}") { index balance } }`,
    );
    expect(data.builder).toEqual({ index: 2, balance: '100000000002' });
  });

  it.each([
    [{ fullCount: 7 }, 'bidCount is 10; fullCount and withheldCount together are 9'],
    [
      { sumWithheldValue: 0 },
      'sumBidValue is 700000000; sumFullValue and sumWithheldValue together are 600000000',
    ],
    [{ paidCount: 11 }, 'paidCount is 11, more than bidCount 10'],
    [{ withdrawableEpoch: 1 }, 'withdrawableEpoch is 1, before depositEpoch 353024'],
    [{ pubkey: '0xab' }, 'pubkey must be 0x and 96 hex digits'],
    [{ balance: -1 }, 'balance must be a whole number >= 0'],
  ])('with %j are refused', async (change, fault) => {
    expect(await faults('builders', builder(1, change))).toContain(fault);
  });

  it('of a network that an index writes are refused without --replace', async () => {
    const text = `insert into dataset_origins (dataset, network, origin, written_at) values ('builders', 'mainnet', 'index', now())`;
    await gateway.database.pool.query({ text, values: [] });
    await expect(load('builders', [builder(1)])).rejects.toThrow(
      'the builders of mainnet are computed by stakegraph index. Overwrite them with --replace.',
    );
    expect(await load('builders', [builder(1)], { replace: true })).toMatchObject({ inserted: 1 });
  });
});

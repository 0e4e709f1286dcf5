import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() => gateway.database.pool.query({ text: 'truncate blocks, chain_heads', values: [] }));

const load = (content: unknown, options = {}) =>
  importText(gateway, 'blocks', typeof content === 'string' ? content : JSON.stringify(content), options);
const SLOT = 12_000_000;
const answered = async (slot = SLOT, headers = {}) =>
  (await gateway.get(`/v0/eth/blocks/${slot}`, headers)).json;
const total = async (headers = {}) => (await gateway.get('/v0/eth/blocks', headers)).json.total;

const hex = (digit: string, bytes: number) => `0x${digit.repeat(bytes * 2)}`;
/** A block in the words of REST, in documented order. */
const block = (more = {}) => ({
  epoch: 375_000,
  consensusSlot: SLOT,
  consensusBlockRoot: hex('a', 32),
  executionBlockNumber: 22_000_000,
  executionBlockHash: hex('b', 32),
  validatorIndex: 7,
  feeRecipient: hex('c', 20),
  totalType0Transactions: 20,
  totalType2Transactions: 100,
  totalTransactions: 130,
  totalGasUsed: 15_000_000,
  baseFeePerGas: 1_000_000_007,
  totalBurntFees: 15_000_000,
  totalType2TxFees: 5,
  totalType0TxFees: 6,
  totalPriorityFees: 34_485_815,
  baselineMev: 0,
  executionProposerDuty: 'proposed',
  executionRewards: 34_330_125,
  missedExecutionRewards: 0,
  consensusProposerDuty: 'proposed',
  consensusRewards: 41_947_807,
  missedConsensusRewards: 0,
  totalRewards: 76_277_932,
  totalRewardsMissed: 0,
  totalType1Transactions: 1,
  totalType1TxFees: 7,
  blockTimestamp: '2025-06-25T04:00:23Z',
  totalSanctionedTransactions: 0,
  totalPriorityFeesValidator: 34_330_125,
  relays: ['flashbots', 'agnostic', 'flashbots'],
  blockBuilderPubkeys: [hex('d', 48), hex('e', 48), hex('d', 48)],
  ...more,
});
/** The least that a block tells. */
const bare = (more = {}) => ({
  consensusSlot: SLOT,
  validatorIndex: 7,
  consensusProposerDuty: 'proposed',
  consensusBlockRoot: hex('a', 32),
  ...more,
});
const missedSlot = (more = {}) => ({
  consensusSlot: SLOT,
  validatorIndex: 7,
  consensusProposerDuty: 'missed',
  ...more,
});
const envelope = (data: object[], more = {}) => ({
  page: { from: SLOT, to: SLOT - data.length, size: 15 },
  total: data.length,
  data,
  next: null,
  ...more,
});

describe('an import of blocks', () => {
  it('comes back as it was, key for key, also when it is loaded again', async () => {
    expect(await load(envelope([block()]))).toMatchObject({
      faults: [],
      inserted: 1,
      updated: 0,
      removed: 0,
    });
    const { text } = await gateway.get(`/v0/eth/blocks/${SLOT}`);
    expect(text).toBe(JSON.stringify(block()));
    expect(await load(block())).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect(await answered()).toEqual(block());
    expect(await total()).toBe(1);
  });

  it('keeps every digit of wei past 64 bits, and the part of a Gwei', async () => {
    const text = JSON.stringify(block({ totalBurntFees: 'W', executionRewards: 'G', totalRewards: 'T' }))
      .replace('"W"', '123456789012345678901234567')
      .replace('"G"', '34330125.718763076')
      .replace('"T"', '9223372036854775807.5');
    expect(await load(text)).toMatchObject({ faults: [] });
    expect((await gateway.get(`/v0/eth/blocks/${SLOT}`)).text).toBe(text);
    const { data } = await gateway.graphql(
      `{ block(slot: ${SLOT}) { totalBurntFees executionRewards totalRewards } }`,
    );
    expect(data.block).toEqual({
      totalBurntFees: '123456789012345678901234567',
      executionRewards: '34330125.718763076',
      totalRewards: '9223372036854775807.5',
    });
  });

  it('replaces the block of its slot: what was real at first may be missed or another in the end', async () => {
    await load(block());
    const other = block({ consensusBlockRoot: hex('f', 32), validatorIndex: 8, relays: [] });
    await load(other);
    expect(await answered()).toEqual(other);
    await load(missedSlot());
    expect(await answered()).toMatchObject({ consensusProposerDuty: 'missed', consensusBlockRoot: null });
  });

  it('takes absent keys as null, no relays and no builders', async () => {
    await load(bare({ relays: null }));
    const { relays, blockBuilderPubkeys, executionRewards, totalGasUsed, ...row } = await answered();
    expect([relays, blockBuilderPubkeys, executionRewards, totalGasUsed]).toEqual([[], [], null, null]);
    expect(row).toMatchObject({ epoch: 375_000, blockTimestamp: '2025-06-25T04:00:23Z' });
  });

  it('takes bytes as Postgres writes them and in capitals', async () => {
    await load(
      block({
        consensusBlockRoot: `\\x${'A'.repeat(64)}`,
        executionBlockHash: `\\\\x${'b'.repeat(64)}`,
        feeRecipient: `0x${'C'.repeat(40)}`,
        blockBuilderPubkeys: [`\\x${'d'.repeat(96)}`],
      }),
    );
    expect(await answered()).toEqual(block({ blockBuilderPubkeys: [hex('d', 48)] }));
  });

  it('adds to what is stored whatever it says of its total, and removes the others only with --replace', async () => {
    const at = (slot: number, more = {}) => bare({ consensusSlot: slot, ...more });
    await load([at(1), at(2), at(3), at(1, { network: 'hoodi' })]);
    expect(await load(envelope([at(4)]))).toMatchObject({ inserted: 1, removed: 0, replaced: false });
    expect(await total()).toBe(4);
    expect(await load([at(2)], { replace: true })).toMatchObject({ updated: 0, removed: 3 });
    expect([await total(), await total({ 'x-service-network': 'hoodi' })]).toEqual([1, 1]);
  });

  it('counts what is stored, whoever adds and deletes', async () => {
    const run = (text: string) => gateway.database.pool.query({ text, values: [] });
    await load([1, 2, 3, 4].map((slot) => bare({ consensusSlot: slot })));
    await load([4, 5].map((slot) => bare({ consensusSlot: slot })));
    expect(await total()).toBe(5);
    await run(`delete from blocks where network = 'mainnet' and slot < 3`);
    expect(await total()).toBe(3);
    await load([bare({ consensusSlot: 9 }), { consensusSlot: -1 }]);
    expect(await total()).toBe(3);
    await run('truncate blocks');
    expect(await total()).toBe(0);
  });

  it('raises the head of its network and never lowers it', async () => {
    const rewards = async (slot: number) =>
      (await gateway.get(`/v0/eth/blocks/${slot}/syncCommitteeRewards`)).status;
    await load(missedSlot({ consensusSlot: 100 }));
    await load(bare({ consensusSlot: 50 }));
    expect([await rewards(99), await rewards(100), await rewards(101)]).toEqual([200, 200, 404]);
  });

  it('may be NDJSON of several networks', async () => {
    const rows = [bare(), bare({ network: 'hoodi', consensusSlot: 5 })];
    const report = await load(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(report).toMatchObject({ faults: [], inserted: 2 });
    expect((await answered(5, { 'x-service-network': 'hoodi' })).blockTimestamp).toBe('2025-03-17T12:11:00Z');
  });
});

describe('a row', () => {
  it.each([
    ['2025-06-25T04:00:23Z', []],
    ['2025-06-25T04:00:23', []],
    ['2025-06-25 04:00:23', []],
    ['2025-06-25T06:00:23+02:00', []],
    [null, []],
    // no documented form of a timestamp is a number: the time is that of the slot
    [123242323, []],
    ['2025-06-25T04:00:24Z', ['blockTimestamp']],
    ['2025-06-25', ['blockTimestamp']],
    ['', ['blockTimestamp']],
    [true, ['blockTimestamp']],
  ])('with the moment %j has faults in %j, and otherwise the time of its slot', async (given, expected) => {
    const { faults } = await load(block({ blockTimestamp: given }));
    expect(faults.map((fault) => fault.field)).toEqual(expected);
    if (expected.length === 0) expect(await answered()).toEqual(block());
  });

  it('of another network is refused by its time, which is told', async () => {
    const { faults } = await load(block(), { network: 'hoodi' });
    expect(faults.map((fault) => [fault.field, fault.msg])).toEqual([
      ['blockTimestamp', 'is 2025-06-25T04:00:23Z; slot 12000000 of hoodi begins at 2029-10-09T04:10:00Z'],
      ['consensusSlot', 'is 12000000, which has not begun; a slot of the past is needed'],
    ]);
  });

  it.each([
    [{ epoch: 374_999 }, ['epoch']],
    [{ epoch: null }, []],
    [{ consensusSlot: -1 }, ['consensusSlot']],
    [{ consensusSlot: 2 ** 31 }, ['consensusSlot']],
    [{ consensusSlot: null }, ['consensusSlot']],
    [{ validatorIndex: null }, ['validatorIndex']],
    [{ validatorIndex: 1.5 }, ['validatorIndex']],
    [{ consensusProposerDuty: 'late' }, ['consensusProposerDuty']],
    [{ consensusProposerDuty: null }, ['consensusProposerDuty']],
    [{ executionProposerDuty: 'late' }, ['executionProposerDuty']],
    [{ executionProposerDuty: null }, []],
    [{ consensusBlockRoot: null }, ['consensusBlockRoot']],
    [{ consensusBlockRoot: '0xab' }, ['consensusBlockRoot']],
    [{ feeRecipient: hex('a', 21) }, ['feeRecipient']],
    [{ totalTransactions: 120 }, ['totalTransactions']],
    [{ totalTransactions: 121 }, []],
    [{ totalGasUsed: -1 }, ['totalGasUsed']],
    [{ baseFeePerGas: -1 }, ['baseFeePerGas']],
    [{ totalBurntFees: 1.5 }, ['totalBurntFees']],
    [{ totalBurntFees: '9'.repeat(30) }, []],
    [{ totalBurntFees: '9'.repeat(31) }, ['totalBurntFees']],
    [{ executionRewards: 0.123456789 }, []],
    [{ executionRewards: '0.1234567891' }, ['executionRewards']],
    [{ executionRewards: -1 }, ['executionRewards']],
    [{ executionRewards: 'much' }, ['executionRewards']],
    [{ consensusRewards: '9223372036854775808' }, ['consensusRewards']],
    [{ consensusRewards: 1.5 }, ['consensusRewards']],
    [{ relays: 'flashbots' }, ['relays']],
    [{ relays: [''] }, ['relays.0']],
    [{ blockBuilderPubkeys: ['0xab'] }, ['blockBuilderPubkeys.0']],
    [{ network: 'goerli' }, ['network']],
  ])('with %j has faults in %j', async (more, expected) => {
    const { faults } = await load(block(more));
    expect(faults.map((fault) => fault.field)).toEqual(expected);
  });

  it('of a missed slot has no block: zeros are nothing, anything else is refused', async () => {
    const lost = { missedConsensusRewards: 40_000_000, totalRewardsMissed: 40_000_000, totalRewards: 0 };
    const zeros = { totalTransactions: 0, totalGasUsed: 0, totalBurntFees: '0', totalPriorityFees: 0 };
    expect((await load(missedSlot({ ...lost, ...zeros }))).faults).toEqual([]);
    expect(await answered()).toMatchObject({ ...lost, totalTransactions: null, totalBurntFees: null });
    const { faults } = await load(block({ consensusProposerDuty: 'missed', relays: [], baselineMev: 0 }));
    expect(faults.map((fault) => fault.field)).toContain('consensusBlockRoot');
    expect(faults.map((fault) => fault.field)).toContain('blockBuilderPubkeys');
    expect(faults.map((fault) => fault.field)).not.toContain('totalSanctionedTransactions');
    expect(await answered()).toMatchObject(lost);
  });

  it('of a slot that has not begun is refused: it would be the head of the chain', async () => {
    for (const more of [{}, { blockTimestamp: '2837-07-13T02:49:47Z' }]) {
      const { faults } = await load(bare({ consensusSlot: 2_147_483_647, ...more }));
      expect(faults.map((fault) => [fault.field, fault.msg])).toEqual([
        ['consensusSlot', 'is 2147483647, which has not begun; a slot of the past is needed'],
      ]);
    }
  });

  it('repeats another of its network and slot', async () => {
    const rows = [{}, { network: 'hoodi' }, { validatorIndex: 9 }];
    const { faults } = await load(rows.map((row) => bare({ consensusSlot: 1_000_000, ...row })));
    expect(faults.map((fault) => [fault.place, fault.msg])).toEqual([['row 3', 'repeats row 1']]);
  });
});

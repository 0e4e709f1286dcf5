import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BidFacts, BlockFacts, BuilderFacts, EpochFacts } from '../../../src/indexer/chain/types.ts';
import { openStore, type Store } from '../../../src/indexer/store/index.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { subscribe } from '../../support/subscribe.ts';
import { addressOf, type Made, madeBlock, madeFacts, madeRegistry, pubkeyOf, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

const EPOCH = 2_300;
const FIRST = EPOCH * 32;
const made: Made = { size: 30 };
const PROPOSER = 3;

let gateway: Gateway;
let store: Store;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  store = openStore(gateway.database.pool, NETWORK);
  await store.resume();
});
afterAll(() => gateway.close());

const bid = (change: Partial<BidFacts> = {}): BidFacts => ({
  builder: { index: 5, pubkey: pubkeyOf(500) },
  ...{ value: 70_000_000n, executionPayment: 0n, feeRecipient: addressOf(9), payment: 'settled' },
  ...change,
});
const own = bid({ builder: null, value: 0n, payment: null });

/** A slot as it is in a closed epoch. An empty block has nothing about its payload. */
const slot = (at: number, payload: 'full' | 'empty', of: BidFacts): BlockFacts => {
  const block = madeBlock(FIRST + at, PROPOSER);
  return {
    ...{ slot: FIRST + at, proposerIndex: PROPOSER, payload, bid: of, consensusRewards: 40_000_000 },
    block: payload === 'full' ? block : { ...block, execution: null },
  };
};
const slots: BlockFacts[] = [
  slot(0, 'full', bid()),
  slot(1, 'full', own),
  slot(2, 'empty', own),
  slot(3, 'empty', bid({ payment: 'quorum' })),
  slot(4, 'empty', bid({ payment: 'unpaid' })),
  slot(5, 'empty', bid({ payment: 'cancelled' })),
  { ...slot(6, 'full', own), block: null, payload: null, bid: null, consensusRewards: 0 },
  slot(7, 'full', bid({ value: 0n, payment: null, executionPayment: 2n ** 64n - 1n })),
  {
    ...slot(8, 'empty', { ...own, builder: { index: 6, pubkey: null }, value: 5n, payment: 'quorum' }),
    proposerIndex: 4,
  },
];

const totals = (count: number, value: bigint) => ({ count, value });
const builderFacts = (change: Partial<BuilderFacts> = {}): BuilderFacts => ({
  ...{ index: 5, pubkey: pubkeyOf(500), executionAddress: addressOf(8), balance: 9_000_000_000 },
  ...{ depositEpoch: 2_290, withdrawableEpoch: Number.POSITIVE_INFINITY },
  bids: totals(5, 280_000_000n),
  full: totals(2, 70_000_000n),
  withheld: totals(3, 210_000_000n),
  paid: totals(2, 140_000_000n),
  ...change,
});
const none = Object.fromEntries(['bids', 'full', 'withheld', 'paid'].map((kind) => [kind, totals(0, 0n)]));

const facts = (epoch: number, change: Partial<EpochFacts>): EpochFacts => ({
  ...madeFacts(made, epoch, EPOCH),
  ...change,
});
const write = (of: EpochFacts, options = { partial: true }) =>
  store.write(of, savedAs('x'), madeRegistry(made), options);

const stored = async (at: number, columns: string) =>
  (await query(gateway.database.pool, `select ${columns} from blocks where slot = $1`, [FIRST + at])).rows[0];
const rewards = async (at: number) =>
  Object.values(
    (await stored(
      at,
      `execution_proposer_duty, execution_rewards::float8, missed_execution_rewards::float8,
      total_priority_fees_validator::float8, baseline_mev::float8, total_rewards::float8, total_rewards_missed::float8`,
    )) as object,
  );

describe('a block of Gloas', () => {
  beforeAll(() => write(facts(EPOCH, { blocks: slots, builders: [builderFacts()] })));

  it('has the rewards of a paid bid, and misses those of one that was not paid', async () => {
    const consensus = 40_000_000;
    const value = 70_000_000;
    // duty, execution rewards, missed, fees, MEV, all rewards, all missed
    expect(await rewards(0)).toEqual(['proposed', value, 0, null, null, value + consensus, 0]);
    expect(await rewards(3)).toEqual(['missed', value, 0, 0, value, value + consensus, 0]);
    expect(await rewards(4)).toEqual(['missed', 0, value, 0, 0, consensus, value]);
    expect(await rewards(5)).toEqual(['missed', 0, value, 0, 0, consensus, value]);
    expect(await rewards(7)).toEqual(['proposed', 0, 0, null, null, consensus, 0]);
  });

  it("of the proposer's own payload waits for an execution node, and has nothing if it is empty", async () => {
    expect(await rewards(1)).toEqual(['proposed', null, 0, null, null, null, 0]);
    expect(await rewards(2)).toEqual(['missed', 0, null, 0, 0, 40_000_000, null]);
    expect(await rewards(6)).toEqual(['missed', null, null, null, null, null, null]);
  });

  it('has an execution block only if it is full, and no burnt fees without receipts', async () => {
    const columns = 'execution_block_number as number, total_gas_used as gas, total_burnt_fees as burnt';
    expect(await stored(0, columns)).toEqual({ number: FIRST - 100, gas: 12_000_000, burnt: null });
    expect(await stored(3, columns)).toEqual({ number: null, gas: null, burnt: null });
  });

  it('is asked of relays only if its payload is its own', async () => {
    const columns = 'relays, block_builder_pubkeys as pubkeys';
    expect(await stored(0, columns)).toEqual({ relays: [], pubkeys: [] });
    expect(await stored(1, columns)).toEqual({ relays: null, pubkeys: null });
  });

  it('keeps what an execution node found in its payload when it is written again', async () => {
    const found = 'total_priority_fees = 3, total_burnt_fees = 4, execution_rewards = 70000009';
    await query(gateway.database.pool, `update blocks set ${found} where slot = $1`, [FIRST]);
    await write(facts(EPOCH, { blocks: slots, builders: [builderFacts()] }));
    const columns =
      'total_priority_fees as fees, total_burnt_fees as burnt, execution_rewards as execution, total_rewards as all';
    expect(await stored(0, columns)).toEqual({
      fees: '3',
      burnt: '4',
      execution: '70000009',
      all: '110000009',
    });
  });

  it('has its payload and its bid in GraphQL, in one statement', async () => {
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(
      `{ blocks(network: HOODI, startAtSlot: ${FIRST + 8}, first: 7) { nodes {
        payload { status } bid { builder { index pubkey } value executionPayment feeRecipient payment }
      } } }`,
    );
    expect(errors).toBeUndefined();
    expect(gateway.statements).toEqual(['blockPage']);
    const builder = { index: 5, pubkey: pubkeyOf(500) };
    const of = { builder, value: '70000000', executionPayment: '0', feeRecipient: addressOf(9) };
    expect(data.blocks.nodes).toEqual([
      {
        payload: { status: 'EMPTY' },
        bid: { ...of, builder: { index: 6, pubkey: null }, value: '5', payment: 'QUORUM' },
      },
      {
        payload: { status: 'FULL' },
        bid: { ...of, value: '0', executionPayment: '18446744073709551615', payment: null },
      },
      { payload: null, bid: null },
      { payload: { status: 'EMPTY' }, bid: { ...of, payment: 'CANCELLED' } },
      { payload: { status: 'EMPTY' }, bid: { ...of, payment: 'UNPAID' } },
      { payload: { status: 'EMPTY' }, bid: { ...of, payment: 'QUORUM' } },
      { payload: { status: 'EMPTY' }, bid: { ...of, builder: null, value: '0', payment: null } },
    ]);
  });

  it('counts for its proposer as proposed, with or without its payload', async () => {
    const { rows } = await query(
      gateway.database.pool,
      `select validator_index as v, proposed_count as proposed, missed_proposal_count as missed,
        empty_payload_count as empty, sum_priority_fees::int as fees, sum_baseline_mev::int as mev
      from validator_days where not utc and validator_index in ($1, 4, 5) order by 1`,
      [PROPOSER],
    );
    expect(rows).toEqual([
      { v: PROPOSER, proposed: 7, missed: 1, empty: 4, fees: 0, mev: 0 },
      { v: 4, proposed: 1, missed: 0, empty: 1, fees: 0, mev: 5 },
      { v: 5, proposed: 0, missed: 0, empty: 0, fees: 0, mev: 0 },
    ]);
  });
});

describe('builders', () => {
  const builders = async () =>
    (
      await query(
        gateway.database.pool,
        `select index, pubkey, balance::float8, withdrawable_epoch as leaves, bid_count as bids, full_count as full,
          withheld_count as withheld, paid_count as paid, sum_bid_value::int as value, sum_paid_value::int as sum
        from builders order by pubkey`,
      )
    ).rows;
  const first = {
    ...{ index: 5, pubkey: pubkeyOf(500), balance: 9_000_000_000, leaves: null },
    ...{ bids: 5, full: 2, withheld: 3, paid: 2, value: 280_000_000, sum: 140_000_000 },
  };

  it('have their bids counted once, however often an epoch is written', async () => {
    expect(await builders()).toEqual([first]);
    await write(facts(EPOCH, { blocks: slots, builders: [builderFacts()] }));
    expect(await builders()).toEqual([first]);
  });

  it('have the bids of all epochs added up', async () => {
    const next = { ...slot(0, 'full', bid()), slot: FIRST + 32 };
    const more = builderFacts({
      ...{ balance: 8_000_000_000, bids: totals(1, 70_000_000n), full: totals(1, 70_000_000n) },
      ...{ withheld: totals(0, 0n), paid: totals(1, 70_000_000n) },
    });
    const of = facts(EPOCH + 1, { blocks: [next], builders: [more] });
    await write(of);
    const sum = { ...first, balance: 8_000_000_000, bids: 6, full: 3, paid: 3, value: 350_000_000 };
    expect(await builders()).toEqual([{ ...sum, sum: 210_000_000 }]);
    await write(of);
    expect(await builders()).toEqual([{ ...sum, sum: 210_000_000 }]);
  });

  it('stay under their keys when another has their index, without a balance', async () => {
    const other = builderFacts({ pubkey: pubkeyOf(600), withdrawableEpoch: 9_000, ...none });
    await write(facts(EPOCH + 2, { builders: [other] }));
    expect(await builders()).toMatchObject([
      { index: 5, pubkey: pubkeyOf(500), balance: 0, bids: 6 },
      { index: 5, pubkey: pubkeyOf(600), balance: 9_000_000_000, bids: 0, leaves: 9_000 },
    ]);
  });
});

describe('near the head', () => {
  const HEAD = FIRST + 96;
  const near = (at: number, payload: 'full' | 'empty' | 'unknown', of: BidFacts) => {
    const block = madeBlock(at, PROPOSER);
    const execution = payload === 'full' ? block.execution : null;
    return { slot: at, proposerIndex: PROPOSER, block: { ...block, execution }, payload, bid: of };
  };
  const undecided = bid({ payment: null });

  it('a block is told with an unknown payload, and again when the next block tells of it', async () => {
    const stream = await subscribe(
      gateway,
      'subscription { blockAdded(network: HOODI) { blocks { consensusSlot executionOutcome executionRewards payload { status } } } }',
    );
    await stream.next();
    const told = async () =>
      (await stream.next()).data.blockAdded.blocks.map((row: any) => [
        ...[row.consensusSlot, row.payload?.status, row.executionOutcome, row.executionRewards],
      ]);
    const headOf = (...blocks: ReturnType<typeof near>[]) =>
      store.writeHead({ fromSlot: blocks[0]?.slot ?? 0, blocks, slashings: [] });

    await headOf(near(HEAD, 'unknown', undecided));
    expect(await told()).toEqual([[HEAD, 'UNKNOWN', null, null]]);
    await headOf(near(HEAD, 'full', undecided), near(HEAD + 1, 'unknown', own));
    expect(await told()).toEqual([
      [HEAD, 'FULL', 'PROPOSED', null],
      [HEAD + 1, 'UNKNOWN', null, null],
    ]);
    // Another branch goes on without the payload.
    await headOf(near(HEAD, 'empty', undecided), near(HEAD + 2, 'unknown', own));
    expect(await told()).toEqual([
      [HEAD, 'EMPTY', 'MISSED', null],
      [HEAD + 2, 'UNKNOWN', null, null],
    ]);
    stream.close();
  });

  it('nothing of an empty payload stays when the chain goes back to before it was known', async () => {
    await store.writeHead({ fromSlot: HEAD, blocks: [near(HEAD, 'empty', own)], slashings: [] });
    const columns = 'execution_rewards as rewards, total_priority_fees_validator as fees';
    const at = HEAD - FIRST;
    expect(await stored(at, columns)).toEqual({ rewards: '0', fees: '0' });
    await store.writeHead({ fromSlot: HEAD, blocks: [near(HEAD, 'unknown', own)], slashings: [] });
    expect(await stored(at, columns)).toEqual({ rewards: null, fees: null });
  });
});

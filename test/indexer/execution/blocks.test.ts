import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { transaction } from '../../../src/db/pool.ts';
import { openHttpSource } from '../../../src/indexer/answers/source.ts';
import type { BeaconBlock } from '../../../src/indexer/chain/types.ts';
import { BlockFills } from '../../../src/indexer/execution/block-fills.ts';
import { openFills } from '../../../src/indexer/execution/index.ts';
import { openRpc } from '../../../src/indexer/execution/rpc.ts';
import { writeBlocks } from '../../../src/indexer/store/block-rows.ts';
import { eventually } from '../../support/eventually.ts';
import {
  gasUsedIn,
  hexOf,
  type MadeBlock,
  madeBlock,
  tipsIn,
  transfer,
} from '../../support/execution-chain.ts';
import { type ExecutionNode, quantitiesAsNumbers, startExecutionNode } from '../../support/execution-node.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import type { Fault } from '../../support/source-server.ts';
import { CONSENSUS, filled, noForks, reasons, rowsOf, SLOT, storeBlocks, storedBlock } from './made.ts';

let database: TestDatabase;
let node: ExecutionNode;
beforeEach(async () => {
  database = await createDatabase();
  node = await startExecutionNode({});
});
afterEach(async () => {
  await node.close();
  await database.drop();
});

const gwei = (wei: bigint) => Number(wei) / 1e9;
const BUILDER = hexOf('builder', 20);
const OWN = hexOf('own address', 20);
const builtBlock = (value: bigint) =>
  madeBlock(SLOT, {
    feeRecipient: BUILDER,
    transactions: [transfer(), transfer({ from: BUILDER, to: OWN, value, tip: 0n })],
  });
/** A slot as the index knows it. */
const slotOf = (made: MadeBlock, blockHash: string) => {
  const count = (type: number) => made.transactions.filter((one) => one.type === type).length;
  const block: BeaconBlock = {
    ...{
      slot: made.slot,
      fork: 'electra',
      root: hexOf('root', 32),
      parentRoot: hexOf('parent', 32),
      proposerIndex: 7,
    },
    ...{
      attestations: [],
      proposerSlashings: [],
      attesterSlashings: [],
      voluntaryExits: [],
      credentialChanges: [],
    },
    ...{ deposits: [], depositRequests: [], withdrawalRequests: [], consolidationRequests: [] },
    syncCommitteeBits: new Uint8Array(64),
    ...{ slashedSlots: [], builderDeposits: [], bid: null },
    execution: {
      ...{ blockNumber: made.number, blockHash, feeRecipient: made.feeRecipient },
      ...{ withdrawals: [], builderWithdrawals: [] },
      ...{ gasUsed: Number(gasUsedIn(made)), baseFeePerGas: String(made.baseFee) },
      transactions: { type0: count(0), type1: count(1), type2: count(2), total: made.transactions.length },
    },
  };
  return { slot: made.slot, proposerIndex: 7, block, payload: null, bid: null };
};
const unfilled = async () =>
  (await rowsOf(database, 'select slot from blocks where total_priority_fees is null order by slot')).map(
    ({ slot }) => slot,
  );
const fill = (more: object = {}) => filled(database, { execution: node.url, ...more });

describe('with an execution node, a block has', () => {
  it('priority fees by type of transaction, all of them, and what its proposer received', async () => {
    const block = madeBlock(SLOT);
    node.blocks = [block];
    await storeBlocks(database, [block]);
    expect(await fill()).toEqual([]);
    const total = tipsIn(block);
    expect(await storedBlock(database)).toMatchObject({
      total_type0_tx_fees: String(tipsIn(block, 0)),
      total_type1_tx_fees: String(tipsIn(block, 1)),
      total_type2_tx_fees: String(tipsIn(block, 2)),
      total_priority_fees: String(gwei(total)),
      total_priority_fees_validator: String(gwei(total)),
      baseline_mev: '0',
      execution_rewards: String(gwei(total)),
      missed_execution_rewards: '0',
      total_rewards: String(gwei(total) + CONSENSUS),
      total_rewards_missed: '0',
      relays: null,
      block_builder_pubkeys: null,
    });
  });

  it('the payment in its last transaction as what the proposer of a builder received', async () => {
    const block = builtBlock(10n ** 18n);
    node.blocks = [block];
    await storeBlocks(database, [block]);
    expect(await fill()).toEqual([]);
    const fees = gwei(
      tipsIn(block) - 21_000n * block.baseFee > 0n ? tipsIn(block) - 21_000n * block.baseFee : 0n,
    );
    expect(await storedBlock(database)).toMatchObject({
      total_priority_fees_validator: String(fees),
      baseline_mev: String(1e9 - fees),
      execution_rewards: '1000000000',
    });
  });

  it('nothing of a payment that failed', async () => {
    const block = builtBlock(10n ** 18n);
    (block.transactions[1] as { fails?: boolean }).fails = true;
    node.blocks = [block];
    await storeBlocks(database, [block]);
    await fill();
    expect(await storedBlock(database)).toMatchObject({ baseline_mev: '0' });
  });

  it('figures of 0 without transactions', async () => {
    const block = madeBlock(SLOT, { transactions: [] });
    node.blocks = [block];
    await storeBlocks(database, [block]);
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({ total_priority_fees: '0', execution_rewards: '0' });
  });
});

describe('an execution node', () => {
  const change = (field: string, value: unknown) => (result: any) => ({ ...result, [field]: value });
  const first = (field: string, value: unknown) => (result: any[]) =>
    result.map((one, place) => (place === 0 ? { ...one, [field]: value } : one));
  const lies: [string, RegExp, (result: any) => unknown, string][] = [
    ['hash', /BlockByNumber/, change('hash', hexOf('other', 32)), 'mismatch'],
    ['number', /BlockByNumber/, change('number', '0x1'), 'mismatch'],
    ['gas used', /BlockByNumber/, change('gasUsed', '0x1'), 'mismatch'],
    ['base fee', /BlockByNumber/, change('baseFeePerGas', '0x1'), 'mismatch'],
    ['fee recipient', /BlockByNumber/, change('miner', BUILDER), 'mismatch'],
    ['transactions', /BlockByNumber/, change('transactions', []), 'mismatch'],
    ['receipts', /Receipts/, (all) => all.slice(1), 'mismatch'],
    ['order of receipts', /Receipts/, (all) => all.toReversed(), 'mismatch'],
    ['gas of a receipt', /Receipts/, first('gasUsed', '0x5209'), 'mismatch'],
    ['block of a receipt', /Receipts/, first('blockHash', hexOf('other', 32)), 'mismatch'],
    ['type of a receipt', /Receipts/, first('type', '0x2'), 'mismatch'],
    ['price below the base fee', /Receipts/, first('effectiveGasPrice', '0x1'), 'mismatch'],
    ['price that is no number', /Receipts/, first('effectiveGasPrice', 'much'), 'nonsense'],
    ['no list of receipts', /Receipts/, () => ({ hello: 1 }), 'nonsense'],
  ];
  it.each(lies)(
    'that tells another %s is not believed, and the block is filled in once it does',
    async (_, what, how, reason) => {
      const block = madeBlock(SLOT);
      node.blocks = [block];
      await storeBlocks(database, [block]);
      node.break(what, how);
      const errors = await fill();
      expect(reasons(errors)).toEqual([reason]);
      expect(await unfilled()).toEqual([SLOT]);
      expect(await storedBlock(database)).toMatchObject({ execution_rewards: null, total_rewards: null });
      node.mend();
      expect(await fill()).toEqual([]);
      expect(await unfilled()).toEqual([]);
    },
  );

  it('that tells another payment than its receipt is not believed', async () => {
    const block = builtBlock(5n);
    node.blocks = [block];
    await storeBlocks(database, [block]);
    node.break(/TransactionByHash/, change('from', OWN));
    expect(reasons(await fill())).toEqual(['mismatch']);
    expect(await unfilled()).toEqual([SLOT]);
  });

  const faults: [string, RegExp, Fault, string][] = [
    ['closes the connection', /./, 'destroyed', 'unreachable'],
    ['cuts off its response', /Receipts/, 'cut', 'cut'],
    ['responds with HTML', /./, 'html', 'nonsense'],
    ['responds with 503', /Receipts/, 503, 'busy'],
    ['responds with 429', /./, 429, 'busy'],
    ['responds with 404', /Receipts/, 404, 'refused'],
    [
      'does not know the method',
      /Receipts/,
      { error: { code: -32601, message: 'no such method' } },
      'refused',
    ],
    ['has pruned the receipts', /Receipts/, 'null', 'missing'],
    ['does not respond in time', /Receipts/, 'silent', 'slow'],
  ];
  it.each(faults)('that %s for a while: the fees are filled in afterwards', async (_, what, how, reason) => {
    const blocks = [0, 1, 2].map((n) => madeBlock(SLOT + n));
    node.blocks = blocks;
    await storeBlocks(database, blocks);
    node.break(what, how, 2);
    expect(reasons(await fill({ timeoutMs: 400 }))).toEqual([reason]);
    expect(await unfilled()).toEqual([]);
  });

  it('that writes safe quantities as numbers and empty lists as null fills in the same', async () => {
    node.blocks = [madeBlock(SLOT), madeBlock(SLOT + 1, { transactions: [] })];
    await storeBlocks(database, node.blocks);
    node.break(/./, quantitiesAsNumbers);
    expect(await fill()).toEqual([]);
    expect(await unfilled()).toEqual([]);
    const odd = await rowsOf(database, 'select * from blocks order by slot');
    await database.pool.query({ text: 'delete from blocks', values: [] });
    await storeBlocks(database, node.blocks);
    node.mend();
    await fill();
    expect(odd).toEqual(await rowsOf(database, 'select * from blocks order by slot'));
  });

  it('of another network fills in nothing, and the message says which is needed', async () => {
    node.blocks = [madeBlock(SLOT)];
    await storeBlocks(database, node.blocks);
    node.chainId = 1;
    const errors = await fill();
    expect(reasons(errors)).toEqual(['other-network']);
    expect(errors[0]?.message).toMatch(/is of chain 1; hoodi has its deposits on chain 560048/);
    expect(await unfilled()).toEqual([SLOT]);
    expect(node.asked.map(({ method }) => method)).not.toContain('eth_getBlockReceipts');
  });

  it('is named by its host in messages, which never hold the path of its URL', async () => {
    await storeBlocks(database, [madeBlock(SLOT)]);
    node.break(/./, 'destroyed');
    const [error] = await fill();
    expect(error?.message).toContain(new URL(node.url).host);
    expect(error?.message).not.toContain(new URL(node.url).pathname.slice(1));
  });

  it('that lacks old blocks is not asked for each of them again and again', async () => {
    const blocks = Array.from({ length: 70 }, (_, n) => madeBlock(SLOT + n));
    await storeBlocks(database, blocks);
    node.blocks = blocks.slice(60);
    await fill();
    expect(await unfilled()).toEqual(blocks.slice(0, 60).map(({ slot }) => slot));
    expect(node.asked.length).toBeLessThan(400);
  });

  // The node has no block of the first batches. When the next batch is read, all, some or none of the earlier ones are due again.
  it.each([1, 5, 7, 9, 11, 20])(
    'that lacks old blocks ends, with a first wait of %i ms',
    async (firstWaitMs) => {
      const blocks = Array.from({ length: 70 }, (_, n) => madeBlock(SLOT + n));
      await storeBlocks(database, blocks);
      node.blocks = blocks.slice(60);
      const { signal } = new AbortController();
      const limits = { rate: 100_000, timeoutMs: 10_000, maxBytes: 1_000_000, signal };
      const rpc = openRpc(openHttpSource({ url: new URL(node.url), name: 'node', ...limits }));
      let at = Date.now();
      const fills = new BlockFills({
        ...{ pool: database.pool, network: 'hoodi', rpc: async () => rpc, relays: undefined },
        spec: noForks,
        ...{ estimateMissed: false, concurrency: 1, firstWaitMs, onError: () => undefined },
        now: () => (at += 1), // each block waits a little longer than the one before
      });
      let steps = 0;
      for (let more = true; more && steps < 1_000; steps += 1) {
        if (await fills.step()) continue;
        more = fills.waits(4);
        at += firstWaitMs;
      }
      expect(steps).toBeLessThan(1_000);
    },
  );
});

describe('fills', () => {
  it('change nothing when they are made again', async () => {
    const blocks = [madeBlock(SLOT), madeBlock(SLOT + 1)];
    node.blocks = blocks;
    await storeBlocks(database, blocks);
    await fill();
    const revision = () => rowsOf(database, `select revision from datasets where name = 'blocks'`);
    expect(await revision()).toEqual([{ revision: 1 }]);
    const asked = node.asked.length;
    await fill();
    expect(node.asked.slice(asked).filter(({ method }) => method !== 'eth_chainId')).toEqual([]);
    expect(await revision()).toEqual([{ revision: 1 }]);
  });

  it('leave alone what a block has already, and missed slots', async () => {
    await storeBlocks(database, [madeBlock(SLOT)], [SLOT + 1]);
    await rowsOf(
      database,
      `update blocks set total_priority_fees = 1, execution_rewards = 1 where slot = $1`,
      [SLOT],
    );
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({ total_priority_fees: '1', execution_rewards: '1' });
    expect(await storedBlock(database, SLOT + 1)).toMatchObject({ execution_rewards: null });
  });

  it('are not written to a block that another one has replaced meanwhile', async () => {
    const [before, after] = [madeBlock(SLOT), madeBlock(SLOT, { hash: hexOf('after the reorg', 32) })];
    node.blocks = [before];
    await storeBlocks(database, [before]);
    node.break(/Receipts/, (result) => result, 1);
    const replaced = rowsOf(database, 'update blocks set execution_block_hash = $1', [after.hash]);
    const errors = await Promise.all([fill(), replaced]);
    expect(reasons(errors[0]).every((reason) => reason === 'mismatch')).toBe(true);
    node.blocks = [after];
    await rowsOf(database, 'update blocks set total_priority_fees = null');
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({
      execution_block_hash: after.hash,
      baseline_mev: '0',
    });
  });

  it('made near the head stay when the block is final, and their total follows its consensus rewards', async () => {
    const made = madeBlock(SLOT);
    node.blocks = [made];
    const write = (consensusRewards: number | null, blockHash = made.hash) =>
      transaction(database.pool, (client) =>
        writeBlocks(client, 'hoodi', [{ ...slotOf(made, blockHash), consensusRewards }], {
          finalized: consensusRewards !== null,
        }),
      );
    await write(null);
    await fill();
    const near = await storedBlock(database);
    expect(near).toMatchObject({ total_rewards: null, execution_rewards: expect.stringMatching(/^\d/) });
    await write(CONSENSUS);
    expect(await storedBlock(database)).toMatchObject({
      execution_rewards: near.execution_rewards,
      total_rewards: String(Number(near.execution_rewards) + CONSENSUS),
      total_rewards_missed: '0',
    });
    await write(CONSENSUS, hexOf('another block', 32));
    expect(await storedBlock(database)).toMatchObject({
      execution_rewards: null,
      total_rewards: null,
      relays: null,
    });
  });

  it('go on for ever beside the index, with blocks as they come', async () => {
    await storeBlocks(database, [madeBlock(SLOT - 1)]);
    node.blocks = [madeBlock(SLOT - 1)];
    const stop = new AbortController();
    const faults: Error[] = [];
    const fills = openFills({
      ...{ pool: database.pool, network: 'hoodi', execution: node.url, estimateMissed: false },
      spec: { ...noForks, depositContractAddress: undefined, depositChainId: undefined },
      onError: (error) => faults.push(error),
      signal: stop.signal,
    });
    const running = fills?.run((fault) => faults.push(fault));
    onTestFinished(() => stop.abort());
    await eventually(() => expect(node.asked.length).toBeGreaterThan(0));
    node.blocks.push(madeBlock(SLOT));
    await storeBlocks(database, node.blocks.slice(1));
    await eventually(async () => expect(await unfilled()).toEqual([]), 20_000);
    stop.abort();
    await running;
    expect(faults).toEqual([]);
  });

  it('need an execution node or relays', () => {
    expect(
      openFills({
        ...{ pool: database.pool, network: 'hoodi', estimateMissed: false, onError: () => undefined },
        spec: { ...noForks, depositContractAddress: undefined, depositChainId: undefined },
        signal: new AbortController().signal,
      }),
    ).toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  gasUsedIn,
  hexOf,
  type MadeBlock,
  madeBlock,
  tipsIn,
  transfer,
} from '../../support/execution-chain.ts';
import { type ExecutionNode, startExecutionNode } from '../../support/execution-node.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { filled, gloasAt, reasons, rowsOf, SLOT, storeBlocks, storedBlock } from './made.ts';

const ETH = 10n ** 18n;
const BUILDER = hexOf('builder', 20);
const OWN = hexOf('own address', 20);

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
const fill = (epoch: number) =>
  filled(database, {
    execution: node.url,
    spec: { ...gloasAt(epoch), depositContractAddress: undefined, depositChainId: 560_048 },
  });

async function store(block: MadeBlock, columns: Record<string, unknown> = {}) {
  node.blocks = [block];
  await storeBlocks(database, [block]);
  for (const [name, value] of Object.entries(columns))
    await rowsOf(database, `update blocks set ${name} = $1`, [value]);
}

/** A payload of a builder that paid its bid of 2 ETH; `last` is the last transaction of the payload. */
const bidBlock = (last: Partial<ReturnType<typeof transfer>>) =>
  madeBlock(SLOT, { feeRecipient: BUILDER, transactions: [transfer(), transfer({ tip: 0n, ...last })] });
const settled = {
  ...{ payload_status: 'full', bid_value: 2_000_000_000, bid_builder_index: 5, bid_fee_recipient: OWN },
  ...{ bid_payment: 'settled', execution_rewards: 2_000_000_000, missed_execution_rewards: 0 },
};

describe('a block whose header has another gas than its receipts', () => {
  const transactions = [transfer({ gasUsed: 500_000n }), transfer({ type: 0, gasUsed: 300_000n })];

  it.each([1_000_000n, 700_000n])(
    'is filled in from Gloas on, with %s gas in the header and 800,000 in the receipts',
    async (headerGas) => {
      const block = madeBlock(SLOT, { transactions, headerGas });
      await store(block, { total_burnt_fees: null });
      expect(await fill(SLOT / 32)).toEqual([]);
      expect(gasUsedIn(block)).toBe(800_000n);
      expect(await storedBlock(database)).toMatchObject({
        total_gas_used: Number(headerGas),
        total_burnt_fees: String(800_000n * block.baseFee),
        total_type2_tx_fees: String(tipsIn(block, 2)),
        total_priority_fees: String(gwei(tipsIn(block))),
        execution_rewards: String(gwei(tipsIn(block))),
      });
    },
  );

  it('is refused before, and asked for again', async () => {
    await store(madeBlock(SLOT, { transactions, headerGas: 1_000_000n }));
    expect(reasons(await fill(SLOT / 32 + 1))).toEqual(['mismatch']);
    expect(await storedBlock(database)).toMatchObject({ total_priority_fees: null });
  });

  it.each<[string, RegExp, (result: any) => unknown]>([
    ['other gas', /BlockByNumber/, (header) => ({ ...header, gasUsed: '0x1' })],
    ['another hash', /BlockByNumber/, (header) => ({ ...header, hash: hexOf('other', 32) })],
    ['fewer receipts', /Receipts/, (receipts) => receipts.slice(1)],
    ['receipts in another order', /Receipts/, (receipts) => receipts.toReversed()],
  ])('is refused from Gloas on if the node tells %s', async (_what, method, how) => {
    await store(madeBlock(SLOT, { transactions, headerGas: 1_000_000n }));
    node.break(method, how);
    expect(reasons(await fill(SLOT / 32))).toEqual(['mismatch']);
  });
});

describe('with a bid of a builder, the proposer received', () => {
  const parts = async (block: MadeBlock, columns: object = settled) => {
    await store(block, columns as Record<string, unknown>);
    expect(await fill(SLOT / 32)).toEqual([]);
    const row = await storedBlock(database);
    const [fees, mev] = [row.total_priority_fees_validator, row.baseline_mev].map(Number);
    expect(Number(row.execution_rewards)).toBe((fees as number) + (mev as number));
    expect(row.missed_execution_rewards).toBe('0');
    return { fees, all: Number(row.execution_rewards), tips: gwei(tipsIn(block)) };
  };

  it('the bid, of which the priority fees are the first part', async () => {
    const { fees, all, tips } = await parts(bidBlock({}));
    expect([fees, all]).toEqual([tips, 2e9]);
  });

  it('besides what the last transaction pays to the fee recipient of the bid', async () => {
    const { fees, all, tips } = await parts(bidBlock({ from: BUILDER, to: OWN, value: 3n * ETH }));
    expect([fees, all]).toEqual([tips, 5e9]);
  });

  it('nothing more of a last transaction to another address, or of one that failed', async () => {
    expect((await parts(bidBlock({ from: BUILDER, value: 3n * ETH }))).all).toBe(2e9);
    await rowsOf(database, 'delete from blocks');
    const failed = bidBlock({ from: BUILDER, to: OWN, value: 3n * ETH, fails: true });
    expect((await parts(failed)).all).toBe(2e9);
  });

  it('only the last transaction, if the bid is of 0', async () => {
    const none = { ...settled, bid_value: 0, bid_payment: null, execution_rewards: 0 };
    const { fees, all } = await parts(bidBlock({ from: BUILDER, to: OWN, value: 3n * ETH }), none);
    expect([fees, all]).toEqual([0, 3e9]);
  });
});

it('the last transaction of an own payload counts as before Gloas', async () => {
  const own = { payload_status: 'full', bid_value: 0, bid_fee_recipient: OWN };
  const block = bidBlock({ from: BUILDER, to: OWN, value: 3n * ETH });
  await store(block, own);
  expect(await fill(SLOT / 32)).toEqual([]);
  expect(Number((await storedBlock(database)).execution_rewards)).toBe(3e9);
});

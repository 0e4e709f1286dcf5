import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  gasUsedIn,
  hexOf,
  type MadeBlock,
  madeBlock,
  quantity,
  tipsIn,
  transfer,
} from '../../support/execution-chain.ts';
import { type ExecutionNode, startExecutionNode } from '../../support/execution-node.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { CONSENSUS, filled, rowsOf, SLOT, storeBlocks, storedBlock } from './made.ts';

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
const RECIPIENT = hexOf('fee recipient of the bid', 20);
const fill = (more: object = {}) => filled(database, { execution: node.url, ...more });

type Bid = { value: number; payment: string | null; builder?: number | null };

/** Full blocks of Gloas as an index writes them. */
async function stored(blocks: readonly MadeBlock[], { value, payment, builder = 3 }: Bid) {
  node.blocks = [...blocks];
  await storeBlocks(database, blocks);
  const isPaid = payment === 'settled';
  const rewards = builder === null || payment === null ? null : isPaid ? value : 0;
  await rowsOf(
    database,
    `update blocks set payload_status = 'full', total_burnt_fees = null, bid_value = $1, bid_payment = $2,
      bid_builder_index = $3, bid_fee_recipient = $4, execution_rewards = $5,
      missed_execution_rewards = case when $3::int is null then 0 else $1::bigint - $5::numeric end`,
    [value, payment, builder, RECIPIENT, rewards],
  );
}

describe('a block of Gloas', () => {
  it('has a bid of priority fees as far as these go, and MEV beyond', async () => {
    const block = madeBlock(SLOT);
    const fees = gwei(tipsIn(block));
    const value = Math.ceil(fees) + 70_000_000;
    await stored([block], { value, payment: 'settled' });
    expect(await fill()).toEqual([]);
    const row = await storedBlock(database);
    expect(row).toMatchObject({
      ...{ total_priority_fees: String(fees), total_priority_fees_validator: String(fees) },
      ...{ execution_rewards: String(value), missed_execution_rewards: '0' },
      ...{ total_rewards: String(value + CONSENSUS), total_rewards_missed: '0' },
      total_burnt_fees: String(gasUsedIn(block) * block.baseFee),
    });
    expect(Number(row.baseline_mev)).toBeCloseTo(value - fees, 6);
  });

  it('with a smaller bid gives the proposer the bid, and the rest of the fees to the builder', async () => {
    await stored([madeBlock(SLOT)], { value: 5, payment: 'settled' });
    await fill();
    const paid = { total_priority_fees_validator: '5', baseline_mev: '0', execution_rewards: '5' };
    expect(await storedBlock(database)).toMatchObject(paid);
  });

  it('whose bid was cancelled pays nothing, and still misses it', async () => {
    await stored([madeBlock(SLOT)], { value: 7, payment: 'cancelled' });
    await fill();
    expect(await storedBlock(database)).toMatchObject({
      ...{ total_priority_fees_validator: '0', baseline_mev: '0', execution_rewards: '0' },
      ...{ missed_execution_rewards: '7', total_rewards: String(CONSENSUS), total_rewards_missed: '7' },
    });
  });

  it('has what its last transaction sends to the fee recipient of the bid on top, and nothing sent elsewhere', async () => {
    const ending = (to: string, slot: number) =>
      madeBlock(slot, { transactions: [transfer({ to, value: 2_000_000_000n, tip: 0n })] });
    const blocks = [ending(RECIPIENT, SLOT), ending(hexOf('another', 20), SLOT + 1)];
    await stored(blocks, { value: 70, payment: 'settled' });
    await fill();
    expect(await storedBlock(database, SLOT)).toMatchObject({ baseline_mev: '72', execution_rewards: '72' });
    expect(await storedBlock(database, SLOT + 1)).toMatchObject({ execution_rewards: '70' });
  });

  it('waits until its bid is decided', async () => {
    await stored([madeBlock(SLOT)], { value: 70, payment: null });
    await fill();
    expect(await storedBlock(database)).toMatchObject({ total_priority_fees: null, execution_rewards: null });
  });

  it("of the proposer's own payload is paid as before the fork", async () => {
    const sender = hexOf('proposer', 20);
    const last = transfer({ from: sender, to: hexOf('another', 20), value: 10n ** 18n, tip: 0n });
    await stored([madeBlock(SLOT, { transactions: [transfer(), last] })], {
      ...{ value: 0, payment: null, builder: null },
    });
    await fill();
    expect(await storedBlock(database)).toMatchObject({ execution_rewards: '1000000000' });
  });

  it('burns what its receipts tell, whatever gas its header tells', async () => {
    const block = madeBlock(SLOT);
    await stored([block], { value: 5, payment: 'settled' });
    await rowsOf(database, 'update blocks set total_gas_used = 1000000');
    node.break(/BlockByNumber/, (result: any) => ({ ...result, gasUsed: quantity(1_000_000) }));
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({
      ...{ total_gas_used: 1_000_000, total_burnt_fees: String(gasUsedIn(block) * block.baseFee) },
    });
  });

  it('of the own payload that is not on the chain would have earned the mean of the payloads of its epoch', async () => {
    const blocks = [0, 1, 2].map((n) => madeBlock(SLOT + n, { transactions: [transfer()] }));
    await stored(blocks, { value: 60, payment: 'settled' });
    await rowsOf(
      database,
      `update blocks set payload_status = 'empty', execution_block_hash = null, bid_builder_index = null,
        execution_rewards = 0, missed_execution_rewards = null where slot = $1`,
      [SLOT + 2],
    );
    await fill({ estimateMissed: true });
    expect(await storedBlock(database, SLOT + 2)).toMatchObject({
      ...{ execution_rewards: '0', missed_execution_rewards: '60' },
      ...{ missed_consensus_rewards: '0', total_rewards_missed: '60' },
    });
    expect(await storedBlock(database, SLOT)).toMatchObject({ missed_execution_rewards: '0' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRecordings, recordedChain, startBeaconNode } from '../../support/beacon-node.ts';
import {
  gasUsedIn,
  hexOf,
  type MadeBlock,
  madeBlock,
  tipsIn,
  transfer,
} from '../../support/execution-chain.ts';
import { type ExecutionNode, startExecutionNode, startRelay } from '../../support/execution-node.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { indexed } from '../../support/indexed.ts';
import type { RawBlock } from '../../support/recorded-chain.ts';
import { rowsOf } from '../../support/typed.ts';

const [FROM, TO] = [2270, 2273];
const VALUE = 10n ** 17n + 7n;
const OWN = hexOf('own address', 20);

/** Made transactions, because the recorded chain has none: every third block is a builder's. */
function executionBlock(slot: number, payload: any): MadeBlock {
  const feeRecipient = payload.fee_recipient as string;
  const payment = transfer({ from: feeRecipient, to: OWN, value: VALUE, tip: 0n });
  return madeBlock(slot, {
    number: Number(payload.block_number),
    hash: payload.block_hash,
    feeRecipient,
    baseFee: BigInt(payload.base_fee_per_gas),
    transactions: [
      transfer({ type: 0, tip: BigInt(slot) }),
      transfer({ tip: BigInt(slot) * 1_000n }),
      ...(slot % 3 === 0 ? [payment] : []),
    ],
  });
}

describe.skipIf(!hasRecordings)('an index of a recorded chain with an execution node and a relay', () => {
  let gateway: Gateway;
  let node: ExecutionNode;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let beacon: Awaited<ReturnType<typeof startBeaconNode>>;
  const blocks = new Map<number, MadeBlock>();
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
    const chain = recordedChain('days');
    beacon = await startBeaconNode(
      { ...chain, block: (slot) => changed(chain.block(slot)) },
      { head: (TO + 6) * 32 },
    );
    node = await startExecutionNode({ chainId: 1 });
    relay = await startRelay();
  });
  afterAll(() => Promise.all([gateway, node, relay, beacon].map((one) => one.close())));

  /** The recorded beacon block with the transactions of its execution block. */
  function changed(recorded: RawBlock | undefined): RawBlock | undefined {
    if (!recorded) return undefined;
    const signed = JSON.parse(recorded.text);
    const payload = signed.message.body.execution_payload;
    const block = executionBlock(recorded.slot, payload);
    blocks.set(recorded.slot, block);
    payload.gas_used = String(gasUsedIn(block));
    payload.transactions = block.transactions.map(({ type }) => (type === 0 ? '0xf800' : `0x0${type}00`));
    return { ...recorded, text: JSON.stringify(signed) };
  }

  const run = (to: number) =>
    indexed(gateway.database, [beacon.url], {
      ...{ from: FROM, to, execution: node.url, relays: [`flashbots=${relay.url}`], estimateMissed: true },
    });
  type Stored = Record<string, unknown> & { slot: number };
  const rows = <T = Record<string, unknown>>(text: string) => rowsOf<T>(gateway.database.pool, text);

  it('has what they tell in blocks, days of validators and both APIs', { timeout: 100_000 }, async () => {
    expect((await run(TO)).done).toBe(true);
    expect(await rows('select slot from blocks where total_priority_fees is not null')).toEqual([]);
    node.blocks = [...blocks.values()];
    relay.payloads = node.blocks
      .filter(({ slot }) => slot % 3 === 0)
      .map(({ slot, hash }) => ({
        slot,
        hash,
        builder: hexOf('builder', 48),
        proposerFeeRecipient: OWN,
        value: VALUE,
      }));
    await rows('update blocks set relays = null, block_builder_pubkeys = null');
    await run(TO);

    const stored = await rows<Stored>('select * from blocks where finalized order by slot');
    const proposed = stored.filter((row) => row.consensus_proposer_duty === 'proposed');
    expect(proposed.length).toBeGreaterThan(100);
    for (const row of proposed) {
      const block = blocks.get(row.slot) as MadeBlock;
      const paid = row.slot % 3 === 0;
      const gwei = (wei: bigint) => Number(wei) / 1e9;
      expect(Number(row.total_priority_fees)).toBeCloseTo(gwei(tipsIn(block)), 6);
      expect(Number(row.execution_rewards)).toBeCloseTo(gwei(paid ? VALUE : tipsIn(block)), 6);
      expect(Number(row.total_rewards)).toBeCloseTo(
        Number(row.execution_rewards) + Number(row.consensus_rewards),
        6,
      );
      expect(row.relays).toEqual(paid ? ['flashbots'] : []);
    }
    for (const row of stored.filter(({ consensus_proposer_duty: duty }) => duty === 'missed'))
      expect([row.missed_consensus_rewards, row.missed_execution_rewards]).not.toContain(null);
    for (const utc of [true, false]) {
      const [days] = await rows<{ fees: string }>(
        `select sum(sum_priority_fees + sum_baseline_mev)::text as fees from validator_days where utc = ${utc}`,
      );
      const [all] = await rows<{ fees: string; proposers: number }>(
        `select sum(execution_rewards)::text as fees, count(distinct validator_index)::int as proposers from blocks where finalized`,
      );
      expect(Number(all?.fees) - Number(days?.fees)).toBeGreaterThanOrEqual(0);
      expect(Number(all?.fees) - Number(days?.fees)).toBeLessThanOrEqual(2 * Number(all?.proposers));
    }
    const last = proposed.at(-1) as Stored;
    const { json } = await gateway.get(`/v0/eth/blocks/${last.slot}`, { 'X-Service-Network': 'hoodi' });
    expect(json.executionRewards).toBeCloseTo(Number(last.execution_rewards), 6);
    const { data } = await gateway.graphql(
      `{ block(slot: ${last.slot}, network: HOODI) { executionRewards totalPriorityFees relays } }`,
    );
    expect(data.block).toMatchObject({ executionRewards: last.execution_rewards, relays: last.relays });
  });
});

import type { SourceError } from '../../../src/indexer/answers/source.ts';
import { parseSpec } from '../../../src/indexer/chain/spec.ts';
import { type FillOptions, openFills } from '../../../src/indexer/execution/index.ts';
import { headerGasOf, hexOf, type MadeBlock } from '../../support/execution-chain.ts';
import type { TestDatabase } from '../../support/gateway.ts';
import { specAnswer } from '../../support/synthetic-chain.ts';

/** 2025-03-28: a day of hoodi, with slots whose payloads relays have long reported. */
export const SLOT = 72_000;
export const CONSENSUS = 41_947_807;

type Row = { proposer?: number; consensus?: number };

/** Stores blocks as the index writes them: with what the beacon block contains. */
export async function storeBlocks(
  { pool }: TestDatabase,
  blocks: readonly (MadeBlock & Row)[],
  missed: readonly number[] = [],
): Promise<void> {
  for (const block of blocks) {
    const count = (type: number) => block.transactions.filter((one) => one.type === type).length;
    const gas = headerGasOf(block);
    const columns: Record<string, unknown> = {
      network: 'hoodi',
      slot: block.slot,
      validator_index: block.proposer ?? 7,
      consensus_proposer_duty: 'proposed',
      execution_proposer_duty: 'proposed',
      consensus_block_root: hexOf(`root of ${block.slot}`, 32),
      execution_block_number: block.number,
      execution_block_hash: block.hash,
      fee_recipient: block.feeRecipient,
      total_transactions: block.transactions.length,
      total_type0_transactions: count(0),
      total_type1_transactions: count(1),
      total_type2_transactions: count(2),
      total_gas_used: Number(gas),
      base_fee_per_gas: String(block.baseFee),
      total_burnt_fees: String(gas * block.baseFee),
      consensus_rewards: block.consensus ?? CONSENSUS,
      missed_consensus_rewards: 0,
    };
    const names = Object.keys(columns);
    await pool.query({
      text: `insert into blocks (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      values: Object.values(columns),
    });
  }
  for (const slot of missed) {
    await pool.query({
      text: `insert into blocks (network, slot, validator_index, consensus_proposer_duty, execution_proposer_duty, consensus_rewards)
        values ('hoodi', $1, 8, 'missed', 'missed', 0)`,
      values: [slot],
    });
  }
}

export const rowsOf = async ({ pool }: TestDatabase, text: string, values: unknown[] = []) =>
  (await pool.query({ text, values })).rows as Record<string, any>[];

export const storedBlock = async (database: TestDatabase, slot = SLOT) =>
  (await rowsOf(database, 'select * from blocks where slot = $1', [slot]))[0] as Record<string, any>;

export const gloasAt = (epoch: number) => ({
  forkEpochs: { ...parseSpec(specAnswer).forkEpochs, gloas: epoch },
});
export const noForks = gloasAt(Number.POSITIVE_INFINITY);

export const openMade = ({ pool }: TestDatabase, options: Partial<FillOptions>) =>
  openFills({
    pool,
    network: 'hoodi',
    spec: { ...noForks, depositContractAddress: undefined, depositChainId: 560_048 },
    estimateMissed: false,
    rate: 100_000,
    firstWaitMs: 1,
    timeoutMs: 2_000,
    signal: new AbortController().signal,
    onError: () => undefined,
    ...options,
  });

/** Fills blocks until no source has more to report; returns the errors of the run. */
export async function filled(database: TestDatabase, options: Partial<FillOptions>): Promise<SourceError[]> {
  const errors: SourceError[] = [];
  await openMade(database, { onError: (error) => errors.push(error), ...options })?.drain();
  return errors;
}

export const reasons = (errors: readonly SourceError[]) => [...new Set(errors.map(({ reason }) => reason))];

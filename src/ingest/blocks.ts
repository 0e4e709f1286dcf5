import type pg from 'pg';
import { z } from 'zod';
import { SLOTS_PER_EPOCH, slotStart } from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { count, moment } from '../kernel/leaves.ts';
import { Block } from '../resources/blocks/record.ts';
import { raiseChainHeads } from './chain-heads.ts';
import { futureFault, momentFault } from './given-time.ts';
import { type ImportCounts, type Importer, isObject, type MergeOptions } from './importer.ts';
import { fieldColumns, mergePlain, type PlainTable } from './plain-table.ts';

const Shape = Block.extend({
  network: Network,
  // Derived, so optional; checked when present.
  epoch: count().nullable(),
  blockTimestamp: moment().nullable(),
});
type GivenBlock = z.infer<typeof Shape>;

/** Null for missed slots. */
const ofBlocks = [
  'consensusBlockRoot',
  'executionBlockNumber',
  'executionBlockHash',
  'feeRecipient',
  'totalTransactions',
  'totalType0Transactions',
  'totalType1Transactions',
  'totalType2Transactions',
  'totalSanctionedTransactions',
  'totalGasUsed',
  'baseFeePerGas',
  'totalBurntFees',
  'totalType0TxFees',
  'totalType1TxFees',
  'totalType2TxFees',
  'totalPriorityFees',
  'totalPriorityFeesValidator',
] as const satisfies (keyof GivenBlock)[];

const ImportedBlock = Shape.pipe(z.custom<GivenBlock>()).superRefine((row, context) => {
  const fault = (path: keyof GivenBlock, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const { consensusSlot: slot, network } = row;
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
  if (row.epoch !== null && row.epoch !== epoch) {
    fault('epoch', `is ${row.epoch}; slot ${slot} is in epoch ${epoch}`);
  }
  if (row.blockTimestamp !== null) {
    const wrong = momentFault(row.blockTimestamp, slotStart(network, slot), `slot ${slot} of ${network}`);
    if (wrong) fault('blockTimestamp', wrong);
  }
  const future = futureFault(slot, slotStart(network, slot), 'a slot');
  if (future) fault('consensusSlot', future);
  if (row.consensusProposerDuty === 'missed') {
    for (const name of ofBlocks) {
      if (row[name] !== null) fault(name, `is ${row[name]}; a missed slot has no block, and null is needed`);
    }
    for (const name of ['relays', 'blockBuilderPubkeys'] as const) {
      if (row[name].length > 0) fault(name, 'is not empty; a missed slot has no block');
    }
  } else if (row.consensusProposerDuty === 'proposed' && row.consensusBlockRoot === null) {
    fault('consensusBlockRoot', 'is null; a slot of duty proposed has a block');
  }
  const types = [row.totalType0Transactions, row.totalType1Transactions, row.totalType2Transactions];
  const known = types.reduce<number>((sum, type) => sum + (type ?? 0), 0);
  if (row.totalTransactions !== null && row.totalTransactions < known) {
    fault('totalTransactions', `is ${row.totalTransactions}; types 0, 1 and 2 together are ${known}`);
  }
});
export type ImportedBlock = z.infer<typeof ImportedBlock>;

const { columns, stored } = fieldColumns<Omit<ImportedBlock, 'epoch' | 'blockTimestamp'>>({
  network: ['network', 'text'],
  consensusSlot: ['slot', 'int'],
  validatorIndex: ['validator_index', 'int'],
  consensusProposerDuty: ['consensus_proposer_duty', 'text'],
  executionProposerDuty: ['execution_proposer_duty', 'text'],
  consensusBlockRoot: ['consensus_block_root', 'text'],
  executionBlockNumber: ['execution_block_number', 'int'],
  executionBlockHash: ['execution_block_hash', 'text'],
  feeRecipient: ['fee_recipient', 'text'],
  totalTransactions: ['total_transactions', 'int'],
  totalType0Transactions: ['total_type0_transactions', 'int'],
  totalType1Transactions: ['total_type1_transactions', 'int'],
  totalType2Transactions: ['total_type2_transactions', 'int'],
  totalSanctionedTransactions: ['total_sanctioned_transactions', 'int'],
  totalGasUsed: ['total_gas_used', 'int'],
  baseFeePerGas: ['base_fee_per_gas', 'numeric'],
  totalBurntFees: ['total_burnt_fees', 'numeric'],
  totalType0TxFees: ['total_type0_tx_fees', 'numeric'],
  totalType1TxFees: ['total_type1_tx_fees', 'numeric'],
  totalType2TxFees: ['total_type2_tx_fees', 'numeric'],
  totalPriorityFees: ['total_priority_fees', 'numeric'],
  totalPriorityFeesValidator: ['total_priority_fees_validator', 'numeric'],
  baselineMev: ['baseline_mev', 'numeric'],
  executionRewards: ['execution_rewards', 'numeric'],
  missedExecutionRewards: ['missed_execution_rewards', 'numeric'],
  consensusRewards: ['consensus_rewards', 'bigint'],
  missedConsensusRewards: ['missed_consensus_rewards', 'bigint'],
  totalRewards: ['total_rewards', 'numeric'],
  totalRewardsMissed: ['total_rewards_missed', 'numeric'],
  relays: ['relays', 'text[]'],
  blockBuilderPubkeys: ['block_builder_pubkeys', 'text[]'],
});
const table: PlainTable = { name: 'blocks', key: ['network', 'slot'], columns, scope: ['network'] };

async function mergeBlocks(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts> {
  const counts = await mergePlain(client, table, options);
  const { rows: heads } = await client.query(
    'select network, max(slot) as slot from staged group by network',
  );
  if (heads.length > 0) await raiseChainHeads(client, heads);
  return counts;
}

/** Corrects known deviations of other services. */
function tidied(value: Record<string, unknown>): Record<string, unknown> {
  // Drops numeric timestamps: no documented form is numeric, and the slot determines the time.
  const { blockTimestamp } = value;
  const tidy: Record<string, unknown> = {
    ...value,
    blockTimestamp: typeof blockTimestamp === 'number' ? null : blockTimestamp,
    relays: value.relays ?? [],
    blockBuilderPubkeys: value.blockBuilderPubkeys ?? [],
  };
  if (value.consensusProposerDuty === 'missed') {
    for (const name of ofBlocks) if (String(tidy[name]) === '0') tidy[name] = null;
  }
  return tidy;
}

// No `replacesWhen`: a response covers a range of slots, even if complete by its total.
export const blockImporter: Importer<ImportedBlock> = {
  resource: 'blocks',
  shape: Shape,
  check: (raw, { network }) => {
    const value = decode(Shape, raw);
    return ImportedBlock.safeParse(isObject(value) ? tidied({ network, ...value }) : value);
  },
  columns,
  stored,
  key: table.key,
  merge: mergeBlocks,
};

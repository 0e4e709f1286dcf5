import type pg from 'pg';
import type { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { Block, BlockBid, bidFields } from '../../resources/blocks/record.ts';
import { slotFaults } from '../importer/given-time.ts';
import type { Faults, ImportCounts, Importer, MergeOptions } from '../importer/importer.ts';
import { storeStagedOperators } from '../merge/block-operators.ts';
import { mergePlain, plainImporter } from '../merge/plain-table.ts';
import type { PlainTable } from '../merge/staging.ts';
import { raiseChainHeads } from './chain-heads.ts';

const Shape = Block.extend({
  ...BlockBid.shape,
  network: Network,
  epoch: Leaf.count().nullable(),
  blockTimestamp: Leaf.moment().nullable(),
});
export type ImportedBlock = z.infer<typeof Shape>;

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
  ...bidFields,
] as const satisfies (keyof ImportedBlock)[];

function* bidFaults(row: ImportedBlock): Faults {
  const { payloadStatus: payload, executionProposerDuty: duty } = row;
  const needed = { full: 'proposed', empty: 'missed', unknown: null };
  if (payload !== null && duty !== needed[payload])
    yield [
      'executionProposerDuty',
      `is ${duty}; with payloadStatus ${payload}, ${needed[payload]} is needed`,
    ];
  if (payload !== null && payload !== 'full' && row.executionBlockHash !== null)
    yield [
      'executionBlockHash',
      `is ${row.executionBlockHash}; with payloadStatus ${payload}, null is needed`,
    ];
  for (const name of ['bidValue', 'bidExecutionPayment', 'bidFeeRecipient'] as const)
    if ((row[name] === null) !== (payload === null))
      yield [name, `must be given together with payloadStatus, or neither`];
  for (const name of ['bidBuilderPubkey', 'bidPayment'] as const)
    if (row[name] !== null && row.bidBuilderIndex === null)
      yield [name, `is ${row[name]}; only the bid of a builder has it, and bidBuilderIndex is null`];
  if (row.bidBuilderIndex !== null && payload === null)
    yield ['bidBuilderIndex', `is ${row.bidBuilderIndex}, but payloadStatus is null`];
}

function faultsOf(row: ImportedBlock): Faults {
  const faults = [...slotFaults(row), ...bidFaults(row)];
  if (row.consensusProposerDuty === 'missed') {
    for (const name of ofBlocks) {
      if (row[name] !== null)
        faults.push([name, `is ${row[name]}; a missed slot has no block, and null is needed`]);
    }
    for (const name of ['relays', 'blockBuilderPubkeys'] as const) {
      if (row[name].length > 0) faults.push([name, 'is not empty; a missed slot has no block']);
    }
  } else if (row.consensusProposerDuty === 'proposed' && row.consensusBlockRoot === null) {
    faults.push(['consensusBlockRoot', 'is null; a slot of duty proposed has a block']);
  }
  const types = [row.totalType0Transactions, row.totalType1Transactions, row.totalType2Transactions];
  const known = types.reduce<number>((sum, type) => sum + (type ?? 0), 0);
  if (row.totalTransactions !== null && row.totalTransactions < known)
    faults.push(['totalTransactions', `is ${row.totalTransactions}; types 0, 1 and 2 together are ${known}`]);
  return faults;
}

async function mergeBlocks(
  client: pg.ClientBase,
  table: PlainTable,
  options: MergeOptions,
): Promise<ImportCounts> {
  const counts = await mergePlain(client, table, options);
  await storeStagedOperators(client, 'blocks');
  const { rows: heads } = await client.query(
    'select network, max(slot) as slot from staged group by network',
  );
  if (heads.length > 0) await raiseChainHeads(client, heads);
  return counts;
}

function tidied(value: Record<string, unknown>): Record<string, unknown> {
  // Drops numeric timestamps, because their format is undocumented.
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

export const blockImporter: Importer<ImportedBlock> = plainImporter({
  resource: 'blocks',
  shape: Shape,
  key: ['network', 'slot'],
  columns: Shape.omit({ consensusSlot: true, epoch: true, blockTimestamp: true }).extend({
    slot: Leaf.count(),
  }),
  derived: { slot: (row) => row.consensusSlot },
  tidied,
  faults: faultsOf,
  merge: mergeBlocks,
});

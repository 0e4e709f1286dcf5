import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import type { BeaconBlock } from '../types.ts';

/** `block` is null if the slot was missed; `consensusRewards` is null until the epoch is closed. */
export type SlotFacts = {
  slot: number;
  proposerIndex: number;
  block: BeaconBlock | null;
  consensusRewards: number | null;
};

type Column = readonly [name: string, type: string, value: (slot: SlotFacts, merged: boolean) => unknown];

const execution = <T>(value: (payload: NonNullable<BeaconBlock['execution']>) => T) => {
  return ({ block }: SlotFacts) => (block?.execution ? value(block.execution) : null);
};

const columns: readonly Column[] = [
  ['slot', 'int', (one) => one.slot],
  ['validator_index', 'int', (one) => one.proposerIndex],
  ['consensus_proposer_duty', 'text', (one) => (one.block ? 'proposed' : 'missed')],
  [
    'execution_proposer_duty',
    'text',
    (one, merged) => (one.block ? (one.block.execution ? 'proposed' : null) : merged ? 'missed' : null),
  ],
  ['consensus_block_root', 'text', (one) => one.block?.root ?? null],
  ['execution_block_number', 'int', execution((payload) => payload.blockNumber)],
  ['execution_block_hash', 'text', execution((payload) => payload.blockHash)],
  ['fee_recipient', 'text', execution((payload) => payload.feeRecipient)],
  ['total_transactions', 'int', execution(({ transactions }) => transactions.total)],
  ['total_type0_transactions', 'int', execution(({ transactions }) => transactions.type0)],
  ['total_type1_transactions', 'int', execution(({ transactions }) => transactions.type1)],
  ['total_type2_transactions', 'int', execution(({ transactions }) => transactions.type2)],
  ['total_gas_used', 'int', execution((payload) => payload.gasUsed)],
  ['base_fee_per_gas', 'numeric', execution((payload) => payload.baseFeePerGas)],
  [
    'total_burnt_fees',
    'numeric',
    execution(({ gasUsed, baseFeePerGas }) => String(BigInt(gasUsed) * BigInt(baseFeePerGas))),
  ],
  ['consensus_rewards', 'bigint', (one) => (one.block ? one.consensusRewards : 0)],
];
const names = columns.map(([name]) => name);
const figures = names.filter((name) => name !== 'slot');

const ofOthers = [
  ...['total_type0_tx_fees', 'total_type1_tx_fees', 'total_type2_tx_fees', 'total_priority_fees'],
  ...['total_priority_fees_validator', 'baseline_mev', 'execution_rewards', 'missed_execution_rewards'],
  ...['total_rewards_missed', 'relays', 'block_builder_pubkeys'],
];

/** Returns the number of changed rows. If the execution block is the same, columns in `ofOthers` keep their values. */
export async function writeBlocks(
  client: pg.ClientBase,
  network: Network,
  slots: readonly SlotFacts[],
  { finalized }: { finalized: boolean },
): Promise<number> {
  if (slots.length === 0) return 0;
  const proposed = slots.filter((one) => one.block !== null);
  const merged = proposed.length === 0 || proposed.some((one) => one.block?.execution);
  const same = 'b.execution_block_hash is not distinct from excluded.execution_block_hash';
  const { rowCount } = await client.query(
    `/* writeBlocks */
    insert into blocks as b (network, ${names.join(', ')}, missed_consensus_rewards, relays, block_builder_pubkeys, finalized)
    select $1, ${names.map((name) => `g.${name}`).join(', ')},
      case when g.consensus_proposer_duty = 'proposed' then 0 end, null, null, $2
    from unnest(${columns.map(([, type], at) => `$${at + 3}::${type}[]`).join(', ')}) as g (${names.join(', ')})
    on conflict (network, slot) do update set
      ${figures.map((name) => `${name} = excluded.${name}`).join(', ')},
      ${ofOthers.map((name) => `${name} = case when ${same} then b.${name} else excluded.${name} end`).join(', ')},
      total_rewards = case when ${same} then b.execution_rewards + excluded.consensus_rewards end,
      missed_consensus_rewards = case
        when excluded.consensus_proposer_duty = 'missed' and b.consensus_proposer_duty = 'missed'
        then b.missed_consensus_rewards else excluded.missed_consensus_rewards end,
      finalized = excluded.finalized
    where (${figures.map((name) => `b.${name}`).join(', ')}, b.finalized)
      is distinct from (${figures.map((name) => `excluded.${name}`).join(', ')}, excluded.finalized)
      and (excluded.finalized or not b.finalized)`,
    [network, finalized, ...columns.map(([, , value]) => slots.map((one) => value(one, merged)))],
  );
  return rowCount ?? 0;
}

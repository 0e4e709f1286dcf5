import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { storeOperatorsOfSlots } from '../../ingest/merge/block-operators.ts';
import type { ExecutionPayload, SlotFacts } from '../chain/types.ts';
import { bidRewards } from './bid-rewards.ts';

/** `consensusRewards` is null until the epoch is closed. */
type BlockRow = SlotFacts & { consensusRewards: number | null };

type Column = readonly [name: string, type: string, value: (slot: BlockRow, merged: boolean) => unknown];

const execution = <T>(value: (payload: ExecutionPayload) => T) => {
  return ({ block }: BlockRow) => (block?.execution ? value(block.execution) : null);
};

function executionDuty({ block, payload }: BlockRow, merged: boolean) {
  if (!block) return merged ? 'missed' : null;
  if (payload === null) return block.execution ? 'proposed' : null;
  return { full: 'proposed', empty: 'missed', unknown: null }[payload];
}

/** Since Gloas, the gas of a block's header is not that for which users paid. */
function burntFees({ block, payload }: BlockRow) {
  if (payload !== null || !block?.execution) return null;
  const { gasUsed, baseFeePerGas } = block.execution;
  return String(BigInt(gasUsed) * BigInt(baseFeePerGas));
}

/** Columns that the beacon node reports for every block. */
const reported: readonly Column[] = [
  ['slot', 'int', (one) => one.slot],
  ['validator_index', 'int', (one) => one.proposerIndex],
  ['consensus_proposer_duty', 'text', (one) => (one.block ? 'proposed' : 'missed')],
  ['execution_proposer_duty', 'text', executionDuty],
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
  ['consensus_rewards', 'bigint', (one) => (one.block ? one.consensusRewards : 0)],
  ['payload_status', 'text', (one) => one.payload],
  ['bid_value', 'bigint', ({ bid }) => bid?.value.toString() ?? null],
  ['bid_builder_index', 'int', ({ bid }) => bid?.builder?.index ?? null],
  ['bid_builder_pubkey', 'text', ({ bid }) => bid?.builder?.pubkey ?? null],
  ['bid_execution_payment', 'numeric', ({ bid }) => bid?.executionPayment.toString() ?? null],
  ['bid_fee_recipient', 'text', ({ bid }) => bid?.feeRecipient ?? null],
  ['bid_payment', 'text', ({ bid }) => bid?.payment ?? null],
];

/** Columns that the beacon node reports for some blocks, and other sources for the rest. */
const reportedOfSome: readonly Column[] = [
  ['total_burnt_fees', 'numeric', burntFees],
  ['total_priority_fees_validator', 'numeric', (one) => bidRewards(one).fees],
  ['baseline_mev', 'numeric', (one) => bidRewards(one).mev],
  ['execution_rewards', 'numeric', (one) => bidRewards(one).rewards],
  ['missed_execution_rewards', 'numeric', (one) => bidRewards(one).missed],
];
const columns = [...reported, ...reportedOfSome];
const names = columns.map(([name]) => name);

/** Relays deliver only payloads of the proposers' own, so a builder's bid has none. */
const noRelays = `case when g.bid_builder_index is not null then '{}'::text[] end`;

/** Values from other sources stay if the row is still of the same block. */
const same = `(b.consensus_proposer_duty = excluded.consensus_proposer_duty
  and b.execution_block_hash is not distinct from excluded.execution_block_hash
  and (b.execution_block_hash is not null
    or (b.consensus_block_root, b.payload_status) is not distinct from (excluded.consensus_block_root, excluded.payload_status)))`;
const orStored = (name: string) => `coalesce(excluded.${name}, case when ${same} then b.${name} end)`;
const updates: Record<string, string> = {
  ...Object.fromEntries(
    reported.filter(([name]) => name !== 'slot').map(([name]) => [name, `excluded.${name}`]),
  ),
  ...Object.fromEntries(
    [
      ...['total_type0_tx_fees', 'total_type1_tx_fees', 'total_type2_tx_fees', 'total_priority_fees'],
      ...['total_burnt_fees', 'total_priority_fees_validator', 'baseline_mev', 'missed_execution_rewards'],
      ...['relays', 'block_builder_pubkeys'],
    ].map((name) => [name, orStored(name)]),
  ),
  // An execution node may add a payment within the payload to the bid.
  execution_rewards: `case when ${same} and b.total_priority_fees is not null then b.execution_rewards
    else ${orStored('execution_rewards')} end`,
  missed_consensus_rewards: `case
    when excluded.consensus_proposer_duty = 'missed' and b.consensus_proposer_duty = 'missed'
    then b.missed_consensus_rewards else excluded.missed_consensus_rewards end`,
  finalized: 'excluded.finalized',
};
const sumOf = (one: string, other: string) => `(${updates[one]}) + (${updates[other]})`;
updates.total_rewards = sumOf('execution_rewards', 'consensus_rewards');
updates.total_rewards_missed = `coalesce(${sumOf('missed_execution_rewards', 'missed_consensus_rewards')},
  case when ${same} then b.total_rewards_missed end)`;
const assigned = Object.entries(updates);

/** Returns the number of changed rows. */
export async function writeBlocks(
  client: pg.ClientBase,
  network: Network,
  slots: readonly BlockRow[],
  { finalized }: { finalized: boolean },
): Promise<number> {
  if (slots.length === 0) return 0;
  const proposed = slots.filter((one) => one.block !== null);
  const merged =
    proposed.length === 0 || proposed.some((one) => one.block?.execution || one.payload !== null);
  const { rowCount } = await client.query(
    `/* writeBlocks */
    insert into blocks as b (network, ${names.join(', ')}, missed_consensus_rewards, total_rewards, total_rewards_missed,
      relays, block_builder_pubkeys, finalized)
    select $1, ${names.map((name) => `g.${name}`).join(', ')}, m.consensus, g.execution_rewards + g.consensus_rewards,
      g.missed_execution_rewards + m.consensus, ${noRelays}, ${noRelays}, $2
    from unnest(${columns.map(([, type], at) => `$${at + 3}::${type}[]`).join(', ')}) as g (${names.join(', ')})
    cross join lateral (select case when g.consensus_proposer_duty = 'proposed' then 0 end as consensus) m
    on conflict (network, slot) do update set ${assigned.map(([name, value]) => `${name} = ${value}`).join(', ')}
    where (${assigned.map(([name]) => `b.${name}`).join(', ')})
      is distinct from (${assigned.map(([, value]) => value).join(', ')})
      and (excluded.finalized or not b.finalized)`,
    [network, finalized, ...columns.map(([, , value]) => slots.map((one) => value(one, merged)))],
  );
  if (rowCount)
    await storeOperatorsOfSlots(
      client,
      network,
      slots.map(({ slot }) => slot),
    );
  return rowCount ?? 0;
}

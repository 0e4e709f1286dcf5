import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import type { StoredBlock } from './block.ts';
import type { BlockFigures } from './figures.ts';
import { finishFills } from './finish.ts';

export type DueBlock = StoredBlock & { feesKnown: boolean; relays: number | null };

export type DueBlocksQuery = {
  network: Network;
  fees: boolean;
  relays: boolean;
  /** Newer slots are too recent for the relays. */
  relaysUpTo: number;
  except: readonly number[];
  /** The node lacks blocks up to this slot. */
  feesAfter: number;
  /** First slot of Gloas; Infinity if it is not scheduled. */
  gloasSlot: number;
  limit: number;
};

const fields = `slot, execution_block_number as number, execution_block_hash as hash, fee_recipient as "feeRecipient",
  total_gas_used as "gasUsed", base_fee_per_gas::text as "baseFee", total_transactions as transactions,
  total_type0_transactions as type0, total_type1_transactions as type1, total_type2_transactions as type2,
  total_priority_fees is not null as "feesKnown", cardinality(relays) as relays,
  payload_status is not null or slot >= $6::int as "isGloas",
  case when bid_builder_index is not null then jsonb_build_object(
    'paid', case when bid_payment in ('settled', 'quorum') then bid_value else 0 end::text, 'feeRecipient', bid_fee_recipient
  ) end as bid`;

const MAX_SLOT = 2 ** 31 - 1;

/** Must match the indexes blocks_without_fees and blocks_without_relays. */
const lacking = {
  fees: 'execution_block_hash is not null and total_priority_fees is null',
  relays: 'execution_block_hash is not null and relays is null',
};
const complete = `fee_recipient is not null and total_gas_used is not null and base_fee_per_gas is not null
  and num_nonnulls(total_transactions, total_type0_transactions, total_type1_transactions, total_type2_transactions) = 4`;
/** True if it is known what a builder paid. */
const decided = '(bid_builder_index is null or execution_rewards is not null)';

export async function dueBlocks(pool: Pool, query: DueBlocksQuery): Promise<DueBlock[]> {
  const part = (condition: string) => `(select ${fields} from blocks
    where network = $1 and ${condition} and consensus_proposer_duty = 'proposed' and ${complete} and ${decided}
      and slot <> all($2::int[]) order by slot desc limit $3)`;
  const { rows } = await pool.query({
    text: `/* dueBlocks */
      ${part(`${lacking.fees} and slot > $4::int`)} union ${part(`${lacking.relays} and slot <= $5::int`)}
      order by slot desc limit $3`,
    values: [
      ...[query.network, query.except, query.limit],
      query.fees ? query.feesAfter : MAX_SLOT,
      query.relays ? query.relaysUpTo : -1,
      Math.min(MAX_SLOT, query.gloasSlot),
    ],
  });
  return rows as DueBlock[];
}

/** Absent figures keep their stored value. */
export type Fill = { slot: number; hash: string } & Partial<BlockFigures> & {
    relays?: string[];
    block_builder_pubkeys?: string[];
  };

const columns: Record<keyof BlockFigures, string> = {
  total_burnt_fees: 'numeric',
  total_type0_tx_fees: 'numeric',
  total_type1_tx_fees: 'numeric',
  total_type2_tx_fees: 'numeric',
  total_priority_fees: 'numeric',
  total_priority_fees_validator: 'numeric',
  baseline_mev: 'numeric',
  execution_rewards: 'numeric',
};
const names = Object.keys(columns);
const assigned = [...names, 'relays', 'block_builder_pubkeys'];
const next = `${assigned.map((name) => `coalesce(f.${name}, b.${name}) as ${name}`).join(', ')},
  case when b.bid_builder_index is not null then b.missed_execution_rewards
    when coalesce(f.execution_rewards, b.execution_rewards) is not null then 0::numeric end as missed_execution_rewards`;
const totals = `n.execution_rewards + b.consensus_rewards as total_rewards,
  n.missed_execution_rewards + b.missed_consensus_rewards as total_rewards_missed`;
const all = [...assigned, 'missed_execution_rewards', 'total_rewards', 'total_rewards_missed'];

const FILL = `/* fillBlocks */
  update blocks b set ${all.map((name) => `${name} = n.${name}`).join(', ')}
  from (
    select b.network, b.slot, f.hash, n.*, ${totals}
    from json_to_recordset($2) as f (slot int, hash text,
      ${Object.entries(columns).map(([name, type]) => `${name} ${type}`)}, relays text[], block_builder_pubkeys text[])
    join blocks b on b.network = $1 and b.slot = f.slot and b.execution_block_hash = f.hash
    cross join lateral (select ${next}) n
  ) n
  where b.network = n.network and b.slot = n.slot and b.execution_block_hash = n.hash -- a concurrent update may change it
    and (${all.map((name) => `b.${name}`)}) is distinct from (${all.map((name) => `n.${name}`)})
  returning b.slot`;

/** Idempotent. Returns the changed slots, and the archived months that they are in. */
export async function writeFills(
  pool: Pool,
  options: { network: Network; estimateMissed: boolean },
  fills: readonly Fill[],
): Promise<{ slots: number[]; archived: string[] }> {
  if (fills.length === 0) return { slots: [], archived: [] };
  return transaction(pool, async (client) => {
    // Without the lock, a concurrent replacement of a day would lose these figures.
    await lockWriters(client, ['blocks', 'validator-days'], [options.network]);
    const { rows } = await client.query<{ slot: number }>(FILL, [options.network, JSON.stringify(fills)]);
    const slots = rows.map(({ slot }) => slot);
    return { slots, archived: await finishFills(client, options, slots) };
  });
}

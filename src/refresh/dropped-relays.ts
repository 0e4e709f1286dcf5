import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { type Sql, sql } from '../db/rows.ts';

/**
 * Keeps how many blocks came from each relay, for windows that still count them. Call before blocks of these slots, which are
 * of one chain day, are dropped, in the same transaction.
 */
export async function keepRelays(
  client: pg.ClientBase,
  network: Network,
  firstSlot: number,
  endSlot: number,
): Promise<void> {
  const slots = [network, firstSlot, endSlot];
  await client.query(
    `/* forgetRelays */
    delete from dropped_relays where network = $1 and first_slot < $3 and end_slot > $2 and exists (
      select from blocks b where b.network = $1 and b.slot >= first_slot and b.slot < end_slot
    )`,
    slots,
  );
  await client.query(
    `/* keepRelays */
    insert into dropped_relays (network, first_slot, end_slot, relays, proposers)
    select network, $2, $3, relays, array_agg(validator_index order by slot) from blocks
    where network = $1 and slot >= $2 and slot < $3 and consensus_proposer_duty = 'proposed'
      and relays is not null
    group by network, relays`,
    slots,
  );
}

/** Proposers and relays of dropped blocks, but of no range in which a block is stored again. */
export const droppedBlocks = (network: Network, firstSlot: number, endSlot: number): Sql => sql`
  with ranges as (
    select distinct first_slot, end_slot from dropped_relays
    where network = ${network} and first_slot >= ${firstSlot} and end_slot <= ${endSlot}
  ), dropped as materialized (
    select first_slot from ranges d
    -- for "not exists", the planner would compare each range with every block
    where (
      select b.slot from blocks b where b.network = ${network} and b.slot >= d.first_slot and b.slot < d.end_slot limit 1
    ) is null
  )
  select p.validator_index, d.relays
  from dropped_relays d join dropped using (first_slot) cross join lateral unnest(d.proposers) as p (validator_index)
  where d.network = ${network}`;

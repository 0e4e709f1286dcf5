import { z } from 'zod';
import { SECONDS_PER_SLOT, SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Fields, keyTable, momentText, raw, rows, selectList, sql } from '../../db/rows.ts';
import { count, flag } from '../../kernel/leaves.ts';
import { type Range, rowsToRead } from '../../kernel/page.ts';
import type { ValidatorKey } from '../validators/loaders.ts';
import { SyncCommitteeReward, type SyncCommitteeRewardField, syncCommitteeRewardFields } from './record.ts';

export type SlotKey = { network: Network; slot: number };
export type RewardRow = SyncCommitteeReward & { network: Network; rank: number };
export type ListedRewardRow = RewardRow & { list: number };
export type SlotRewardRow = ListedRewardRow & { total: number };
export type RewardPosition = { slot: number; rank: number };

// `k.genesis` is the Unix time of slot 0.
const fields: Fields<SyncCommitteeRewardField> = {
  epoch: sql`r.slot / ${raw(String(SLOTS_PER_EPOCH))}`,
  consensusSlot: sql`r.slot`,
  validatorIndex: sql`r.validator_index`,
  syncCommitteeRewards: sql`r.reward::text`,
  blockTimestamp: momentText(
    sql`to_timestamp(k.genesis + ${raw(String(SECONDS_PER_SLOT))} * r.slot::bigint) at time zone 'UTC'`,
  ),
};
const select = sql`r.network, r.rank, ${selectList(fields, syncCommitteeRewardFields)}`;
const Row = SyncCommitteeReward.extend({ network: Network, rank: count(), list: count() });
const SlotRow = Row.extend({ total: count() });

const networkColumns = {
  network: ['text', (key: { network: Network }) => key.network],
  genesis: ['bigint', (key: { network: Network }) => slotStart(key.network, 0)],
} as const;

/**
 * Pages read by stored rank, so a page costs only its own rows. Ranks have no gaps, so `total` is the last rank plus
 * one.
 */
export function slotRewardPages(
  db: Queryable,
  slots: readonly SlotKey[],
  range: Range<number>,
): Promise<SlotRewardRow[]> {
  const order = range.backward ? sql`desc` : sql``;
  return rows(
    db,
    SlotRow,
    sql`/* slotRewardPages */
    select k.list::int - 1 as "list", page.*, l.total
    from ${keyTable(slots, { ...networkColumns, slot: ['int', (key) => key.slot] })}
    cross join lateral (
      select z.rank + 1 as total from sync_committee_rewards z
      where z.network = k.network and z.slot = k.slot
      order by z.rank desc limit 1
    ) l
    cross join lateral (
      select ${select}
      from sync_committee_rewards r
      where r.network = k.network and r.slot = k.slot
        and r.rank > ${range.after ?? -1}::int and r.rank < ${range.before ?? 512}::int
      order by r.rank ${order}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page.rank ${order}`,
  );
}

export type SeatKey = { network: Network; consensusSlot: number; rank: number };

export function seatRewards(db: Queryable, seats: readonly SeatKey[]): Promise<RewardRow[]> {
  return rows(
    db,
    Row.omit({ list: true }),
    sql`/* seatRewards */
    select ${select}
    from ${keyTable(seats, {
      ...networkColumns,
      slot: ['int', (key) => key.consensusSlot],
      rank: ['int', (key) => key.rank],
    })}
    join sync_committee_rewards r using (network, slot, rank)`,
  );
}

const SlotState = z.object({ list: count(), total: count(), reached: flag() });
export type SlotState = z.infer<typeof SlotState>;

export function slotStates(db: Queryable, slots: readonly SlotKey[]): Promise<SlotState[]> {
  return rows(
    db,
    SlotState,
    sql`/* slotStates */
    select k.list::int - 1 as "list", coalesce(l.total, 0) as total, coalesce(h.slot >= k.slot, false) as reached
    from ${keyTable(slots, { network: ['text', (key) => key.network], slot: ['int', (key) => key.slot] })}
    left join chain_heads h on h.network = k.network
    left join lateral (
      select z.rank + 1 as total from sync_committee_rewards z
      where z.network = k.network and z.slot = k.slot
      order by z.rank desc limit 1
    ) l on true`,
  );
}

export function validatorRewardPages(
  db: Queryable,
  validators: readonly ValidatorKey[],
  range: Range<RewardPosition>,
): Promise<ListedRewardRow[]> {
  const { after, before } = range;
  const order = range.backward ? sql`` : sql`desc`;
  return rows(
    db,
    Row,
    sql`/* validatorRewardPages */
    select k.list::int - 1 as "list", page.*
    from ${keyTable(validators, { ...networkColumns, validator_index: ['int', (key) => key.validatorIndex] })}
    cross join lateral (
      select ${select}
      from sync_committee_rewards r
      where r.network = k.network and r.validator_index = k.validator_index
        ${after ? sql`and (r.slot, r.rank) < (${after.slot}::int, ${after.rank}::int)` : sql``}
        ${before ? sql`and (r.slot, r.rank) > (${before.slot}::int, ${before.rank}::int)` : sql``}
      order by r.slot ${order}, r.rank ${order}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page."consensusSlot" ${order}, page.rank ${order}`,
  );
}

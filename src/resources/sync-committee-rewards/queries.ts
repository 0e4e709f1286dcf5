import { z } from 'zod';
import { SECONDS_PER_SLOT, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import { genesisTime, Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { keyTable, momentText, queryOf, raw, type Sql, selectList, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type DirectedRange, keysOfPage, type Range, rowsToRead } from '../../kernel/page.ts';
import { type ValidatorKey, validatorColumns } from '../validators/loaders.ts';
import { SyncCommitteeReward, syncCommitteeRewardFields } from './record.ts';

export type SlotKey = { network: Network; slot: number };
export type RewardRow = SyncCommitteeReward & { network: Network; rank: number };
export type RewardPosition = { slot: number; rank: number };

// `k.genesis` is the Unix time of slot 0.
const fields = {
  epoch: sql`r.slot / ${raw(String(SLOTS_PER_EPOCH))}`,
  consensusSlot: sql`r.slot`,
  validatorIndex: sql`r.validator_index`,
  syncCommitteeRewards: sql`r.reward::text`,
  blockTimestamp: momentText(
    sql`to_timestamp(k.genesis + ${raw(String(SECONDS_PER_SLOT))} * r.slot::bigint) at time zone 'UTC'`,
  ),
};
const select = sql`r.network, r.rank, ${selectList(fields, syncCommitteeRewardFields)}`;
const Row = SyncCommitteeReward.extend({ network: Network, rank: Leaf.count(), list: Leaf.count() });
const SlotRow = Row.extend({ total: Leaf.count() });

const networkColumns = {
  network: ['text', (key: { network: Network }) => key.network],
  genesis: ['bigint', (key: { network: Network }) => genesisTime[key.network]],
} as const;
const validatorColumnsWithGenesis = {
  ...networkColumns,
  validator_index: ['int', (key: ValidatorKey) => key.validatorIndex],
} as const;
const SEATS = 512;

/** Seats from rank `first` to `last` of each slot. Ranks begin at 0, subscripts of arrays at 1. */
const seatsOf = (first: Sql, last: Sql): Sql => sql`(
      select s.network, s.slot, ${first} + n.n::int - 1 as rank, n.validator_index, n.reward
      from unnest(c.validators[${first} + 1:${last} + 1], s.rewards[${first} + 1:${last} + 1])
        with ordinality as n (validator_index, reward, n)
    ) r`;

export const slotRewardPages = queryOf(SlotRow, (slots: readonly SlotKey[], range: Range<number>) => {
  const order = range.backward ? sql`desc` : sql``;
  const first = sql`greatest(${Math.min(range.after ?? -1, SEATS) + 1}::int, 0)`;
  const last = sql`least(${Math.min(range.before ?? SEATS, SEATS) - 1}::int, t.total - 1)`;
  const size = sql`${rowsToRead(range) - 1}::int`;
  const page = range.backward
    ? sql`greatest(${first}, ${last} - ${size}) as first, ${last} as last`
    : sql`${first} as first, least(${last}, ${first} + ${size}) as last`;
  return sql`/* slotRewardPages */
    select k.list::int - 1 as "list", ${select}, t.total
    from ${keyTable(slots, { ...networkColumns, slot: ['int', (key) => key.slot] })}
    join sync_committee_slots s using (network, slot)
    join sync_committees c on c.committee = s.committee
    cross join lateral (select cardinality(c.positions) as total) t
    cross join lateral (select ${page}) p
    cross join lateral ${seatsOf(sql`p.first`, sql`p.last`)}
    order by k.list, r.rank ${order}`;
});

export type SeatKey = { network: Network; consensusSlot: number; rank: number };

export const seatRewards = queryOf(
  Row.omit({ list: true }),
  (seats: readonly SeatKey[]) => sql`/* seatRewards */
    select ${select}
    from ${keyTable(seats, {
      ...networkColumns,
      slot: ['int', (key) => key.consensusSlot],
      rank: ['int', (key) => key.rank],
    })}
    join sync_committee_slots s using (network, slot)
    join sync_committees c on c.committee = s.committee
    cross join lateral ${seatsOf(sql`k.rank`, sql`k.rank`)}`,
);

/** `isKnown` is false after the stored head, and for a block whose seats are not stored yet. */
const SlotState = z.object({ list: Leaf.count(), total: Leaf.count(), isKnown: Leaf.flag() });
export type SlotState = z.infer<typeof SlotState>;

export const slotStates = queryOf(
  SlotState,
  (slots: readonly SlotKey[]) => sql`/* slotStates */
    select k.list::int - 1 as "list", coalesce(cardinality(c.positions), 0) as total,
      coalesce(h.slot >= k.slot, false) and (s.slot is not null or not exists (
        select from blocks b
        where b.network = k.network and b.slot = k.slot and b.consensus_proposer_duty = 'proposed'
      )) as "isKnown"
    from ${keyTable(slots, { network: ['text', (key) => key.network], slot: ['int', (key) => key.slot] })}
    left join chain_heads h on h.network = k.network
    left join sync_committee_slots s on s.network = k.network and s.slot = k.slot
    left join sync_committees c on c.committee = s.committee`,
);

/** Finds the places by the index alone, and reads the rewards of one page. */
export const validatorRewardPages = queryOf(
  Row,
  (validators: readonly ValidatorKey[], range: DirectedRange<RewardPosition>) => {
    const { above, below, direction } = keysOfPage(range);
    const order = raw(direction);
    return sql`/* validatorRewardPages */
    select k.list::int - 1 as "list", ${select}
    from ${keyTable(validators, validatorColumnsWithGenesis)}
    cross join lateral (
      select i.slot, n.rank
      from sync_committee_seats m
      cross join lateral (
        select s.slot from sync_committee_slots s
        where s.committee = m.committee
          ${above ? sql`and s.slot >= ${above.slot}::int` : sql``}
          ${below ? sql`and s.slot <= ${below.slot}::int` : sql``}
        order by s.slot ${order}
        limit ${rowsToRead(range) + 1} -- of the cursor's slot, all seats may lie outside
      ) i
      cross join lateral generate_series(m.first_rank::int, m.first_rank + m.seats - 1) as n (rank)
      where m.network = k.network and m.validator_index = k.validator_index
        ${above ? sql`and (i.slot, n.rank) > (${above.slot}::int, ${above.rank}::int)` : sql``}
        ${below ? sql`and (i.slot, n.rank) < (${below.slot}::int, ${below.rank}::int)` : sql``}
      order by i.slot ${order}, n.rank ${order}
      limit ${rowsToRead(range)}
    ) page
    join sync_committee_slots s on s.network = k.network and s.slot = page.slot
    cross join lateral (
      select s.network, s.slot, page.rank, k.validator_index, s.rewards[page.rank + 1] as reward
    ) r
    order by k.list, r.slot ${order}, r.rank ${order}`;
  },
);

export const validatorRewardTotals = queryOf(
  ListedTotal,
  (validators: readonly ValidatorKey[]) => sql`/* validatorRewardTotals */
    select k.list::int - 1 as "list", t.total
    from ${keyTable(validators, validatorColumns)}
    cross join lateral (
      select coalesce(sum(m.seats * s.slots), 0)::int as total
      from sync_committee_seats m
      cross join lateral (
        select count(*) as slots from sync_committee_slots s where s.committee = m.committee
      ) s
      where m.network = k.network and m.validator_index = k.validator_index
    ) t`,
);

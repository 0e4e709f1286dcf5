import type { z } from 'zod';
import { SLOTS_PER_EPOCH, slotTimestamp, spanOfChainDay } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { keyTable, rows, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import { type Ends, endsOfPage, type Range, rowsToRead } from '../../kernel/page.ts';
import { ChainDailyReward } from './record.ts';

export type DayKey = { network: Network; day: number };
export type ChainDailyRewardRow = ChainDailyReward & { network: Network };

const Stored = ChainDailyReward.omit({
  date: true,
  startEpoch: true,
  endEpoch: true,
  startTimestamp: true,
  endTimestamp: true,
});
const StoredRow = Stored.extend({ network: Network });
const fields = recordColumns(Stored, 'd');
// All columns are selected, because selecting fewer was not measurably faster.
const select = sql`d.network, ${selectList(fields, Object.keys(fields) as (keyof typeof fields)[])}`;

function dated(row: z.infer<typeof StoredRow>): ChainDailyRewardRow {
  const { date, startEpoch, endEpoch } = spanOfChainDay(row.network, row.day);
  const [first, next] = [startEpoch * SLOTS_PER_EPOCH, (endEpoch + 1) * SLOTS_PER_EPOCH];
  const timestamp = (slot: number) => slotTimestamp(row.network, slot);
  const moments = { startTimestamp: timestamp(first), endTimestamp: timestamp(next - 1) };
  return { ...row, date, startEpoch, endEpoch, ...moments };
}

export type DayList = { network: Network; ends: Ends; ascending: boolean };

/** A row's position is its day. Bounds of `range` are exclusive. */
export async function chainDailyRewardPage(
  db: Queryable,
  { network, ends, ascending }: DayList,
  range: Range<number>,
): Promise<ChainDailyRewardRow[]> {
  const { first, last } = endsOfPage(range, ends, ascending);
  const found = await rows(
    db,
    StoredRow,
    sql`/* chainDailyRewardPage */
    select ${select}
    from chain_daily_rewards d
    where d.network = ${network}
      and d.day between ${first}::bigint and ${last}::bigint
    order by d.day ${ascending === (range.backward === true) ? sql`desc` : sql``}
    limit ${rowsToRead(range)}`,
  );
  return found.map(dated);
}

export const chainDailyRewardTotal = totalBy(
  ({ network, ends }: DayList) => sql`/* chainDailyRewardTotal */
    select count(*)::int as total from chain_daily_rewards d
    where d.network = ${network} and d.day between ${ends.first}::bigint and ${ends.last}::bigint`,
);

export async function chainDailyRewardsByDay(
  db: Queryable,
  keys: readonly DayKey[],
): Promise<ChainDailyRewardRow[]> {
  const found = await rows(
    db,
    StoredRow,
    sql`/* chainDailyRewardsByDay */
    select ${select}
    from ${keyTable(keys, { network: ['text', (key) => key.network], day: ['int', (key) => key.day] })}
    join chain_daily_rewards d using (network, day)`,
  );
  return found.map(dated);
}

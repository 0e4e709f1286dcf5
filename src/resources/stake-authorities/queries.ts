import { TimeWindow, timeWindows } from '../../chain/windows.ts';
import { type Changes, changesColumn, changesRecord } from '../../db/change-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { keyTable, rows, sql } from '../../db/rows.ts';
import { SolanaAsOf, solanaAsOf } from '../../db/solana-as-of.ts';
import type { EarlyRow } from '../../fast-rows/index.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeAuthorityTrend,
  type StakeAuthorityType,
} from './record.ts';

export type StakeAuthorityKey = { timeWindow: TimeWindow; stakeAuthority: string };

export type StakeAuthorityListKey = {
  timeWindow: TimeWindow;
  type: StakeAuthorityType | 'all';
};

/** A summary: the selected fields and the key. */
export type StakeAuthorityRow = Partial<StakeAuthoritySummary> &
  StakeAuthorityKey & { change?: Changes; asOf?: SolanaAsOf };
/** A stake authority, with its summary in a window if it was asked for in one. `early` is one that was read with it. */
export type StakeAuthorityNode = Partial<StakeAuthorityRow> & {
  stakeAuthority: string;
  early?: EarlyRow<StakeAuthorityRow>;
};
export type RankedStakeAuthorityRow = StakeAuthorityRow & { rank: number };

const record = StakeAuthoritySummary.extend({
  timeWindow: TimeWindow,
  change: changesRecord(StakeAuthorityTrend),
  asOf: SolanaAsOf,
});

const summaries: RankedRows = {
  record,
  fields: {
    ...recordColumns(record, 's'),
    change: changesColumn(StakeAuthorityTrend, 's'),
    asOf: solanaAsOf('s'),
  },
  keys: ['timeWindow', 'stakeAuthority'],
};

export const stakeAuthorityPages = pagesByRank<
  StakeAuthorityListKey,
  StakeAuthorityField,
  RankedStakeAuthorityRow
>({
  statement: 'stakeAuthorityPages',
  name: 'stake_authority',
  columns: {
    time_window: ['text', 'timeWindow'],
    list_type: ['text', 'type'],
  },
  rows: summaries,
});

export const stakeAuthoritiesByKey = summariesByKey<
  StakeAuthorityKey,
  StakeAuthorityField,
  StakeAuthorityRow
>({
  statement: 'stakeAuthoritiesByKey',
  table: 'stake_authority_summaries',
  columns: {
    stake_authority: ['text', 'stakeAuthority'],
    time_window: ['text', 'timeWindow'],
  },
  rows: summaries,
});

const Named = StakeAuthoritySummary.pick({ stakeAuthority: true, poolName: true });

/** With the name of the shortest window; in no order. */
export const stakeAuthoritiesById = (db: Queryable, keys: readonly { stakeAuthority: string }[]) =>
  rows(
    db,
    Named,
    sql`/* stakeAuthoritiesById */
    select k.stake_authority as "stakeAuthority", s.pool_name as "poolName"
    from ${keyTable(keys, { stake_authority: ['text', 'stakeAuthority'] })}
    cross join lateral (
      select s.pool_name
      from stake_authority_summaries s
      where s.stake_authority = k.stake_authority and not s.superseded
      order by array_position(${[...timeWindows]}::text[], s.time_window)
      limit 1
    ) s`,
  );

import { TimeWindow, timeWindows } from '../../chain/windows.ts';
import { type Changes, changesColumn, changesRecord } from '../../db/change-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Filter, filterOf, pagesByOrder } from '../../db/ranked/ordered-lists.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type KeyColumns, keyTable, rows, sql } from '../../db/rows.ts';
import { SolanaAsOf, solanaAsOf } from '../../db/solana-as-of.ts';
import type { EarlyRow } from '../../fast-rows/index.ts';
import type { Position } from '../../kernel/page.ts';
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

export type StakeAuthorityRow = Partial<StakeAuthoritySummary> &
  StakeAuthorityKey & { change?: Changes; asOf?: SolanaAsOf };
export type StakeAuthorityNode = Partial<StakeAuthorityRow> & {
  stakeAuthority: string;
  early?: EarlyRow<StakeAuthorityRow>;
};
export type RankedStakeAuthorityRow = StakeAuthorityRow & { rank: number };
export type OrderedStakeAuthorityRow = StakeAuthorityRow & Position;

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

const listColumns: KeyColumns<StakeAuthorityListKey> = {
  time_window: ['text', 'timeWindow'],
  list_type: ['text', 'type'],
};

export const stakeAuthorityPages = pagesByRank<
  StakeAuthorityListKey,
  StakeAuthorityField,
  RankedStakeAuthorityRow
>({
  statement: 'stakeAuthorityPages',
  name: 'stake_authority',
  columns: listColumns,
  rows: summaries,
});

/** Stored by the database function `store_stake_authority_orders`. */
export const stakeAuthorityOrders = [
  'networkPenetration',
  'delegatedStake',
  'delegatorApy',
  'blendedVoteCommissionRate',
  'validatorDelegates',
  'poolName',
  'delegatedStakeChange',
  'delegatorApyChange',
  'aggregateValidatorEffectivenessChange',
] as const;
export type StakeAuthorityOrderField = (typeof stakeAuthorityOrders)[number];

const bounds = {
  minStake: { column: 'delegated_stake', type: 'numeric', at: 'least' },
  maxStake: { column: 'delegated_stake', type: 'numeric', at: 'most' },
  apyAtLeast: { column: 'delegator_apy', type: 'numeric', at: 'least' },
  apyAtMost: { column: 'delegator_apy', type: 'numeric', at: 'most' },
  commissionAtLeast: { column: 'blended_vote_commission_rate', type: 'numeric', at: 'least' },
  commissionAtMost: { column: 'blended_vote_commission_rate', type: 'numeric', at: 'most' },
  minValidators: { column: 'validator_delegates', type: 'int', at: 'least' },
  maxValidators: { column: 'validator_delegates', type: 'int', at: 'most' },
} as const;

const names: Filter = {
  columns: { name: ['text', ({ where }) => where.name ?? null] },
  compared: ['pool_name'],
  joins: sql``,
  parts: sql``,
  rows: sql` and (k.name is null or strpos(lower(s.pool_name collate "C"), lower(k.name collate "C")) > 0)`,
};

export const stakeAuthoritiesByOrder = pagesByOrder<
  StakeAuthorityListKey,
  StakeAuthorityField,
  OrderedStakeAuthorityRow
>({
  statement: 'stakeAuthoritiesByOrder',
  name: 'stake_authority',
  columns: listColumns,
  rows: summaries,
  filter: filterOf(bounds, names),
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

/** Returns rows in no order. `poolName` comes from the authority's shortest stored time window. */
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

import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import type { Changes } from '../../db/change-columns.ts';
import { summaryStatements } from '../../db/ranked/summaries.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type KeyColumns, keyTable, queryOf, raw, sql } from '../../db/rows.ts';
import { SolanaAsOf, solanaAsOf } from '../../db/solana-as-of.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  type StakeAuthorityField,
  StakeAuthoritySummary,
  StakeAuthorityTrend,
  type StakeAuthorityType,
  StakeConcentration,
} from './record.ts';

export type StakeAuthorityKey = { timeWindow: TimeWindow; stakeAuthority: string };

export type StakeAuthorityListKey = {
  timeWindow: TimeWindow;
  type: StakeAuthorityType | 'all';
};

export type StakeAuthorityRow = Partial<StakeAuthoritySummary> &
  StakeAuthorityKey & {
    /** The name of its pool, the same for all windows: taken from its shortest stored window. */
    name?: StakeAuthoritySummary['poolName'];
    change?: Changes;
    asOf?: SolanaAsOf;
  };
/** With the columns of a summary if `timeWindow` is set. */
export type StakeAuthorityNode = Partial<StakeAuthorityRow> & {
  stakeAuthority: string;
  withoutSummary?: TimeWindow;
};

const record = StakeAuthoritySummary.extend({
  timeWindow: TimeWindow,
  name: StakeAuthoritySummary.shape.poolName,
  asOf: SolanaAsOf,
});

const shortestWindow = raw(`array_position('{${TimeWindow.options.join()}}'::text[], n.time_window)`);

const listColumns: KeyColumns<StakeAuthorityListKey> = {
  time_window: ['text', 'timeWindow'],
  list_type: ['text', 'type'],
};

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
  minApy: { column: 'delegator_apy', type: 'numeric', at: 'least' },
  maxApy: { column: 'delegator_apy', type: 'numeric', at: 'most' },
  minCommission: { column: 'blended_vote_commission_rate', type: 'numeric', at: 'least' },
  maxCommission: { column: 'blended_vote_commission_rate', type: 'numeric', at: 'most' },
  minValidators: { column: 'validator_delegates', type: 'int', at: 'least' },
  maxValidators: { column: 'validator_delegates', type: 'int', at: 'most' },
} as const;

export const summaries = summaryStatements<
  StakeAuthorityListKey,
  StakeAuthorityKey,
  StakeAuthorityField,
  StakeAuthorityRow
>({
  name: 'stake_authority',
  dataset: 'stake-authorities',
  statements: {
    byKey: 'stakeAuthoritiesByKey',
    pages: 'stakeAuthorityPages',
    byOrder: 'stakeAuthoritiesByOrder',
  },
  list: listColumns,
  key: { stake_authority: ['text', 'stakeAuthority'], time_window: ['text', 'timeWindow'] },
  record,
  fields: {
    ...recordColumns(record, 's'),
    // In the shortest stored window, which nearly always has the name of this row.
    name: sql`case when s.superseded or s.renamed
      then current_authority_name(s.stake_authority, s.pool_name) else s.pool_name end`,
    asOf: solanaAsOf('s'),
  },
  trend: StakeAuthorityTrend,
  keys: ['timeWindow', 'stakeAuthority'],
  bounds,
  others: {
    columns: { name: ['text', ({ where }) => where.name ?? null] },
    compared: ['pool_name'],
    joins: sql``,
    parts: sql``,
    rows: sql` and (k.name is null or strpos(lower(s.pool_name collate "C"), lower(k.name collate "C")) > 0)`,
  },
});

const Named = z.object({
  stakeAuthority: StakeAuthoritySummary.shape.stakeAuthority,
  name: StakeAuthoritySummary.shape.poolName,
});

/** Returns rows in no order. */
export const stakeAuthoritiesById = queryOf(
  Named,
  (keys: readonly { stakeAuthority: string }[]) => sql`/* stakeAuthoritiesById */
    select k.stake_authority as "stakeAuthority", n.pool_name as name
    from ${keyTable(keys, { stake_authority: ['text', 'stakeAuthority'] })}
    cross join lateral (
      select n.pool_name
      from stake_authority_summaries n
      where n.stake_authority = k.stake_authority and not n.superseded
      order by ${shortestWindow}
      limit 1
    ) n`,
);

const ConcentrationRow = StakeConcentration.extend({ list: Leaf.count() });

/**
 * Ranks lie evenly on a logarithmic scale, from 1 to the length of the list. Stored parts have 64 authorities, the
 * smallest first, so that only those with a rank asked for are added up one by one.
 */
export const stakeConcentrations = queryOf(
  ConcentrationRow,
  (lists: readonly StakeAuthorityListKey[], points: number) => sql`/* stakeConcentrations */
    select k.list::int - 1 as list, p.*
    from ${keyTable(lists, listColumns)}
    cross join lateral (
      with parts as materialized (
        select l.total, o.first_rank, o.each_delegated_stake as stakes,
          (select sum(s) from unnest(o.each_delegated_stake) s) as stake
        from stake_authority_lists l join stake_authority_orders o using (list_id)
        where (l.time_window, l.list_type) = (k.time_window, k.list_type) and l.superseded_at is null
          and o.ordered_by = 'networkPenetration'
      ), added as (
        select p.*, sum(stake) over (order by first_rank desc) as with_larger, sum(stake) over () as whole from parts p
      ), wanted as (
        select distinct round(power(total::float8, i::float8 / ${points - 1}::int))::int as rank, total
        from (select max(total) as total from parts having count(*) > 0) t, generate_series(0, ${points - 1}::int) i
      )
      select rank, trim_scale(stake)::text as "delegatedStake",
        (case when whole > 0 then stake / whole else 0 end)::float8 as ratio
      from (
        select a.rank, p.whole, p.with_larger - coalesce((
          select sum(s) from unnest(p.stakes[1:a.total - a.rank - p.first_rank]) s
        ), 0) as stake
        from wanted a join added p on p.first_rank = (a.total - a.rank) / 64 * 64
      ) r
    ) p
    order by k.list, p.rank`,
);

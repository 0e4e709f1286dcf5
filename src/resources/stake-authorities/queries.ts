import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Fields, keyTable, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { count } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { type StakeAuthorityField, StakeAuthoritySummary, type StakeAuthorityType } from './record.ts';

/** What finds one summary. */
export type StakeAuthorityKey = { timeWindow: TimeWindow; stakeAuthority: string };

/** What names one stored list. */
export type StakeAuthorityListKey = {
  timeWindow: TimeWindow;
  type: StakeAuthorityType | 'all';
  /** Of the list to read; undefined: the current one. */
  revision?: number | undefined;
};

/** A summary with the fields that were asked for, and always what finds it again. */
export type StakeAuthorityRow = Partial<StakeAuthoritySummary> & StakeAuthorityKey;
export type RankedStakeAuthorityRow = StakeAuthorityRow & { rank: number; total: number; revision: number };

const fields: Fields<StakeAuthorityField> = {
  stakeAuthority: sql`s.stake_authority`,
  validatorDelegates: sql`s.validator_delegates`,
  delegations: sql`s.delegations::text`, // see `withDelegations`
  stakingRewardsApy: sql`s.staking_rewards_apy::text`,
  mevRewardsApr: sql`s.mev_rewards_apr::text`,
  delegatorApy: sql`s.delegator_apy::text`,
  sumMissedStakingRewards: sql`s.sum_missed_staking_rewards::text`,
  poolName: sql`s.pool_name`,
  delegatedStake: sql`s.delegated_stake::text`,
  networkPenetration: sql`s.network_penetration::text`,
  aggregateValidatorEffectiveness: sql`s.aggregate_validator_effectiveness::text`,
  blendedVoteCommissionRate: sql`s.blended_vote_commission_rate::text`,
  blendedMevCommissionRate: sql`s.blended_mev_commission_rate::text`,
  sumStakingRewards: sql`s.sum_staking_rewards::text`,
  sumMevRewards: sql`s.sum_mev_rewards::text`,
  sumRewards: sql`s.sum_rewards::text`,
  sumStakingCommissionPaid: sql`s.sum_staking_commission_paid::text`,
  sumMevCommissionPaid: sql`s.sum_mev_commission_paid::text`,
  sumCommissionPaid: sql`s.sum_commission_paid::text`,
};

/**
 * Delegations from the text of their jsonb, the percentages as text too: the client would make doubles of them. To
 * rewrite them in SQL took three quarters of the time of a page. Within a JSON text a quote is escaped, so that only a
 * key can look like this.
 */
function withDelegations(row: Record<string, unknown>): void {
  const { delegations } = row;
  if (typeof delegations !== 'string') return;
  row.delegations = JSON.parse(delegations.replace(/"percentage": (-?[\d.]+)/g, '"percentage": "$1"'));
}

const ListSize = z.object({ total: count(), revision: count() });
const Place = ListSize.extend({ timeWindow: TimeWindow, rank: count() });

type Selection = {
  columns: Sql;
  row: z.ZodType<StakeAuthorityRow>;
  ranked: z.ZodType<RankedStakeAuthorityRow>;
};
const selections = boundedMap<Selection>(500);

/** The fields to read for those asked for, with the checks of such rows; those used last are kept. */
function selection(asked: readonly StakeAuthorityField[]): Selection {
  const names = [...new Set<StakeAuthorityField>(['stakeAuthority', ...asked])].sort();
  const known = selections.get(names.join());
  if (known) return known;
  const mask = Object.fromEntries(names.map((name) => [name, true]));
  const ranked = StakeAuthoritySummary.pick(mask as { stakeAuthority: true }).extend(Place.shape);
  const made = {
    columns: selectList(fields, names),
    ranked,
    row: ranked.omit({ rank: true, total: true, revision: true }),
  } as unknown as Selection;
  selections.set(names.join(), made);
  return made;
}

const isList = ({ timeWindow, type, revision }: StakeAuthorityListKey) =>
  sql`l.time_window = ${timeWindow} and l.list_type = ${type}
    and ${revision === undefined ? sql`l.superseded_at is null` : sql`l.revision = ${revision}`}`;

/** A page of a list by stored rank: the cost is that of the rows returned, wherever it lies; one row more is read. */
export function stakeAuthorityPage(
  db: Queryable,
  list: StakeAuthorityListKey,
  range: Range<number>,
  asked: readonly StakeAuthorityField[],
): Promise<RankedStakeAuthorityRow[]> {
  const { columns, ranked } = selection(asked);
  return rows(
    db,
    ranked,
    sql`/* stakeAuthorityPage */
    select page.*, l.total, l.revision
    from stake_authority_lists l
    cross join lateral (
      select r.rank, s.time_window as "timeWindow", ${columns}
      from stake_authority_ranks r join stake_authority_summaries s using (summary_id)
      where r.list_id = l.list_id
        and r.rank > ${range.after ?? -1} and r.rank < ${range.before ?? 2 ** 31 - 1}
      order by r.rank ${range.backward ? sql`desc` : sql``}
      limit ${range.limit + 1}
    ) page
    where ${isList(list)}
    order by page.rank ${range.backward ? sql`desc` : sql``}`,
    withDelegations,
  );
}

/** How many rows a list has, and its revision; undefined when there is no such list. */
export async function stakeAuthorityListSize(
  db: Queryable,
  list: StakeAuthorityListKey,
): Promise<z.infer<typeof ListSize> | undefined> {
  const [row] = await rows(
    db,
    ListSize,
    sql`/* stakeAuthorityListSize */
    select l.total, l.revision from stake_authority_lists l where ${isList(list)}`,
  );
  return row;
}

/** The summaries of these keys, in no particular order; keys without a row are absent. */
export function stakeAuthoritiesByKey(
  db: Queryable,
  keys: readonly StakeAuthorityKey[],
  asked: readonly StakeAuthorityField[],
): Promise<StakeAuthorityRow[]> {
  const { columns, row } = selection(asked);
  return rows(
    db,
    row,
    sql`/* stakeAuthoritiesByKey */
    select s.time_window as "timeWindow", ${columns}
    from ${keyTable(keys, {
      stake_authority: ['text', (key) => key.stakeAuthority],
      time_window: ['text', (key) => key.timeWindow],
    })}
    join stake_authority_summaries s using (stake_authority, time_window)
    where not s.superseded`,
    withDelegations,
  );
}

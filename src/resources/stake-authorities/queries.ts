import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { rowSelections, summariesByKey } from '../../db/row-selection.ts';
import { type Fields, inOrder, rows, sql } from '../../db/rows.ts';
import { templates } from '../../db/templates.ts';
import { count } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import type { Asked } from '../../kernel/row-form.ts';
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
  delegations: sql`s.delegations`,
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

const ListSize = z.object({ total: count(), revision: count() });

const selection = rowSelections<StakeAuthorityField, StakeAuthorityRow, RankedStakeAuthorityRow>({
  record: StakeAuthoritySummary,
  fields,
  keyFields: ['stakeAuthority'],
  keyColumns: { timeWindow: sql`s.time_window` },
  key: { timeWindow: TimeWindow },
  place: ListSize.extend({ rank: count() }),
});

const isList = (
  list: StakeAuthorityListKey,
  bind: (value: (list: StakeAuthorityListKey) => unknown) => unknown = (value) => value(list),
) => {
  const kept =
    list.revision === undefined
      ? sql`l.superseded_at is null`
      : sql`l.revision = ${bind(({ revision }) => revision)}`;
  return sql`l.time_window = ${bind(({ timeWindow }) => timeWindow)}
    and l.list_type = ${bind(({ type }) => type)} and ${kept}`;
};
const pageStatements = templates<{ list: StakeAuthorityListKey; range: Range<number> }>();

/** A page of a list by stored rank: the cost is that of the rows returned, wherever it lies; one row more is read. */
export async function stakeAuthorityPage(
  db: Queryable,
  list: StakeAuthorityListKey,
  range: Range<number>,
  asked: Asked<StakeAuthorityField>,
): Promise<RankedStakeAuthorityRow[]> {
  const read = selection(asked).ranked;
  const shape = `${list.revision === undefined} ${range.backward}`;
  const statement = pageStatements(
    read,
    shape,
    { list, range },
    (value) => sql`/* stakeAuthorityPage */
    select page.*, l.total, l.revision
    from stake_authority_lists l
    cross join lateral (
      select r.rank, ${read.columns}
      from stake_authority_ranks r join stake_authority_summaries s using (summary_id)
      where r.list_id = l.list_id
        and r.rank > ${value((call) => call.range.after ?? -1)}
        and r.rank < ${value((call) => call.range.before ?? 2 ** 31 - 1)}
      order by r.rank ${range.backward ? sql`desc` : sql``}
      limit ${value((call) => call.range.limit + 1)}
    ) page
    where ${isList(list, (of) => value((call) => of(call.list)))}`,
  );
  return inOrder(await rows(db, read.row, statement), range.backward);
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
export const stakeAuthoritiesByKey = summariesByKey<
  StakeAuthorityKey,
  StakeAuthorityField,
  StakeAuthorityRow
>({
  statement: 'stakeAuthoritiesByKey',
  table: 'stake_authority_summaries',
  columns: {
    stake_authority: ['text', (key) => key.stakeAuthority],
    time_window: ['text', (key) => key.timeWindow],
  },
  selection,
});

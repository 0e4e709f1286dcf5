import { TimeWindow } from '../../chain/windows.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { type Fields, sql } from '../../db/rows.ts';
import { type StakeAuthorityField, StakeAuthoritySummary, type StakeAuthorityType } from './record.ts';

export type StakeAuthorityKey = { timeWindow: TimeWindow; stakeAuthority: string };

export type StakeAuthorityListKey = {
  timeWindow: TimeWindow;
  type: StakeAuthorityType | 'all';
};

/** The selected fields and the key. */
export type StakeAuthorityRow = Partial<StakeAuthoritySummary> & StakeAuthorityKey;
export type RankedStakeAuthorityRow = StakeAuthorityRow & { rank: number };

const fields: Fields<StakeAuthorityField | 'timeWindow'> = {
  timeWindow: sql`s.time_window`,
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

const summaries: RankedRows = {
  record: StakeAuthoritySummary.extend({ timeWindow: TimeWindow }),
  fields,
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

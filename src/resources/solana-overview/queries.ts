import { type TimeWindow, timeWindows } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Fields, rows, selectList, sql } from '../../db/rows.ts';
import { SolanaNetworkOverview, type SolanaOverviewField, solanaOverviewFields } from './record.ts';

const fields: Fields<SolanaOverviewField> = {
  timeWindow: sql`o.time_window`,
  networkEffectiveness: sql`o.network_effectiveness`,
  networkVoteSuccessRate: sql`o.network_vote_success_rate`,
  networkMissedBlocksRate: sql`o.network_missed_blocks_rate`,
  networkVotingLatency: sql`o.network_voting_latency`,
  validatorApy: sql`o.validator_apy`,
  netValidatorApy: sql`o.net_validator_apy`,
  delegatorApy: sql`o.delegator_apy`,
  rewardsSolanaVoting: sql`o.rewards_solana_voting::text`,
  rewardsSolanaProposals: sql`o.rewards_solana_proposals::text`,
  rewardsSolanaMev: sql`o.rewards_solana_mev::text`,
  rewardsSolanaRent: sql`o.rewards_solana_rent::text`,
  activeValidatorCount: sql`o.active_validator_count`,
  activeValidatorDiff: sql`o.active_validator_diff`,
  totalDelegatedStake: sql`o.total_delegated_stake::text`,
  activeDelegatorStakeAccountCount: sql`o.active_delegator_stake_account_count`,
  activeDelegatorStakeAccountCountDiff: sql`o.active_delegator_stake_account_count_diff`,
  activeDelegatorWithdrawAuthorityCount: sql`o.active_delegator_withdraw_authority_count`,
  activeDelegatorWithdrawAuthorityCountDiff: sql`o.active_delegator_withdraw_authority_count_diff`,
  stakeAccountWithdrawAuthorityRatio: sql`o.stake_account_withdraw_authority_ratio::text`,
  activeDelegatorStakeAuthorityCount: sql`o.active_delegator_stake_authority_count`,
  activeDelegatorStakeAuthorityCountDiff: sql`o.active_delegator_stake_authority_count_diff`,
  stakeAccountStakeAuthorityRatio: sql`o.stake_account_stake_authority_ratio::text`,
  networkEffectivenessDiff: sql`o.network_effectiveness_diff::text`,
  giniCoefficient: sql`o.gini_coefficient::text`,
  deactivatingStakeAccounts: sql`o.deactivating_stake_accounts`,
};
// Selects all columns: of four rows at most, fewer columns would save nothing.
const select = selectList(fields, solanaOverviewFields);

/** Shortest window first. */
export function solanaOverviewsOf(
  db: Queryable,
  windows: readonly TimeWindow[],
): Promise<SolanaNetworkOverview[]> {
  return rows(
    db,
    SolanaNetworkOverview,
    sql`/* solanaOverviewsOf */
    select ${select} from solana_overviews o
    where o.time_window = any(${[...windows]}::text[])
    order by array_position(${[...timeWindows]}::text[], o.time_window)`,
  );
}

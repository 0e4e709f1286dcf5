-- Solana network overview (spec §2.6): one row per window. Amounts in SOL. `numeric` without scale keeps every digit
-- that came in, trailing zeros too.
create table solana_overviews (
  time_window text collate "C" primary key,
  network_effectiveness double precision not null,
  network_vote_success_rate double precision not null,
  network_missed_blocks_rate double precision not null,
  network_voting_latency double precision not null,
  validator_apy double precision not null,
  net_validator_apy double precision not null,
  delegator_apy double precision not null,
  rewards_solana_voting numeric not null,
  rewards_solana_proposals numeric not null,
  rewards_solana_mev numeric not null,
  rewards_solana_rent numeric not null,
  active_validator_count integer not null,
  active_validator_diff integer not null,
  total_delegated_stake numeric not null,
  active_delegator_stake_account_count integer not null,
  active_delegator_stake_account_count_diff integer not null,
  active_delegator_withdraw_authority_count integer not null,
  active_delegator_withdraw_authority_count_diff integer not null,
  stake_account_withdraw_authority_ratio numeric not null,
  active_delegator_stake_authority_count integer not null,
  active_delegator_stake_authority_count_diff integer not null,
  stake_account_stake_authority_ratio numeric not null,
  network_effectiveness_diff numeric not null,
  gini_coefficient numeric not null,
  deactivating_stake_accounts integer
);

-- Stake authority summaries (spec §2.7): one row per window and authority. Amounts in SOL, rates as ratios.
create table stake_authority_summaries (
  summary_id bigint generated always as identity primary key,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  validator_delegates integer not null,
  -- [{validatorVoteAccount, validatorName, percentage}]; the percentages are JSON numbers, which jsonb keeps as numeric
  delegations jsonb not null,
  staking_rewards_apy numeric not null,
  mev_rewards_apr numeric not null,
  delegator_apy numeric not null,
  sum_missed_staking_rewards numeric not null,
  -- null for an individual
  pool_name text,
  delegated_stake numeric not null,
  network_penetration numeric not null,
  aggregate_validator_effectiveness numeric not null,
  blended_vote_commission_rate numeric not null,
  blended_mev_commission_rate numeric not null,
  sum_staking_rewards numeric not null,
  sum_mev_rewards numeric not null,
  sum_rewards numeric not null,
  sum_staking_commission_paid numeric not null,
  sum_mev_commission_paid numeric not null,
  sum_commission_paid numeric not null,
  unique (stake_authority, time_window)
);

-- The lists a caller can ask for: the authorities of a window, whole or of one type.
create table stake_authority_lists (
  list_id bigint generated always as identity primary key,
  time_window text collate "C" not null,
  list_type text collate "C" not null check (list_type in ('all', 'pool', 'individual')),
  total integer not null,
  unique (time_window, list_type)
);

-- The stored order of each list, so that a page at rank 90,000 costs what the first one costs.
create table stake_authority_ranks (
  list_id bigint not null references stake_authority_lists on delete cascade,
  rank integer not null,
  summary_id bigint not null references stake_authority_summaries on delete cascade,
  primary key (list_id, rank)
);
create index stake_authority_ranks_summary on stake_authority_ranks (summary_id);

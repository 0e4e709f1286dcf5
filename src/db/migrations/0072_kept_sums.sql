-- A refresh adds a new day to sums that it has kept, in place of summing all days of a window again.

-- Differs after any change of the day's rows in validator_days, and of the month's in validator_month_sums, except amounts
-- that are added to the kept sums too.
alter table validator_day_dates add version uuid not null default gen_random_uuid();
alter table validator_months add version uuid not null default gen_random_uuid();

-- Which days and months the kept sums of a network consist of, with their versions; null before they are first made. Both
-- tables are unlogged: after a crash they are empty, and the next refresh sums all days.
create unlogged table kept_sums (
  network text collate "C" primary key,
  parts json,
  -- differs after the sums were replaced
  stamp uuid not null default gen_random_uuid()
);

-- Sums of the days of each window, without its newest days. Read and written as a whole.
create unlogged table window_sums (
  network text collate "C" not null,
  validator_index integer not null,
  apr_rewards_7d bigint not null,
  apr_stake_7d bigint not null,
  apr_rewards_30d bigint not null,
  apr_stake_30d bigint not null,
  apr_rewards_all bigint not null,
  apr_stake_all bigint not null,
  total_unique_attestations_7d integer not null,
  sum_missed_attestations_7d integer not null,
  sum_correct_head_7d integer not null,
  sum_correct_target_7d integer not null,
  sum_correct_source_7d integer not null,
  sum_inclusion_delay_7d integer not null,
  proposed_count_7d integer not null,
  missed_proposal_count_7d integer not null,
  total_unique_attestations_30d integer not null,
  sum_missed_attestations_30d integer not null,
  sum_correct_head_30d integer not null,
  sum_correct_target_30d integer not null,
  sum_correct_source_30d integer not null,
  sum_inclusion_delay_30d integer not null,
  proposed_count_30d integer not null,
  missed_proposal_count_30d integer not null,
  total_unique_attestations_all integer not null,
  sum_missed_attestations_all integer not null,
  sum_correct_head_all integer not null,
  sum_correct_target_all integer not null,
  sum_correct_source_all integer not null,
  sum_inclusion_delay_all integer not null,
  proposed_count_all integer not null,
  missed_proposal_count_all integer not null
);

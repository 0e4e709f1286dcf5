-- The stake of an operator in Gwei on each day of its history, and how far it has changed since; null where the history does
-- not have it: days that were published before this migration.
alter table operator_history add column sum_end_epoch_effective_balance bigint;
alter table operator_summaries
  add column sum_end_epoch_effective_balance_change_1d bigint,
  add column sum_end_epoch_effective_balance_change_7d bigint,
  add column sum_end_epoch_effective_balance_change_30d bigint;

-- Lists are also ordered by this change. Those that are stored know none, so that their ids decide.
insert into operator_orders (list_id, ordered_by, valued, first_rank, members, least_validator_count, most_validator_count,
  least_avg_validator_effectiveness, most_avg_validator_effectiveness, least_apr_percentage, most_apr_percentage,
  least_sum_end_epoch_effective_balance, most_sum_end_epoch_effective_balance, tags)
select list_id, 'sumEndEpochEffectiveBalanceChange', false, first_rank, members, least_validator_count, most_validator_count,
  least_avg_validator_effectiveness, most_avg_validator_effectiveness, least_apr_percentage, most_apr_percentage,
  least_sum_end_epoch_effective_balance, most_sum_end_epoch_effective_balance, tags
from operator_orders where ordered_by = 'operatorId';

insert into compatible_migrations values ('0081_operator_stake_changes', '0077_baseline');

-- Blocks that the validators of an operator were to propose in the window, and those of them that they missed; null where no
-- refresh has computed the summary.
alter table operator_summaries add column proposer_duty_count bigint, add column missed_proposal_count bigint;

-- Lists are also ordered by the missed blocks. Those that are stored know none, so that their ids decide.
insert into operator_orders (list_id, ordered_by, valued, first_rank, members, least_validator_count, most_validator_count,
  least_avg_validator_effectiveness, most_avg_validator_effectiveness, least_apr_percentage, most_apr_percentage,
  least_sum_end_epoch_effective_balance, most_sum_end_epoch_effective_balance, tags)
select list_id, 'missedProposalCount', false, first_rank, members, least_validator_count, most_validator_count,
  least_avg_validator_effectiveness, most_avg_validator_effectiveness, least_apr_percentage, most_apr_percentage,
  least_sum_end_epoch_effective_balance, most_sum_end_epoch_effective_balance, tags
from operator_orders where ordered_by = 'operatorId';

-- The next refresh computes all windows again, with the missed blocks.
delete from refreshed_windows;

insert into compatible_migrations values ('0079_operator_missed_blocks', '0077_baseline');

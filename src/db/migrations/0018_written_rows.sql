-- Rows of answers are written as JSON by the database itself (src/db/row-text.ts): what they hold has to be JSON as it
-- stands. Lists of objects are kept as they are shown, in the form that they are written in, which jsonb gives up and has to
-- make anew for every answer. No figure is NaN or infinite, which importers and the refresh refuse anyway.

-- The objects of a list with these keys in this order; the value of one of them in quotes.
create function shown_objects(list jsonb, keys text[], quoted text) returns json language sql immutable as $$
  select coalesce('[' || string_agg('{' || pairs || '}', ',' order by place) || ']', '[]')::json
  from jsonb_array_elements(list) with ordinality as o (item, place)
  cross join lateral (
    select string_agg(to_json(key) || ':' || coalesce(
      case when key = quoted then to_json(item ->> key)::text else (item -> key)::text end, 'null'), ',' order by n) as pairs
    from unnest(keys) with ordinality as k (key, n)
  ) p
$$;

alter table operator_summaries
  alter column client_percentages type json using shown_objects(client_percentages, '{client,percentage}', ''),
  alter column relayer_percentages type json using shown_objects(relayer_percentages, '{relayer,percentage}', ''),
  alter column operator_tags type json using shown_objects(operator_tags, '{name,path}', ''),
  add constraint operator_summaries_finite check (
    greatest(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration,
      apr_percentage) < 'infinity'
    and least(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration,
      apr_percentage) > '-infinity');

alter table operator_profiles
  alter column operator_tags type json using shown_objects(operator_tags, '{name,path}', '');

-- [{validatorVoteAccount, validatorName, percentage}]; the percentages are text, as decimals are.
alter table stake_authority_summaries
  alter column delegations type json
    using shown_objects(delegations, '{validatorVoteAccount,validatorName,percentage}', 'percentage'),
  add constraint stake_authority_summaries_finite check (
    greatest(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake,
      network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate,
      sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid,
      sum_commission_paid) < 'infinity'
    and least(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake,
      network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate,
      sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid,
      sum_commission_paid) > '-infinity');

drop function shown_objects;

alter table attestation_days add constraint attestation_days_finite
  check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity');
alter table attestation_hours add constraint attestation_hours_finite
  check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity');
alter table private_set_days add constraint private_set_days_finite
  check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity');

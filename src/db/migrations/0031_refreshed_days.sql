-- A member of the sync committee that has exited has days of sync duty alone. A private set whose validators have no other
-- duties on a day has 0 validators with attestation duties then.
alter table private_set_days drop constraint private_set_days_validator_count_check;
alter table private_set_days drop column avg_attester_effectiveness; -- and the constraint that it is finite
alter table private_set_days
  -- validators with attestation duties
  add constraint private_set_days_validator_count check (validator_count >= 0),
  add column avg_attester_effectiveness double precision not null
    generated always as (coalesce(sum_attester_effectiveness / nullif(validator_count, 0), 0)) stored,
  add constraint private_set_days_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity');

-- Rows that `stakegraph refresh` computed from days of validators: it may change and remove them.
alter table attestation_days add column computed boolean not null default false;
alter table chain_daily_rewards add column computed boolean not null default false;

-- A refresh writes the entities of single dates. Rows are stored in the order of their dates, which is all that BRIN needs.
create index attestation_days_date on attestation_days using brin (date);

-- Which days a refresh has yet to compute from: an import that changes days of validators sets these again.
alter table validator_day_dates
  add column attestations_due boolean not null default true,
  add column rewards_due boolean not null default true;

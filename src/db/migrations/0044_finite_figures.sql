-- Rows as text trust the database for doubles.
insert into compatible_migrations values ('0044_finite_figures', '0034_index_fills');

-- not valid, because stored rows have been computed with these columns since 0039 only
alter table attestation_days add constraint attestation_days_finite_figures check (
  sum_correctness between 0 and 1e15 and sum_inclusion_delays between 0 and 1e15 and sum_uptime between 0 and 1e15
  and sum_attester_effectiveness between 0 and 1e15 and sum_proposer_effectiveness between 0 and 1e15
  and sum_validator_effectiveness between 0 and 1e15
) not valid;

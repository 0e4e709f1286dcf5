-- Means of private sets are added up as whole numbers of 2^-56: sums of doubles differ in their last digits with the order
-- of adding. A power of two keeps all digits of a single validator's figure.
alter table private_set_days drop column avg_attester_effectiveness; -- and the constraint that it is finite
alter table private_set_days
  alter column sum_correctness type numeric using round((sum_correctness * 72057594037927936)::text::numeric),
  alter column sum_inclusion_delays type numeric using round((sum_inclusion_delays * 72057594037927936)::text::numeric),
  alter column sum_uptime type numeric using round((sum_uptime * 72057594037927936)::text::numeric),
  alter column sum_attester_effectiveness type numeric
    using round((sum_attester_effectiveness * 72057594037927936)::text::numeric),
  alter column sum_proposer_effectiveness type numeric
    using round((sum_proposer_effectiveness * 72057594037927936)::text::numeric),
  alter column sum_validator_effectiveness type numeric
    using round((sum_validator_effectiveness * 72057594037927936)::text::numeric);
alter table private_set_days
  add column avg_attester_effectiveness double precision not null generated always as (
    coalesce(sum_attester_effectiveness::double precision / 72057594037927936 / nullif(validator_count, 0), 0)
  ) stored,
  add constraint private_set_days_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity');

-- What operators proposed and earned on a day, and their means. Null in rows that were imported, and in those that
-- were computed before this migration.
alter table attestation_days
  -- validators with attestation duties at any time of the day
  add column active_count bigint,
  -- how many of these attested, and how many were to propose
  add column attested_count bigint,
  add column proposer_count bigint,
  add column proposed_count bigint,
  add column missed_proposal_count bigint,
  add column sum_attestation_rewards bigint,
  add column sum_sync_committee_rewards bigint,
  add column sum_proposer_rewards bigint,
  add column sum_priority_fees bigint,
  add column sum_baseline_mev bigint,
  -- sums over the validators, as in private_set_days
  add column sum_correctness double precision,
  add column sum_inclusion_delays double precision,
  add column sum_uptime double precision,
  add column sum_attester_effectiveness double precision,
  add column sum_proposer_effectiveness double precision,
  add column sum_validator_effectiveness double precision;

-- The next refresh computes them.
update validator_day_dates set attestations_due = true where not attestations_due;

-- Validators of the newest day by consensus client, where it is known; a refresh of operators writes them.
create table network_clients (
  network text collate "C" not null,
  client text collate "C" not null,
  validator_count integer not null check (validator_count > 0),
  primary key (network, client)
);

-- The queue of consolidations in the newest state that an index has processed.
create table pending_consolidations (
  network text collate "C" not null,
  -- 0 is processed first
  position integer not null check (position >= 0),
  source_index integer not null,
  target_index integer not null,
  -- that would move now: the balance of the source, at most its effective balance
  amount bigint not null check (amount >= 0),
  -- at whose end it is processed unless a source before it is slashed; null for a slashed source, which moves nothing
  expected_epoch integer,
  primary key (network, position)
);
create index pending_consolidations_source on pending_consolidations (network, source_index);
create index pending_consolidations_target on pending_consolidations (network, target_index);

insert into compatible_migrations values ('0039_figures_of_operators', '0034_index_fills');

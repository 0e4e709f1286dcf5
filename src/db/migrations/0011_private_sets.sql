-- Private sets: validators that an account groups under a tag, for figures of its own (spec §4.9, §8).
create table private_sets (
  set_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  network text collate "C" not null,
  name text not null,
  -- the name of the token that made it
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- the order of an account's list
create index private_sets_account on private_sets (account_id, network, created_at, set_id);

-- From when to when a validator belongs to a set. A removed one still counts in the past of its set: the first
-- membership reaches back to the beginning of the data, a later one to the date of its adding, and each ends before the
-- date of its removal (dates in UTC).
create table private_set_members (
  set_id uuid not null references private_sets on delete cascade,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  added_at timestamptz not null,
  removed_at timestamptz,
  counts_from date not null,
  counts_until date not null generated always as (coalesce((removed_at at time zone 'UTC')::date, 'infinity')) stored,
  primary key (set_id, validator_index, counts_from)
);
-- the members of today, in the order of their list
create unique index private_set_members_now on private_set_members (set_id, validator_index) where removed_at is null;

-- Answers of writing requests that carried an Idempotency-Key, to be given again.
create table idempotency_keys (
  account_id uuid not null references accounts on delete cascade,
  key text collate "C" not null,
  -- SHA-256 of what was asked
  request bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- What a validator did on a day, in the chain and in the UTC calendar: the facts that figures of any group of validators
-- are summed up from. A day without attestation duties has no row. Amounts in Gwei. Small integers hold the counts of a
-- day, since there are a million rows a day.
create table validator_days (
  network text collate "C" not null,
  validator_index integer not null,
  -- true: the UTC calendar, false: the chain calendar
  utc boolean not null,
  day integer not null,
  date date not null,
  -- the first and last epoch with data
  start_epoch integer not null,
  end_epoch integer not null,
  -- null without sync duty
  sum_missed_sync_signatures integer,
  sum_sync_signature_count integer,
  total_unique_attestations smallint not null,
  sum_missed_attestations smallint not null,
  sum_correct_head smallint not null,
  sum_correct_target smallint not null,
  sum_correct_source smallint not null,
  sum_wrong_head_votes smallint not null,
  sum_wrong_target_votes smallint not null,
  sum_late_target_votes smallint not null,
  sum_late_source_votes smallint not null,
  sum_inclusion_delay smallint not null,
  proposed_count smallint not null,
  missed_proposal_count smallint not null,
  end_epoch_balance bigint not null,
  end_epoch_effective_balance bigint not null,
  -- consensus layer; negative where penalties outweigh
  sum_attestation_rewards bigint not null,
  sum_sync_committee_rewards bigint not null,
  sum_proposer_rewards bigint not null,
  -- execution layer
  sum_priority_fees bigint not null,
  sum_baseline_mev bigint not null,
  primary key (network, utc, validator_index, date)
) partition by range (date);

-- The days of a private set, summed up from those of its validators: reading 15,000 validators over two years at each
-- question takes ten seconds and more, and these rows a few milliseconds. Kept true by every change of the members and by
-- every import of validator_days.
create table private_set_days (
  set_id uuid not null references private_sets on delete cascade,
  utc boolean not null,
  day integer not null,
  date date not null,
  start_epoch integer not null,
  end_epoch integer not null,
  validator_count integer not null check (validator_count > 0),
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  sum_missed_sync_signatures bigint,
  sum_sync_signature_count bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  sum_inclusion_delay bigint not null,
  proposed_count bigint not null,
  missed_proposal_count bigint not null,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  sum_attestation_rewards bigint not null,
  sum_sync_committee_rewards bigint not null,
  sum_proposer_rewards bigint not null,
  sum_priority_fees bigint not null,
  sum_baseline_mev bigint not null,
  -- how many validators attested, and how many were to propose
  attested_count integer not null,
  proposer_count integer not null,
  -- sums over the validators, to be divided by how many have the figure; null where none has
  sum_correctness double precision,
  sum_inclusion_delays double precision,
  sum_uptime double precision not null,
  sum_attester_effectiveness double precision not null,
  sum_proposer_effectiveness double precision,
  sum_validator_effectiveness double precision not null,
  -- as in attestation_days
  avg_attester_effectiveness double precision not null
    generated always as (sum_attester_effectiveness / validator_count) stored,
  primary key (set_id, utc, day)
);
create index private_set_days_date on private_set_days (set_id, date);

-- Which days are stored: what the last 1, 7 or 30 days of a window are.
create table validator_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  primary key (network, utc, day)
);

-- Makes the parts that dates need, a year each.
create function validator_day_parts(dates date[]) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('year', d::timestamp)::date from unnest(dates) d loop
    perform attestation_part('validator_days', start, (start + interval '1 year')::date);
  end loop;
end $$;

-- Months of validator_days that `stakegraph retain --archive` moved into Parquet files. A row and the drop of the month are
-- committed together, so each month is either here or in validator_days.
create table archived_months (
  network text collate "C" not null,
  month date not null check (month = date_trunc('month', month::timestamp)::date),
  folder text not null,
  file text collate "C" not null unique,
  schema_version integer not null,
  rows bigint not null,
  bytes bigint not null,
  -- of the file, and of its rows as COPY writes them in the format csv
  sha256 bytea not null,
  rows_sha256 bytea not null,
  -- where the file has which validators, with checksums
  row_groups json not null,
  archived_at timestamptz not null default now(),
  primary key (network, month)
);

-- The days in archived months, as validator_day_dates has those of validator_days.
create table archived_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  primary key (network, utc, day)
);

-- A row of archived days, without the network, as gateways pass it to statements.
create type archived_day as (
  validator_index integer,
  utc boolean,
  day integer,
  date date,
  start_epoch integer,
  end_epoch integer,
  sum_missed_sync_signatures integer,
  sum_sync_signature_count integer,
  total_unique_attestations smallint,
  sum_missed_attestations smallint,
  sum_correct_head smallint,
  sum_correct_target smallint,
  sum_correct_source smallint,
  sum_wrong_head_votes smallint,
  sum_wrong_target_votes smallint,
  sum_late_target_votes smallint,
  sum_late_source_votes smallint,
  sum_inclusion_delay smallint,
  proposed_count smallint,
  missed_proposal_count smallint,
  end_epoch_balance bigint,
  end_epoch_effective_balance bigint,
  sum_attestation_rewards bigint,
  sum_sync_committee_rewards bigint,
  sum_proposer_rewards bigint,
  sum_priority_fees bigint,
  sum_baseline_mev bigint,
  effective_balance_epochs bigint,
  start_effective_balance bigint,
  empty_payload_count smallint
);

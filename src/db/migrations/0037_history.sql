-- What was published of operators, stake authorities and Solana by day, how far figures changed since, and when they end.
insert into compatible_migrations values ('0037_history', '0032_consolidation_totals');

-- A number for each summary that has history, because its key takes more room than its figures.
create table operator_series (
  series integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  unique (network, operator_id, id_type, time_window)
);

-- The days on which any of a list has history.
create table operator_history_days (
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  date date not null,
  primary key (network, id_type, time_window, date)
);

-- A day is written at once, so it comes first: each day appends to table and index. No foreign key, which would be checked
-- for each row.
create table operator_history (
  date date not null,
  series integer not null,
  avg_validator_effectiveness double precision not null,
  apr_percentage double precision,
  network_penetration double precision,
  validator_count integer not null,
  as_of_epoch integer,
  primary key (date, series)
);

create table stake_authority_series (
  series integer generated always as identity primary key,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  unique (stake_authority, time_window)
);

create table stake_authority_history_days (
  time_window text collate "C" not null,
  date date not null,
  primary key (time_window, date)
);

create table stake_authority_history (
  date date not null,
  series integer not null,
  as_of_epoch integer,
  as_of_time timestamptz,
  aggregate_validator_effectiveness numeric not null,
  delegator_apy numeric not null,
  network_penetration numeric not null,
  delegated_stake numeric not null,
  primary key (date, series)
);

-- `as_of_…`: where the figures end; null where the source does not tell. `…_change_7d`: what a figure has changed by since
-- `change_since_7d`, null without history.
alter table operator_summaries
  add column as_of_epoch integer,
  add column change_since_1d date,
  add column change_since_7d date,
  add column change_since_30d date,
  add column validator_count_change_1d integer,
  add column validator_count_change_7d integer,
  add column validator_count_change_30d integer,
  add column avg_validator_effectiveness_change_1d double precision,
  add column avg_validator_effectiveness_change_7d double precision,
  add column avg_validator_effectiveness_change_30d double precision,
  add column apr_percentage_change_1d double precision,
  add column apr_percentage_change_7d double precision,
  add column apr_percentage_change_30d double precision,
  add column network_penetration_change_1d double precision,
  add column network_penetration_change_7d double precision,
  add column network_penetration_change_30d double precision,
  add constraint operator_summaries_changes_finite check (
    greatest(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d,
      avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d,
      apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d) < 'infinity'
    and least(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d,
      avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d,
      apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d) > '-infinity');

alter table stake_authority_summaries
  add column as_of_epoch integer,
  add column as_of_time timestamptz,
  add column change_since_1d date,
  add column change_since_7d date,
  add column change_since_30d date,
  add column aggregate_validator_effectiveness_change_1d numeric,
  add column aggregate_validator_effectiveness_change_7d numeric,
  add column aggregate_validator_effectiveness_change_30d numeric,
  add column delegator_apy_change_1d numeric,
  add column delegator_apy_change_7d numeric,
  add column delegator_apy_change_30d numeric,
  add column network_penetration_change_1d numeric,
  add column network_penetration_change_7d numeric,
  add column network_penetration_change_30d numeric,
  add column delegated_stake_change_1d numeric,
  add column delegated_stake_change_7d numeric,
  add column delegated_stake_change_30d numeric,
  add constraint stake_authority_summaries_changes_finite check (
    greatest(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d,
      aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d,
      delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d,
      delegated_stake_change_30d) < 'infinity'
    and least(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d,
      aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d,
      delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d,
      delegated_stake_change_30d) > '-infinity');

alter table solana_overviews
  add column as_of_epoch integer,
  add column as_of_time timestamptz;

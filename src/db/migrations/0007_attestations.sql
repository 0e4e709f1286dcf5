-- Attestation duties of entities (spec §2.3) by hours and by days, in the chain and in the UTC calendar. Weeks and
-- longer are gathered from days when asked. Balances in Gwei. Parts by time, so that old ones can be dropped or moved.
create table attestation_entities (
  entity_key integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  entity_id text collate "C" not null,
  unique (network, entity_id, id_type)
);

create table attestation_days (
  -- of attestation_entities; no foreign key, which would be checked for every one of millions of loaded rows
  entity_key integer not null,
  -- true: the UTC calendar, false: the chain calendar
  utc boolean not null,
  day integer not null,
  date date not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  -- null without sync duty
  sum_missed_sync_signatures bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  avg_attester_effectiveness double precision not null,
  sum_inclusion_delay bigint not null,
  sum_sync_signature_count bigint,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  -- the first and last epoch with data
  start_epoch integer not null,
  end_epoch integer not null,
  primary key (entity_key, utc, day, date)
) partition by range (date);

create table attestation_hours (
  like attestation_days including defaults including constraints including comments,
  hour integer not null,
  primary key (entity_key, utc, hour, date)
) partition by range (date);

-- Makes the parts that dates need: a year of days, a month of hours. ATTACH, unlike CREATE ... PARTITION OF, does not
-- make readers wait for the transaction that loads the rows.
create function attestation_part(parent text, first date, upto date) returns void language plpgsql as $$
declare
  part text := parent || '_' || to_char(first, case parent when 'attestation_hours' then 'YYYY_MM' else 'YYYY' end);
begin
  if not exists (select from pg_inherits where inhrelid = to_regclass(part) and inhparent = to_regclass(parent)) then
    if to_regclass(part) is not null then
      raise exception 'part % was detached and is still there; attach it again, or rename or drop it', part;
    end if;
    execute format('create table %I (like %I including all)', part, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, first, upto);
  end if;
end $$;

create function attestation_parts(dates date[], hours boolean) returns void language plpgsql as $$
declare
  step interval := case when hours then interval '1 month' else interval '1 year' end;
  start date;
begin
  for start in
    select distinct date_trunc(case when hours then 'month' else 'year' end, d::timestamp)::date from unnest(dates) d
  loop
    perform attestation_part(
      case when hours then 'attestation_hours' else 'attestation_days' end, start, (start + step)::date);
  end loop;
end $$;

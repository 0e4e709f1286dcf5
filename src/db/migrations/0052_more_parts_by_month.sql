-- Attestations by day and history of operators by month: with 300,000 deposit addresses they grow by some 80 and 30 GB a
-- year. Stored rows are copied, which needs disk space for a second copy. Imports and refreshes wait meanwhile, readers
-- only at the end.

-- The lock keeps two transactions from making the same part.
create or replace function attestation_part(parent text, first date, upto date) returns void language plpgsql as $$
declare
  part text := parent || '_' || to_char(first, case when upto > first + 31 then 'YYYY' else 'YYYY_MM' end);
begin
  for attempt in 1..2 loop
    if exists (select from pg_inherits where inhrelid = to_regclass(part) and inhparent = to_regclass(parent)) then
      return;
    end if;
    perform pg_advisory_xact_lock(hashtext('stakegraph parts ' || parent));
  end loop;
  if to_regclass(part) is not null then
    raise exception 'part % was detached and is still there; attach it again, or rename or drop it', part;
  end if;
  execute format('create table %I (like %I including all)', part, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, first, upto);
end $$;

create or replace function attestation_parts(dates date[], hours boolean) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('month', d::timestamp)::date from unnest(dates) d order by 1 loop
    perform attestation_part(
      case when hours then 'attestation_hours' else 'attestation_days' end, start, (start + interval '1 month')::date);
  end loop;
end $$;

create function operator_history_parts(dates date[]) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('month', d::timestamp)::date from unnest(dates) d order by 1 loop
    perform attestation_part('operator_history', start, (start + interval '1 month')::date);
  end loop;
end $$;

do $$
declare
  years regclass[] := array(select inhrelid::regclass from pg_inherits where inhparent = 'attestation_days'::regclass);
  year regclass;
  month record;
begin
  lock table attestation_days, operator_history in share mode;
  set local maintenance_work_mem = '256MB';

  create temp table months_of_days on commit drop as
    select 'attestation_days_' || to_char(first, 'YYYY_MM') as part, first, (first + interval '1 month')::date as upto
    from (select distinct date_trunc('month', date::timestamp)::date as first from attestation_days) m;
  for month in select * from months_of_days order by first loop
    execute format('create table %I (like attestation_days including all excluding indexes)', month.part);
    execute format('insert into %I select * from attestation_days where date >= %L and date < %L',
      month.part, month.first, month.upto);
    execute format('alter table %I add primary key (entity_key, utc, date, day)', month.part);
    execute format('create index on %I using brin (date)', month.part);
    -- spares reading all of it again when it is attached
    execute format('alter table %I add constraint by_month check (date >= %L and date < %L)', month.part, month.first, month.upto);
    execute format('analyze %I', month.part);
  end loop;

  create table operator_history_parted (like operator_history including all) partition by range (date);
  for month in
    with recursive d as (
      (select date from operator_history order by date limit 1)
      union all
      select n.date from d cross join lateral (
        select h.date from operator_history h where h.date > d.date order by h.date limit 1
      ) n
    )
    select 'operator_history_' || to_char(first, 'YYYY_MM') as part, first, (first + interval '1 month')::date as upto
    from (select distinct date_trunc('month', date::timestamp)::date as first from d) m order by first
  loop
    execute format('create table %I partition of operator_history_parted for values from (%L) to (%L)',
      month.part, month.first, month.upto);
    execute format('insert into %I select * from operator_history where date >= %L and date < %L order by date, series',
      month.part, month.first, month.upto);
    execute format('analyze %I', month.part);
  end loop;

  foreach year in array years loop
    execute format('alter table attestation_days detach partition %s', year);
    execute format('drop table %s', year);
  end loop;
  for month in select * from months_of_days order by first loop
    execute format('alter table attestation_days attach partition %I for values from (%L) to (%L)',
      month.part, month.first, month.upto);
    execute format('alter table %I drop constraint by_month', month.part);
  end loop;
  drop table operator_history;
  alter table operator_history_parted rename to operator_history;
  alter index operator_history_parted_pkey rename to operator_history_pkey;
end $$;

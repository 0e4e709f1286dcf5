-- Days of validators by month: a million validators make 60 million rows a month, and an import that met a year of them
-- read and wrote to all of its index. The days that are stored are copied: about a minute for 10 million rows, and room
-- for them twice meanwhile. Imports of days wait; readers only at the end, while the parts change places.

-- Makes a part of a table by the date: of a month, or of a year.
create or replace function attestation_part(parent text, first date, upto date) returns void language plpgsql as $$
declare
  part text := parent || '_' || to_char(first, case when upto > first + 31 then 'YYYY' else 'YYYY_MM' end);
begin
  if not exists (select from pg_inherits where inhrelid = to_regclass(part) and inhparent = to_regclass(parent)) then
    if to_regclass(part) is not null then
      raise exception 'part % was detached and is still there; attach it again, or rename or drop it', part;
    end if;
    execute format('create table %I (like %I including all)', part, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, first, upto);
  end if;
end $$;

-- Makes the parts that dates need, a month each.
create or replace function validator_day_parts(dates date[]) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('month', d::timestamp)::date from unnest(dates) d loop
    perform attestation_part('validator_days', start, (start + interval '1 month')::date);
  end loop;
end $$;

do $$
declare
  years regclass[] := array(select inhrelid::regclass from pg_inherits where inhparent = 'validator_days'::regclass);
  year regclass;
  month record;
  filled boolean;
begin
  lock table validator_days in share mode;
  set local maintenance_work_mem = '256MB';
  -- Indexed when they are filled: a row at a time takes twice as long.
  create table validator_days_by_month (like validator_days) partition by range (date);
  create temp table months on commit drop as
    select 'validator_days_' || to_char(start, 'YYYY_MM') as part, start::date as first, (start + interval '1 month')::date as upto
    from pg_class c,
      lateral regexp_matches(pg_get_expr(c.relpartbound, c.oid), '''([\d-]+)''.*''([\d-]+)''') as bounds,
      lateral generate_series(bounds[1]::timestamp, bounds[2]::timestamp - interval '1 day', interval '1 month') as start
    where c.oid = any(years);
  for month in select * from months loop
    execute format('create table %I (like validator_days including all excluding indexes)', month.part);
    -- spares reading all of it again when it is attached to validator_days
    execute format('alter table %I add constraint by_month check (date >= %L and date < %L)', month.part, month.first, month.upto);
    execute format('alter table validator_days_by_month attach partition %I for values from (%L) to (%L)',
      month.part, month.first, month.upto);
  end loop;
  foreach year in array years loop
    execute format('insert into validator_days_by_month select * from %s', year);
  end loop;
  for month in select * from months loop
    execute format('alter table validator_days_by_month detach partition %I', month.part);
    execute format('select exists (select from %I)', month.part) into filled;
    if not filled then
      execute format('drop table %I', month.part);
      delete from months where part = month.part;
      continue;
    end if;
    execute format('alter table %I add primary key (network, utc, validator_index, date)', month.part);
    execute format('create index on %I using brin (date) with (autosummarize = on)', month.part);
    execute format('analyze %I', month.part);
  end loop;
  drop table validator_days_by_month;

  foreach year in array years loop
    execute format('alter table validator_days detach partition %s', year);
    execute format('drop table %s', year);
  end loop;
  for month in select * from months loop
    execute format('alter table validator_days attach partition %I for values from (%L) to (%L)',
      month.part, month.first, month.upto);
    execute format('alter table %I drop constraint by_month', month.part);
  end loop;
end $$;

-- Days come in their order: one of them is found by this in a hundredth of its month.
create index validator_days_date on validator_days using brin (date) with (autosummarize = on);

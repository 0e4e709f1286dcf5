-- History of stake authorities by month, as that of operators: with 500,000 authorities it grows by some 70 GB a year.
-- Stored rows are copied, which needs disk space for a second copy. Imports and refreshes wait meanwhile, readers only at
-- the end. Older versions do not make parts, so this one and the next two months have theirs.
insert into compatible_migrations values ('0061_stake_authority_history_by_month', '0034_index_fills');

create function stake_authority_history_parts(dates date[]) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('month', d::timestamp)::date from unnest(dates) d order by 1 loop
    perform attestation_part('stake_authority_history', start, (start + interval '1 month')::date);
  end loop;
end $$;

do $$
declare
  dates date[];
  part record;
begin
  lock table stake_authority_history in share mode;
  set local maintenance_work_mem = '256MB';
  -- reads a row of each day
  with recursive d as (
    (select date from stake_authority_history order by date limit 1)
    union all
    select n.date from d cross join lateral (
      select h.date from stake_authority_history h where h.date > d.date order by h.date limit 1
    ) n
  )
  select array_agg(distinct date_trunc('month', date::timestamp)::date) into dates from (
    select date from d union all select (now() + n * interval '1 month')::date from generate_series(0, 2) n
  ) months;

  create table stake_authority_history_parted (like stake_authority_history including all) partition by range (date);
  for part in
    select 'stake_authority_history_' || to_char(first, 'YYYY_MM') as name, first, (first + interval '1 month')::date as upto
    from unnest(dates) first order by first
  loop
    execute format('create table %I partition of stake_authority_history_parted for values from (%L) to (%L)',
      part.name, part.first, part.upto);
    execute format(
      'insert into %I select * from stake_authority_history where date >= %L and date < %L order by date, series',
      part.name, part.first, part.upto);
    execute format('analyze %I', part.name);
  end loop;
  drop table stake_authority_history;
  alter table stake_authority_history_parted rename to stake_authority_history;
  alter index stake_authority_history_parted_pkey rename to stake_authority_history_pkey;
end $$;

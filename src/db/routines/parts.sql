-- Gives a new part of a table the privileges of the table: a role that may read the table could otherwise not back it up.
create or replace function grant_as(part text, parent text) returns void language plpgsql as $$
declare
  given record;
begin
  for given in
    select a.privilege_type, a.is_grantable,
      case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee
    from pg_class c cross join lateral aclexplode(c.relacl) a
    where c.oid = to_regclass(parent) and a.grantee <> c.relowner
  loop
    execute format('grant %s on %I to %s%s', given.privilege_type, part, given.grantee,
      case when given.is_grantable then ' with grant option' else '' end);
  end loop;
end $$;

-- Makes a part of a table by the date, of a month or of a year. The lock keeps two transactions from making the same part.
-- ATTACH, unlike CREATE ... PARTITION OF, does not make readers wait for the transaction that loads the rows.
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
  perform grant_as(part, parent);
end $$;

-- Makes the parts of a table that dates need, a month each.
create or replace function month_parts(parent text, dates date[]) returns void language plpgsql as $$
declare
  start date;
begin
  for start in select distinct date_trunc('month', d::timestamp)::date from unnest(dates) d order by 1 loop
    perform attestation_part(parent, start, (start + interval '1 month')::date);
  end loop;
end $$;

create or replace function attestation_parts(dates date[], hours boolean) returns void language sql as $$
  select month_parts(case when hours then 'attestation_hours' else 'attestation_days' end, dates);
$$;
create or replace function validator_day_parts(dates date[]) returns void language sql as $$
  select month_parts('validator_days', dates);
$$;
create or replace function operator_history_parts(dates date[]) returns void language sql as $$
  select month_parts('operator_history', dates);
$$;
create or replace function stake_authority_history_parts(dates date[]) returns void language sql as $$
  select month_parts('stake_authority_history', dates);
$$;

-- Makes the parts that epochs need, 15 each.
create or replace function solana_epoch_parts(epochs integer[]) returns void language plpgsql as $$
declare
  parent constant text := 'solana_stake_authority_epochs';
  start integer;
  part text;
begin
  for start in select distinct epoch - epoch % 15 from unnest(epochs) as epoch order by 1 loop
    part := parent || '_' || start;
    for attempt in 1..2 loop
      exit when exists (select from pg_inherits where inhrelid = to_regclass(part) and inhparent = to_regclass(parent));
      if attempt = 1 then
        perform pg_advisory_xact_lock(hashtext('stakegraph parts ' || parent));
      else
        if to_regclass(part) is not null then
          raise exception 'part % was detached and is still there; attach it again, or rename or drop it', part;
        end if;
        execute format('create table %I (like %I including all)', part, parent);
        execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, start, start + 15);
        perform grant_as(part, parent);
      end if;
    end loop;
  end loop;
end $$;

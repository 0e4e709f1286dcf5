-- A new part of a table gets the privileges of the table. A role that may read the table could otherwise not back it up.
insert into compatible_migrations values ('0066_part_privileges', '0034_index_fills');

create function grant_as(part text, parent text) returns void language plpgsql as $$
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

-- As in 0052, with privileges.
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

-- As in 0062, with privileges.
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

select grant_as(part.relname, parent.relname)
from pg_inherits i
join pg_class part on part.oid = inhrelid and part.relkind = 'r'
join pg_class parent on parent.oid = inhparent
where parent.relnamespace = quote_ident(current_schema())::regnamespace;

-- As in 0040. An owner of the tables who is no superuser may call it again.
create or replace function find_similar_names() returns boolean language plpgsql as $$
declare
  trgm text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    null; -- names are then found by their beginning
  end;
  select n.nspname into trgm
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
  if trgm is null then return false; end if;
  execute format('create index if not exists search_names_similar on search_names
    using gin (form %I.gin_trgm_ops) where place = 0', trgm);
  execute format('select %I.show_limit()', trgm); -- loads the library, whose settings the function names
  execute format($f$
    create or replace function similar_names(kinds text[], networks text[], given text, most integer)
    returns table (kind text, network text, id_type text, id text, name text, size smallint, tagged_id text, likeness real)
    language sql stable set %1$I.word_similarity_threshold = 0.3 as $q$
      select n.kind, n.network, n.id_type, n.id, n.name, n.size, n.tagged_id, n.likeness
      from (
        select n.*,
          ((%2$I.word_similarity(search_form(given), n.form) + %2$I.similarity(search_form(given), n.form)) / 2)::real as likeness
        from search_names n
        where n.place = 0 and search_form(given) operator(%2$I.<%%) n.form
          and (n.kind, n.network) in (select * from unnest(kinds, networks))
        limit 1000
      ) n
      order by n.likeness desc, n.size desc, n.name, n.id_type, n.id
      limit most
    $q$ $f$, 'pg_trgm', trgm);
  return true;
end
$$;

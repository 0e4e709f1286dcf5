-- Names are compared in lower case. Some collations do not know the case of every letter; that of ICU does.
do $$
declare
  folding text := coalesce((
    select format(' collate %I.%I', n.nspname, c.collname)
    from pg_collation c join pg_namespace n on n.oid = c.collnamespace
    where c.collname = 'und-x-icu' and c.collencoding in (-1, pg_char_to_encoding(getdatabaseencoding()))
    limit 1
  ), '');
begin
  execute format(
    'create or replace function search_form(name text) returns text language sql immutable parallel safe '
    'as $f$ select lower(name%s) collate "C" $f$', folding);
end
$$;

-- The whole name (place 0), and what follows from the start of each further word, up to the eighth.
create or replace function search_words(name text) returns table (place smallint, form text)
language sql immutable parallel safe as $$
  with n as (select search_form(name) as form, '(^|[[:space:][:punct:]])[^[:space:][:punct:]]'::text as word)
  select 0::smallint, n.form from n
  union all
  select w::smallint, substr(n.form, s.at)
  from n
  cross join generate_series(1, least(regexp_count(n.form, n.word), 8)) w
  cross join lateral (select regexp_instr(n.form, n.word, 1, w, 1) - 1 as at) s
  where s.at > 1
$$;

create or replace function search_size(amount float8) returns smallint language sql immutable parallel safe as $$
  select (ln(amount + 1) / ln(2))::smallint
$$;

-- `made` selects names (columns of search_names without place and form); those for which `gone` is true and which are not
-- among them are removed.
create or replace function store_search_names(made text, gone text) returns void language plpgsql as $$
begin
  execute format('
    with made as materialized (
      select distinct on (kind, network, id_type, id, name) *
      from (%s) as m (kind, network, id_type, id, name, size, tagged_id)
      order by kind, network, id_type, id, name, size desc, tagged_id
    ), removed as (
      delete from search_names n
      where not exists (
        select from made m
        where (m.kind, m.network, m.id_type, m.id, m.name) = (n.kind, n.network, n.id_type, n.id, n.name)
      ) and %s
    ), updated as (
      update search_names n set (size, tagged_id) = (m.size, m.tagged_id) from made m
      where (m.kind, m.network, m.id_type, m.id, m.name) = (n.kind, n.network, n.id_type, n.id, n.name)
        and (n.size, n.tagged_id) is distinct from (m.size, m.tagged_id)
    )
    insert into search_names as n (kind, network, id_type, id, name, place, form, size, tagged_id)
    select m.kind, m.network, m.id_type, m.id, m.name, w.place, w.form, m.size, m.tagged_id
    from made m
    left join search_names n on n.place = 0
      and (m.kind, m.network, m.id_type, m.id, m.name) = (n.kind, n.network, n.id_type, n.id, n.name)
    cross join lateral search_words(m.name) w
    where n.place is null', made, gone);
end
$$;

-- Takes the names of operators from a table that has the columns of operator_summaries, and removes those that these
-- classes no longer have. Validators have no names.
create or replace function store_operator_names(source text, networks text[], id_types text[]) returns void language plpgsql as $$
declare
  listed text := format('(n.network, n.id_type) in (select * from unnest(%L::text[], %L::text[]))', networks, id_types);
begin
  perform store_search_names(format('
    select ''operator'', s.network, s.id_type, s.operator_id, n.name, search_size(s.validator_count), null
    from %1$s s
    cross join lateral (
      select s.operator_id as name where s.id_type not in (''depositAddress'', ''withdrawalAddress'')
      union all select s.display_name where s.display_name <> ''''
    ) n
    where s.id_type <> ''validator''
      and (s.display_name <> '''' or s.id_type not in (''depositAddress'', ''withdrawalAddress''))', source), format('
    n.kind = ''operator'' and %s and not exists (
      select from operator_summaries s
      where not s.superseded and (s.network, s.operator_id, s.id_type) = (n.network, n.id, n.id_type)
        and n.name in (s.operator_id, s.display_name)
    )', listed));
  perform store_search_names(format('
    select ''tag'', s.network, s.id_type, t.name, t.name, search_size(s.validator_count), s.operator_id
    from %1$s s
    cross join lateral (
      -- those with a class name another operator
      select tag ->> ''name'' as name from jsonb_array_elements(s.operator_tags::jsonb) tag where tag ->> ''idType'' is null
    ) t
    where s.id_type <> ''validator'' and s.operator_tags::text <> ''[]'' and t.name <> ''''
    union all
    -- stored tags, whose operator may be in the source no more
    select n.kind, n.network, n.id_type, n.id, n.name, search_size(o.validator_count), o.operator_id
    from search_names n
    cross join lateral (
      (select s.operator_id, s.validator_count from operator_summaries s
        where not s.superseded and (s.network, s.operator_id, s.id_type) = (n.network, n.tagged_id, n.id_type)
          and s.operator_tags::jsonb @> jsonb_build_array(jsonb_build_object(''name'', n.name, ''idType'', null))
        limit 1)
      union all
      (select s.operator_id, s.validator_count from operator_summaries s
        where not s.superseded and (s.network, s.id_type) = (n.network, n.id_type)
          and s.operator_tags::jsonb @> jsonb_build_array(jsonb_build_object(''name'', n.name, ''idType'', null))
        order by s.validator_count desc limit 1)
      limit 1
    ) o
    where n.kind = ''tag'' and n.place = 0 and %2$s', source, listed), format('n.kind = ''tag'' and %s', listed));
end
$$;

-- The same for stake authorities, of which only pools have names.
create or replace function store_authority_names(source text) returns void language plpgsql as $$
begin
  perform store_search_names(format('
    select ''stakeAuthority'', ''solana'', '''', s.stake_authority, s.pool_name, search_size(s.delegated_stake::float8), null
    from %s s where s.pool_name is not null', source), '
    n.kind = ''stakeAuthority'' and not exists (
      select from stake_authority_summaries s
      where not s.superseded and s.stake_authority = n.id and s.pool_name = n.name
    )');
end
$$;

-- Names similar to a text; none until find_similar_names has replaced it.
create or replace function similar_names(kinds text[], networks text[], given text, most integer)
returns table (kind text, network text, id_type text, id text, name text, size smallint, tagged_id text, likeness real)
language sql stable as $$
  select null, null, null, null, null, null::smallint, null, null::real where false
$$;

-- Makes similar_names find something. False if the database has no pg_trgm and the role may not install it. An owner of
-- the tables who is no superuser may call it again when it has.
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

select find_similar_names();

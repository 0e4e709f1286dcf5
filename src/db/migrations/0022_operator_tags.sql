-- Tags of operators have a third key, `idType`. A pool share belongs to the node operator in the path of its tag, `/o/<id>`,
-- where the name of that tag, a label, was stored before. Pools that are known by name for liquid staking are so.

-- A path's id as it is percent-decoded; as it stands where that is no percent-encoding of UTF-8.
create function percent_decoded(path_id text) returns text language plpgsql immutable as $$
begin
  if path_id ~ '%(?![0-9A-Fa-f]{2})' then return path_id; end if;
  return (
    select convert_from(string_agg(
      case when part[1] ~ '^%' then decode(substr(part[1], 2), 'hex') else convert_to(part[1], 'UTF8') end, ''::bytea
      order by place), 'UTF8')
    from regexp_matches(path_id, '%..|[^%]+', 'g') with ordinality as p (part, place)
  );
exception when character_not_in_repertoire or untranslatable_character then
  return path_id;
end
$$;

-- Each tag, with what it must have led to. Its class is sure of a pool share alone, whose pool and node operator are stored:
-- the pool by the name of its tag, the node operator by that name too (or outright, by the id in the path).
create function classed_tags(tags json, id_type text, pool text, node_operator text)
returns table (place bigint, name json, path json, class text, path_id text) language sql immutable as $$
  select t.place, t.tag -> 'name', t.tag -> 'path',
    case
      when id_type <> 'poolShare' or o.id is null then null
      when n.name = pool and n.name is distinct from node_operator then 'pool'
      when node_operator in (n.name, o.id) and n.name is distinct from pool then 'nodeOperator'
    end, o.id
  from json_array_elements(tags) with ordinality as t (tag, place)
  cross join lateral (select t.tag ->> 'name', t.tag ->> 'path') as n (name, path)
  cross join lateral (
    select case when n.path like '/o/_%' then
      case when n.path like '%\%%' then percent_decoded(substr(n.path, 4)) else substr(n.path, 4) end end
  ) as o (id)
$$;

-- With the keys in the order in which they are shown.
create function shown_tags(tags json, id_type text, pool text, node_operator text) returns json
language sql immutable as $$
  select coalesce('[' || string_agg(
    format('{"name":%s,"path":%s,"idType":%s}', name, coalesce(path::text, 'null'), coalesce(to_json(class)::text, 'null')),
    ',' order by place) || ']', '[]')::json
  from classed_tags(tags, id_type, pool, node_operator)
$$;

-- The node operator of a share; addresses are in lower case.
create function operator_of_tags(tags json, pool text, node_operator text) returns text language sql immutable as $$
  select coalesce((
    select case when path_id ~* '^(0|\\+)x([0-9a-f]{40}|[0-9a-f]{96})$'
      then regexp_replace(lower(path_id), '^\\+x', '0x') else path_id end
    from classed_tags(tags, 'poolShare', pool, node_operator)
    where class = 'nodeOperator' and name #>> '{}' = node_operator and length(path_id) <= 256
    order by place limit 1
  ), node_operator)
$$;

create function known_liquid_staking(pool text) returns boolean language sql immutable as $$
  select regexp_replace(lower(pool), '[ ._-]+', '', 'g') = any ('{
    ankr,stakefi,bedrock,bifrost,claystack,cream,creamfinance,dinero,dineropirex,pirex,
    diva,divastaking,etherfi,frax,fraxether,fraxfinance,geode,geodefi,hord,hordfi,
    kelp,kelpdao,lido,lidocsm,lidosimpledvt,liquidcollective,mantle,mantlelsp,mantlemeth,
    metapool,nodedao,originether,originprotocol,pstake,puffer,pufferfinance,renzo,
    rocketpool,sharedstake,stader,staderpermissioned,staderpermissionless,stafi,stakehouse,
    stakehound,staketogether,stakewise,swell,swellnetwork,tranchess}'::text[])
$$;

create temporary table changed_operators (network text, id_type text, time_window text) on commit drop;

with own as (
  select summary_id,
    case when operator_tags::text = '[]' then operator_tags
      else shown_tags(operator_tags, id_type, pool_id, node_operator_id) end as operator_tags,
    case when id_type = 'poolShare' and node_operator_id is not null and operator_tags::text <> '[]'
      then operator_of_tags(operator_tags, pool_id, node_operator_id) else node_operator_id end as node_operator_id,
    case
      when id_type = 'poolShare' then case when known_liquid_staking(pool_id) then 'lst' end
      when id_type = 'pool' and pool_type is null and known_liquid_staking(operator_id) then 'lst'
      else pool_type
    end as pool_type
  from operator_summaries
  where operator_tags::text <> '[]' or id_type in ('pool', 'poolShare')
), changed as (
  update operator_summaries s
  set operator_tags = own.operator_tags, node_operator_id = own.node_operator_id, pool_type = own.pool_type
  from own
  where s.summary_id = own.summary_id
    and (s.operator_tags::text, s.node_operator_id, s.pool_type)
      is distinct from (own.operator_tags::text, own.node_operator_id, own.pool_type)
  returning s.network, s.id_type, s.time_window
)
insert into changed_operators select distinct network, id_type, time_window from changed;

-- Profiles tell the type of a pool where they have one; `none` says that it is neither, whatever its tags and its name say.
alter table operator_profiles drop constraint operator_profiles_pool_type_check;
alter table operator_profiles add constraint operator_profiles_pool_type_check check (pool_type in ('cex', 'lst', 'none'));

-- A share whose profile another has already, under its true node operator, stays under the label.
with own as (
  select network, id_type, operator_id, pool_id, shown_tags(operator_tags, id_type, pool_id, node_operator_id) as tags,
    case when id_type = 'poolShare' then operator_of_tags(operator_tags, pool_id, node_operator_id) end as node_operator
  from operator_profiles where operator_tags::text <> '[]'
), numbered as (
  select *, row_number() over (partition by network, id_type, pool_id, node_operator order by operator_id) as place
  from own
)
update operator_profiles p set operator_tags = n.tags,
  node_operator_id = case when n.place = 1 and not exists (
    select from operator_profiles o where o.id_type = 'poolShare' and p.id_type = 'poolShare'
      and (o.network, o.pool_id, o.node_operator_id) = (n.network, n.pool_id, n.node_operator)
  ) then n.node_operator else p.node_operator_id end
from numbered n
where (p.network, p.id_type, p.operator_id) = (n.network, n.id_type, n.operator_id);

-- Lists of pools and of shares are made anew, as an import makes them.
select raise_revision('operators') where exists (select from changed_operators);

create temporary table changed_lists on commit drop as
select distinct network, t as id_type, time_window
from changed_operators cross join lateral unnest(case id_type
  when 'pool' then array['pool', 'poolShare'] when 'poolShare' then array['poolShare'] end) as t;

update operator_lists o set superseded_at = now()
from changed_lists l
where o.superseded_at is null and (o.network, o.id_type, o.time_window) = (l.network, l.id_type, l.time_window);

with member as (
  select s.*, t.list_type, p.parent_type, p.parent_id
  from changed_lists l
  join operator_summaries s on (s.network, s.id_type, s.time_window) = (l.network, l.id_type, l.time_window)
  left join operator_summaries o on s.id_type = 'poolShare' and o.id_type = 'pool' and not o.superseded
    and (o.network, o.operator_id, o.time_window) = (s.network, s.pool_id, s.time_window)
  left join operator_profiles f on f.id_type = 'pool' and f.network = s.network
    and f.operator_id = case s.id_type when 'pool' then s.operator_id when 'poolShare' then s.pool_id end
  cross join lateral (
    select 'all' union select type from (
      select coalesce(f.pool_type, case when o.summary_id is null then s.pool_type else o.pool_type end) as type
    ) as typed where type in ('cex', 'lst')
  ) as t (list_type)
  cross join lateral (
    select '', ''
    union select t, s.pool_id from unnest(array['pool', 'any']) t where s.pool_id is not null
    union select t, s.node_operator_id from unnest(array['nodeOperator', 'any']) t
      where s.node_operator_id is not null
  ) as p (parent_type, parent_id)
  where not s.superseded
), ranked as (
  select network, id_type, time_window, list_type, parent_type, parent_id, summary_id, row_number() over (
    partition by network, id_type, time_window, list_type, parent_type, parent_id
    order by network_penetration desc nulls last, validator_count desc, operator_id
  ) - 1 as rank
  from member
), list as (
  insert into operator_lists (network, id_type, time_window, pool_type, parent_type, parent_id, total, revision)
  select network, id_type, time_window, list_type, parent_type, parent_id, count(*),
    (select revision from datasets where name = 'operators')
  from ranked group by 1, 2, 3, 4, 5, 6
  returning list_id, network, id_type, time_window, pool_type as list_type, parent_type, parent_id
)
insert into operator_ranks (list_id, rank, summary_id)
select list_id, rank, summary_id
from ranked join list using (network, id_type, time_window, list_type, parent_type, parent_id);

drop function known_liquid_staking, operator_of_tags, shown_tags, classed_tags, percent_decoded;

-- Pool shares for which a mirror asked all lists by `parentId` of a service and found nothing, with a digest of what they were:
-- they are asked for again when they change.
create table mirror_fruitless_shares (
  source text collate "C" not null,
  network text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  digest text not null,
  primary key (source, network, time_window, operator_id)
);

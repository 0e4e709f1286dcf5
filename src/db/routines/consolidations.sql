-- consolidation_entities under the identifiers that callers use, as in validator_entities.
create or replace view named_consolidation_entities as
  select e.*, e.operator_id as entity_id from consolidation_entities e where e.id_type <> 'poolShare'
  union all
  select e.*, s.operator_id
  from consolidation_entities e
  cross join lateral (
    select s.operator_id from operator_summaries s
    where s.id_type = 'poolShare' and not s.superseded
      and (s.network, s.node_operator_id, s.pool_id) = (e.network, e.operator_id, e.share_of)
    order by s.operator_id limit 1
  ) s
  where e.id_type = 'poolShare';

create or replace function store_consolidation_totals(networks text[]) returns void language plpgsql as $$
begin
  -- whoever comes second sees what the first one wrote
  perform pg_advisory_xact_lock(hashtext('stakegraph consolidation totals'));

  with placed as (
    select c.*, 'epoch' as sorted_by, row_number() over (partition by network order by epoch, source_index) - 1 as place
    from consolidations c where network = any(networks)
    union all
    select c.*, 'source_index', row_number() over (partition by network order by source_index) - 1
    from consolidations c where network = any(networks)
    union all
    select c.*, 'target_index', row_number() over (partition by network order by target_index, epoch, source_index) - 1
    from consolidations c where network = any(networks)
    union all
    select c.*, 'consolidated_balance',
      row_number() over (partition by network order by consolidated_balance, epoch, source_index) - 1
    from consolidations c where network = any(networks)
  ), made as materialized (
    select network, sorted_by, place::int, source_index, target_index, epoch, consolidated_balance
    from placed where place % 100 = 0
  ), removed as (
    delete from consolidation_places p where p.network = any(networks)
      and (p.network, p.sorted_by, p.place) not in (select network, sorted_by, place from made)
  )
  insert into consolidation_places as p select * from made
  on conflict (network, sorted_by, place) do update
    set (source_index, target_index, epoch, consolidated_balance)
      = (excluded.source_index, excluded.target_index, excluded.epoch, excluded.consolidated_balance)
    where p is distinct from excluded;

  create temp table consolidation_owners on commit drop as
  select c.network, c.target_index, c.epoch, c.consolidated_balance, v.deposit_address, v.withdrawal_address,
    v.node_operator, v.pool
  from consolidations c
  join validators v on (v.network, v.validator_index) = (c.network, c.source_index)
  where c.network = any(networks);

  with moved as (
    select c.network, m.id_type, m.operator_id, m.share_of, c.target_index, count(*) as consolidations,
      sum(c.consolidated_balance) as balance, min(c.epoch) as first_epoch, max(c.epoch) as last_epoch
    from consolidation_owners c
    cross join lateral (values
      ('depositAddress', c.deposit_address, ''),
      ('withdrawalAddress', c.withdrawal_address, ''),
      ('nodeOperator', c.node_operator, ''),
      ('pool', c.pool, ''),
      ('poolShare', c.node_operator, c.pool)
    ) as m (id_type, operator_id, share_of)
    where m.operator_id is not null and m.share_of is not null
    group by c.network, m.id_type, m.operator_id, m.share_of, c.target_index
  ), made as materialized (
    select network, id_type, operator_id, share_of, sum(consolidations)::int, count(*)::int, sum(balance)::bigint,
      min(first_epoch), max(last_epoch)
    from moved group by network, id_type, operator_id, share_of
  ), removed as (
    delete from consolidation_entities e where e.network = any(networks)
      and (e.network, e.id_type, e.operator_id, e.share_of) not in (select network, id_type, operator_id, share_of from made)
  )
  insert into consolidation_entities as e select * from made
  on conflict (network, id_type, operator_id, share_of) do update
    set (consolidation_count, target_count, consolidated_balance, first_epoch, last_epoch)
      = (excluded.consolidation_count, excluded.target_count, excluded.consolidated_balance, excluded.first_epoch, excluded.last_epoch)
    where e is distinct from excluded;
  drop table consolidation_owners;
end
$$;

-- As store_consolidation_totals, where the consolidations of these sources are new, and nothing else: adds them to the
-- totals of their entities, and writes the places that changed.
create or replace function add_consolidation_totals(of_network text, sources integer[]) returns void language plpgsql as $$
declare
  keys text;
begin
  perform pg_advisory_xact_lock(hashtext('stakegraph consolidation totals'));

  foreach keys in array array['epoch, source_index', 'source_index', 'target_index, epoch, source_index',
    'consolidated_balance, epoch, source_index'] loop
    -- Only rows after the last place before the new ones have moved.
    execute format($places$
      with kept as (
        select * from (
          (select place, %1$s from consolidation_places
          where network = $1 and sorted_by = $3 and (%1$s) < (
            select %1$s from consolidations where network = $1 and source_index = any($2) order by %1$s limit 1
          ) order by place desc limit 1)
          union all
          (select 0, %1$s from consolidations where network = $1 order by %1$s limit 1)
        ) as either order by place desc limit 1
      ), placed as ( -- only columns of the index
        select source_index, (select place from kept) + row_number() over (order by %1$s) - 1 as place
        from consolidations where network = $1 and (%1$s) >= (select %1$s from kept)
      )
      insert into consolidation_places as p
      select $1, $3, place::int, c.source_index, c.target_index, c.epoch, c.consolidated_balance
      from placed join consolidations c on c.network = $1 and c.source_index = placed.source_index
      where place %% 100 = 0
      on conflict (network, sorted_by, place) do update
        set (source_index, target_index, epoch, consolidated_balance)
          = (excluded.source_index, excluded.target_index, excluded.epoch, excluded.consolidated_balance)
        where p is distinct from excluded
    $places$, keys) using of_network, sources, split_part(keys, ',', 1);
  end loop;

  with added as (
    select m.id_type, m.operator_id, m.share_of, c.target_index, count(*)::int as consolidations,
      sum(c.consolidated_balance)::bigint as balance, min(c.epoch) as first_epoch, max(c.epoch) as last_epoch
    from consolidations c
    join validators v on (v.network, v.validator_index) = (c.network, c.source_index)
    cross join lateral (values
      ('depositAddress', v.deposit_address, ''),
      ('withdrawalAddress', v.withdrawal_address, ''),
      ('nodeOperator', v.node_operator, ''),
      ('pool', v.pool, ''),
      ('poolShare', v.node_operator, v.pool)
    ) as m (id_type, operator_id, share_of)
    where c.network = of_network and c.source_index = any(sources)
      and m.operator_id is not null and m.share_of is not null
    group by m.id_type, m.operator_id, m.share_of, c.target_index
  ), fresh as (
    select a.*, not exists (
      select from consolidations c
      join validators v on (v.network, v.validator_index) = (c.network, c.source_index)
      where c.network = of_network and c.target_index = a.target_index and c.source_index <> all(sources)
        and case a.id_type
          when 'depositAddress' then v.deposit_address = a.operator_id
          when 'withdrawalAddress' then v.withdrawal_address = a.operator_id
          when 'nodeOperator' then v.node_operator = a.operator_id
          when 'pool' then v.pool = a.operator_id
          else v.node_operator = a.operator_id and v.pool = a.share_of
        end
    ) as new_target
    from added a
  )
  insert into consolidation_entities as e
  select of_network, id_type, operator_id, share_of, sum(consolidations)::int, (count(*) filter (where new_target))::int,
    sum(balance)::bigint, min(first_epoch), max(last_epoch)
  from fresh group by id_type, operator_id, share_of
  on conflict (network, id_type, operator_id, share_of) do update
    set (consolidation_count, target_count, consolidated_balance, first_epoch, last_epoch)
      = (e.consolidation_count + excluded.consolidation_count, e.target_count + excluded.target_count,
        e.consolidated_balance + excluded.consolidated_balance, least(e.first_epoch, excluded.first_epoch),
        greatest(e.last_epoch, excluded.last_epoch));
end
$$;

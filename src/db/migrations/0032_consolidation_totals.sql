-- What pages of consolidations would otherwise count and add up. Both tables follow from consolidations and validators:
-- an import that changes either calls store_consolidation_totals.

-- Every hundredth consolidation of a network in each order, with the number of those before it: a page at an offset begins
-- at one of these, and skips fewer than a hundred rows.
create table consolidation_places (
  network text collate "C" not null,
  -- the first column of the order
  sorted_by text collate "C" not null,
  place integer not null,
  source_index integer not null,
  target_index integer not null,
  epoch integer not null,
  consolidated_balance bigint not null,
  primary key (network, sorted_by, place)
);
-- how many consolidations there are up to an epoch
create index consolidation_places_epoch on consolidation_places (network, epoch, place) where sorted_by = 'epoch';

-- What the validators of an entity consolidated as sources, over all epochs; entities as in operator_validators.
create table consolidation_entities (
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  share_of text collate "C" not null,
  -- a source is consolidated once: as many sources
  consolidation_count integer not null,
  target_count integer not null,
  consolidated_balance bigint not null,
  first_epoch integer not null,
  last_epoch integer not null,
  primary key (network, id_type, operator_id, share_of)
);

-- The same under the identifiers that callers use, as in validator_entities.
create view named_consolidation_entities as
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

create function store_consolidation_totals(networks text[]) returns void language plpgsql as $$
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

  with moved as (
    select c.network, m.id_type, m.operator_id, m.share_of, c.target_index, count(*) as consolidations,
      sum(c.consolidated_balance) as balance, min(c.epoch) as first_epoch, max(c.epoch) as last_epoch
    from consolidations c
    join validators v on (v.network, v.validator_index) = (c.network, c.source_index)
    -- as operator_validators, which would read all validators for each class
    cross join lateral (values
      ('depositAddress', v.deposit_address, ''),
      ('withdrawalAddress', v.withdrawal_address, ''),
      ('nodeOperator', v.node_operator, ''),
      ('pool', v.pool, ''),
      ('poolShare', v.node_operator, v.pool)
    ) as m (id_type, operator_id, share_of)
    where c.network = any(networks) and m.operator_id is not null and m.share_of is not null
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
end
$$;

select store_consolidation_totals(array(select distinct network from consolidations));

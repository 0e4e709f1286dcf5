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

-- Brings consolidation_entities and the tables of their consolidations up to date: of `sources`, the source validators, or
-- where a validator of `owned` is the source or the target; without both, of the whole network.
create or replace function store_consolidation_totals(of_network text, sources integer[] default null, owned integer[] default null)
returns void language plpgsql as $$
begin
  -- whoever comes second sees what the first one wrote
  perform pg_advisory_xact_lock(hashtext('stakegraph consolidation totals'));
  if owned is not null then
    sources := array(
      select c.source_index from unnest(owned) o (validator_index)
      join consolidations c on c.network = of_network and c.source_index = o.validator_index
      union
      select c.source_index from unnest(owned) o (validator_index)
      join consolidations c on c.network = of_network and c.target_index = o.validator_index
    );
  elsif sources is null then
    sources := array(
      select source_index from consolidations where network = of_network
      union
      select c.source_index from consolidation_entities e join entity_consolidations c using (entity)
      where e.network = of_network and e.id_type = 'network'
    );
  end if;
  if cardinality(sources) = 0 then return; end if;

  -- Citus joins validators only in statements that change no rows.
  create temp table owned_consolidations on commit drop as
  with moved as materialized (
    select c.* from unnest(sources) as source_index
    cross join lateral (
      select * from consolidations c where c.network = of_network and c.source_index = source_index.source_index offset 0
    ) c
  )
  select m.id_type, m.operator_id, m.share_of, c.source_index, c.target_index, c.epoch, c.consolidated_balance,
    bool_or(s.as_source) as as_source
  from moved c
  cross join lateral (values (true, c.source_index), (false, c.target_index)) s (as_source, validator_index)
  cross join lateral (
    select * from validators v where v.network = of_network and v.validator_index = s.validator_index offset 0
  ) v
  cross join lateral (values
    ('depositAddress' collate "C", v.deposit_address, '' collate "C"),
    ('withdrawalAddress', v.withdrawal_address, ''),
    ('nodeOperator', v.node_operator, ''),
    ('pool', v.pool, ''),
    ('poolShare', v.node_operator, v.pool)
  ) m (id_type, operator_id, share_of)
  where m.operator_id is not null and m.share_of is not null
  group by m.id_type, m.operator_id, m.share_of, c.source_index, c.target_index, c.epoch, c.consolidated_balance
  union all
  select 'network', '', '', source_index, target_index, epoch, consolidated_balance, true from moved;

  insert into consolidation_entities (network, id_type, operator_id, share_of)
  select distinct of_network, id_type, operator_id, share_of from owned_consolidations o
  where not exists (
    select from consolidation_entities e
    where (e.network, e.id_type, e.operator_id, e.share_of) = (of_network, o.id_type, o.operator_id, o.share_of)
  );

  create temp table consolidation_changes on commit drop as
  with owned as materialized (
    select e.entity, o.source_index, o.target_index, o.epoch, o.consolidated_balance, o.as_source
    from owned_consolidations o
    join consolidation_entities e
      on (e.network, e.id_type, e.operator_id, e.share_of) = (of_network, o.id_type, o.operator_id, o.share_of)
  ), stored as materialized (
    select c.entity, c.source_index, c.target_index, c.epoch, c.consolidated_balance, c.as_source
    from unnest(sources) as source_index
    cross join lateral (
      select * from entity_consolidations c where c.source_index = source_index.source_index offset 0
    ) c
    join consolidation_entities e using (entity)
    where e.network = of_network
  )
  select 1 as change, * from (table owned except table stored) added
  union all
  select -1, * from (table stored except table owned) removed;

  delete from entity_consolidations c using consolidation_changes d
  where d.change < 0 and (c.entity, c.source_index) = (d.entity, d.source_index);
  insert into entity_consolidations
  select entity, source_index, target_index, epoch, consolidated_balance, as_source, case when as_source then
    lag(epoch, 1, -1) over (partition by entity, target_index, as_source order by epoch, source_index) else -1 end
  from consolidation_changes where change > 0 order by entity, source_index;
  -- between others of the same target
  update entity_consolidations c set earlier_epoch = o.earlier_epoch
  from (
    select entity, source_index,
      lag(epoch, 1, -1) over (partition by entity, target_index order by epoch, source_index) as earlier_epoch
    from entity_consolidations
    where as_source
      and (entity, target_index) in (select entity, target_index from consolidation_changes where as_source)
  ) o
  where (c.entity, c.source_index) = (o.entity, o.source_index) and c.earlier_epoch <> o.earlier_epoch;

  insert into consolidation_epochs as s
  select entity, epoch, sum(change), sum(change * consolidated_balance)
  from consolidation_changes group by entity, epoch
  having sum(change) <> 0 or sum(change * consolidated_balance) <> 0
  order by entity, epoch
  on conflict (entity, epoch) do update
    set (consolidation_count, consolidated_balance) = (s.consolidation_count + excluded.consolidation_count,
      s.consolidated_balance + excluded.consolidated_balance);
  delete from consolidation_epochs s using consolidation_changes d
  where d.change < 0 and (s.entity, s.epoch) = (d.entity, d.epoch) and s.consolidation_count = 0;

  update consolidation_entities e
  set (listed_count, consolidation_count, target_count, consolidated_balance, first_epoch, last_epoch) = (
    e.listed_count + d.listed, e.consolidation_count + d.consolidations, e.target_count + d.targets,
    e.consolidated_balance + d.balance,
    (select min(c.epoch) from entity_consolidations c where c.entity = e.entity and c.as_source),
    (select max(c.epoch) from entity_consolidations c where c.entity = e.entity and c.as_source)
  )
  from (
    select entity, sum(listed) as listed, sum(consolidations) as consolidations, sum(balance) as balance,
      sum((now_stored > 0)::int - (now_stored > consolidations)::int) as targets
    from (
      select d.entity, sum(change) as listed, coalesce(sum(change) filter (where as_source), 0) as consolidations,
        coalesce(sum(change * consolidated_balance) filter (where as_source), 0) as balance,
        (
          select count(*) from entity_consolidations c
          where (c.entity, c.target_index) = (d.entity, d.target_index) and c.as_source
        ) as now_stored
      from consolidation_changes d group by d.entity, d.target_index
    ) of_target
    group by entity
  ) d
  where e.entity = d.entity;
  delete from consolidation_entities e using consolidation_changes d
  where d.change < 0 and e.entity = d.entity and e.listed_count = 0;
  drop table owned_consolidations, consolidation_changes;
end
$$;

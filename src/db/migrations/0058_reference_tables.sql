-- `stakegraph distribute` makes reference tables of Citus, which have no triggers and are not joined in data-modifying WITH
-- queries or with transition tables.
insert into compatible_migrations values ('0058_reference_tables', '0034_index_fills');

-- Without these triggers, imports keep block_operators.
create function keep_block_operators(by_triggers boolean) returns void language plpgsql as $$
begin
  drop trigger if exists blocks_operators_inserted on blocks;
  drop trigger if exists validators_operators_inserted on validators;
  drop trigger if exists validators_operators_updated on validators;
  drop trigger if exists validators_operators_deleted on validators;
  drop trigger if exists validators_operators_truncated on validators;
  if not by_triggers then return; end if;
  create trigger blocks_operators_inserted after insert on blocks
    referencing new table as changed for each statement execute function store_block_operators();
  create trigger validators_operators_inserted after insert on validators
    referencing new table as changed for each statement execute function store_block_operators();
  create trigger validators_operators_updated after update on validators
    referencing new table as changed for each statement execute function store_block_operators();
  create trigger validators_operators_deleted after delete on validators
    referencing old table as changed for each statement execute function remove_block_operators();
  create trigger validators_operators_truncated after truncate on validators
    for each statement execute function remove_block_operators();
end
$$;

-- As in 0032, with the join in a statement of its own.
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

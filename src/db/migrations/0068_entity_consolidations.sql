-- Lists, counts and sums of the consolidations of an entity cost the same however many validators it has.
drop view if exists named_consolidation_entities;
drop function if exists store_consolidation_totals, add_consolidation_totals;
drop table consolidation_places;
drop table consolidation_entities;
drop index consolidations_balance;

-- Entities as in operator_validators, and each network as a whole: `network`, with '' as operator_id. This table and the next
-- two follow from consolidations and validators; who changes either calls store_consolidation_totals.
create table consolidation_entities (
  entity integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  share_of text collate "C" not null,
  -- with a validator of the entity on either side
  listed_count integer not null default 0,
  -- with a validator of the entity as source; also all figures that follow
  consolidation_count integer not null default 0,
  target_count integer not null default 0,
  consolidated_balance bigint not null default 0,
  first_epoch integer,
  last_epoch integer,
  unique (network, id_type, operator_id, share_of)
);

-- Consolidations with a validator of the entity on either side, in each order of their list.
create table entity_consolidations (
  entity integer not null,
  source_index integer not null,
  target_index integer not null,
  epoch integer not null,
  consolidated_balance bigint not null,
  -- whether the source is of the entity
  as_source boolean not null,
  -- of the entity's consolidation before it, as source, into the same target; -1 if there is none
  earlier_epoch integer not null,
  primary key (entity, source_index)
);

-- Sums over entity_consolidations.
create table consolidation_epochs (
  entity integer not null,
  epoch integer not null,
  consolidation_count integer not null,
  consolidated_balance bigint not null,
  primary key (entity, epoch) include (consolidation_count, consolidated_balance)
);

create temp table owned_consolidations on commit drop as
select c.network, m.id_type, m.operator_id, m.share_of, c.source_index, c.target_index, c.epoch, c.consolidated_balance,
  bool_or(s.as_source) as as_source
from consolidations c
cross join lateral (values (true, c.source_index), (false, c.target_index)) s (as_source, validator_index)
join validators v on v.network = c.network and v.validator_index = s.validator_index
cross join lateral (values
  ('depositAddress' collate "C", v.deposit_address, '' collate "C"),
  ('withdrawalAddress', v.withdrawal_address, ''),
  ('nodeOperator', v.node_operator, ''),
  ('pool', v.pool, ''),
  ('poolShare', v.node_operator, v.pool)
) m (id_type, operator_id, share_of)
where m.operator_id is not null and m.share_of is not null
group by c.network, m.id_type, m.operator_id, m.share_of, c.source_index
union all
select c.network, 'network', '', '', c.source_index, c.target_index, c.epoch, c.consolidated_balance, true
from consolidations c;

insert into consolidation_entities (network, id_type, operator_id, share_of, listed_count, consolidation_count, target_count,
  consolidated_balance, first_epoch, last_epoch)
select network, id_type, operator_id, share_of, count(*), count(*) filter (where as_source),
  count(distinct target_index) filter (where as_source), coalesce(sum(consolidated_balance) filter (where as_source), 0),
  min(epoch) filter (where as_source), max(epoch) filter (where as_source)
from owned_consolidations group by network, id_type, operator_id, share_of;

insert into entity_consolidations
select e.entity, o.source_index, o.target_index, o.epoch, o.consolidated_balance, o.as_source,
  case when as_source then
    lag(epoch, 1, -1) over (partition by entity, target_index, as_source order by epoch, source_index) else -1 end
from owned_consolidations o join consolidation_entities e using (network, id_type, operator_id, share_of)
order by 1, 2;

insert into consolidation_epochs
select entity, epoch, count(*), sum(consolidated_balance) from entity_consolidations group by entity, epoch order by 1, 2;

create index entity_consolidations_epoch on entity_consolidations (entity, epoch, source_index)
  include (target_index, consolidated_balance, as_source, earlier_epoch);
create index entity_consolidations_target on entity_consolidations (entity, target_index, epoch, source_index);
create index entity_consolidations_balance on entity_consolidations (entity, consolidated_balance, epoch, source_index);
create index entity_consolidations_source on entity_consolidations (source_index);
drop table owned_consolidations;

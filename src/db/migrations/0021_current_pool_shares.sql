-- A pool share goes by the name that its summaries have now. A summary that was superseded stays while a walk may still
-- read its list, and named shares that an import had renamed or removed.
drop index operator_summaries_pool_share;
create index operator_summaries_pool_share on operator_summaries (network, node_operator_id, pool_id)
  where id_type = 'poolShare' and not superseded;
create or replace view validator_entities as
  select network, validator_index, id_type, operator_id as entity_id from operator_validators
  where id_type <> 'poolShare' and operator_id is not null
  union all
  select m.network, m.validator_index, m.id_type, s.operator_id
  from operator_validators m
  cross join lateral (
    select s.operator_id from operator_summaries s
    where s.id_type = 'poolShare' and not s.superseded
      and (s.network, s.node_operator_id, s.pool_id) = (m.network, m.operator_id, m.share_of)
    order by s.operator_id limit 1
  ) s
  where m.id_type = 'poolShare';

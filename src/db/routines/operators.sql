-- Which validators an operator has, by class. A pool share is what a node operator (operator_id) runs of a pool
-- (share_of); share_of is '' for the other classes. Rows with a null operator or pool match nobody; a WHERE that leaves
-- them out would keep PostgreSQL from reading the indexes of validators in their order.
create or replace view operator_validators as
  select network, 'depositAddress'::text collate "C" as id_type, deposit_address as operator_id,
    ''::text collate "C" as share_of, validator_index from validators
  union all
  select network, 'withdrawalAddress'::text collate "C", withdrawal_address, ''::text collate "C", validator_index
  from validators
  union all
  select network, 'nodeOperator'::text collate "C", node_operator, ''::text collate "C", validator_index from validators
  union all
  select network, 'pool'::text collate "C", pool, ''::text collate "C", validator_index from validators
  union all
  select network, 'poolShare'::text collate "C", node_operator, pool, validator_index from validators;

-- The operators that a statement names, as they stand in operator_validators, each with its position from 0. What a
-- pool share is of stands in its summaries, alike in all windows.
create or replace function named_operators(networks text[], ids text[], id_types text[])
returns table (list integer, network text, id_type text, operator_id text, share_of text)
language sql stable as $$
  select a.list::int - 1, a.network, a.id_type, coalesce(s.node_operator_id, a.operator_id), coalesce(s.pool_id, '')
  from unnest(networks, ids, id_types) with ordinality as a (network, operator_id, id_type, list)
  left join lateral (
    select s.node_operator_id, s.pool_id from operator_summaries s
    where s.network = a.network and s.operator_id = a.operator_id and s.id_type = a.id_type and not s.superseded
    limit 1
  ) s on a.id_type = 'poolShare'
$$;

-- The entities of each validator under the identifiers that callers use; to be read by validator. A pool share goes by the
-- name that its summaries have now, the same in every window; one without a summary has no name and is left out.
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

-- A share of 0 to 1 as a double in JSON; PostgreSQL's own text differs for whole numbers alone.
create or replace function json_share(share float8) returns json language sql immutable as $$
  select (share || case when share in (0, 1) then '.0' else '' end)::json
$$;

-- What the entity of a summary is called in its shortest stored window; its own name if no summary is stored any more.
create or replace function current_operator_name(of_network text, of_operator text, of_type text, own text) returns text
language sql stable as $$
  select (coalesce((
    select array[display_name] from operator_summaries
    where (network, operator_id, id_type) = (of_network, of_operator, of_type) and not superseded
    order by array_position('{1d,7d,30d,all}'::text[], time_window) limit 1
  ), array[own]))[1]
$$;

create or replace function current_operator_tags(of_network text, of_operator text, of_type text, own json) returns json
language sql stable as $$
  select coalesce((
    select operator_tags from operator_summaries
    where (network, operator_id, id_type) = (of_network, of_operator, of_type) and not superseded
    order by array_position('{1d,7d,30d,all}'::text[], time_window) limit 1
  ), own)
$$;

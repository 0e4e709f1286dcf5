-- The operators a statement asks about, as they stand in operator_validators, each with its position from 0. What a
-- pool share is of stands in its summaries, alike in all windows.
create function asked_operators(networks text[], ids text[], id_types text[])
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

insert into compatible_migrations values ('0035_operators_without_window', '0034_index_fills');

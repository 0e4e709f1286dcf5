-- The percentages of clients and relayers are stored as they are shown, and doubles are written in one way
-- (src/kernel/double.ts): 1.0 and 6.7e-05, where 1, 0.000067 and 6.7e-7 were stored until now.

-- A share of 0 to 1 as a double in JSON; PostgreSQL's own text differs for whole numbers alone.
create function json_share(share float8) returns json language sql immutable as $$
  select (share || case when share in (0, 1) then '.0' else '' end)::json
$$;

create function shares_as_shown(list json, name text) returns json language sql immutable as $$
  select coalesce('[' || string_agg(
    '{' || to_json(name) || ':' || (item -> name)::text
      || ',"percentage":' || json_share((item ->> 'percentage')::float8)::text || '}', ',' order by place) || ']', '[]')::json
  from json_array_elements(list) with ordinality as o (item, place)
$$;

-- Those that have a whole number, more zeros than an exponent allows, or an exponent of one digit.
update operator_summaries set
  client_percentages = shares_as_shown(client_percentages, 'client'),
  relayer_percentages = shares_as_shown(relayer_percentages, 'relayer')
where client_percentages::text || relayer_percentages::text ~ '":\s*(\d+|0\.0000\d*|[\d.]+e-\d)\s*\}';

drop function shares_as_shown;

-- What `stakegraph index` has written, and what it needs to go on.
insert into compatible_migrations values ('0033_index', '0032_consolidation_totals');

-- The newest epoch written, with the state of the rules after it. Written in the transaction of that epoch.
create table index_state (
  network text collate "C" primary key,
  -- where the epochs begin that were written without a gap
  first_epoch integer not null,
  epoch integer not null,
  state bytea not null,
  -- of `state` and of `index_epochs.facts`
  version integer not null,
  written_at timestamptz not null
);
alter table index_state alter column state set storage external; -- compressed already

-- Facts of the epochs of days that are open in a calendar: sums of hours and days are made from these.
create table index_epochs (
  network text collate "C" not null,
  epoch integer not null,
  facts bytea not null,
  primary key (network, epoch)
);
alter table index_epochs alter column facts set storage external; -- compressed already

-- All epochs that were ever written. Imports leave them alone.
create table index_ranges (
  network text collate "C" not null,
  first_epoch integer not null,
  last_epoch integer not null,
  primary key (network, first_epoch)
);

-- Epochs in the rows of each day and hour that was written. Rows of fewer epochs never replace them.
create table index_periods (
  network text collate "C" not null,
  utc boolean not null,
  hourly boolean not null,
  period integer not null,
  start_epoch integer not null,
  end_epoch integer not null,
  primary key (network, utc, hourly, period)
);

-- Penalties of slashed validators after their exit, in Gwei, negative. They are in the row of their last active day.
create table index_late_penalties (
  network text collate "C" not null,
  validator_index integer not null,
  epoch integer not null,
  amount bigint not null,
  primary key (network, validator_index, epoch)
);

-- Rules of --labels: a rule names validators in one way, and sets what is not null.
create table index_labels (
  network text collate "C" not null,
  -- the most specific first
  rank integer not null,
  validator_pubkey text collate "C",
  first_index integer,
  last_index integer,
  withdrawal_address text collate "C",
  deposit_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  primary key (network, rank)
);

-- Where rows of a dataset come from; network is '' where rows have none.
create table dataset_origins (
  dataset text collate "C" not null,
  network text collate "C" not null,
  origin text collate "C" not null check (origin in ('index', 'import', 'mirror', 'sample')),
  written_at timestamptz not null,
  primary key (dataset, network, origin)
);

-- Rows near the head are not final: the chain may still replace them.
alter table blocks add column finalized boolean not null default true;
create index blocks_not_final on blocks (network, slot) where not finalized;
alter table slashings
  -- the slot of a block that is not final
  add column head_slot integer,
  -- balance_before_withdrawal is that of the state of this epoch; null where an index did not write it
  add column balance_epoch integer;

-- As store_consolidation_totals, where the consolidations of these sources are new, and nothing else: adds them to the
-- totals of their entities, and writes the places that changed.
create function add_consolidation_totals(of_network text, sources integer[]) returns void language plpgsql as $$
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

-- How often each dataset has changed. Raised in the transaction that changes it and told to every replica when that
-- commits, so that what is kept of an answer can be dropped, and a caller can tell whether anything is new.
create table datasets (
  name text collate "C" primary key,
  revision integer not null,
  refreshed_at timestamptz not null
);

create function raise_revision(dataset text) returns integer language sql as $$
  with raised as (
    insert into datasets values (dataset, 1, clock_timestamp())
    on conflict (name) do update set revision = datasets.revision + 1, refreshed_at = clock_timestamp()
    returning revision
  ), told as (select pg_notify('stakegraph_data', dataset) from raised)
  select revision from raised, told
$$;

-- A walk over a ranked list keeps to the list it began with, whatever a refresh does meanwhile: lists that were replaced
-- are kept for an hour (src/ingest/ranked-lists.ts), and so are the summaries that they rank. `revision` is the
-- dataset's when the list was made.
alter table operator_summaries
  add column superseded boolean not null default false,
  drop constraint operator_summaries_network_operator_id_id_type_time_window_key;
create unique index operator_summaries_current on operator_summaries (network, operator_id, id_type, time_window)
  where not superseded;
create index operator_summaries_superseded on operator_summaries (summary_id) where superseded;

alter table operator_lists
  add column revision integer not null default 0,
  add column superseded_at timestamptz,
  drop constraint operator_lists_network_parent_id_parent_type_id_type_time_w_key;
create unique index operator_lists_current
  on operator_lists (network, parent_id, parent_type, id_type, time_window, pool_type) where superseded_at is null;
create unique index operator_lists_revision
  on operator_lists (network, parent_id, parent_type, id_type, time_window, pool_type, revision);
create index operator_lists_superseded on operator_lists (superseded_at) where superseded_at is not null;

alter table stake_authority_summaries
  add column superseded boolean not null default false,
  drop constraint stake_authority_summaries_stake_authority_time_window_key;
create unique index stake_authority_summaries_current on stake_authority_summaries (stake_authority, time_window)
  where not superseded;
create index stake_authority_summaries_superseded on stake_authority_summaries (summary_id) where superseded;

alter table stake_authority_lists
  add column revision integer not null default 0,
  add column superseded_at timestamptz,
  drop constraint stake_authority_lists_time_window_list_type_key;
create unique index stake_authority_lists_current on stake_authority_lists (time_window, list_type)
  where superseded_at is null;
create unique index stake_authority_lists_revision on stake_authority_lists (time_window, list_type, revision);
create index stake_authority_lists_superseded on stake_authority_lists (superseded_at) where superseded_at is not null;

create or replace function asked_operators(networks text[], ids text[], id_types text[], time_windows text[])
returns table (list integer, network text, id_type text, operator_id text, share_of text)
language sql stable as $$
  select a.list::int - 1, a.network, a.id_type, coalesce(s.node_operator_id, a.operator_id), coalesce(s.pool_id, '')
  from unnest(networks, ids, id_types, time_windows)
    with ordinality as a (network, operator_id, id_type, time_window, list)
  left join operator_summaries s on not s.superseded
    and (s.network, s.operator_id, s.id_type, s.time_window) = (a.network, a.operator_id, a.id_type, a.time_window)
$$;

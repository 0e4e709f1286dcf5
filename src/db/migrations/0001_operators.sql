-- Operator effectiveness summaries (spec §2.2): one row per network, class, window and operator.
create table operator_summaries (
  summary_id bigint generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  validator_count integer not null,
  avg_correctness double precision not null,
  avg_inclusion_delay double precision,
  avg_uptime double precision not null,
  avg_validator_effectiveness double precision not null,
  client_percentages jsonb not null,
  network_penetration double precision,
  relayer_percentages jsonb not null,
  node_operator_count integer,
  operator_tags jsonb not null,
  display_name text,
  apr_percentage double precision,
  -- Gwei; a sum over the chain is some 3.5e16, bigint holds 9.2e18
  sum_end_epoch_balance bigint,
  sum_end_epoch_effective_balance bigint,
  -- of a pool share: the pool and the node operator whose share it is
  pool_id text collate "C",
  node_operator_id text collate "C",
  -- of a pool, from its tags; of a pool share, that of its pool
  pool_type text collate "C" check (pool_type in ('cex', 'lst')),
  unique (network, operator_id, id_type, time_window)
);

-- The lists a caller can ask for: a class in a window, whole or narrowed by pool type or parent ('' when not narrowed). A
-- pool and a node operator may have one name: the shares of each are a list, and those of either (`any`) another.
create table operator_lists (
  list_id bigint generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  pool_type text collate "C" not null,
  parent_type text collate "C" not null check (parent_type in ('', 'any', 'pool', 'nodeOperator')),
  parent_id text collate "C" not null,
  total integer not null,
  unique (network, parent_id, parent_type, id_type, time_window, pool_type)
);

-- The stored order of each list, so that a page at rank 90,000 costs what the first one costs.
create table operator_ranks (
  list_id bigint not null references operator_lists on delete cascade,
  rank integer not null,
  summary_id bigint not null references operator_summaries on delete cascade,
  primary key (list_id, rank)
);
create index operator_ranks_summary on operator_ranks (summary_id);

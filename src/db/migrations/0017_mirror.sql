-- Mirrors of other services. A run is one walk over the lists of a service; a round is the lists of one run, or of
-- several where one was broken off and the next went on with what was left: `round_id` is the run that began it.
create table mirror_runs (
  run_id integer generated always as identity primary key,
  round_id integer not null,
  -- scheme, host and base path
  source text collate "C" not null,
  -- the lists that were asked for
  scope text collate "C" not null,
  started_at timestamptz not null default now(),
  -- null while it runs, and for ever when it was killed
  ended_at timestamptz,
  -- whether every list of the round is done
  done boolean not null default false
);
create index mirror_runs_source on mirror_runs (source, run_id);

-- How far each list of a source is, written in the transaction that loads its rows.
create table mirror_state (
  source text collate "C" not null,
  resource text collate "C" not null,
  -- '' outside of Ethereum
  network text collate "C" not null,
  list text collate "C" not null,
  -- the round in which it was last finished
  round_id integer not null,
  -- the last day, date or slot of a series; null for a list that is read as a whole
  position text collate "C",
  row_count integer not null,
  finished_at timestamptz not null default clock_timestamp(),
  primary key (source, resource, network, list)
);

-- What a run asked of the source, resource by resource. `compute_units` is null where the source tells none.
create table mirror_usage (
  run_id integer not null references mirror_runs on delete cascade,
  resource text collate "C" not null,
  requests integer not null default 0,
  compute_units numeric,
  primary key (run_id, resource)
);

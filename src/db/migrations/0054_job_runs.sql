-- When each job ran, for the metrics of the gateway.
insert into compatible_migrations values ('0054_job_runs', '0034_index_fills');

create table job_runs (
  run_id bigint generated always as identity primary key,
  job text collate "C" not null check (job in ('import', 'index', 'mirror', 'publish', 'refresh', 'retain')),
  -- '' for a job that is not of one network
  network text collate "C" not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default clock_timestamp(),
  outcome text collate "C" not null check (outcome in ('success', 'failure')),
  row_count bigint not null
);
create index job_runs_last on job_runs (job, network, outcome, finished_at);

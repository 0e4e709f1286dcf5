-- Runs of `stakegraph refresh` with --only or --windows are recorded apart from those of everything.
insert into compatible_migrations values ('0064_partial_refresh_runs', '0034_index_fills');

alter table job_runs drop constraint job_runs_job_check,
  add constraint job_runs_job_check check (
    job in ('backup', 'import', 'index', 'mirror', 'partial-refresh', 'publish', 'refresh', 'repack', 'retain')
  );

-- Runs of `stakegraph repack` are recorded too.
insert into compatible_migrations values ('0057_repack_runs', '0034_index_fills');

alter table job_runs drop constraint job_runs_job_check,
  add constraint job_runs_job_check
    check (job in ('backup', 'import', 'index', 'mirror', 'publish', 'refresh', 'repack', 'retain'));

-- Runs of `stakegraph backup` are recorded too.
insert into compatible_migrations values ('0056_backup_runs', '0034_index_fills');

alter table job_runs drop constraint job_runs_job_check,
  add constraint job_runs_job_check check (job in ('backup', 'import', 'index', 'mirror', 'publish', 'refresh', 'retain'));

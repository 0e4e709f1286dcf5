-- The file with the sums of a month that rankings read in place of its days, and the version of its formulas. Without it,
-- they read the days.
alter table archived_months
  add column sums_file text collate "C",
  add column sums_version text,
  add column sums_bytes bigint,
  add column sums_sha256 bytea,
  add constraint archived_months_sums check (num_nulls(sums_file, sums_version, sums_bytes, sums_sha256) in (0, 4));

insert into compatible_migrations values ('0078_archived_sums', '0077_baseline');

-- Rankings of stored days may use several processes: `archive_unchanged` of routines is parallel safe.
insert into compatible_migrations values ('0080_parallel_rankings', '0077_baseline');

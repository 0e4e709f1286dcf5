-- Files that were loaded whole, so that an import of many that broke off can go on where it stopped. `digest` is the
-- SHA-256 of the file as it is stored and of what the import was told about its rows.
create table imported_files (
  resource text collate "C" not null,
  digest bytea not null,
  name text not null,
  row_count bigint not null,
  loaded_at timestamptz not null default now(),
  primary key (resource, digest)
);

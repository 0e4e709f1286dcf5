-- One-time codes of the links that open GraphiQL with the development token. Only their SHA-256 is kept.
create table page_codes (
  hash bytea primary key,
  expires_at timestamptz not null
);

-- A row now also says that the sample data is not wanted: rows of the user's own came first.
alter table sample_data rename column loaded_at to decided_at;

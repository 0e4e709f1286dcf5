-- Addresses of pages of the explorer that an account keeps under a name of its own.
create table saved_views (
  view_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  name text collate "C" not null,
  path text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, name)
);

insert into compatible_migrations values ('0076_saved_views', '0074_archived_months');

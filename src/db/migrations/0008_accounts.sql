-- Who calls (decisions on accounts): an account has a tier, and may have limits of its own instead of the tier's.
create table accounts (
  account_id uuid primary key default gen_random_uuid(),
  name text not null unique,
  tier text not null check (tier in ('free', 'starter', 'build', 'growth', 'enterprise')),
  -- requests per second; null: the tier's
  rate_limit integer check (rate_limit > 0),
  created_at timestamptz not null default now()
);

-- Tokens that were made before there were accounts had no limits: theirs is an account without any.
insert into accounts (name, tier) values ('default', 'enterprise');
alter table tokens add column account_id uuid references accounts;
update tokens set account_id = (select account_id from accounts where name = 'default');
alter table tokens alter column account_id set not null;

-- Compute units (decisions on accounts): what each account used in each calendar month, UTC.
create table usage (
  account_id uuid not null references accounts,
  -- its first day
  month date not null check (extract(day from month) = 1),
  units bigint not null check (units >= 0),
  requests bigint not null check (requests >= 0),
  updated_at timestamptz not null default now(),
  primary key (account_id, month)
);
-- Replicas read each other's changes.
create index usage_updated on usage (updated_at);

-- Batches that are counted already: one sent again, because nobody knows whether it arrived, counts nothing twice.
create table usage_batches (
  batch_id uuid primary key,
  counted_at timestamptz not null default now()
);
create index usage_batches_counted on usage_batches (counted_at);

-- compute units in the tier's period; null: the tier's
alter table accounts add column unit_allowance bigint check (unit_allowance >= 0);

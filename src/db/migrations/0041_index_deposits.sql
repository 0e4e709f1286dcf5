-- What `stakegraph index` needs to go on, saved in parts that change little from epoch to epoch.
insert into compatible_migrations values ('0041_index_deposits', '0034_index_fills');

-- The deposits that wait, in order. Places are never used twice while an index goes on.
create table index_deposits (
  network text collate "C" not null,
  place integer not null,
  pubkey bytea not null,
  withdrawal_credentials bytea not null,
  amount bigint not null,
  slot integer not null,
  primary key (network, place)
);

-- Effective balances that differ in the next epoch: validator and balance in ETH, in 4 and 2 bytes.
alter table index_epochs add column effective_changes bytea not null default '';

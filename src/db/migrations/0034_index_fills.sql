-- What an execution node and relays tell of a block is filled in after the block was written. Null: not known yet.
alter table blocks alter column relays drop not null, alter column block_builder_pubkeys drop not null;

-- The newest block that lacks something.
create index blocks_without_fees on blocks (network, slot)
  where execution_block_hash is not null and total_priority_fees is null;
create index blocks_without_relays on blocks (network, slot)
  where execution_block_hash is not null and relays is null;

-- How far the logs of the deposit contract were read.
create table deposit_scans (
  network text collate "C" primary key,
  contract text collate "C" not null,
  -- block number
  next_block bigint not null,
  -- the contract counts its deposits: a gap shows that a node left some out
  next_deposit bigint not null,
  -- block number: no deposit was seen from there on; reading begins there again after a gap
  empty_from bigint not null
);

-- Deposits whose validator is not stored yet, or has other credentials.
create table waiting_deposits (
  network text collate "C" not null,
  validator_pubkey text collate "C" not null,
  deposit_index bigint not null,
  -- null: the credentials hold no address
  withdrawal_address text collate "C",
  -- sender of the transaction
  depositor text collate "C" not null,
  primary key (network, validator_pubkey, deposit_index)
);

-- Slashed validators and what it cost them (spec §2.4); balances and penalties in Gwei.
create table slashings (
  network text collate "C" not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  slashing_epoch integer not null,
  withdrawable_epoch integer not null,
  balance_before_slashing bigint not null,
  balance_before_withdrawal bigint not null,
  slashing_penalties bigint not null,
  primary key (network, validator_index)
);
create unique index slashings_order on slashings (network, slashing_epoch, validator_index);
create unique index slashings_pubkey on slashings (network, validator_pubkey);

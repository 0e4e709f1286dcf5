-- Totals of validators no longer count a million rows, and pages of an operator with a filter read its index alone.
create table validator_counts (
  network text collate "C" not null,
  -- whether the activation epoch is known
  activated boolean not null,
  -- whether the exit epoch is known
  leaving boolean not null,
  slashed boolean not null,
  validators integer not null,
  primary key (network, activated, leaving, slashed)
);
insert into validator_counts
select network, activation_epoch is not null, exit_epoch is not null, slashed, count(*) from validators group by 1, 2, 3, 4;

drop index validators_deposit_address;
create index validators_deposit_address on validators (network, deposit_address, validator_index)
  include (activation_epoch, exit_epoch, slashed);
drop index validators_withdrawal_address;
create index validators_withdrawal_address on validators (network, withdrawal_address, validator_index)
  include (activation_epoch, exit_epoch, slashed) where withdrawal_address is not null;
drop index validators_node_operator;
create index validators_node_operator on validators (network, node_operator, validator_index)
  include (activation_epoch, exit_epoch, slashed) where node_operator is not null;
drop index validators_pool;
create index validators_pool on validators (network, pool, validator_index)
  include (activation_epoch, exit_epoch, slashed) where pool is not null;
drop index validators_pool_share;
create index validators_pool_share on validators (network, pool, node_operator, validator_index)
  include (activation_epoch, exit_epoch, slashed) where pool is not null and node_operator is not null;
-- PostgreSQL reads an index alone only if it has the columns of its expressions and of its condition.
drop index validators_staying_since;
create index validators_staying_since on validators (network, coalesce(activation_epoch, 2147483647), validator_index)
  include (activation_epoch, exit_epoch) where activation_epoch is not null and exit_epoch is null;

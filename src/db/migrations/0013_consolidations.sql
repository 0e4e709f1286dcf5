-- Processed consolidations (EIP-7251): the balance of a source validator moved to a target, in Gwei. A source exits, so it
-- is consolidated once.
create table consolidations (
  network text collate "C" not null,
  source_index integer not null,
  source_pubkey text collate "C" not null,
  target_index integer not null,
  target_pubkey text collate "C" not null,
  -- the epoch at whose end it was processed
  epoch integer not null,
  consolidated_balance bigint not null,
  primary key (network, source_index),
  check (source_index <> target_index)
);
-- the orders of the list; the balance in the first lets sums over time read the index alone
create unique index consolidations_epoch on consolidations (network, epoch, source_index)
  include (consolidated_balance);
create index consolidations_balance on consolidations (network, consolidated_balance, epoch, source_index);
create index consolidations_target on consolidations (network, target_index, epoch, source_index);
-- validators are found by public key, also those that are not stored as validators
create index consolidations_source_pubkey on consolidations (network, source_pubkey);
create index consolidations_target_pubkey on consolidations (network, target_pubkey);

-- Effective balance of all active validators at an epoch, in Gwei: the churn limit follows from it.
create table chain_balances (
  network text collate "C" not null,
  epoch integer not null,
  total_active_balance bigint not null,
  primary key (network, epoch)
);

-- The entities of each validator under the identifiers that callers use; to be read by validator. A pool share goes by the
-- name its summaries have, the same in every window; one without a summary has no name and is left out.
create index operator_summaries_pool_share on operator_summaries (network, node_operator_id, pool_id)
  where id_type = 'poolShare';
create view validator_entities as
  select network, validator_index, id_type, operator_id as entity_id from operator_validators
  where id_type <> 'poolShare' and operator_id is not null
  union all
  select m.network, m.validator_index, m.id_type, s.operator_id
  from operator_validators m
  cross join lateral (
    select s.operator_id from operator_summaries s
    where s.id_type = 'poolShare' and (s.network, s.node_operator_id, s.pool_id) = (m.network, m.operator_id, m.share_of)
    order by s.operator_id limit 1
  ) s
  where m.id_type = 'poolShare';

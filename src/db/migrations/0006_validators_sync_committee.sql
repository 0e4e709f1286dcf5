-- Validators, and the addresses, node operator and pool each belongs to.
create table validators (
  network text collate "C" not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  deposit_address text collate "C" not null,
  withdrawal_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  -- null until the epoch is known
  activation_epoch integer,
  exit_epoch integer,
  slashed boolean not null,
  primary key (network, validator_index)
);
create unique index validators_pubkey on validators (network, validator_pubkey);
-- the order of an operator's validators, for each class of operator
create index validators_deposit_address on validators (network, deposit_address, validator_index);
create index validators_withdrawal_address on validators (network, withdrawal_address, validator_index)
  where withdrawal_address is not null;
create index validators_node_operator on validators (network, node_operator, validator_index)
  where node_operator is not null;
create index validators_pool on validators (network, pool, validator_index) where pool is not null;
create index validators_pool_share on validators (network, pool, node_operator, validator_index)
  where pool is not null and node_operator is not null;

-- Which validators an operator has, by class. A pool share is what a node operator (operator_id) runs of a pool
-- (share_of); share_of is '' for the other classes. Rows with a null operator or pool match nobody; a WHERE that leaves
-- them out would keep PostgreSQL from reading the indexes above in their order.
create view operator_validators as
  select network, 'depositAddress'::text collate "C" as id_type, deposit_address as operator_id,
    ''::text collate "C" as share_of, validator_index from validators
  union all
  select network, 'withdrawalAddress'::text collate "C", withdrawal_address, ''::text collate "C", validator_index
  from validators
  union all
  select network, 'nodeOperator'::text collate "C", node_operator, ''::text collate "C", validator_index from validators
  union all
  select network, 'pool'::text collate "C", pool, ''::text collate "C", validator_index from validators
  union all
  select network, 'poolShare'::text collate "C", node_operator, pool, validator_index from validators;

-- The operators a statement asks about, as they stand in operator_validators, each with its position from 0. What a
-- pool share is of stands in its summary.
create function asked_operators(networks text[], ids text[], id_types text[], time_windows text[])
returns table (list integer, network text, id_type text, operator_id text, share_of text)
language sql stable as $$
  select a.list::int - 1, a.network, a.id_type, coalesce(s.node_operator_id, a.operator_id), coalesce(s.pool_id, '')
  from unnest(networks, ids, id_types, time_windows)
    with ordinality as a (network, operator_id, id_type, time_window, list)
  left join operator_summaries s using (network, operator_id, id_type, time_window)
$$;

-- What each seat of the sync committee earned in a slot (spec §2.5), in Gwei; negative for a missed signature.
-- Validators may hold several seats: a row is a seat, not a validator.
create table sync_committee_rewards (
  network text collate "C" not null,
  slot integer not null,
  validator_index integer not null,
  reward bigint not null,
  -- the seat within the committee
  position smallint not null check (position between 0 and 511),
  -- the place in the slot's list, by (validator_index, position): a page at rank 500 costs what the first one costs
  rank smallint not null,
  primary key (network, slot, rank)
);
create unique index sync_committee_rewards_validator
  on sync_committee_rewards (network, validator_index, slot, rank);

-- How far the blocks of a network are stored: a slot up to here without rows had no block.
create table chain_heads (
  network text collate "C" primary key,
  slot integer not null
);

-- Daily rewards of other networks (spec §4.9): for each a table of its validators and one of the network as a whole, with
-- the fields of its record. A table each and no jsonb: every column has its type, a missing value is refused, amounts
-- are `numeric`, which keeps all digits, and a page reads no other network's rows. Amounts in the network's own token.
-- The index on the day alone is for removing old days. It is BRIN, since a B-tree has an order, by which the planner would
-- look for the first days of a validator through those of all others.

-- Avalanche, AVAX
create table avalanche_validator_rewards (
  day date not null,
  node_id text collate "C" not null,
  validation_status text collate "C" not null,
  validator_pubkey text collate "C",
  total_delegator_rewards numeric not null,
  total_validator_rewards numeric not null,
  total_validator_fee_rewards numeric not null,
  total_potential_delegator_rewards numeric not null,
  total_potential_validator_rewards numeric not null,
  total_potential_validator_fee_rewards numeric not null,
  primary key (node_id, day)
);
create index avalanche_validator_rewards_day on avalanche_validator_rewards using brin (day);
create table avalanche_network_rewards (
  day date not null,
  total_active_validators integer not null,
  total_delegator_rewards numeric not null,
  total_validator_rewards numeric not null,
  total_validator_fee_rewards numeric not null,
  total_potential_delegator_rewards numeric not null,
  total_potential_validator_rewards numeric not null,
  total_potential_validator_fee_rewards numeric not null,
  primary key (day)
);

-- Babylon, BABY
create table babylon_validator_rewards (
  day date not null,
  validator text collate "C" not null,
  validator_moniker text collate "C",
  consensus_pubkey text collate "C" not null,
  account_address text collate "C" not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  commission_rate numeric not null,
  primary key (validator, day)
);
create index babylon_validator_rewards_day on babylon_validator_rewards using brin (day);
create table babylon_network_rewards (
  day date not null,
  avg_commission_rate numeric not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_bonded_validators integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  primary key (day)
);

-- Cardano, ADA
create table cardano_validator_rewards (
  day date not null,
  epoch integer not null,
  from_block_number integer not null,
  to_block_number integer not null,
  from_slot_number integer not null,
  to_slot_number integer not null,
  pool_id text collate "C" not null,
  pool_hash_id integer,
  pool_name text collate "C",
  pool_ticker text collate "C",
  pool_owner_stake_addresses text[] not null,
  pool_fee numeric not null,
  pool_flat_fee numeric not null,
  total_realized_delegator_rewards numeric not null,
  total_realized_validator_rewards numeric not null,
  total_earned_delegator_rewards numeric not null,
  total_earned_validator_rewards numeric not null,
  primary key (pool_id, day)
);
create index cardano_validator_rewards_day on cardano_validator_rewards using brin (day);
create table cardano_network_rewards (
  day date not null,
  epoch integer not null,
  avg_pool_fee numeric not null,
  avg_pool_flat_fee numeric not null,
  total_active_pools integer not null,
  total_realized_delegator_rewards numeric not null,
  total_realized_validator_rewards numeric not null,
  total_earned_delegator_rewards numeric not null,
  total_earned_validator_rewards numeric not null,
  primary key (day)
);

-- Celestia, TIA
create table celestia_validator_rewards (
  day date not null,
  validator text collate "C" not null,
  validator_moniker text collate "C",
  consensus_pubkey text collate "C" not null,
  account_address text collate "C" not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  commission_rate numeric not null,
  consensus_address text collate "C" not null,
  primary key (validator, day)
);
create index celestia_validator_rewards_day on celestia_validator_rewards using brin (day);
create table celestia_network_rewards (
  day date not null,
  avg_commission_rate numeric not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_bonded_validators integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  primary key (day)
);

-- Polkadot, DOT
create table polkadot_validator_rewards (
  day date not null,
  era integer not null,
  validator text collate "C" not null,
  commission_rate numeric not null,
  era_points integer not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_nominator_rewards numeric not null,
  primary key (validator, day)
);
create index polkadot_validator_rewards_day on polkadot_validator_rewards using brin (day);
create table polkadot_network_rewards (
  day date not null,
  era integer not null,
  total_active_validators integer not null,
  avg_commission_rate numeric not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_nominator_rewards numeric not null,
  primary key (day)
);

-- Polygon, POL
create table polygon_validator_rewards (
  day date not null,
  validator_id integer not null,
  validator_name text collate "C",
  from_checkpoint integer not null,
  to_checkpoint integer not null,
  commission_rate numeric not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_delegator_rewards numeric not null,
  primary key (validator_id, day)
);
create index polygon_validator_rewards_day on polygon_validator_rewards using brin (day);
create table polygon_network_rewards (
  day date not null,
  from_checkpoint integer not null,
  to_checkpoint integer not null,
  total_active_validators integer not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_delegator_rewards numeric not null,
  primary key (day)
);

-- Solana, SOL
create table solana_validator_rewards (
  day date not null,
  epoch integer not null,
  vote_account text collate "C" not null,
  validator_name text collate "C",
  vote_commission_rate numeric not null,
  mev_commission_rate numeric,
  total_voting_rewards numeric not null,
  total_proposal_rewards numeric not null,
  total_mev_rewards numeric not null,
  total_delegator_rewards numeric not null,
  primary key (vote_account, day)
);
create index solana_validator_rewards_day on solana_validator_rewards using brin (day);
create table solana_network_rewards (
  day date not null,
  epoch integer not null,
  active_validator_count integer not null,
  total_voting_rewards numeric not null,
  total_proposal_rewards numeric not null,
  total_mev_rewards numeric not null,
  total_delegator_rewards numeric not null,
  primary key (day)
);

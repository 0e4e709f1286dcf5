-- Validators of a day by what they earned or staked: with the id, so that ties have an order, and by the number of the day,
-- because an index in the order of days would tempt the planner to look for a validator's days among those of all. The day
-- itself lets validators be counted in the index alone.
create index avalanche_validator_rewards_earned on avalanche_validator_rewards
  ((day - date '0001-01-01'), (total_validator_rewards + total_validator_fee_rewards), node_id) include (day);
create index avalanche_validator_rewards_delegators on avalanche_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, node_id);
create index babylon_validator_rewards_earned on babylon_validator_rewards
  ((day - date '0001-01-01'), total_commission_rewards, validator) include (day);
create index babylon_validator_rewards_delegators on babylon_validator_rewards
  ((day - date '0001-01-01'), total_delegation_rewards, validator);
create index cardano_validator_rewards_earned on cardano_validator_rewards
  ((day - date '0001-01-01'), total_earned_validator_rewards, pool_id) include (day);
create index cardano_validator_rewards_delegators on cardano_validator_rewards
  ((day - date '0001-01-01'), total_earned_delegator_rewards, pool_id);
create index celestia_validator_rewards_earned on celestia_validator_rewards
  ((day - date '0001-01-01'), total_commission_rewards, validator) include (day);
create index celestia_validator_rewards_delegators on celestia_validator_rewards
  ((day - date '0001-01-01'), total_delegation_rewards, validator);
create index polkadot_validator_rewards_earned on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_validator_rewards, validator) include (day);
create index polkadot_validator_rewards_delegators on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_nominator_rewards, validator);
create index polkadot_validator_rewards_stake on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_stake, validator);
create index polygon_validator_rewards_earned on polygon_validator_rewards
  ((day - date '0001-01-01'), total_validator_rewards, validator_id) include (day);
create index polygon_validator_rewards_delegators on polygon_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, validator_id);
create index polygon_validator_rewards_stake on polygon_validator_rewards
  ((day - date '0001-01-01'), total_stake, validator_id);
create index solana_validator_rewards_earned on solana_validator_rewards
  ((day - date '0001-01-01'), (total_voting_rewards + total_proposal_rewards + total_mev_rewards), vote_account)
  include (day);
create index solana_validator_rewards_delegators on solana_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, vote_account);

-- Solana as a whole as it was published on each day.
create table solana_overview_history (like solana_overviews including constraints);
alter table solana_overview_history
  add column date date not null,
  add primary key (time_window, date);

insert into compatible_migrations values ('0045_network_validators', '0044_finite_figures');

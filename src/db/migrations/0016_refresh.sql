-- Facts that `stakegraph refresh` computes the published summaries from, beside those that are stored already.

-- What cannot be told from the chain: the tags and the name of an operator; of a pool share, whose it is.
create table operator_profiles (
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  operator_tags jsonb not null,
  display_name text,
  pool_id text collate "C",
  node_operator_id text collate "C",
  -- of a pool, from its tags
  pool_type text collate "C" check (pool_type in ('cex', 'lst')),
  primary key (network, id_type, operator_id)
);
create unique index operator_profiles_pool_share on operator_profiles (network, pool_id, node_operator_id)
  where id_type = 'poolShare';

-- The consensus client of a validator, as an estimate of somebody or told by its operator.
create table validator_clients (
  network text collate "C" not null,
  validator_index integer not null,
  client text collate "C" not null,
  primary key (network, validator_index)
);

-- Epochs of Solana: when they were, and what is counted at their end.
create table solana_epochs (
  epoch integer primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null check (ended_at > started_at),
  -- stake accounts with active stake, their authorities, and those that are being deactivated
  stake_account_count integer not null,
  withdraw_authority_count integer not null,
  stake_authority_count integer not null,
  deactivating_stake_account_count integer
);

-- What a validator of Solana did in an epoch. Amounts in SOL, rates as ratios; rewards with the commission kept of them.
create table solana_validator_epochs (
  epoch integer not null,
  vote_account text collate "C" not null,
  validator_name text,
  active_stake numeric not null,
  -- 1 is a perfect one
  effectiveness numeric not null,
  vote_commission_rate numeric not null,
  mev_commission_rate numeric not null,
  votes_due integer not null,
  votes_landed integer not null,
  -- slots until a vote landed, over those that did
  sum_voting_latency bigint not null,
  leader_slots integer not null,
  produced_blocks integer not null,
  voting_rewards numeric not null,
  voting_commission numeric not null,
  mev_rewards numeric not null,
  mev_commission numeric not null,
  proposal_rewards numeric not null,
  rent_rewards numeric not null,
  voting_costs numeric not null,
  primary key (epoch, vote_account)
);

-- What a stake authority had with a validator in an epoch: rewards are what it got, beside the commission paid of them.
create table solana_stake_authority_epochs (
  epoch integer not null,
  stake_authority text collate "C" not null,
  vote_account text collate "C" not null,
  pool_name text,
  delegated_stake numeric not null,
  staking_rewards numeric not null,
  mev_rewards numeric not null,
  staking_commission_paid numeric not null,
  mev_commission_paid numeric not null,
  primary key (epoch, stake_authority, vote_account)
);

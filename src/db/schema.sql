-- All tables of a database with all migrations, by name. Written by `npm run schema`; why a table is as it is, stands in
-- its migration, and functions and views are in routines.

create table accounts (
  account_id uuid not null default gen_random_uuid(),
  name text not null,
  tier text not null,
  rate_limit integer,
  created_at timestamptz not null default now(),
  unit_allowance bigint,
  constraint accounts_pkey PRIMARY KEY (account_id),
  constraint accounts_rate_limit_check CHECK ((rate_limit > 0)),
  constraint accounts_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'starter'::text, 'build'::text, 'growth'::text, 'enterprise'::text]))),
  constraint accounts_unit_allowance_check CHECK ((unit_allowance >= 0)),
  constraint accounts_name_key UNIQUE (name)
);

create table added_rows (
  dataset text collate "C" not null,
  network text collate "C" not null,
  revision integer,
  keys integer[] not null,
  omitted integer not null
);
CREATE INDEX added_rows_revision ON added_rows USING btree (dataset, revision);

create table archived_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  constraint archived_day_dates_pkey PRIMARY KEY (network, utc, day)
);

create table archived_months (
  network text collate "C" not null,
  month date not null,
  folder text not null,
  file text collate "C" not null,
  schema_version integer not null,
  rows bigint not null,
  bytes bigint not null,
  sha256 bytea not null,
  rows_sha256 bytea not null,
  row_groups json not null,
  archived_at timestamptz not null default now(),
  sums_file text collate "C",
  sums_version text,
  sums_bytes bigint,
  sums_sha256 bytea,
  constraint archived_months_pkey PRIMARY KEY (network, month),
  constraint archived_months_month_check CHECK ((month = (date_trunc('month'::text, (month)::timestamp))::date)),
  constraint archived_months_sums CHECK ((num_nulls(sums_file, sums_version, sums_bytes, sums_sha256) = ANY (ARRAY[0, 4]))),
  constraint archived_months_file_key UNIQUE (file)
);

create table attestation_days (
  entity_key integer not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  sum_missed_sync_signatures bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  avg_attester_effectiveness double precision not null,
  sum_inclusion_delay bigint not null,
  sum_sync_signature_count bigint,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  start_epoch integer not null,
  end_epoch integer not null,
  computed boolean not null default false,
  active_count bigint,
  attested_count bigint,
  proposer_count bigint,
  proposed_count bigint,
  missed_proposal_count bigint,
  sum_attestation_rewards bigint,
  sum_sync_committee_rewards bigint,
  sum_proposer_rewards bigint,
  sum_priority_fees bigint,
  sum_baseline_mev bigint,
  sum_correctness double precision,
  sum_inclusion_delays double precision,
  sum_uptime double precision,
  sum_attester_effectiveness double precision,
  sum_proposer_effectiveness double precision,
  sum_validator_effectiveness double precision,
  apr_rewards bigint,
  apr_stake numeric,
  empty_payload_count bigint,
  constraint attestation_days_pkey PRIMARY KEY (entity_key, utc, date, day),
  constraint attestation_days_apr_stake_check CHECK (((apr_stake > '-Infinity'::numeric) AND (apr_stake < 'Infinity'::numeric))),
  constraint attestation_days_finite CHECK (((avg_attester_effectiveness > '-Infinity'::double precision) AND (avg_attester_effectiveness < 'Infinity'::double precision))),
  constraint attestation_days_finite_figures CHECK ((((sum_correctness >= (0)::double precision) AND (sum_correctness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_inclusion_delays >= (0)::double precision) AND (sum_inclusion_delays <= ('1000000000000000'::numeric)::double precision)) AND ((sum_uptime >= (0)::double precision) AND (sum_uptime <= ('1000000000000000'::numeric)::double precision)) AND ((sum_attester_effectiveness >= (0)::double precision) AND (sum_attester_effectiveness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_proposer_effectiveness >= (0)::double precision) AND (sum_proposer_effectiveness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_validator_effectiveness >= (0)::double precision) AND (sum_validator_effectiveness <= ('1000000000000000'::numeric)::double precision))))
) partition by RANGE (date);
CREATE INDEX attestation_days_date ON ONLY attestation_days USING brin (date);

create table attestation_entities (
  entity_key integer not null generated always as identity,
  network text collate "C" not null,
  id_type text collate "C" not null,
  entity_id text collate "C" not null,
  constraint attestation_entities_pkey PRIMARY KEY (entity_key),
  constraint attestation_entities_network_entity_id_id_type_key UNIQUE (network, entity_id, id_type)
);

create table attestation_hours (
  entity_key integer not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  sum_missed_sync_signatures bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  avg_attester_effectiveness double precision not null,
  sum_inclusion_delay bigint not null,
  sum_sync_signature_count bigint,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  start_epoch integer not null,
  end_epoch integer not null,
  hour integer not null,
  constraint attestation_hours_pkey PRIMARY KEY (entity_key, utc, date, hour),
  constraint attestation_hours_finite CHECK (((avg_attester_effectiveness > '-Infinity'::double precision) AND (avg_attester_effectiveness < 'Infinity'::double precision)))
) partition by RANGE (date);

create table audit_log (
  entry_id bigint not null generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor_type text collate "C" not null,
  actor text not null,
  action text collate "C" not null,
  subject text not null,
  details jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (entry_id),
  constraint audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'token'::text])))
);
CREATE INDEX audit_log_at ON audit_log USING btree (at, entry_id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_told AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION tell_audit_entry();

create table avalanche_network_rewards (
  day date not null,
  total_active_validators integer not null,
  total_delegator_rewards numeric not null,
  total_validator_rewards numeric not null,
  total_validator_fee_rewards numeric not null,
  total_potential_delegator_rewards numeric not null,
  total_potential_validator_rewards numeric not null,
  total_potential_validator_fee_rewards numeric not null,
  constraint avalanche_network_rewards_pkey PRIMARY KEY (day)
);

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
  constraint avalanche_validator_rewards_pkey PRIMARY KEY (node_id, day)
);
CREATE INDEX avalanche_validator_rewards_day ON avalanche_validator_rewards USING brin (day);
CREATE INDEX avalanche_validator_rewards_delegators ON avalanche_validator_rewards USING btree (((day - '0001-01-01'::date)), total_delegator_rewards, node_id);
CREATE INDEX avalanche_validator_rewards_earned ON avalanche_validator_rewards USING btree (((day - '0001-01-01'::date)), ((total_validator_rewards + total_validator_fee_rewards)), node_id) INCLUDE (day);

create table babylon_network_rewards (
  day date not null,
  avg_commission_rate numeric not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_bonded_validators integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  constraint babylon_network_rewards_pkey PRIMARY KEY (day)
);

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
  constraint babylon_validator_rewards_pkey PRIMARY KEY (validator, day)
);
CREATE INDEX babylon_validator_rewards_day ON babylon_validator_rewards USING brin (day);
CREATE INDEX babylon_validator_rewards_delegators ON babylon_validator_rewards USING btree (((day - '0001-01-01'::date)), total_delegation_rewards, validator);
CREATE INDEX babylon_validator_rewards_earned ON babylon_validator_rewards USING btree (((day - '0001-01-01'::date)), total_commission_rewards, validator) INCLUDE (day);

create table block_counts (
  network text collate "C" not null,
  total integer not null,
  constraint block_counts_pkey PRIMARY KEY (network)
);

create table block_operators (
  network text collate "C" not null,
  slot integer not null,
  consensus_proposer_duty text collate "C" not null,
  deposit_address text collate "C",
  withdrawal_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  constraint block_operators_pkey PRIMARY KEY (network, slot)
);
CREATE INDEX block_operators_deposit_address ON block_operators USING btree (network, deposit_address, slot) INCLUDE (consensus_proposer_duty) WHERE (deposit_address IS NOT NULL);
CREATE INDEX block_operators_lost_deposit_address ON block_operators USING btree (network, deposit_address, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX block_operators_lost_node_operator ON block_operators USING btree (network, node_operator, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX block_operators_lost_pool ON block_operators USING btree (network, pool, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX block_operators_lost_pool_share ON block_operators USING btree (network, pool, node_operator, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX block_operators_lost_withdrawal_address ON block_operators USING btree (network, withdrawal_address, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX block_operators_node_operator ON block_operators USING btree (network, node_operator, slot) INCLUDE (consensus_proposer_duty) WHERE (node_operator IS NOT NULL);
CREATE INDEX block_operators_pool ON block_operators USING btree (network, pool, slot) INCLUDE (consensus_proposer_duty) WHERE (pool IS NOT NULL);
CREATE INDEX block_operators_pool_share ON block_operators USING btree (network, pool, node_operator, slot) INCLUDE (consensus_proposer_duty) WHERE ((pool IS NOT NULL) AND (node_operator IS NOT NULL));
CREATE INDEX block_operators_withdrawal_address ON block_operators USING btree (network, withdrawal_address, slot) INCLUDE (consensus_proposer_duty) WHERE (withdrawal_address IS NOT NULL);

create table blocks (
  network text collate "C" not null,
  slot integer not null,
  validator_index integer not null,
  consensus_proposer_duty text collate "C" not null,
  execution_proposer_duty text collate "C",
  consensus_block_root text collate "C",
  execution_block_number integer,
  execution_block_hash text collate "C",
  fee_recipient text collate "C",
  total_transactions integer,
  total_type0_transactions integer,
  total_type1_transactions integer,
  total_type2_transactions integer,
  total_sanctioned_transactions integer,
  total_gas_used integer,
  base_fee_per_gas numeric,
  total_burnt_fees numeric,
  total_type0_tx_fees numeric,
  total_type1_tx_fees numeric,
  total_type2_tx_fees numeric,
  total_priority_fees numeric,
  total_priority_fees_validator numeric,
  baseline_mev numeric,
  execution_rewards numeric,
  missed_execution_rewards numeric,
  consensus_rewards bigint,
  missed_consensus_rewards bigint,
  total_rewards numeric,
  total_rewards_missed numeric,
  relays text[],
  block_builder_pubkeys text[],
  finalized boolean not null default true,
  payload_status text collate "C",
  bid_value bigint,
  bid_builder_index integer,
  bid_builder_pubkey text collate "C",
  bid_execution_payment numeric,
  bid_fee_recipient text collate "C",
  bid_payment text collate "C",
  constraint blocks_pkey PRIMARY KEY (network, slot),
  constraint blocks_bid_payment_check CHECK ((bid_payment = ANY (ARRAY['settled'::text, 'quorum'::text, 'unpaid'::text, 'cancelled'::text]))),
  constraint blocks_consensus_proposer_duty_check CHECK ((consensus_proposer_duty = ANY (ARRAY['proposed'::text, 'missed'::text, 'orphaned'::text]))),
  constraint blocks_execution_proposer_duty_check CHECK ((execution_proposer_duty = ANY (ARRAY['proposed'::text, 'missed'::text, 'orphaned'::text]))),
  constraint blocks_payload_status_check CHECK ((payload_status = ANY (ARRAY['full'::text, 'empty'::text, 'unknown'::text])))
);
CREATE INDEX blocks_builder ON blocks USING btree (network, bid_builder_pubkey, slot) WHERE (bid_builder_pubkey IS NOT NULL);
CREATE INDEX blocks_execution_hash ON blocks USING hash (execution_block_hash);
CREATE INDEX blocks_lost ON blocks USING btree (network, consensus_proposer_duty, slot) WHERE (consensus_proposer_duty <> 'proposed'::text);
CREATE INDEX blocks_not_final ON blocks USING btree (network, slot) WHERE (NOT finalized);
CREATE INDEX blocks_payload ON blocks USING btree (network, payload_status, slot) WHERE (payload_status IS NOT NULL);
CREATE INDEX blocks_proposer ON blocks USING btree (network, validator_index, slot);
CREATE INDEX blocks_root ON blocks USING hash (consensus_block_root);
CREATE INDEX blocks_without_fees ON blocks USING btree (network, slot) WHERE ((execution_block_hash IS NOT NULL) AND (total_priority_fees IS NULL));
CREATE INDEX blocks_without_relays ON blocks USING btree (network, slot) WHERE ((execution_block_hash IS NOT NULL) AND (relays IS NULL));
CREATE TRIGGER blocks_deleted AFTER DELETE ON blocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE TRIGGER blocks_inserted AFTER INSERT ON blocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();
CREATE TRIGGER blocks_noted AFTER INSERT ON blocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_added_rows('slot');
CREATE TRIGGER blocks_operators_changed AFTER UPDATE OF network, slot, validator_index, consensus_proposer_duty, finalized ON blocks FOR EACH ROW WHEN ((((((old.network IS DISTINCT FROM new.network) OR (old.slot IS DISTINCT FROM new.slot)) OR (old.validator_index IS DISTINCT FROM new.validator_index)) OR (old.consensus_proposer_duty IS DISTINCT FROM new.consensus_proposer_duty)) OR (old.finalized IS DISTINCT FROM new.finalized))) EXECUTE FUNCTION change_block_operators();
CREATE TRIGGER blocks_operators_deleted AFTER DELETE ON blocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION remove_block_operators();
CREATE TRIGGER blocks_operators_inserted AFTER INSERT ON blocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION store_block_operators();
CREATE TRIGGER blocks_operators_truncated AFTER TRUNCATE ON blocks FOR EACH STATEMENT EXECUTE FUNCTION remove_block_operators();
CREATE TRIGGER blocks_replaced AFTER UPDATE OF consensus_block_root, payload_status ON blocks FOR EACH ROW WHEN (((old.consensus_block_root IS DISTINCT FROM new.consensus_block_root) OR (old.payload_status <> new.payload_status))) EXECUTE FUNCTION note_replaced_block();
CREATE TRIGGER blocks_truncated AFTER TRUNCATE ON blocks FOR EACH STATEMENT EXECUTE FUNCTION count_blocks();

create table builders (
  network text collate "C" not null,
  pubkey text collate "C" not null,
  index integer not null,
  execution_address text collate "C" not null,
  balance bigint not null,
  deposit_epoch integer not null,
  withdrawable_epoch integer,
  bid_count integer not null,
  full_count integer not null,
  withheld_count integer not null,
  paid_count integer not null,
  sum_bid_value bigint not null,
  sum_full_value bigint not null,
  sum_withheld_value bigint not null,
  sum_paid_value bigint not null,
  constraint builders_pkey PRIMARY KEY (network, pubkey)
);
CREATE INDEX builders_balance ON builders USING btree (network, balance, pubkey);
CREATE INDEX builders_bids ON builders USING btree (network, bid_count, pubkey);
CREATE INDEX builders_full ON builders USING btree (network, full_count, pubkey);
CREATE INDEX builders_index ON builders USING btree (network, index, pubkey);
CREATE INDEX builders_paid ON builders USING btree (network, sum_paid_value, pubkey);
CREATE INDEX builders_withheld ON builders USING btree (network, withheld_count, pubkey);

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
  constraint cardano_network_rewards_pkey PRIMARY KEY (day)
);

create table cardano_validator_rewards (
  day date not null,
  epoch integer not null,
  from_block_number integer not null,
  to_block_number integer not null,
  from_slot_number integer not null,
  to_slot_number integer not null,
  pool_id text collate "C" not null,
  pool_hash_id text collate "C",
  pool_name text collate "C",
  pool_ticker text collate "C",
  pool_owner_stake_addresses text[] not null,
  pool_fee numeric not null,
  pool_flat_fee numeric not null,
  total_realized_delegator_rewards numeric not null,
  total_realized_validator_rewards numeric not null,
  total_earned_delegator_rewards numeric not null,
  total_earned_validator_rewards numeric not null,
  constraint cardano_validator_rewards_pkey PRIMARY KEY (pool_id, day)
);
CREATE INDEX cardano_validator_rewards_day ON cardano_validator_rewards USING brin (day);
CREATE INDEX cardano_validator_rewards_delegators ON cardano_validator_rewards USING btree (((day - '0001-01-01'::date)), total_earned_delegator_rewards, pool_id);
CREATE INDEX cardano_validator_rewards_earned ON cardano_validator_rewards USING btree (((day - '0001-01-01'::date)), total_earned_validator_rewards, pool_id) INCLUDE (day);

create table celestia_network_rewards (
  day date not null,
  avg_commission_rate numeric not null,
  from_block_number integer not null,
  to_block_number integer not null,
  total_bonded_validators integer not null,
  total_delegation_rewards numeric not null,
  total_commission_rewards numeric not null,
  constraint celestia_network_rewards_pkey PRIMARY KEY (day)
);

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
  constraint celestia_validator_rewards_pkey PRIMARY KEY (validator, day)
);
CREATE INDEX celestia_validator_rewards_day ON celestia_validator_rewards USING brin (day);
CREATE INDEX celestia_validator_rewards_delegators ON celestia_validator_rewards USING btree (((day - '0001-01-01'::date)), total_delegation_rewards, validator);
CREATE INDEX celestia_validator_rewards_earned ON celestia_validator_rewards USING btree (((day - '0001-01-01'::date)), total_commission_rewards, validator) INCLUDE (day);

create table chain_balances (
  network text collate "C" not null,
  epoch integer not null,
  total_active_balance bigint not null,
  constraint chain_balances_pkey PRIMARY KEY (network, epoch)
);

create table chain_daily_rewards (
  network text collate "C" not null,
  day integer not null,
  sum_consensus_rewards bigint not null,
  sum_execution_rewards numeric not null,
  sum_priority_fees numeric not null,
  sum_baseline_mev numeric not null,
  sum_effective_balance bigint,
  computed boolean not null default false,
  effective_balance_epochs numeric,
  constraint chain_daily_rewards_pkey PRIMARY KEY (network, day)
);

create table chain_heads (
  network text collate "C" not null,
  slot integer not null,
  constraint chain_heads_pkey PRIMARY KEY (network)
);

create table compatible_migrations (
  name text not null,
  least text not null,
  constraint compatible_migrations_pkey PRIMARY KEY (name)
);

create table consolidation_entities (
  entity integer not null generated always as identity,
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  share_of text collate "C" not null,
  listed_count integer not null default 0,
  consolidation_count integer not null default 0,
  target_count integer not null default 0,
  consolidated_balance bigint not null default 0,
  first_epoch integer,
  last_epoch integer,
  constraint consolidation_entities_pkey PRIMARY KEY (entity),
  constraint consolidation_entities_network_id_type_operator_id_share_of_key UNIQUE (network, id_type, operator_id, share_of)
);

create table consolidation_epochs (
  entity integer not null,
  epoch integer not null,
  consolidation_count integer not null,
  consolidated_balance bigint not null,
  constraint consolidation_epochs_pkey PRIMARY KEY (entity, epoch) INCLUDE (consolidation_count, consolidated_balance)
);

create table consolidations (
  network text collate "C" not null,
  source_index integer not null,
  source_pubkey text collate "C" not null,
  target_index integer not null,
  target_pubkey text collate "C" not null,
  epoch integer not null,
  consolidated_balance bigint not null,
  constraint consolidations_pkey PRIMARY KEY (network, source_index),
  constraint consolidations_check CHECK ((source_index <> target_index))
);
CREATE UNIQUE INDEX consolidations_epoch ON consolidations USING btree (network, epoch, source_index) INCLUDE (consolidated_balance);
CREATE INDEX consolidations_source_pubkey ON consolidations USING btree (network, source_pubkey);
CREATE INDEX consolidations_target ON consolidations USING btree (network, target_index, epoch, source_index);
CREATE INDEX consolidations_target_pubkey ON consolidations USING btree (network, target_pubkey);

create table dataset_origins (
  dataset text collate "C" not null,
  network text collate "C" not null,
  origin text collate "C" not null,
  written_at timestamptz not null,
  constraint dataset_origins_pkey PRIMARY KEY (dataset, network, origin),
  constraint dataset_origins_origin_check CHECK ((origin = ANY (ARRAY['index'::text, 'import'::text, 'mirror'::text, 'sample'::text])))
);

create table datasets (
  name text collate "C" not null,
  revision integer not null,
  refreshed_at timestamptz not null,
  added_from integer not null default 0,
  computed integer not null default 0,
  constraint datasets_pkey PRIMARY KEY (name),
  constraint datasets_known CHECK ((name = ANY (ARRAY['operators'::text, 'slashings'::text, 'attestations'::text, 'blocks'::text, 'builders'::text, 'chain-daily-rewards'::text, 'chain-balances'::text, 'consolidations'::text, 'solana-overview'::text, 'stake-authorities'::text, 'sync-committee-rewards'::text, 'validators'::text, 'validator-days'::text, 'validator-clients'::text, 'operator-profiles'::text, 'solana-epochs'::text, 'solana-validator-epochs'::text, 'solana-stake-authority-epochs'::text, 'avalanche-rewards'::text, 'babylon-rewards'::text, 'cardano-rewards'::text, 'celestia-rewards'::text, 'polkadot-rewards'::text, 'polygon-rewards'::text, 'solana-rewards'::text])))
);

create table deposit_scans (
  network text collate "C" not null,
  contract text collate "C" not null,
  next_block bigint not null,
  next_deposit bigint not null,
  empty_from bigint not null,
  constraint deposit_scans_pkey PRIMARY KEY (network)
);

create table dropped_relays (
  network text collate "C" not null,
  first_slot integer not null,
  end_slot integer not null,
  relays text[] collate "C" not null,
  proposers integer[] not null,
  constraint dropped_relays_check CHECK ((end_slot > first_slot))
);
CREATE INDEX dropped_relays_slots ON dropped_relays USING btree (network, first_slot);

create table entity_consolidations (
  entity integer not null,
  source_index integer not null,
  target_index integer not null,
  epoch integer not null,
  consolidated_balance bigint not null,
  as_source boolean not null,
  earlier_epoch integer not null,
  constraint entity_consolidations_pkey PRIMARY KEY (entity, source_index)
);
CREATE INDEX entity_consolidations_balance ON entity_consolidations USING btree (entity, consolidated_balance, epoch, source_index);
CREATE INDEX entity_consolidations_epoch ON entity_consolidations USING btree (entity, epoch, source_index) INCLUDE (target_index, consolidated_balance, as_source, earlier_epoch);
CREATE INDEX entity_consolidations_source ON entity_consolidations USING btree (source_index);
CREATE INDEX entity_consolidations_target ON entity_consolidations USING btree (entity, target_index, epoch, source_index);

create table idempotency_keys (
  account_id uuid not null,
  key text collate "C" not null,
  request bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, key),
  constraint idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created ON idempotency_keys USING btree (created_at);

create table imported_files (
  resource text collate "C" not null,
  digest bytea not null,
  name text not null,
  row_count bigint not null,
  loaded_at timestamptz not null default now(),
  constraint imported_files_pkey PRIMARY KEY (resource, digest)
);

create table index_deposits (
  network text collate "C" not null,
  place integer not null,
  pubkey bytea not null,
  withdrawal_credentials bytea not null,
  amount bigint not null,
  slot integer not null,
  constraint index_deposits_pkey PRIMARY KEY (network, place)
);

create table index_epochs (
  network text collate "C" not null,
  epoch integer not null,
  facts bytea storage external not null,
  effective_changes bytea not null default '\x'::bytea,
  constraint index_epochs_pkey PRIMARY KEY (network, epoch)
);

create table index_labels (
  network text collate "C" not null,
  rank integer not null,
  validator_pubkey text collate "C",
  first_index integer,
  last_index integer,
  withdrawal_address text collate "C",
  deposit_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  constraint index_labels_pkey PRIMARY KEY (network, rank)
);

create table index_late_penalties (
  network text collate "C" not null,
  validator_index integer not null,
  epoch integer not null,
  amount bigint not null,
  constraint index_late_penalties_pkey PRIMARY KEY (network, validator_index, epoch)
);

create table index_periods (
  network text collate "C" not null,
  utc boolean not null,
  hourly boolean not null,
  period integer not null,
  start_epoch integer not null,
  end_epoch integer not null,
  due boolean not null default false,
  balances bytea,
  constraint index_periods_pkey PRIMARY KEY (network, utc, hourly, period)
);
CREATE INDEX index_periods_kept ON index_periods USING btree (network) WHERE (balances IS NOT NULL);

create table index_ranges (
  network text collate "C" not null,
  first_epoch integer not null,
  last_epoch integer not null,
  constraint index_ranges_pkey PRIMARY KEY (network, first_epoch)
);

create table index_state (
  network text collate "C" not null,
  first_epoch integer not null,
  epoch integer not null,
  state bytea storage external not null,
  version integer not null,
  written_at timestamptz not null,
  genesis_validators_root text collate "C",
  constraint index_state_pkey PRIMARY KEY (network)
);

create table job_runs (
  run_id bigint not null generated always as identity,
  job text collate "C" not null,
  network text collate "C" not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default clock_timestamp(),
  outcome text collate "C" not null,
  row_count bigint not null,
  constraint job_runs_pkey PRIMARY KEY (run_id),
  constraint job_runs_job_check CHECK ((job = ANY (ARRAY['backup'::text, 'import'::text, 'index'::text, 'mirror'::text, 'partial-refresh'::text, 'publish'::text, 'refresh'::text, 'repack'::text, 'retain'::text]))),
  constraint job_runs_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'failure'::text])))
);
CREATE INDEX job_runs_last ON job_runs USING btree (job, network, outcome, finished_at);

create table kept_from (
  dataset text collate "C" not null,
  network text collate "C" not null,
  date date not null,
  constraint kept_from_pkey PRIMARY KEY (dataset, network)
);

create table kept_network_days (
  entity_key integer not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  sum_missed_sync_signatures bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  avg_attester_effectiveness double precision not null,
  sum_inclusion_delay bigint not null,
  sum_sync_signature_count bigint,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  start_epoch integer not null,
  end_epoch integer not null,
  computed boolean not null default false,
  active_count bigint,
  attested_count bigint,
  proposer_count bigint,
  proposed_count bigint,
  missed_proposal_count bigint,
  sum_attestation_rewards bigint,
  sum_sync_committee_rewards bigint,
  sum_proposer_rewards bigint,
  sum_priority_fees bigint,
  sum_baseline_mev bigint,
  sum_correctness double precision,
  sum_inclusion_delays double precision,
  sum_uptime double precision,
  sum_attester_effectiveness double precision,
  sum_proposer_effectiveness double precision,
  sum_validator_effectiveness double precision,
  apr_rewards bigint,
  apr_stake numeric,
  empty_payload_count bigint,
  constraint kept_network_days_pkey PRIMARY KEY (entity_key, utc, date, day),
  constraint attestation_days_finite CHECK (((avg_attester_effectiveness > '-Infinity'::double precision) AND (avg_attester_effectiveness < 'Infinity'::double precision))),
  constraint attestation_days_finite_figures CHECK ((((sum_correctness >= (0)::double precision) AND (sum_correctness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_inclusion_delays >= (0)::double precision) AND (sum_inclusion_delays <= ('1000000000000000'::numeric)::double precision)) AND ((sum_uptime >= (0)::double precision) AND (sum_uptime <= ('1000000000000000'::numeric)::double precision)) AND ((sum_attester_effectiveness >= (0)::double precision) AND (sum_attester_effectiveness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_proposer_effectiveness >= (0)::double precision) AND (sum_proposer_effectiveness <= ('1000000000000000'::numeric)::double precision)) AND ((sum_validator_effectiveness >= (0)::double precision) AND (sum_validator_effectiveness <= ('1000000000000000'::numeric)::double precision))))
);

create table kept_sums (
  network text collate "C" not null,
  parts json,
  stamp uuid not null default gen_random_uuid(),
  constraint kept_sums_pkey PRIMARY KEY (network)
);

create table mirror_fruitless_shares (
  source text collate "C" not null,
  network text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  digest text not null,
  constraint mirror_fruitless_shares_pkey PRIMARY KEY (source, network, time_window, operator_id)
);

create table mirror_runs (
  run_id integer not null generated always as identity,
  round_id integer not null,
  source text collate "C" not null,
  scope text collate "C" not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  done boolean not null default false,
  constraint mirror_runs_pkey PRIMARY KEY (run_id)
);
CREATE INDEX mirror_runs_source ON mirror_runs USING btree (source, run_id);

create table mirror_state (
  source text collate "C" not null,
  resource text collate "C" not null,
  network text collate "C" not null,
  list text collate "C" not null,
  round_id integer not null,
  position text collate "C",
  row_count integer not null,
  finished_at timestamptz not null default clock_timestamp(),
  constraint mirror_state_pkey PRIMARY KEY (source, resource, network, list)
);

create table mirror_usage (
  run_id integer not null,
  resource text collate "C" not null,
  requests integer not null default 0,
  compute_units numeric,
  constraint mirror_usage_pkey PRIMARY KEY (run_id, resource),
  constraint mirror_usage_run_id_fkey FOREIGN KEY (run_id) REFERENCES mirror_runs(run_id) ON DELETE CASCADE
);

create table network_clients (
  network text collate "C" not null,
  client text collate "C" not null,
  validator_count integer not null,
  constraint network_clients_pkey PRIMARY KEY (network, client),
  constraint network_clients_validator_count_check CHECK ((validator_count > 0))
);

create table network_forks (
  network text collate "C" not null,
  name text collate "C" not null,
  epoch integer not null,
  constraint network_forks_pkey PRIMARY KEY (network, name)
);

create table operator_history (
  date date not null,
  series integer not null,
  avg_validator_effectiveness double precision not null,
  apr_percentage double precision,
  network_penetration double precision,
  validator_count integer not null,
  as_of_epoch integer,
  sum_end_epoch_effective_balance bigint,
  constraint operator_history_pkey PRIMARY KEY (date, series)
) partition by RANGE (date);

create table operator_history_days (
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  date date not null,
  constraint operator_history_days_pkey PRIMARY KEY (network, id_type, time_window, date)
);

create table operator_lists (
  list_id bigint not null generated always as identity,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  pool_type text collate "C" not null,
  parent_type text collate "C" not null,
  parent_id text collate "C" not null,
  total integer not null,
  revision integer not null default 0,
  superseded_at timestamptz,
  constraint operator_lists_pkey PRIMARY KEY (list_id),
  constraint operator_lists_parent_type_check CHECK ((parent_type = ANY (ARRAY[''::text, 'any'::text, 'pool'::text, 'nodeOperator'::text])))
);
CREATE UNIQUE INDEX operator_lists_current ON operator_lists USING btree (network, parent_id, parent_type, id_type, time_window, pool_type) WHERE (superseded_at IS NULL);
CREATE UNIQUE INDEX operator_lists_revision ON operator_lists USING btree (network, parent_id, parent_type, id_type, time_window, pool_type, revision);
CREATE INDEX operator_lists_superseded ON operator_lists USING btree (superseded_at) WHERE (superseded_at IS NOT NULL);
CREATE TRIGGER operator_lists_deleted AFTER DELETE ON operator_lists REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('operator');
CREATE TRIGGER operator_lists_truncated AFTER TRUNCATE ON operator_lists FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('operator');

create table operator_orders (
  list_id bigint not null,
  ordered_by text collate "C" not null,
  valued boolean not null,
  first_rank integer not null,
  members bigint[] not null,
  least_validator_count integer not null,
  most_validator_count integer not null,
  least_avg_validator_effectiveness double precision not null,
  most_avg_validator_effectiveness double precision not null,
  least_apr_percentage double precision,
  most_apr_percentage double precision,
  least_sum_end_epoch_effective_balance bigint,
  most_sum_end_epoch_effective_balance bigint,
  tags text[],
  each_operator_id text[] collate "C",
  each_display_name text[],
  each_validator_count integer[],
  each_avg_validator_effectiveness double precision[],
  each_apr_percentage double precision[],
  each_sum_end_epoch_effective_balance bigint[],
  each_operator_tags json[],
  constraint operator_orders_pkey PRIMARY KEY (list_id, ordered_by, valued, first_rank)
);

create table operator_profiles (
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  operator_tags json not null,
  display_name text,
  pool_id text collate "C",
  node_operator_id text collate "C",
  pool_type text collate "C",
  constraint operator_profiles_pkey PRIMARY KEY (network, id_type, operator_id),
  constraint operator_profiles_pool_type_check CHECK ((pool_type = ANY (ARRAY['cex'::text, 'lst'::text, 'none'::text])))
);
CREATE UNIQUE INDEX operator_profiles_pool_share ON operator_profiles USING btree (network, pool_id, node_operator_id) WHERE (id_type = 'poolShare'::text);

create table operator_ranks (
  list_id bigint not null,
  rank integer not null,
  summary_id bigint not null,
  constraint operator_ranks_pkey PRIMARY KEY (list_id, rank)
);
CREATE INDEX operator_ranks_summary ON operator_ranks USING btree (summary_id);

create table operator_series (
  series integer not null generated always as identity,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  constraint operator_series_pkey PRIMARY KEY (series),
  constraint operator_series_network_operator_id_id_type_time_window_key UNIQUE (network, operator_id, id_type, time_window)
);

create table operator_summaries (
  summary_id bigint not null generated always as identity,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  validator_count integer not null,
  avg_correctness double precision not null,
  avg_inclusion_delay double precision,
  avg_uptime double precision not null,
  avg_validator_effectiveness double precision not null,
  client_percentages json not null,
  network_penetration double precision,
  relayer_percentages json not null,
  node_operator_count integer,
  operator_tags json not null,
  display_name text,
  apr_percentage double precision,
  sum_end_epoch_balance bigint,
  sum_end_epoch_effective_balance bigint,
  pool_id text collate "C",
  node_operator_id text collate "C",
  pool_type text collate "C",
  superseded boolean not null default false,
  as_of_epoch integer,
  change_since_1d date,
  change_since_7d date,
  change_since_30d date,
  validator_count_change_1d integer,
  validator_count_change_7d integer,
  validator_count_change_30d integer,
  avg_validator_effectiveness_change_1d double precision,
  avg_validator_effectiveness_change_7d double precision,
  avg_validator_effectiveness_change_30d double precision,
  apr_percentage_change_1d double precision,
  apr_percentage_change_7d double precision,
  apr_percentage_change_30d double precision,
  network_penetration_change_1d double precision,
  network_penetration_change_7d double precision,
  network_penetration_change_30d double precision,
  renamed boolean not null default false,
  proposer_duty_count bigint,
  missed_proposal_count bigint,
  sum_end_epoch_effective_balance_change_1d bigint,
  sum_end_epoch_effective_balance_change_7d bigint,
  sum_end_epoch_effective_balance_change_30d bigint,
  constraint operator_summaries_pkey PRIMARY KEY (summary_id),
  constraint operator_summaries_changes_finite CHECK (((GREATEST(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d, avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d, apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d, network_penetration_change_30d) < 'Infinity'::double precision) AND (LEAST(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d, avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d, apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d, network_penetration_change_30d) > '-Infinity'::double precision))),
  constraint operator_summaries_finite CHECK (((GREATEST(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration, apr_percentage) < 'Infinity'::double precision) AND (LEAST(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration, apr_percentage) > '-Infinity'::double precision))),
  constraint operator_summaries_pool_type_check CHECK ((pool_type = ANY (ARRAY['cex'::text, 'lst'::text])))
);
CREATE UNIQUE INDEX operator_summaries_current ON operator_summaries USING btree (network, operator_id, id_type, time_window) WHERE (NOT superseded);
CREATE INDEX operator_summaries_named ON operator_summaries USING btree (network, operator_id, id_type) WHERE ((NOT superseded) AND ((display_name IS NOT NULL) OR ((operator_tags)::text <> '[]'::text)));
CREATE INDEX operator_summaries_pool_share ON operator_summaries USING btree (network, node_operator_id, pool_id) WHERE ((id_type = 'poolShare'::text) AND (NOT superseded));
CREATE INDEX operator_summaries_renamed ON operator_summaries USING btree (network, operator_id, id_type) WHERE (renamed AND (NOT superseded));
CREATE INDEX operator_summaries_superseded ON operator_summaries USING btree (summary_id) WHERE superseded;
CREATE TRIGGER operator_summaries_truncated AFTER TRUNCATE ON operator_summaries FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('operator');

create table page_codes (
  hash bytea not null,
  expires_at timestamptz not null,
  constraint page_codes_pkey PRIMARY KEY (hash)
);

create table pending_consolidations (
  network text collate "C" not null,
  position integer not null,
  source_index integer not null,
  target_index integer not null,
  amount bigint not null,
  expected_epoch integer,
  constraint pending_consolidations_pkey PRIMARY KEY (network, "position"),
  constraint pending_consolidations_amount_check CHECK ((amount >= 0)),
  constraint pending_consolidations_position_check CHECK (("position" >= 0))
);
CREATE INDEX pending_consolidations_source ON pending_consolidations USING btree (network, source_index);
CREATE INDEX pending_consolidations_target ON pending_consolidations USING btree (network, target_index);

create table polkadot_network_rewards (
  day date not null,
  era integer not null,
  total_active_validators integer not null,
  avg_commission_rate numeric not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_nominator_rewards numeric not null,
  constraint polkadot_network_rewards_pkey PRIMARY KEY (day)
);

create table polkadot_validator_rewards (
  day date not null,
  era integer not null,
  validator text collate "C" not null,
  commission_rate numeric not null,
  era_points integer not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_nominator_rewards numeric not null,
  constraint polkadot_validator_rewards_pkey PRIMARY KEY (validator, day)
);
CREATE INDEX polkadot_validator_rewards_day ON polkadot_validator_rewards USING brin (day);
CREATE INDEX polkadot_validator_rewards_delegators ON polkadot_validator_rewards USING btree (((day - '0001-01-01'::date)), total_nominator_rewards, validator);
CREATE INDEX polkadot_validator_rewards_earned ON polkadot_validator_rewards USING btree (((day - '0001-01-01'::date)), total_validator_rewards, validator) INCLUDE (day);
CREATE INDEX polkadot_validator_rewards_stake ON polkadot_validator_rewards USING btree (((day - '0001-01-01'::date)), total_stake, validator);

create table polygon_network_rewards (
  day date not null,
  from_checkpoint integer not null,
  to_checkpoint integer not null,
  total_active_validators integer not null,
  total_stake numeric not null,
  total_validator_rewards numeric not null,
  total_delegator_rewards numeric not null,
  constraint polygon_network_rewards_pkey PRIMARY KEY (day)
);

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
  constraint polygon_validator_rewards_pkey PRIMARY KEY (validator_id, day)
);
CREATE INDEX polygon_validator_rewards_day ON polygon_validator_rewards USING brin (day);
CREATE INDEX polygon_validator_rewards_delegators ON polygon_validator_rewards USING btree (((day - '0001-01-01'::date)), total_delegator_rewards, validator_id);
CREATE INDEX polygon_validator_rewards_earned ON polygon_validator_rewards USING btree (((day - '0001-01-01'::date)), total_validator_rewards, validator_id) INCLUDE (day);
CREATE INDEX polygon_validator_rewards_stake ON polygon_validator_rewards USING btree (((day - '0001-01-01'::date)), total_stake, validator_id);

create table private_set_days (
  set_id uuid not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  start_epoch integer not null,
  end_epoch integer not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  sum_missed_sync_signatures bigint,
  sum_sync_signature_count bigint,
  sum_correct_head bigint not null,
  sum_correct_target bigint not null,
  sum_correct_source bigint not null,
  sum_wrong_head_votes bigint not null,
  sum_wrong_target_votes bigint not null,
  sum_late_target_votes bigint not null,
  sum_late_source_votes bigint not null,
  sum_inclusion_delay bigint not null,
  proposed_count bigint not null,
  missed_proposal_count bigint not null,
  sum_end_epoch_balance bigint not null,
  sum_end_epoch_effective_balance bigint not null,
  sum_attestation_rewards bigint not null,
  sum_sync_committee_rewards bigint not null,
  sum_proposer_rewards bigint not null,
  sum_priority_fees bigint not null,
  sum_baseline_mev bigint not null,
  attested_count integer not null,
  proposer_count integer not null,
  sum_correctness numeric,
  sum_inclusion_delays numeric,
  sum_uptime numeric not null,
  sum_attester_effectiveness numeric not null,
  sum_proposer_effectiveness numeric,
  sum_validator_effectiveness numeric not null,
  avg_attester_effectiveness double precision not null generated always as (COALESCE((((sum_attester_effectiveness)::double precision / ('72057594037927936'::bigint)::double precision) / (NULLIF(validator_count, 0))::double precision), (0)::double precision)) stored,
  apr_rewards bigint not null,
  apr_stake numeric not null,
  empty_payload_count bigint,
  constraint private_set_days_pkey PRIMARY KEY (set_id, utc, day),
  constraint private_set_days_finite CHECK (((avg_attester_effectiveness > '-Infinity'::double precision) AND (avg_attester_effectiveness < 'Infinity'::double precision))),
  constraint private_set_days_validator_count CHECK ((validator_count >= 0)),
  constraint private_set_days_set_id_fkey FOREIGN KEY (set_id) REFERENCES private_sets(set_id) ON DELETE CASCADE
);
CREATE INDEX private_set_days_date ON private_set_days USING btree (set_id, date);

create table private_set_members (
  set_id uuid not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  added_at timestamptz not null,
  removed_at timestamptz,
  counts_from date not null,
  counts_until date not null generated always as (COALESCE(((removed_at AT TIME ZONE 'UTC'::text))::date, 'infinity'::date)) stored,
  summed_from date not null default '-infinity'::date,
  constraint private_set_members_pkey PRIMARY KEY (set_id, validator_index, counts_from),
  constraint private_set_members_set_id_fkey FOREIGN KEY (set_id) REFERENCES private_sets(set_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX private_set_members_now ON private_set_members USING btree (set_id, validator_index) WHERE (removed_at IS NULL);
CREATE INDEX private_set_members_unsummed ON private_set_members USING btree (set_id, summed_from DESC, validator_index) WHERE (summed_from > '-infinity'::date);

create table private_sets (
  set_id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  network text collate "C" not null,
  name text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision integer not null default 1,
  complete_from date not null default '-infinity'::date,
  constraint private_sets_pkey PRIMARY KEY (set_id),
  constraint private_sets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id) ON DELETE CASCADE
);
CREATE INDEX private_sets_account ON private_sets USING btree (account_id, network, created_at, set_id);
CREATE INDEX private_sets_incomplete ON private_sets USING btree (set_id) WHERE (complete_from > '-infinity'::date);
CREATE TRIGGER private_sets_counted BEFORE UPDATE ON private_sets FOR EACH ROW EXECUTE FUNCTION count_set_change();
CREATE TRIGGER private_sets_told AFTER DELETE OR UPDATE ON private_sets FOR EACH ROW EXECUTE FUNCTION tell_set_change();

create table refreshed_windows (
  network text collate "C" not null,
  time_window text collate "C" not null,
  facts text not null,
  validators integer not null,
  rows integer not null,
  constraint refreshed_windows_pkey PRIMARY KEY (network, time_window)
);

create table sample_data (
  decided_at timestamptz not null default now(),
  constraint sample_data_pkey PRIMARY KEY (decided_at)
);

create table saved_views (
  view_id uuid not null default gen_random_uuid(),
  account_id uuid not null,
  name text collate "C" not null,
  path text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint saved_views_pkey PRIMARY KEY (view_id),
  constraint saved_views_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id) ON DELETE CASCADE,
  constraint saved_views_account_id_name_key UNIQUE (account_id, name)
);

create table search_names (
  kind text collate "C" not null,
  network text collate "C" not null,
  id_type text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  place smallint not null,
  form text collate "C" not null,
  size smallint not null,
  tagged_id text collate "C",
  constraint search_names_pkey PRIMARY KEY (kind, network, id_type, id, name, place),
  constraint search_names_kind_check CHECK ((kind = ANY (ARRAY['operator'::text, 'tag'::text, 'stakeAuthority'::text])))
);
CREATE INDEX search_names_form ON search_names USING btree (kind, network, form);
CREATE INDEX search_names_similar ON search_names USING gin (form gin_trgm_ops) WHERE (place = 0);
CREATE INDEX search_names_size ON search_names USING btree (kind, network, size DESC, form) WHERE (place = 0);

create table slashings (
  network text collate "C" not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  slashing_epoch integer not null,
  withdrawable_epoch integer not null,
  balance_before_slashing bigint not null,
  balance_before_withdrawal bigint not null,
  slashing_penalties bigint not null,
  head_slot integer,
  balance_epoch integer,
  constraint slashings_pkey PRIMARY KEY (network, validator_index)
);
CREATE UNIQUE INDEX slashings_order ON slashings USING btree (network, slashing_epoch, validator_index);
CREATE INDEX slashings_penalties ON slashings USING btree (network, slashing_penalties, validator_index);
CREATE UNIQUE INDEX slashings_pubkey ON slashings USING btree (network, validator_pubkey);
CREATE TRIGGER slashings_noted AFTER INSERT ON slashings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_added_rows('validator_index');

create table solana_epoch_spans (
  first_epoch integer not null,
  due boolean not null default true,
  epochs integer[],
  seconds numeric,
  constraint solana_epoch_spans_pkey PRIMARY KEY (first_epoch),
  constraint solana_epoch_spans_first_epoch_check CHECK (((first_epoch % 15) = 0))
);

create table solana_epochs (
  epoch integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  stake_account_count integer not null,
  withdraw_authority_count integer not null,
  stake_authority_count integer not null,
  deactivating_stake_account_count integer,
  constraint solana_epochs_pkey PRIMARY KEY (epoch),
  constraint solana_epochs_check CHECK ((ended_at > started_at))
);
CREATE TRIGGER spans_deleted AFTER DELETE ON solana_epochs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_inserted AFTER INSERT ON solana_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_updated AFTER UPDATE ON solana_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();

create table solana_network_rewards (
  day date not null,
  epoch integer not null,
  active_validator_count integer not null,
  total_voting_rewards numeric not null,
  total_proposal_rewards numeric not null,
  total_mev_rewards numeric not null,
  total_delegator_rewards numeric not null,
  constraint solana_network_rewards_pkey PRIMARY KEY (day)
);

create table solana_overview_history (
  time_window text collate "C" not null,
  network_effectiveness double precision not null,
  network_vote_success_rate double precision not null,
  network_missed_blocks_rate double precision not null,
  network_voting_latency double precision not null,
  validator_apy double precision not null,
  net_validator_apy double precision not null,
  delegator_apy double precision not null,
  rewards_solana_voting numeric not null,
  rewards_solana_proposals numeric not null,
  rewards_solana_mev numeric not null,
  rewards_solana_rent numeric not null,
  active_validator_count integer not null,
  active_validator_diff integer not null,
  total_delegated_stake numeric not null,
  active_delegator_stake_account_count integer not null,
  active_delegator_stake_account_count_diff integer not null,
  active_delegator_withdraw_authority_count integer not null,
  active_delegator_withdraw_authority_count_diff integer not null,
  stake_account_withdraw_authority_ratio numeric not null,
  active_delegator_stake_authority_count integer not null,
  active_delegator_stake_authority_count_diff integer not null,
  stake_account_stake_authority_ratio numeric not null,
  network_effectiveness_diff numeric not null,
  gini_coefficient numeric not null,
  deactivating_stake_accounts integer,
  as_of_epoch integer,
  as_of_time timestamptz,
  date date not null,
  constraint solana_overview_history_pkey PRIMARY KEY (time_window, date)
);

create table solana_overviews (
  time_window text collate "C" not null,
  network_effectiveness double precision not null,
  network_vote_success_rate double precision not null,
  network_missed_blocks_rate double precision not null,
  network_voting_latency double precision not null,
  validator_apy double precision not null,
  net_validator_apy double precision not null,
  delegator_apy double precision not null,
  rewards_solana_voting numeric not null,
  rewards_solana_proposals numeric not null,
  rewards_solana_mev numeric not null,
  rewards_solana_rent numeric not null,
  active_validator_count integer not null,
  active_validator_diff integer not null,
  total_delegated_stake numeric not null,
  active_delegator_stake_account_count integer not null,
  active_delegator_stake_account_count_diff integer not null,
  active_delegator_withdraw_authority_count integer not null,
  active_delegator_withdraw_authority_count_diff integer not null,
  stake_account_withdraw_authority_ratio numeric not null,
  active_delegator_stake_authority_count integer not null,
  active_delegator_stake_authority_count_diff integer not null,
  stake_account_stake_authority_ratio numeric not null,
  network_effectiveness_diff numeric not null,
  gini_coefficient numeric not null,
  deactivating_stake_accounts integer,
  as_of_epoch integer,
  as_of_time timestamptz,
  constraint solana_overviews_pkey PRIMARY KEY (time_window)
);

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
  constraint solana_stake_authority_epochs_pkey PRIMARY KEY (epoch, stake_authority, vote_account)
) partition by RANGE (epoch);
CREATE TRIGGER spans_deleted AFTER DELETE ON solana_stake_authority_epochs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_inserted AFTER INSERT ON solana_stake_authority_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_updated AFTER UPDATE ON solana_stake_authority_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();

create table solana_validator_epochs (
  epoch integer not null,
  vote_account text collate "C" not null,
  validator_name text,
  active_stake numeric not null,
  effectiveness numeric not null,
  vote_commission_rate numeric not null,
  mev_commission_rate numeric not null,
  votes_due integer not null,
  votes_landed integer not null,
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
  constraint solana_validator_epochs_pkey PRIMARY KEY (epoch, vote_account)
);
CREATE TRIGGER spans_deleted AFTER DELETE ON solana_validator_epochs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_inserted AFTER INSERT ON solana_validator_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();
CREATE TRIGGER spans_updated AFTER UPDATE ON solana_validator_epochs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION solana_spans_due();

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
  constraint solana_validator_rewards_pkey PRIMARY KEY (vote_account, day)
);
CREATE INDEX solana_validator_rewards_day ON solana_validator_rewards USING brin (day);
CREATE INDEX solana_validator_rewards_delegators ON solana_validator_rewards USING btree (((day - '0001-01-01'::date)), total_delegator_rewards, vote_account);
CREATE INDEX solana_validator_rewards_earned ON solana_validator_rewards USING btree (((day - '0001-01-01'::date)), (((total_voting_rewards + total_proposal_rewards) + total_mev_rewards)), vote_account) INCLUDE (day);

create table stake_authority_history (
  date date not null,
  series integer not null,
  as_of_epoch integer,
  as_of_time timestamptz,
  aggregate_validator_effectiveness numeric not null,
  delegator_apy numeric not null,
  network_penetration numeric not null,
  delegated_stake numeric not null,
  constraint stake_authority_history_pkey PRIMARY KEY (date, series)
) partition by RANGE (date);

create table stake_authority_history_days (
  time_window text collate "C" not null,
  date date not null,
  constraint stake_authority_history_days_pkey PRIMARY KEY (time_window, date)
);

create table stake_authority_lists (
  list_id bigint not null generated always as identity,
  time_window text collate "C" not null,
  list_type text collate "C" not null,
  total integer not null,
  revision integer not null default 0,
  superseded_at timestamptz,
  constraint stake_authority_lists_pkey PRIMARY KEY (list_id),
  constraint stake_authority_lists_list_type_check CHECK ((list_type = ANY (ARRAY['all'::text, 'pool'::text, 'individual'::text])))
);
CREATE UNIQUE INDEX stake_authority_lists_current ON stake_authority_lists USING btree (time_window, list_type) WHERE (superseded_at IS NULL);
CREATE UNIQUE INDEX stake_authority_lists_revision ON stake_authority_lists USING btree (time_window, list_type, revision);
CREATE INDEX stake_authority_lists_superseded ON stake_authority_lists USING btree (superseded_at) WHERE (superseded_at IS NOT NULL);
CREATE TRIGGER stake_authority_lists_deleted AFTER DELETE ON stake_authority_lists REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('stake_authority');
CREATE TRIGGER stake_authority_lists_truncated AFTER TRUNCATE ON stake_authority_lists FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('stake_authority');

create table stake_authority_orders (
  list_id bigint not null,
  ordered_by text collate "C" not null,
  valued boolean not null,
  first_rank integer not null,
  members bigint[] not null,
  least_delegated_stake numeric not null,
  most_delegated_stake numeric not null,
  least_delegator_apy numeric not null,
  most_delegator_apy numeric not null,
  least_blended_vote_commission_rate numeric not null,
  most_blended_vote_commission_rate numeric not null,
  least_validator_delegates integer not null,
  most_validator_delegates integer not null,
  each_pool_name text[],
  each_delegated_stake numeric[],
  each_delegator_apy numeric[],
  each_blended_vote_commission_rate numeric[],
  each_validator_delegates integer[],
  constraint stake_authority_orders_pkey PRIMARY KEY (list_id, ordered_by, valued, first_rank)
);

create table stake_authority_ranks (
  list_id bigint not null,
  rank integer not null,
  summary_id bigint not null,
  constraint stake_authority_ranks_pkey PRIMARY KEY (list_id, rank)
);
CREATE INDEX stake_authority_ranks_summary ON stake_authority_ranks USING btree (summary_id);

create table stake_authority_series (
  series integer not null generated always as identity,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  constraint stake_authority_series_pkey PRIMARY KEY (series),
  constraint stake_authority_series_stake_authority_time_window_key UNIQUE (stake_authority, time_window)
);

create table stake_authority_span_sums (
  first_epoch integer not null,
  stake_authority text collate "C" not null,
  last_epoch integer not null,
  pool_name text,
  stake numeric not null,
  stake_effectiveness numeric not null,
  stake_vote_commission numeric not null,
  stake_mev_commission numeric not null,
  stake_seconds numeric not null,
  staking_rewards numeric not null,
  mev_rewards numeric not null,
  staking_commission_paid numeric not null,
  mev_commission_paid numeric not null,
  missed numeric,
  constraint stake_authority_span_sums_pkey PRIMARY KEY (first_epoch, stake_authority)
);

create table stake_authority_summaries (
  summary_id bigint not null generated always as identity,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  validator_delegates integer not null,
  delegations json not null,
  staking_rewards_apy numeric not null,
  mev_rewards_apr numeric not null,
  delegator_apy numeric not null,
  sum_missed_staking_rewards numeric not null,
  pool_name text,
  delegated_stake numeric not null,
  network_penetration numeric not null,
  aggregate_validator_effectiveness numeric not null,
  blended_vote_commission_rate numeric not null,
  blended_mev_commission_rate numeric not null,
  sum_staking_rewards numeric not null,
  sum_mev_rewards numeric not null,
  sum_rewards numeric not null,
  sum_staking_commission_paid numeric not null,
  sum_mev_commission_paid numeric not null,
  sum_commission_paid numeric not null,
  superseded boolean not null default false,
  as_of_epoch integer,
  as_of_time timestamptz,
  change_since_1d date,
  change_since_7d date,
  change_since_30d date,
  aggregate_validator_effectiveness_change_1d numeric,
  aggregate_validator_effectiveness_change_7d numeric,
  aggregate_validator_effectiveness_change_30d numeric,
  delegator_apy_change_1d numeric,
  delegator_apy_change_7d numeric,
  delegator_apy_change_30d numeric,
  network_penetration_change_1d numeric,
  network_penetration_change_7d numeric,
  network_penetration_change_30d numeric,
  delegated_stake_change_1d numeric,
  delegated_stake_change_7d numeric,
  delegated_stake_change_30d numeric,
  renamed boolean not null default false,
  constraint stake_authority_summaries_pkey PRIMARY KEY (summary_id),
  constraint stake_authority_summaries_changes_finite CHECK (((GREATEST(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d, aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d, delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d, network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d, delegated_stake_change_30d) < 'Infinity'::numeric) AND (LEAST(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d, aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d, delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d, network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d, delegated_stake_change_30d) > '-Infinity'::numeric))),
  constraint stake_authority_summaries_finite CHECK (((GREATEST(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake, network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate, sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid, sum_commission_paid) < 'Infinity'::numeric) AND (LEAST(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake, network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate, sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid, sum_commission_paid) > '-Infinity'::numeric)))
);
CREATE UNIQUE INDEX stake_authority_summaries_current ON stake_authority_summaries USING btree (stake_authority, time_window) WHERE (NOT superseded);
CREATE INDEX stake_authority_summaries_named ON stake_authority_summaries USING btree (stake_authority) WHERE ((NOT superseded) AND (pool_name IS NOT NULL));
CREATE INDEX stake_authority_summaries_renamed ON stake_authority_summaries USING btree (stake_authority) WHERE (renamed AND (NOT superseded));
CREATE INDEX stake_authority_summaries_superseded ON stake_authority_summaries USING btree (summary_id) WHERE superseded;
CREATE TRIGGER stake_authority_summaries_truncated AFTER TRUNCATE ON stake_authority_summaries FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks('stake_authority');

create table stakegraph_migrations (
  id integer not null default nextval('stakegraph_migrations_id_seq'::regclass),
  name character varying(255) not null,
  run_on timestamp not null,
  constraint stakegraph_migrations_pkey PRIMARY KEY (id)
);

create table stakegraph_routines (
  name text not null,
  sha256 text not null,
  constraint stakegraph_routines_pkey PRIMARY KEY (name)
);

create table sync_committee_seats (
  network text collate "C" not null,
  validator_index integer not null,
  committee integer not null,
  first_rank smallint not null,
  seats smallint not null,
  constraint sync_committee_seats_pkey PRIMARY KEY (network, validator_index, committee),
  constraint sync_committee_seats_committee_fkey FOREIGN KEY (committee) REFERENCES sync_committees(committee) ON DELETE CASCADE
);
CREATE INDEX sync_committee_seats_committee ON sync_committee_seats USING btree (committee);

create table sync_committee_slots (
  network text collate "C" not null,
  slot integer not null,
  committee integer not null,
  rewards bigint[] not null,
  constraint sync_committee_slots_pkey PRIMARY KEY (network, slot)
);
CREATE INDEX sync_committee_slots_committee ON sync_committee_slots USING btree (committee, slot);

create table sync_committees (
  committee integer not null generated always as identity,
  network text collate "C" not null,
  validators integer[] not null,
  positions smallint[] not null,
  digest bytea not null,
  constraint sync_committees_pkey PRIMARY KEY (committee),
  constraint sync_committees_check CHECK ((cardinality(validators) = cardinality(positions))),
  constraint sync_committees_network_digest_key UNIQUE (network, digest)
);

create table tokens (
  token_id uuid not null default gen_random_uuid(),
  name text not null,
  hash bytea not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  account_id uuid not null,
  rotated_at timestamptz,
  constraint tokens_pkey PRIMARY KEY (token_id),
  constraint tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  constraint tokens_hash_key UNIQUE (hash)
);

create table usage (
  account_id uuid not null,
  month date not null,
  units bigint not null,
  requests bigint not null,
  updated_at timestamptz not null default now(),
  constraint usage_pkey PRIMARY KEY (account_id, month),
  constraint usage_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint usage_requests_check CHECK ((requests >= 0)),
  constraint usage_units_check CHECK ((units >= 0)),
  constraint usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);
CREATE INDEX usage_updated ON usage USING btree (updated_at);

create table usage_batches (
  batch_id uuid not null,
  counted_at timestamptz not null default now(),
  constraint usage_batches_pkey PRIMARY KEY (batch_id)
);
CREATE INDEX usage_batches_counted ON usage_batches USING btree (counted_at);

create table validator_clients (
  network text collate "C" not null,
  validator_index integer not null,
  client text collate "C" not null,
  constraint validator_clients_pkey PRIMARY KEY (network, validator_index)
);

create table validator_counts (
  network text collate "C" not null,
  activated boolean not null,
  leaving boolean not null,
  slashed boolean not null,
  validators integer not null,
  constraint validator_counts_pkey PRIMARY KEY (network, activated, leaving, slashed)
);

create table validator_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  attestations_due boolean not null default true,
  rewards_due boolean not null default true,
  version uuid not null default gen_random_uuid(),
  constraint validator_day_dates_pkey PRIMARY KEY (network, utc, day)
);

create table validator_days (
  network text collate "C" not null,
  validator_index integer not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  start_epoch integer not null,
  end_epoch integer not null,
  sum_missed_sync_signatures integer,
  sum_sync_signature_count integer,
  total_unique_attestations smallint not null,
  sum_missed_attestations smallint not null,
  sum_correct_head smallint not null,
  sum_correct_target smallint not null,
  sum_correct_source smallint not null,
  sum_wrong_head_votes smallint not null,
  sum_wrong_target_votes smallint not null,
  sum_late_target_votes smallint not null,
  sum_late_source_votes smallint not null,
  sum_inclusion_delay smallint not null,
  proposed_count smallint not null,
  missed_proposal_count smallint not null,
  end_epoch_balance bigint not null,
  end_epoch_effective_balance bigint not null,
  sum_attestation_rewards bigint not null,
  sum_sync_committee_rewards bigint not null,
  sum_proposer_rewards bigint not null,
  sum_priority_fees bigint not null,
  sum_baseline_mev bigint not null,
  effective_balance_epochs bigint,
  start_effective_balance bigint,
  empty_payload_count smallint,
  constraint validator_days_pkey PRIMARY KEY (network, utc, validator_index, date)
) partition by RANGE (date);
CREATE INDEX validator_days_date ON ONLY validator_days USING brin (date) WITH (autosummarize='on');

create table validator_month_sums (
  network text collate "C" not null,
  month date not null,
  validator_index integer not null,
  end_epoch integer not null,
  total_unique_attestations integer not null,
  sum_missed_attestations integer not null,
  sum_correct_head integer not null,
  sum_correct_target integer not null,
  sum_correct_source integer not null,
  sum_inclusion_delay integer not null,
  proposed_count integer not null,
  missed_proposal_count integer not null,
  apr_rewards bigint not null,
  apr_stake bigint not null,
  constraint validator_month_sums_pkey PRIMARY KEY (network, month, validator_index)
);

create table validator_months (
  network text collate "C" not null,
  month date not null,
  due boolean not null default true,
  first_day integer,
  version uuid not null default gen_random_uuid(),
  constraint validator_months_pkey PRIMARY KEY (network, month),
  constraint validator_months_month_check CHECK ((month = (date_trunc('month'::text, (month)::timestamp))::date))
);

create table validators (
  network text collate "C" not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  deposit_address text collate "C",
  withdrawal_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  activation_epoch integer,
  exit_epoch integer,
  slashed boolean not null,
  constraint validators_pkey PRIMARY KEY (network, validator_index)
);
CREATE INDEX validators_activation ON validators USING btree (network, COALESCE(activation_epoch, 2147483647), validator_index);
CREATE INDEX validators_deposit_address ON validators USING btree (network, deposit_address, validator_index) INCLUDE (activation_epoch, exit_epoch, slashed);
CREATE INDEX validators_exit ON validators USING btree (network, COALESCE(exit_epoch, 2147483647), validator_index);
CREATE INDEX validators_exits ON validators USING btree (network, validator_index) INCLUDE (exit_epoch) WHERE (exit_epoch IS NOT NULL);
CREATE INDEX validators_leaving ON validators USING btree (network, exit_epoch, validator_index) INCLUDE (activation_epoch) WHERE (exit_epoch IS NOT NULL);
CREATE INDEX validators_node_operator ON validators USING btree (network, node_operator, validator_index) INCLUDE (activation_epoch, exit_epoch, slashed) WHERE (node_operator IS NOT NULL);
CREATE INDEX validators_pool ON validators USING btree (network, pool, validator_index) INCLUDE (activation_epoch, exit_epoch, slashed) WHERE (pool IS NOT NULL);
CREATE INDEX validators_pool_share ON validators USING btree (network, pool, node_operator, validator_index) INCLUDE (activation_epoch, exit_epoch, slashed) WHERE ((pool IS NOT NULL) AND (node_operator IS NOT NULL));
CREATE UNIQUE INDEX validators_pubkey ON validators USING btree (network, validator_pubkey);
CREATE INDEX validators_slashed ON validators USING btree (network, validator_index) WHERE slashed;
CREATE INDEX validators_staying ON validators USING btree (network, validator_index) WHERE ((activation_epoch IS NOT NULL) AND (exit_epoch IS NULL));
CREATE INDEX validators_staying_since ON validators USING btree (network, COALESCE(activation_epoch, 2147483647), validator_index) INCLUDE (activation_epoch, exit_epoch) WHERE ((activation_epoch IS NOT NULL) AND (exit_epoch IS NULL));
CREATE INDEX validators_unactivated ON validators USING btree (network, validator_index) WHERE (activation_epoch IS NULL);
CREATE INDEX validators_withdrawal_address ON validators USING btree (network, withdrawal_address, validator_index) INCLUDE (activation_epoch, exit_epoch, slashed) WHERE (withdrawal_address IS NOT NULL);
CREATE TRIGGER validators_counts_deleted AFTER DELETE ON validators REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_validators();
CREATE TRIGGER validators_counts_inserted AFTER INSERT ON validators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_validators();
CREATE TRIGGER validators_counts_truncated AFTER TRUNCATE ON validators FOR EACH STATEMENT EXECUTE FUNCTION count_validators();
CREATE TRIGGER validators_counts_updated AFTER UPDATE ON validators REFERENCING OLD TABLE AS removed NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_validators();
CREATE TRIGGER validators_operators_deleted AFTER DELETE ON validators REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION remove_block_operators();
CREATE TRIGGER validators_operators_inserted AFTER INSERT ON validators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION store_block_operators();
CREATE TRIGGER validators_operators_truncated AFTER TRUNCATE ON validators FOR EACH STATEMENT EXECUTE FUNCTION remove_block_operators();
CREATE TRIGGER validators_operators_updated AFTER UPDATE ON validators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION store_block_operators();

create table waiting_deposits (
  network text collate "C" not null,
  validator_pubkey text collate "C" not null,
  deposit_index bigint not null,
  withdrawal_address text collate "C",
  depositor text collate "C" not null,
  constraint waiting_deposits_pkey PRIMARY KEY (network, validator_pubkey, deposit_index)
);

create table window_sums (
  network text collate "C" not null,
  validator_index integer not null,
  apr_rewards_7d bigint not null,
  apr_stake_7d bigint not null,
  apr_rewards_30d bigint not null,
  apr_stake_30d bigint not null,
  apr_rewards_all bigint not null,
  apr_stake_all bigint not null,
  total_unique_attestations_7d integer not null,
  sum_missed_attestations_7d integer not null,
  sum_correct_head_7d integer not null,
  sum_correct_target_7d integer not null,
  sum_correct_source_7d integer not null,
  sum_inclusion_delay_7d integer not null,
  proposed_count_7d integer not null,
  missed_proposal_count_7d integer not null,
  total_unique_attestations_30d integer not null,
  sum_missed_attestations_30d integer not null,
  sum_correct_head_30d integer not null,
  sum_correct_target_30d integer not null,
  sum_correct_source_30d integer not null,
  sum_inclusion_delay_30d integer not null,
  proposed_count_30d integer not null,
  missed_proposal_count_30d integer not null,
  total_unique_attestations_all integer not null,
  sum_missed_attestations_all integer not null,
  sum_correct_head_all integer not null,
  sum_correct_target_all integer not null,
  sum_correct_source_all integer not null,
  sum_inclusion_delay_all integer not null,
  proposed_count_all integer not null,
  missed_proposal_count_all integer not null
);

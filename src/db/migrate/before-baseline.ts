/** The first migration. It replaces those of earlier versions. */
export const BASELINE = '0067_baseline';

/** All migrations of the last version before the baseline. */
export const beforeBaseline: readonly string[] = `
  0001_operators 0002_slashings 0003_tokens 0004_sample_data 0005_solana 0006_validators_sync_committee
  0007_attestations 0008_accounts 0009_list_revisions 0010_usage 0011_private_sets 0012_blocks_daily_rewards
  0013_consolidations 0014_network_rewards 0015_imported_files 0016_refresh 0017_mirror 0018_written_rows
  0019_known_datasets 0020_parts_in_order 0021_current_pool_shares 0022_operator_tags 0024_cardano_pool_hashes
  0025_nullable_facts 0026_shares_as_shown 0027_page_codes 0028_compatible_migrations 0029_validator_days_by_month
  0031_refreshed_days 0032_consolidation_totals 0033_index 0034_index_fills 0035_operators_without_window
  0037_history 0038_block_operators 0039_figures_of_operators 0040_search 0041_index_deposits 0043_stored_orders
  0044_finite_figures 0045_network_validators 0046_validator_statuses 0047_added_rows 0048_validator_months
  0049_exact_set_means 0050_sync_committees 0051_kept_from 0052_more_parts_by_month 0054_job_runs 0055_audit_log
  0056_backup_runs 0057_repack_runs 0058_reference_tables 0059_dropped_relays 0060_orders_in_turn
  0061_stake_authority_history_by_month 0062_stake_authority_spans 0063_kept_network_days 0064_partial_refresh_runs
  0065_rotated_tokens 0066_part_privileges
`
  .trim()
  .split(/\s+/);

const list = beforeBaseline.join();

/** For the APR, earlier versions divided the rewards of a day by the effective balances at its end, not of each epoch. */
const ofDayEnds = `
  apr_rewards = a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards + a.sum_priority_fees
    + a.sum_baseline_mev,
  apr_stake = a.sum_end_epoch_effective_balance::numeric * (a.end_epoch - a.start_epoch + 1)`;

const added = [
  ...[
    'total_unique_attestations',
    'sum_missed_attestations',
    'sum_missed_sync_signatures',
    'sum_sync_signature_count',
  ],
  ...[
    'sum_correct_head',
    'sum_correct_target',
    'sum_correct_source',
    'sum_wrong_head_votes',
    'sum_wrong_target_votes',
  ],
  ...['sum_late_target_votes', 'sum_late_source_votes', 'sum_inclusion_delay'],
];
const figures = (of: (column: string) => string) =>
  added.map((name) => `coalesce(${of(name)}, 0)`).join(', ');

/**
 * Indexes of earlier versions left hours with former names and addresses beside days with newer ones. Of published days,
 * hours that do not add up go now; those of other days are compared when these are published.
 */
const staleHours = `
  update index_periods set due = true where hourly;
  with whole as (
    select d.network, d.utc, d.period as day, d.start_epoch as first, d.end_epoch as last
    from index_periods d
    join index_periods p on p.network = d.network and p.utc = d.utc and p.hourly and p.period / 24 = d.period
      and p.start_epoch >= d.start_epoch and p.end_epoch <= d.end_epoch
    where not d.hourly and not exists (
      select from validator_day_dates v
      where v.network = d.network and v.utc = d.utc and v.day = d.period and v.attestations_due
    )
    group by d.network, d.utc, d.period, d.start_epoch, d.end_epoch
    having sum(p.end_epoch - p.start_epoch + 1) = d.end_epoch - d.start_epoch + 1
  ), different as (
    select h.entity_key, h.utc, h.date, w.first, w.last
    from attestation_hours h
    join attestation_entities e using (entity_key)
    join whole w on w.network = e.network and w.utc = h.utc and w.day = h.day
      and h.start_epoch >= w.first and h.end_epoch <= w.last
    left join attestation_days d on d.entity_key = h.entity_key and d.utc = h.utc and d.date = h.date and d.day = h.day
    where e.id_type in ('depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool', 'poolShare')
    group by h.entity_key, h.utc, h.date, w.first, w.last
    having (${figures((name) => `sum(h.${name})`)}) is distinct from (${figures((name) => `max(d.${name})`)})
  )
  delete from attestation_hours t using different o
  where t.entity_key = o.entity_key and t.utc = o.utc and t.date = o.date
    and t.start_epoch >= o.first and t.end_epoch <= o.last;`;

/** Whether a database with these migrations can be adopted. */
export const isLastBeforeBaseline = (names: readonly string[]): boolean => [...names].sort().join() === list;

export const refusalBeforeBaseline = `The database is of a version before ${BASELINE}: load the data again into an empty database, or first run "stakegraph migrate" of the last version with ${beforeBaseline.at(-1)}.`;

/**
 * Brings the tables of the last version before the baseline to those of the baseline, with their rows. Sums of months were
 * of effective balances by day; they are by epoch now, of which a day has 225.
 */
export const adoption = `
  create table network_forks (
    network text collate "C" not null,
    name text collate "C" not null,
    epoch integer not null,
    primary key (network, name)
  );
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
    primary key (network, pubkey)
  );
  create index builders_index on builders (network, index, pubkey);
  create index builders_balance on builders (network, balance, pubkey);
  create index builders_bids on builders (network, bid_count, pubkey);
  create index builders_full on builders (network, full_count, pubkey);
  create index builders_withheld on builders (network, withheld_count, pubkey);
  create index builders_paid on builders (network, sum_paid_value, pubkey);
  alter table datasets drop constraint datasets_known, add constraint datasets_known check (name in (
    'operators', 'slashings', 'attestations', 'blocks', 'builders', 'chain-daily-rewards', 'chain-balances',
    'consolidations', 'solana-overview', 'stake-authorities', 'sync-committee-rewards', 'validators', 'validator-days',
    'validator-clients', 'operator-profiles', 'solana-epochs', 'solana-validator-epochs', 'solana-stake-authority-epochs',
    'avalanche-rewards', 'babylon-rewards', 'cardano-rewards', 'celestia-rewards', 'polkadot-rewards', 'polygon-rewards',
    'solana-rewards'
  ));
  alter table blocks
    add payload_status text collate "C" check (payload_status in ('full', 'empty', 'unknown')),
    add bid_value bigint, add bid_builder_index integer, add bid_builder_pubkey text collate "C",
    add bid_execution_payment numeric, add bid_fee_recipient text collate "C",
    add bid_payment text collate "C" check (bid_payment in ('settled', 'quorum', 'unpaid', 'cancelled'));
  create index blocks_payload on blocks (network, payload_status, slot) where payload_status is not null;
  create index blocks_builder on blocks (network, bid_builder_pubkey, slot) where bid_builder_pubkey is not null;
  alter table chain_daily_rewards add effective_balance_epochs numeric;
  alter table index_state add genesis_validators_root text collate "C";
  alter table index_periods add due boolean not null default false, add balances bytea;
  create index index_periods_kept on index_periods (network) where balances is not null;
  ${staleHours}
  alter table validator_days
    add effective_balance_epochs bigint, add start_effective_balance bigint, add empty_payload_count smallint;
  alter table attestation_days
    add apr_rewards bigint,
    add apr_stake numeric check (apr_stake > '-Infinity' and apr_stake < 'Infinity'),
    add empty_payload_count bigint;
  update attestation_days a set ${ofDayEnds}
  from attestation_entities e where e.entity_key = a.entity_key and e.id_type = 'network';
  alter table kept_network_days add apr_rewards bigint, add apr_stake numeric, add empty_payload_count bigint;
  update kept_network_days a set ${ofDayEnds};
  alter table private_set_days add apr_rewards bigint, add apr_stake numeric, add empty_payload_count bigint;
  update private_set_days a set ${ofDayEnds};
  alter table private_set_days alter apr_rewards set not null, alter apr_stake set not null;
  alter table validator_month_sums add apr_rewards bigint, add apr_stake bigint;
  update validator_month_sums set apr_rewards = rewards, apr_stake = earning * 225;
  alter table validator_month_sums
    alter apr_rewards set not null, alter apr_stake set not null, drop days, drop rewards, drop earning;
  drop function asked_operators(text[], text[], text[], text[]);
  delete from stakegraph_migrations;
  delete from compatible_migrations;
  insert into stakegraph_migrations (name, run_on) values ('${BASELINE}', now())`;

-- The schema of a new database: its tables, their constraints and indexes. Functions, views and triggers are in
-- src/db/routines; src/db/schema.sql shows each table as later migrations left it.

-- ==================== The database itself: what was applied, changed, imported and run

-- Migrations beside which an older version goes on, and the oldest migration that it has to know. Each of them adds its own
-- row; one without a row is for no older version.
create table compatible_migrations (
  name text primary key,
  least text not null
);

-- A row says that the sample data was loaded, or that it is not wanted because rows of the user came first: a later start
-- does not bring it back.
create table sample_data (
  decided_at timestamptz primary key default now()
);

-- How often each dataset has changed. Raised in the transaction that changes it and told to every replica when that
-- commits, so that what is kept of an answer can be dropped, and a caller can tell whether anything is new.
create table datasets (
  name text collate "C" primary key,
  revision integer not null,
  refreshed_at timestamptz not null,
  -- since which revision added_rows is complete
  added_from integer not null default 0,
  -- how many of the revisions come from refreshes, which are no news to the next refresh
  computed integer not null default 0,
  -- A dataset that nothing reads by this name is a slip of who raises a revision by hand: answers would stay as they are.
  constraint datasets_known check (name in (
    'operators', 'slashings', 'attestations', 'blocks', 'builders', 'chain-daily-rewards', 'chain-balances',
    'consolidations', 'solana-overview', 'stake-authorities', 'sync-committee-rewards', 'validators', 'validator-days',
    'validator-clients', 'operator-profiles', 'solana-epochs', 'solana-validator-epochs', 'solana-stake-authority-epochs',
    'avalanche-rewards', 'babylon-rewards', 'cardano-rewards', 'celestia-rewards', 'polkadot-rewards', 'polygon-rewards',
    'solana-rewards'
  ))
);

-- The keys of the rows that a statement added: slots or validator indices. `omitted` counts the rows of a statement that
-- added more than 10,000, whose keys are not stored. `revision` is null until the transaction raises it.
create table added_rows (
  dataset text collate "C" not null,
  network text collate "C" not null,
  revision integer,
  keys integer[] not null,
  omitted integer not null
);
create index added_rows_revision on added_rows (dataset, revision);

-- Where rows of a dataset come from; network is '' where rows have none.
create table dataset_origins (
  dataset text collate "C" not null,
  network text collate "C" not null,
  origin text collate "C" not null check (origin in ('index', 'import', 'mirror', 'sample')),
  written_at timestamptz not null,
  primary key (dataset, network, origin)
);

-- Files that were loaded whole, so that an import of many that broke off can go on where it stopped. `digest` is the
-- SHA-256 of the file as it is stored and of what the import was told about its rows.
create table imported_files (
  resource text collate "C" not null,
  digest bytea not null,
  name text not null,
  row_count bigint not null,
  loaded_at timestamptz not null default now(),
  primary key (resource, digest)
);

-- From which date on facts are kept; `stakegraph retain` dropped those before it. Without a row, nothing was dropped.
create table kept_from (
  dataset text collate "C" not null,
  network text collate "C" not null,
  date date not null,
  primary key (dataset, network)
);

-- When each job ran, for the metrics of the gateway. Runs of `stakegraph refresh` with --only or --windows are recorded
-- apart from those of everything.
create table job_runs (
  run_id bigint generated always as identity primary key,
  job text collate "C" not null check (
    job in ('backup', 'import', 'index', 'mirror', 'partial-refresh', 'publish', 'refresh', 'repack', 'retain')
  ),
  -- '' for a job that is not of one network
  network text collate "C" not null,
  started_at timestamptz not null,
  finished_at timestamptz not null default clock_timestamp(),
  outcome text collate "C" not null check (outcome in ('success', 'failure')),
  row_count bigint not null
);
create index job_runs_last on job_runs (job, network, outcome, finished_at);

-- Who changed accounts, tokens, private sets, data and the schema. Triggers keep it append-only.
create table audit_log (
  entry_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- a user of the operating system, or a token of the API
  actor_type text collate "C" not null check (actor_type in ('user', 'token')),
  actor text not null,
  action text collate "C" not null,
  subject text not null,
  details jsonb not null
);
create index audit_log_at on audit_log (at, entry_id);

-- ==================== Accounts

-- Who calls (decisions on accounts): an account has a tier, and may have limits of its own instead of the tier's.
create table accounts (
  account_id uuid primary key default gen_random_uuid(),
  name text not null unique,
  tier text not null check (tier in ('free', 'starter', 'build', 'growth', 'enterprise')),
  -- requests per second; null: the tier's
  rate_limit integer check (rate_limit > 0),
  created_at timestamptz not null default now(),
  -- compute units in the tier's period; null: the tier's
  unit_allowance bigint check (unit_allowance >= 0)
);
-- the account of tokens that are made without another one
insert into accounts (name, tier) values ('default', 'enterprise');

-- Access tokens. The token itself is shown once and never stored: only its SHA-256.
create table tokens (
  token_id uuid primary key default gen_random_uuid(),
  name text not null,
  hash bytea not null unique,
  prefix text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  account_id uuid not null references accounts,
  -- A token that was rotated runs out, so its replacement must not be made from it again.
  rotated_at timestamptz
);

-- One-time codes of the links that open GraphiQL with the development token. Only their SHA-256 is kept.
create table page_codes (
  hash bytea primary key,
  expires_at timestamptz not null
);

-- Compute units (decisions on accounts): what each account used in each calendar month, UTC.
create table usage (
  account_id uuid not null references accounts,
  -- its first day
  month date not null check (extract(day from month) = 1),
  units bigint not null check (units >= 0),
  requests bigint not null check (requests >= 0),
  updated_at timestamptz not null default now(),
  primary key (account_id, month)
);
-- Replicas read each other's changes.
create index usage_updated on usage (updated_at);

-- Batches that are counted already: one sent again, because nobody knows whether it arrived, counts nothing twice.
create table usage_batches (
  batch_id uuid primary key,
  counted_at timestamptz not null default now()
);
create index usage_batches_counted on usage_batches (counted_at);

-- Answers of writing requests that carried an Idempotency-Key, to be given again.
create table idempotency_keys (
  account_id uuid not null references accounts on delete cascade,
  key text collate "C" not null,
  -- SHA-256 of what was asked
  request bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Addresses of pages of the explorer that an account keeps under a name of its own.
create table saved_views (
  view_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  name text collate "C" not null,
  path text not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, name)
);

-- ==================== Operators

-- Operator effectiveness summaries (spec §2.2): one row per network, class, window and operator.
create table operator_summaries (
  summary_id bigint generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  validator_count integer not null,
  avg_correctness double precision not null,
  avg_inclusion_delay double precision,
  avg_uptime double precision not null,
  avg_validator_effectiveness double precision not null,
  -- Lists of objects are stored as answers show them.
  client_percentages json not null,
  network_penetration double precision,
  relayer_percentages json not null,
  node_operator_count integer,
  operator_tags json not null,
  display_name text,
  apr_percentage double precision,
  -- Gwei; a sum over the chain is some 3.5e16, bigint holds 9.2e18
  sum_end_epoch_balance bigint,
  sum_end_epoch_effective_balance bigint,
  -- of a pool share: the pool and the node operator whose share it is
  pool_id text collate "C",
  node_operator_id text collate "C",
  -- of a pool, from its tags; of a pool share, that of its pool
  pool_type text collate "C" check (pool_type in ('cex', 'lst')),
  -- replaced by a newer one, and kept for an hour for walks over the lists that rank it
  superseded boolean not null default false,
  -- where the figures end; null where the source does not tell
  as_of_epoch integer,
  -- what a figure has changed by since then; null without history
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
  constraint operator_summaries_finite check (
    greatest(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration,
      apr_percentage) < 'infinity'
    and least(avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, network_penetration,
      apr_percentage) > '-infinity'),
  constraint operator_summaries_changes_finite check (
    greatest(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d,
      avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d,
      apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d) < 'infinity'
    and least(avg_validator_effectiveness_change_1d, avg_validator_effectiveness_change_7d,
      avg_validator_effectiveness_change_30d, apr_percentage_change_1d, apr_percentage_change_7d,
      apr_percentage_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d) > '-infinity'),
  -- True where an entity has different names or labels in different windows. Lists of GraphQL read the name of an entity
  -- from its row unless it is one of these.
  renamed boolean not null default false
);
create unique index operator_summaries_current on operator_summaries (network, operator_id, id_type, time_window)
  where not superseded;
create index operator_summaries_superseded on operator_summaries (summary_id) where superseded;
create index operator_summaries_named on operator_summaries (network, operator_id, id_type)
  where not superseded and (display_name is not null or operator_tags::text <> '[]');
create index operator_summaries_renamed on operator_summaries (network, operator_id, id_type)
  where renamed and not superseded;
create index operator_summaries_pool_share on operator_summaries (network, node_operator_id, pool_id)
  where id_type = 'poolShare' and not superseded;

-- The lists a caller can ask for: a class in a window, whole or narrowed by pool type or parent ('' when not narrowed). A
-- pool and a node operator may have one name: the shares of each are a list, and those of either (`any`) another.
create table operator_lists (
  list_id bigint generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  pool_type text collate "C" not null,
  parent_type text collate "C" not null check (parent_type in ('', 'any', 'pool', 'nodeOperator')),
  parent_id text collate "C" not null,
  total integer not null,
  -- of the dataset when the list was made
  revision integer not null default 0,
  -- A walk over a list keeps to the list it began with: lists that were replaced are kept for an hour.
  superseded_at timestamptz
);
create unique index operator_lists_current
  on operator_lists (network, parent_id, parent_type, id_type, time_window, pool_type) where superseded_at is null;
create unique index operator_lists_revision
  on operator_lists (network, parent_id, parent_type, id_type, time_window, pool_type, revision);
create index operator_lists_superseded on operator_lists (superseded_at) where superseded_at is not null;

-- The stored order of each list, so that a page at rank 90,000 costs what the first one costs.
-- Whoever ranks a list checks it once, in store_operator_orders and store_stake_authority_orders, which takes a hundredth of
-- the time of a foreign key that looks up each row. Triggers on the lists delete their ranks and orders.
create table operator_ranks (
  list_id bigint not null,
  rank integer not null,
  summary_id bigint not null,
  primary key (list_id, rank)
);
create index operator_ranks_summary on operator_ranks (summary_id);

-- Lists of operators and stake authorities in other orders than that of their ranks, made anew with each list. A row has
-- the summaries of 64 consecutive ranks, some 10 bytes for each. Indexes on the figures took 200, and inserting 300,000
-- operators then took 69 s instead of 4. `valued` are the summaries with a value, by value and key; the others follow, by
-- key. By the least and most figures and the names of tags, a filter skips rows without reading their summaries. The order
-- `networkPenetration` also has what filters compare, by which they are counted: reading 300,000 summaries took a minute.
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
  each_operator_id text[] collate "C", -- null in classes where filters have no name
  each_display_name text[],
  each_validator_count integer[],
  each_avg_validator_effectiveness double precision[],
  each_apr_percentage double precision[],
  each_sum_end_epoch_effective_balance bigint[],
  each_operator_tags json[],
  primary key (list_id, ordered_by, valued, first_rank)
);

-- A number for each summary that has history, because its key takes more room than its figures.
create table operator_series (
  series integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  unique (network, operator_id, id_type, time_window)
);

-- The days on which any of a list has history.
create table operator_history_days (
  network text collate "C" not null,
  id_type text collate "C" not null,
  time_window text collate "C" not null,
  date date not null,
  primary key (network, id_type, time_window, date)
);

-- A day is written at once, so it comes first: each day appends to table and index. No foreign key, which would be checked
-- for each row. In parts by month: with 300,000 deposit addresses it grows by some 30 GB a year.
create table operator_history (
  date date not null,
  series integer not null,
  avg_validator_effectiveness double precision not null,
  apr_percentage double precision,
  network_penetration double precision,
  validator_count integer not null,
  as_of_epoch integer,
  primary key (date, series)
) partition by range (date);

-- What cannot be told from the chain: the tags and the name of an operator; of a pool share, whose it is. A refresh
-- computes the published summaries from it, as from other facts.
create table operator_profiles (
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  operator_tags json not null,
  display_name text,
  pool_id text collate "C",
  node_operator_id text collate "C",
  -- of a pool; `none` says that it is neither, whatever its tags and its name say
  pool_type text collate "C" check (pool_type in ('cex', 'lst', 'none')),
  primary key (network, id_type, operator_id)
);
create unique index operator_profiles_pool_share on operator_profiles (network, pool_id, node_operator_id)
  where id_type = 'poolShare';

-- Validators of the newest day by consensus client, where it is known; a refresh of operators writes them.
create table network_clients (
  network text collate "C" not null,
  client text collate "C" not null,
  validator_count integer not null check (validator_count > 0),
  primary key (network, client)
);

-- Written by store_operator_names and store_authority_names, which imports and refreshes call.
create table search_names (
  kind text collate "C" not null check (kind in ('operator', 'tag', 'stakeAuthority')),
  -- 'solana' for stake authorities
  network text collate "C" not null,
  -- class of the operator, or of those with the tag; '' for stake authorities
  id_type text collate "C" not null,
  -- of the operator or stake authority; the tag itself
  id text collate "C" not null,
  name text collate "C" not null,
  place smallint not null,
  form text collate "C" not null,
  -- in powers of two, so that it changes seldom: validators or SOL
  size smallint not null,
  -- the largest operator with the tag
  tagged_id text collate "C",
  primary key (kind, network, id_type, id, name, place)
);
create index search_names_form on search_names (kind, network, form);
create index search_names_size on search_names (kind, network, size desc, form) where place = 0;

-- ==================== Validators and their days

-- Validators, and the addresses, node operator and pool each belongs to.
create table validators (
  network text collate "C" not null,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  -- null where the source does not know who made the deposit
  deposit_address text collate "C",
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
create index validators_deposit_address on validators (network, deposit_address, validator_index)
  include (activation_epoch, exit_epoch, slashed);
create index validators_withdrawal_address on validators (network, withdrawal_address, validator_index)
  include (activation_epoch, exit_epoch, slashed) where withdrawal_address is not null;
create index validators_node_operator on validators (network, node_operator, validator_index)
  include (activation_epoch, exit_epoch, slashed) where node_operator is not null;
create index validators_pool on validators (network, pool, validator_index)
  include (activation_epoch, exit_epoch, slashed) where pool is not null;
create index validators_pool_share on validators (network, pool, node_operator, validator_index)
  include (activation_epoch, exit_epoch, slashed) where pool is not null and node_operator is not null;
create index validators_activation on validators (network, coalesce(activation_epoch, 2147483647), validator_index);
create index validators_exit on validators (network, coalesce(exit_epoch, 2147483647), validator_index);
create index validators_slashed on validators (network, validator_index) where slashed;
create index validators_unactivated on validators (network, validator_index) where activation_epoch is null;
create index validators_staying on validators (network, validator_index)
  where activation_epoch is not null and exit_epoch is null;
-- PostgreSQL reads an index alone only if it has the columns of its expressions and of its condition.
create index validators_staying_since on validators (network, coalesce(activation_epoch, 2147483647), validator_index)
  include (activation_epoch, exit_epoch) where activation_epoch is not null and exit_epoch is null;
-- Pages of exited validators skip those that have yet to exit, which are listed by the other index.
create index validators_exits on validators (network, validator_index) include (exit_epoch)
  where exit_epoch is not null;
create index validators_leaving on validators (network, exit_epoch, validator_index) include (activation_epoch)
  where exit_epoch is not null;

-- How many validators have these states, so that a total does not count a million rows.
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

-- The consensus client of a validator, as an estimate of somebody or told by its operator.
create table validator_clients (
  network text collate "C" not null,
  validator_index integer not null,
  client text collate "C" not null,
  primary key (network, validator_index)
);

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
  -- the slot of a block that is not final
  head_slot integer,
  -- balance_before_withdrawal is that of the state of this epoch; null where an index did not write it
  balance_epoch integer,
  primary key (network, validator_index)
);
create unique index slashings_order on slashings (network, slashing_epoch, validator_index);
create unique index slashings_pubkey on slashings (network, validator_pubkey);
create index slashings_penalties on slashings (network, slashing_penalties, validator_index);

-- What a validator did on a day, in the chain and in the UTC calendar: the facts that figures of any group of validators
-- are summed up from. A day without attestation duties has no row. Amounts in Gwei. Small integers hold the counts of a
-- day, since there are a million rows a day.
-- In parts by month: a million validators make 60 million rows a month.
create table validator_days (
  network text collate "C" not null,
  validator_index integer not null,
  -- true: the UTC calendar, false: the chain calendar
  utc boolean not null,
  day integer not null,
  date date not null,
  -- the first and last epoch with data
  start_epoch integer not null,
  end_epoch integer not null,
  -- null without sync duty
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
  -- consensus layer; negative where penalties outweigh
  sum_attestation_rewards bigint not null,
  sum_sync_committee_rewards bigint not null,
  sum_proposer_rewards bigint not null,
  -- execution layer
  sum_priority_fees bigint not null,
  sum_baseline_mev bigint not null,
  -- Gwei, summed over the epochs with duties: the APR divides rewards by it. Rows without it count by an estimate
  -- (docs/data-model.md).
  effective_balance_epochs bigint,
  -- Gwei, at the end of the validator's day before; only in rows without the sum, and only if it differs from that at the end
  start_effective_balance bigint,
  -- blocks that the validator proposed and that have no payload; null before Gloas, and where it is not known
  empty_payload_count smallint,
  primary key (network, utc, validator_index, date)
) partition by range (date);
-- Days come in their order: one of them is found by this in a hundredth of its month.
create index validator_days_date on validator_days using brin (date) with (autosummarize = on);

-- Which days are stored: what the last 1, 7 or 30 days of a window are.
create table validator_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  -- whether a refresh has yet to compute from the day: an import that changes days of validators sets these again
  attestations_due boolean not null default true,
  rewards_due boolean not null default true,
  -- Differs after any change of the day's rows in validator_days, except amounts that are added to the kept sums too.
  version uuid not null default gen_random_uuid(),
  primary key (network, utc, day)
);

-- Months with stored days. `due`: a day has changed since the month was summed.
create table validator_months (
  network text collate "C" not null,
  -- its first date
  month date not null check (month = date_trunc('month', month::timestamp)::date),
  due boolean not null default true,
  -- its first chain day; null until it is summed
  first_day integer,
  -- as that of a day
  version uuid not null default gen_random_uuid(),
  primary key (network, month)
);

-- Sums by month of the days of validators, so that a refresh of the window `all` reads days of the newest month only.
-- Windows consist of chain days, so UTC days have no sums.
create table validator_month_sums (
  network text collate "C" not null,
  month date not null,
  validator_index integer not null,
  end_epoch integer not null,
  -- The sums are over days with attestation duties.
  total_unique_attestations integer not null,
  sum_missed_attestations integer not null,
  sum_correct_head integer not null,
  sum_correct_target integer not null,
  sum_correct_source integer not null,
  sum_inclusion_delay integer not null,
  proposed_count integer not null,
  missed_proposal_count integer not null,
  -- the rewards of both layers that count for the APR, in Gwei, and the effective balances of each epoch that they are
  -- divided by
  apr_rewards bigint not null,
  apr_stake bigint not null,
  primary key (network, month, validator_index)
);

-- Windows of operators that a refresh passes over while their facts have not changed since it published them.
create table refreshed_windows (
  network text collate "C" not null,
  time_window text collate "C" not null,
  -- the version of the program, the classes, and the revision and time of the last change of each dataset that was read
  facts text not null,
  validators integer not null,
  rows integer not null,
  primary key (network, time_window)
);

-- Which days and months the kept sums of a network consist of, with their versions; null before they are first made. Both
-- tables are unlogged: after a crash they are empty, and the next refresh sums all days.
create unlogged table kept_sums (
  network text collate "C" primary key,
  parts json,
  -- differs after the sums were replaced
  stamp uuid not null default gen_random_uuid()
);

-- Sums of the days of each window, without its newest days. Read and written as a whole.
create unlogged table window_sums (
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

-- Months of validator_days that `stakegraph retain --archive` moved into Parquet files. A row and the drop of the month are
-- committed together, so each month is either here or in validator_days.
create table archived_months (
  network text collate "C" not null,
  month date not null check (month = date_trunc('month', month::timestamp)::date),
  folder text not null,
  file text collate "C" not null unique,
  schema_version integer not null,
  rows bigint not null,
  bytes bigint not null,
  -- of the file, and of its rows as COPY writes them in the format csv
  sha256 bytea not null,
  rows_sha256 bytea not null,
  -- where the file has which validators, with checksums
  row_groups json not null,
  archived_at timestamptz not null default now(),
  primary key (network, month)
);

-- The days in archived months, as validator_day_dates has those of validator_days.
create table archived_day_dates (
  network text collate "C" not null,
  utc boolean not null,
  day integer not null,
  date date not null,
  primary key (network, utc, day)
);

-- A row of archived days, without the network, as gateways pass it to statements.
create type archived_day as (
  validator_index integer,
  utc boolean,
  day integer,
  date date,
  start_epoch integer,
  end_epoch integer,
  sum_missed_sync_signatures integer,
  sum_sync_signature_count integer,
  total_unique_attestations smallint,
  sum_missed_attestations smallint,
  sum_correct_head smallint,
  sum_correct_target smallint,
  sum_correct_source smallint,
  sum_wrong_head_votes smallint,
  sum_wrong_target_votes smallint,
  sum_late_target_votes smallint,
  sum_late_source_votes smallint,
  sum_inclusion_delay smallint,
  proposed_count smallint,
  missed_proposal_count smallint,
  end_epoch_balance bigint,
  end_epoch_effective_balance bigint,
  sum_attestation_rewards bigint,
  sum_sync_committee_rewards bigint,
  sum_proposer_rewards bigint,
  sum_priority_fees bigint,
  sum_baseline_mev bigint,
  effective_balance_epochs bigint,
  start_effective_balance bigint,
  empty_payload_count smallint
);

-- ==================== Private sets

-- Private sets: validators that an account groups under a tag, for figures of its own (spec §4.9, §8).
create table private_sets (
  set_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  network text collate "C" not null,
  name text not null,
  -- the name of the token that made it
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- counts the changes of a set: its name, its validators and its figures
  revision integer not null default 1,
  complete_from date not null default '-infinity'
);
comment on column private_sets.complete_from is 'The latest summed_from of its members. Days before are not shown.';
create index private_sets_incomplete on private_sets (set_id) where complete_from > '-infinity';
-- the order of an account's list
create index private_sets_account on private_sets (account_id, network, created_at, set_id);

-- From when to when a validator belongs to a set. A removed one still counts in the past of its set: the first
-- membership reaches back to the beginning of the data, a later one to the date of its adding, and each ends before the
-- date of its removal (dates in UTC).
create table private_set_members (
  set_id uuid not null references private_sets on delete cascade,
  validator_index integer not null,
  validator_pubkey text collate "C" not null,
  added_at timestamptz not null,
  removed_at timestamptz,
  counts_from date not null,
  counts_until date not null generated always as (coalesce((removed_at at time zone 'UTC')::date, 'infinity')) stored,
  summed_from date not null default '-infinity',
  primary key (set_id, validator_index, counts_from)
);
-- the members of today, in the order of their list
create unique index private_set_members_now on private_set_members (set_id, validator_index) where removed_at is null;
comment on column private_set_members.summed_from is 'Days of the validator before this date are not summed yet.';
create index private_set_members_unsummed on private_set_members (set_id, summed_from desc, validator_index)
  where summed_from > '-infinity';

-- The days of a private set, summed up from those of its validators: reading 15,000 validators over two years at each
-- question takes ten seconds and more, and these rows a few milliseconds. Kept true by every change of the members and by
-- every import of validator_days.
create table private_set_days (
  set_id uuid not null references private_sets on delete cascade,
  utc boolean not null,
  day integer not null,
  date date not null,
  start_epoch integer not null,
  end_epoch integer not null,
  -- with attestation duties; 0 if the set has only days of sync duty
  validator_count integer not null constraint private_set_days_validator_count check (validator_count >= 0),
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
  -- how many validators attested, and how many were to propose
  attested_count integer not null,
  proposer_count integer not null,
  -- Sums over the validators, to be divided by how many have the figure; null where none has. They are whole numbers of
  -- 2^-56: sums of doubles differ in their last digits with the order of adding. A power of two keeps all digits of a
  -- single validator's figure.
  sum_correctness numeric,
  sum_inclusion_delays numeric,
  sum_uptime numeric not null,
  sum_attester_effectiveness numeric not null,
  sum_proposer_effectiveness numeric,
  sum_validator_effectiveness numeric not null,
  -- as in attestation_days
  avg_attester_effectiveness double precision not null generated always as (
    coalesce(sum_attester_effectiveness::double precision / 72057594037927936 / nullif(validator_count, 0), 0)
  ) stored,
  -- the rewards that count for the APR, in Gwei, and the effective balances of each epoch that they are divided by
  apr_rewards bigint not null,
  apr_stake numeric not null,
  empty_payload_count bigint,
  constraint private_set_days_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity'),
  primary key (set_id, utc, day)
);
create index private_set_days_date on private_set_days (set_id, date);

-- ==================== Attestations of entities by day and hour

-- Attestation duties of entities (spec §2.3) by hours and by days, in the chain and in the UTC calendar. Weeks and
-- longer are gathered from days when asked. Balances in Gwei.
create table attestation_entities (
  entity_key integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  entity_id text collate "C" not null,
  unique (network, entity_id, id_type)
);

-- In parts by month: with 300,000 deposit addresses it grows by some 80 GB a year. Days of an entity are read in the order
-- of their dates, which is that of the parts: a page looks into no more parts than it has rows of.
create table attestation_days (
  -- of attestation_entities; no foreign key, which would be checked for every one of millions of loaded rows
  entity_key integer not null,
  -- true: the UTC calendar, false: the chain calendar
  utc boolean not null,
  day integer not null,
  date date not null,
  validator_count integer not null,
  total_unique_attestations bigint not null,
  sum_missed_attestations bigint not null,
  -- null without sync duty
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
  -- the first and last epoch with data
  start_epoch integer not null,
  end_epoch integer not null,
  -- `stakegraph refresh` computed the row from days of validators, and may change and remove it
  computed boolean not null default false,
  -- What operators proposed and earned on the day, and their means: null in rows that were imported.
  -- validators with attestation duties at any time of the day
  active_count bigint,
  -- how many of these attested, and how many were to propose
  attested_count bigint,
  proposer_count bigint,
  proposed_count bigint,
  missed_proposal_count bigint,
  sum_attestation_rewards bigint,
  sum_sync_committee_rewards bigint,
  sum_proposer_rewards bigint,
  sum_priority_fees bigint,
  sum_baseline_mev bigint,
  -- sums over the validators, to be divided by how many have the figure
  sum_correctness double precision,
  sum_inclusion_delays double precision,
  sum_uptime double precision,
  sum_attester_effectiveness double precision,
  sum_proposer_effectiveness double precision,
  sum_validator_effectiveness double precision,
  -- Only of networks as a whole: the rewards that count for the APR, in Gwei, and the effective balances of each epoch that
  -- they are divided by.
  apr_rewards bigint,
  apr_stake numeric check (apr_stake > '-Infinity' and apr_stake < 'Infinity'),
  -- blocks without payload; null before Gloas
  empty_payload_count bigint,
  constraint attestation_days_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity'),
  constraint attestation_days_finite_figures check (
    sum_correctness between 0 and 1e15 and sum_inclusion_delays between 0 and 1e15 and sum_uptime between 0 and 1e15
    and sum_attester_effectiveness between 0 and 1e15 and sum_proposer_effectiveness between 0 and 1e15
    and sum_validator_effectiveness between 0 and 1e15
  ),
  primary key (entity_key, utc, date, day)
) partition by range (date);
-- A refresh writes the entities of single dates. Rows are stored in the order of their dates, which is all that BRIN needs.
create index attestation_days_date on attestation_days using brin (date);

-- Parts by month, as in attestation_days, whose comments hold here too.
create table attestation_hours (
  entity_key integer not null,
  -- true: the UTC calendar, false: the chain calendar
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
  constraint attestation_hours_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity'),
  primary key (entity_key, utc, date, hour)
) partition by range (date);

-- Days of the network as a whole in months of attestation_days that retain has dropped: a row a day, which networkOverview
-- and its history go on reading.
create table kept_network_days (
  like attestation_days including defaults,
  constraint attestation_days_finite
    check (avg_attester_effectiveness > '-infinity' and avg_attester_effectiveness < 'infinity'),
  constraint attestation_days_finite_figures check (
    sum_correctness between 0 and 1e15 and sum_inclusion_delays between 0 and 1e15 and sum_uptime between 0 and 1e15
    and sum_attester_effectiveness between 0 and 1e15 and sum_proposer_effectiveness between 0 and 1e15
    and sum_validator_effectiveness between 0 and 1e15
  ),
  primary key (entity_key, utc, date, day)
);

-- ==================== Blocks, builders and sync committees

-- How far the blocks of a network are stored: a slot up to here without rows had no block.
create table chain_heads (
  network text collate "C" primary key,
  slot integer not null
);

-- Slots with what happened in them (decisions on the further endpoints): a block, or a proposal that was missed. Fees by
-- kind of transaction and the base fee are wei, rewards and what they are made of Gwei. The time follows from the slot.
create table blocks (
  network text collate "C" not null,
  slot integer not null,
  validator_index integer not null,
  consensus_proposer_duty text collate "C" not null
    check (consensus_proposer_duty in ('proposed', 'missed', 'orphaned')),
  execution_proposer_duty text collate "C" check (execution_proposer_duty in ('proposed', 'missed', 'orphaned')),
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
  -- wei passes 64 bits: a block has burnt more than 100 ETH
  base_fee_per_gas numeric,
  total_burnt_fees numeric,
  total_type0_tx_fees numeric,
  total_type1_tx_fees numeric,
  total_type2_tx_fees numeric,
  -- execution rewards may be parts of a Gwei
  total_priority_fees numeric,
  total_priority_fees_validator numeric,
  baseline_mev numeric,
  execution_rewards numeric,
  missed_execution_rewards numeric,
  consensus_rewards bigint,
  missed_consensus_rewards bigint,
  total_rewards numeric,
  total_rewards_missed numeric,
  -- What an execution node and relays tell of a block is filled in after the block was written. Null: not known yet.
  relays text[],
  block_builder_pubkeys text[],
  -- Rows near the head are not final: the chain may still replace them.
  finalized boolean not null default true,
  -- All null before Gloas. The bid has no builder if the proposer made its own payload.
  payload_status text collate "C" check (payload_status in ('full', 'empty', 'unknown')),
  -- Gwei
  bid_value bigint,
  bid_builder_index integer,
  bid_builder_pubkey text collate "C",
  -- Gwei; only a promise, so it may be any number of 64 bits without sign
  bid_execution_payment numeric,
  bid_fee_recipient text collate "C",
  -- null until it is decided
  bid_payment text collate "C" check (bid_payment in ('settled', 'quorum', 'unpaid', 'cancelled')),
  primary key (network, slot)
);
-- the slots in which a validator was to propose
create index blocks_proposer on blocks (network, validator_index, slot);
create index blocks_not_final on blocks (network, slot) where not finalized;
-- The newest block that lacks something.
create index blocks_without_fees on blocks (network, slot)
  where execution_block_hash is not null and total_priority_fees is null;
create index blocks_without_relays on blocks (network, slot)
  where execution_block_hash is not null and relays is null;
create index blocks_lost on blocks (network, consensus_proposer_duty, slot)
  where consensus_proposer_duty <> 'proposed';
-- Hash indexes take a third of the room of B-trees here.
create index blocks_root on blocks using hash (consensus_block_root);
create index blocks_execution_hash on blocks using hash (execution_block_hash);
create index blocks_payload on blocks (network, payload_status, slot) where payload_status is not null;
create index blocks_builder on blocks (network, bid_builder_pubkey, slot) where bid_builder_pubkey is not null;

-- How many slots of a network are stored: counting millions of rows for each page would cost more than the page. Kept
-- by the table itself, so that it is right whoever adds or deletes rows.
create table block_counts (
  network text collate "C" primary key,
  total integer not null
);

-- The operators of each stored slot's proposer, in the order of each operator's slots: columns of the proposer's row in
-- validators, as it is now. Kept by triggers of blocks and validators. Slots whose proposer is not stored have no row.
create table block_operators (
  network text collate "C" not null,
  slot integer not null,
  consensus_proposer_duty text collate "C" not null,
  deposit_address text collate "C",
  withdrawal_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  primary key (network, slot)
);
create index block_operators_deposit_address on block_operators (network, deposit_address, slot)
  include (consensus_proposer_duty) where deposit_address is not null;
create index block_operators_withdrawal_address on block_operators (network, withdrawal_address, slot)
  include (consensus_proposer_duty) where withdrawal_address is not null;
create index block_operators_node_operator on block_operators (network, node_operator, slot)
  include (consensus_proposer_duty) where node_operator is not null;
create index block_operators_pool on block_operators (network, pool, slot)
  include (consensus_proposer_duty) where pool is not null;
create index block_operators_pool_share on block_operators (network, pool, node_operator, slot)
  include (consensus_proposer_duty) where pool is not null and node_operator is not null;
-- Few slots are without a block: a page of them would read many others.
create index block_operators_lost_deposit_address on block_operators
  (network, deposit_address, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_withdrawal_address on block_operators
  (network, withdrawal_address, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_node_operator on block_operators
  (network, node_operator, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_pool on block_operators
  (network, pool, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_pool_share on block_operators
  (network, pool, node_operator, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';

-- Who proposed the blocks that `stakegraph retain` has dropped, for the relays of operators in the window `all`.
create table dropped_relays (
  network text collate "C" not null,
  -- the dropped slots, all of one chain day: from `first_slot` to before `end_slot`
  first_slot integer not null,
  end_slot integer not null check (end_slot > first_slot),
  relays text[] collate "C" not null,
  -- one for each block that came through exactly these relays
  proposers integer[] not null
);
create index dropped_relays_slots on dropped_relays (network, first_slot);

-- Builders of payloads. An index is used again once its builder has left, so the key is the public key. Balance and sums
-- are in Gwei.
create table builders (
  network text collate "C" not null,
  pubkey text collate "C" not null,
  index integer not null,
  execution_address text collate "C" not null,
  balance bigint not null,
  deposit_epoch integer not null,
  -- null unless it has left
  withdrawable_epoch integer,
  -- its bids in blocks of the chain; those with and without their payload; those that were paid
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

-- Sync committee rewards: a row for each slot. The committee, which hardly ever changes within a sync period, is stored
-- once.
create table sync_committees (
  committee integer generated always as identity primary key,
  network text collate "C" not null,
  -- by rank: the validator of each seat, ascending by validator and position, and the seat's position
  validators integer[] not null,
  positions smallint[] not null,
  -- arrays of 512 seats exceed what a B-tree can hold
  digest bytea not null,
  unique (network, digest),
  check (cardinality(validators) = cardinality(positions))
);

-- A validator's seats have consecutive ranks.
create table sync_committee_seats (
  network text collate "C" not null,
  validator_index integer not null,
  committee integer not null references sync_committees on delete cascade,
  first_rank smallint not null,
  seats smallint not null,
  primary key (network, validator_index, committee)
);
create index sync_committee_seats_committee on sync_committee_seats (committee);

create table sync_committee_slots (
  network text collate "C" not null,
  slot integer not null,
  -- no foreign key, which would be checked for every slot: committees without slots are removed by their writers
  committee integer not null,
  -- Gwei by rank, negative for a missed signature
  rewards bigint[] not null,
  primary key (network, slot)
);
create index sync_committee_slots_committee on sync_committee_slots (committee, slot);

-- ==================== The chain as a whole, and consolidations

-- What a network's validators earned in a chain day, in Gwei; date, epochs and times follow from the day.
create table chain_daily_rewards (
  network text collate "C" not null,
  day integer not null,
  sum_consensus_rewards bigint not null,
  -- execution rewards may be parts of a Gwei
  sum_execution_rewards numeric not null,
  sum_priority_fees numeric not null,
  sum_baseline_mev numeric not null,
  sum_effective_balance bigint,
  -- as in attestation_days
  computed boolean not null default false,
  -- Gwei, summed over validators and epochs; null where only balances at ends of days are known
  effective_balance_epochs numeric,
  primary key (network, day)
);

-- Effective balance of all active validators at an epoch, in Gwei: the churn limit follows from it.
create table chain_balances (
  network text collate "C" not null,
  epoch integer not null,
  total_active_balance bigint not null,
  primary key (network, epoch)
);

-- Forks that the beacon node of an index schedules, passed or not, whether this version knows them or not.
create table network_forks (
  network text collate "C" not null,
  -- lower case, as in GLOAS_FORK_EPOCH
  name text collate "C" not null,
  epoch integer not null,
  primary key (network, name)
);

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
create index consolidations_target on consolidations (network, target_index, epoch, source_index);
-- validators are found by public key, also those that are not stored as validators
create index consolidations_source_pubkey on consolidations (network, source_pubkey);
create index consolidations_target_pubkey on consolidations (network, target_pubkey);

-- Entities as in operator_validators, and each network as a whole: `network`, with '' as operator_id. This table and the next
-- two follow from consolidations and validators; who changes either calls store_consolidation_totals.
create table consolidation_entities (
  entity integer generated always as identity primary key,
  network text collate "C" not null,
  id_type text collate "C" not null,
  operator_id text collate "C" not null,
  share_of text collate "C" not null,
  -- with a validator of the entity on either side
  listed_count integer not null default 0,
  -- with a validator of the entity as source; also all figures that follow
  consolidation_count integer not null default 0,
  target_count integer not null default 0,
  consolidated_balance bigint not null default 0,
  first_epoch integer,
  last_epoch integer,
  unique (network, id_type, operator_id, share_of)
);

-- Consolidations with a validator of the entity on either side, in each order of their list.
create table entity_consolidations (
  entity integer not null,
  source_index integer not null,
  target_index integer not null,
  epoch integer not null,
  consolidated_balance bigint not null,
  -- whether the source is of the entity
  as_source boolean not null,
  -- of the entity's consolidation before it, as source, into the same target; -1 if there is none
  earlier_epoch integer not null,
  primary key (entity, source_index)
);
create index entity_consolidations_epoch on entity_consolidations (entity, epoch, source_index)
  include (target_index, consolidated_balance, as_source, earlier_epoch);
create index entity_consolidations_target on entity_consolidations (entity, target_index, epoch, source_index);
create index entity_consolidations_balance on entity_consolidations (entity, consolidated_balance, epoch, source_index);
create index entity_consolidations_source on entity_consolidations (source_index);

-- Sums over entity_consolidations.
create table consolidation_epochs (
  entity integer not null,
  epoch integer not null,
  consolidation_count integer not null,
  consolidated_balance bigint not null,
  primary key (entity, epoch) include (consolidation_count, consolidated_balance)
);

-- The queue of consolidations in the newest state that an index has processed.
create table pending_consolidations (
  network text collate "C" not null,
  -- 0 is processed first
  position integer not null check (position >= 0),
  source_index integer not null,
  target_index integer not null,
  -- that would move now: the balance of the source, at most its effective balance
  amount bigint not null check (amount >= 0),
  -- at whose end it is processed unless a source before it is slashed; null for a slashed source, which moves nothing
  expected_epoch integer,
  primary key (network, position)
);
create index pending_consolidations_source on pending_consolidations (network, source_index);
create index pending_consolidations_target on pending_consolidations (network, target_index);

-- ==================== The index: what `stakegraph index` has written, and what it needs to go on

-- The newest epoch written, with the state of the rules after it. Written in the transaction of that epoch.
create table index_state (
  network text collate "C" primary key,
  -- where the epochs begin that were written without a gap
  first_epoch integer not null,
  epoch integer not null,
  state bytea not null,
  -- of `state` and of `index_epochs.facts`
  version integer not null,
  written_at timestamptz not null,
  -- the chain of the index; null if an earlier version wrote it last
  genesis_validators_root text collate "C"
);
alter table index_state alter column state set storage external; -- compressed already

-- Facts of the epochs of days that are open in a calendar: sums of hours and days are made from these.
create table index_epochs (
  network text collate "C" not null,
  epoch integer not null,
  facts bytea not null,
  -- effective balances that differ in the next epoch: validator and balance in ETH, in 4 and 2 bytes
  effective_changes bytea not null default '',
  primary key (network, epoch)
);
alter table index_epochs alter column facts set storage external; -- compressed already

-- All epochs that were ever written. Imports leave them alone.
create table index_ranges (
  network text collate "C" not null,
  first_epoch integer not null,
  last_epoch integer not null,
  primary key (network, first_epoch)
);

-- Epochs in the rows of each day and hour that was written. Rows of fewer epochs never replace them.
create table index_periods (
  network text collate "C" not null,
  utc boolean not null,
  hourly boolean not null,
  period integer not null,
  start_epoch integer not null,
  end_epoch integer not null,
  -- Hours whose validators got other names or addresses are due: written again before the next publication.
  due boolean not null default false,
  -- those after the last epoch of an hour, compressed, as long as the epochs of its day are kept
  balances bytea,
  primary key (network, utc, hourly, period)
);
create index index_periods_kept on index_periods (network) where balances is not null;

-- Penalties of slashed validators after their exit, in Gwei, negative. They are in the row of their last active day.
create table index_late_penalties (
  network text collate "C" not null,
  validator_index integer not null,
  epoch integer not null,
  amount bigint not null,
  primary key (network, validator_index, epoch)
);

-- Rules of --labels: a rule names validators in one way, and sets what is not null.
create table index_labels (
  network text collate "C" not null,
  -- the most specific first
  rank integer not null,
  validator_pubkey text collate "C",
  first_index integer,
  last_index integer,
  withdrawal_address text collate "C",
  deposit_address text collate "C",
  node_operator text collate "C",
  pool text collate "C",
  primary key (network, rank)
);

-- The deposits that wait, in order. Places are never used twice while an index goes on.
create table index_deposits (
  network text collate "C" not null,
  place integer not null,
  pubkey bytea not null,
  withdrawal_credentials bytea not null,
  amount bigint not null,
  slot integer not null,
  primary key (network, place)
);

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

-- ==================== Solana

-- Solana network overview (spec §2.6): one row per window. Amounts in SOL. `numeric` without scale keeps every digit
-- that came in, trailing zeros too.
create table solana_overviews (
  time_window text collate "C" primary key,
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
  as_of_time timestamptz
);

-- Solana as a whole as it was published on each day.
create table solana_overview_history (
  like solana_overviews including constraints,
  date date not null,
  primary key (time_window, date)
);

-- Stake authority summaries (spec §2.7): one row per window and authority. Amounts in SOL, rates as ratios.
create table stake_authority_summaries (
  summary_id bigint generated always as identity primary key,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  validator_delegates integer not null,
  -- [{validatorVoteAccount, validatorName, percentage}]; the percentages are text, as decimals are
  delegations json not null,
  staking_rewards_apy numeric not null,
  mev_rewards_apr numeric not null,
  delegator_apy numeric not null,
  sum_missed_staking_rewards numeric not null,
  -- null for an individual
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
  -- as in operator_summaries
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
  constraint stake_authority_summaries_finite check (
    greatest(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake,
      network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate,
      sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid,
      sum_commission_paid) < 'infinity'
    and least(staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, delegated_stake,
      network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate,
      sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid,
      sum_commission_paid) > '-infinity'),
  constraint stake_authority_summaries_changes_finite check (
    greatest(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d,
      aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d,
      delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d,
      delegated_stake_change_30d) < 'infinity'
    and least(aggregate_validator_effectiveness_change_1d, aggregate_validator_effectiveness_change_7d,
      aggregate_validator_effectiveness_change_30d, delegator_apy_change_1d, delegator_apy_change_7d,
      delegator_apy_change_30d, network_penetration_change_1d, network_penetration_change_7d,
      network_penetration_change_30d, delegated_stake_change_1d, delegated_stake_change_7d,
      delegated_stake_change_30d) > '-infinity'),
  -- as in operator_summaries
  renamed boolean not null default false
);
create unique index stake_authority_summaries_current on stake_authority_summaries (stake_authority, time_window)
  where not superseded;
create index stake_authority_summaries_superseded on stake_authority_summaries (summary_id) where superseded;
create index stake_authority_summaries_named on stake_authority_summaries (stake_authority)
  where not superseded and pool_name is not null;
create index stake_authority_summaries_renamed on stake_authority_summaries (stake_authority)
  where renamed and not superseded;

-- The lists a caller can ask for: the authorities of a window, whole or of one type.
create table stake_authority_lists (
  list_id bigint generated always as identity primary key,
  time_window text collate "C" not null,
  list_type text collate "C" not null check (list_type in ('all', 'pool', 'individual')),
  total integer not null,
  revision integer not null default 0,
  superseded_at timestamptz
);
create unique index stake_authority_lists_current on stake_authority_lists (time_window, list_type)
  where superseded_at is null;
create unique index stake_authority_lists_revision on stake_authority_lists (time_window, list_type, revision);
create index stake_authority_lists_superseded on stake_authority_lists (superseded_at) where superseded_at is not null;

-- The stored order of each list, so that a page at rank 90,000 costs what the first one costs.
create table stake_authority_ranks (
  list_id bigint not null,
  rank integer not null,
  summary_id bigint not null,
  primary key (list_id, rank)
);
create index stake_authority_ranks_summary on stake_authority_ranks (summary_id);

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
  primary key (list_id, ordered_by, valued, first_rank)
);

-- History of stake authorities, as that of operators.
create table stake_authority_series (
  series integer generated always as identity primary key,
  time_window text collate "C" not null,
  stake_authority text collate "C" not null,
  unique (stake_authority, time_window)
);

create table stake_authority_history_days (
  time_window text collate "C" not null,
  date date not null,
  primary key (time_window, date)
);

-- In parts by month: with 500,000 authorities it grows by some 70 GB a year.
create table stake_authority_history (
  date date not null,
  series integer not null,
  as_of_epoch integer,
  as_of_time timestamptz,
  aggregate_validator_effectiveness numeric not null,
  delegator_apy numeric not null,
  network_penetration numeric not null,
  delegated_stake numeric not null,
  primary key (date, series)
) partition by range (date);

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
-- In parts of 15 epochs, about a month: with 500,000 authorities it grows by some 30 GB a year.
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
) partition by range (epoch);

-- Spans with stored stake authorities. `due`: a row of the span has changed since it was summed.
create table solana_epoch_spans (
  first_epoch integer primary key check (first_epoch % 15 = 0),
  due boolean not null default true,
  -- of the epochs that are summed; null until then
  epochs integer[],
  seconds numeric
);

-- Sums by span of the rows of a stake authority.
create table stake_authority_span_sums (
  first_epoch integer not null,
  stake_authority text collate "C" not null,
  last_epoch integer not null,
  -- in its last epoch
  pool_name text,
  stake numeric not null,
  -- stake × figures of the validators, and × seconds
  stake_effectiveness numeric not null,
  stake_vote_commission numeric not null,
  stake_mev_commission numeric not null,
  stake_seconds numeric not null,
  staking_rewards numeric not null,
  mev_rewards numeric not null,
  staking_commission_paid numeric not null,
  mev_commission_paid numeric not null,
  missed numeric,
  primary key (first_epoch, stake_authority)
);

-- ==================== Daily rewards of other networks

-- Of each network (spec §4.9) a table of its validators and one of the network as a whole, with the fields of its record.
-- A table each and no jsonb: every column has its type, a missing value is refused, amounts are `numeric`, which keeps all
-- digits, and a page reads no other network's rows. Amounts in the network's own token.
-- The index on the day alone is for removing old days. It is BRIN, since a B-tree has an order, by which the planner would
-- look for the first days of a validator through those of all others.
-- The other indexes are for validators of a day by what they earned or staked: with the id, so that ties have an order, and
-- by the number of the day, because an index in the order of days would tempt the planner to look for a validator's days
-- among those of all. The day itself lets validators be counted in the index alone.

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
create index avalanche_validator_rewards_earned on avalanche_validator_rewards
  ((day - date '0001-01-01'), (total_validator_rewards + total_validator_fee_rewards), node_id) include (day);
create index avalanche_validator_rewards_delegators on avalanche_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, node_id);

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
create index babylon_validator_rewards_earned on babylon_validator_rewards
  ((day - date '0001-01-01'), total_commission_rewards, validator) include (day);
create index babylon_validator_rewards_delegators on babylon_validator_rewards
  ((day - date '0001-01-01'), total_delegation_rewards, validator);

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
  primary key (pool_id, day)
);
create index cardano_validator_rewards_day on cardano_validator_rewards using brin (day);
create index cardano_validator_rewards_earned on cardano_validator_rewards
  ((day - date '0001-01-01'), total_earned_validator_rewards, pool_id) include (day);
create index cardano_validator_rewards_delegators on cardano_validator_rewards
  ((day - date '0001-01-01'), total_earned_delegator_rewards, pool_id);

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
create index celestia_validator_rewards_earned on celestia_validator_rewards
  ((day - date '0001-01-01'), total_commission_rewards, validator) include (day);
create index celestia_validator_rewards_delegators on celestia_validator_rewards
  ((day - date '0001-01-01'), total_delegation_rewards, validator);

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
create index polkadot_validator_rewards_earned on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_validator_rewards, validator) include (day);
create index polkadot_validator_rewards_delegators on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_nominator_rewards, validator);
create index polkadot_validator_rewards_stake on polkadot_validator_rewards
  ((day - date '0001-01-01'), total_stake, validator);

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
create index polygon_validator_rewards_earned on polygon_validator_rewards
  ((day - date '0001-01-01'), total_validator_rewards, validator_id) include (day);
create index polygon_validator_rewards_delegators on polygon_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, validator_id);
create index polygon_validator_rewards_stake on polygon_validator_rewards
  ((day - date '0001-01-01'), total_stake, validator_id);

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
create index solana_validator_rewards_earned on solana_validator_rewards
  ((day - date '0001-01-01'), (total_voting_rewards + total_proposal_rewards + total_mev_rewards), vote_account)
  include (day);
create index solana_validator_rewards_delegators on solana_validator_rewards
  ((day - date '0001-01-01'), total_delegator_rewards, vote_account);

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

-- ==================== Mirrors of other services

-- Mirrors of other services. A run is one walk over the lists of a service; a round is the lists of one run, or of
-- several where one was broken off and the next went on with what was left: `round_id` is the run that began it.
create table mirror_runs (
  run_id integer generated always as identity primary key,
  round_id integer not null,
  -- scheme, host and base path
  source text collate "C" not null,
  -- the lists that were asked for
  scope text collate "C" not null,
  started_at timestamptz not null default now(),
  -- null while it runs, and for ever when it was killed
  ended_at timestamptz,
  -- whether every list of the round is done
  done boolean not null default false
);
create index mirror_runs_source on mirror_runs (source, run_id);

-- How far each list of a source is, written in the transaction that loads its rows.
create table mirror_state (
  source text collate "C" not null,
  resource text collate "C" not null,
  -- '' outside of Ethereum
  network text collate "C" not null,
  list text collate "C" not null,
  -- the round in which it was last finished
  round_id integer not null,
  -- the last day, date or slot of a series; null for a list that is read as a whole
  position text collate "C",
  row_count integer not null,
  finished_at timestamptz not null default clock_timestamp(),
  primary key (source, resource, network, list)
);

-- What a run asked of the source, resource by resource. `compute_units` is null where the source tells none.
create table mirror_usage (
  run_id integer not null references mirror_runs on delete cascade,
  resource text collate "C" not null,
  requests integer not null default 0,
  compute_units numeric,
  primary key (run_id, resource)
);

-- Pool shares for which a mirror asked all lists by `parentId` of a service and found nothing, with a digest of what they were:
-- they are asked for again when they change.
create table mirror_fruitless_shares (
  source text collate "C" not null,
  network text collate "C" not null,
  time_window text collate "C" not null,
  operator_id text collate "C" not null,
  digest text not null,
  primary key (source, network, time_window, operator_id)
);

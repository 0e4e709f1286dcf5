/** Version of the columns of the files, in the catalogue and in the metadata of each file. */
export const SCHEMA_VERSION = 1;

/** Columns of an archived file in their order, with the types of PostgreSQL and of DuckDB. */
export const archivedColumns: Readonly<Record<string, readonly [postgres: string, duckdb: string]>> = {
  network: ['text', 'varchar'],
  validator_index: ['int', 'integer'],
  utc: ['bool', 'boolean'],
  day: ['int', 'integer'],
  date: ['date', 'date'],
  start_epoch: ['int', 'integer'],
  end_epoch: ['int', 'integer'],
  sum_missed_sync_signatures: ['int', 'integer'],
  sum_sync_signature_count: ['int', 'integer'],
  total_unique_attestations: ['smallint', 'smallint'],
  sum_missed_attestations: ['smallint', 'smallint'],
  sum_correct_head: ['smallint', 'smallint'],
  sum_correct_target: ['smallint', 'smallint'],
  sum_correct_source: ['smallint', 'smallint'],
  sum_wrong_head_votes: ['smallint', 'smallint'],
  sum_wrong_target_votes: ['smallint', 'smallint'],
  sum_late_target_votes: ['smallint', 'smallint'],
  sum_late_source_votes: ['smallint', 'smallint'],
  sum_inclusion_delay: ['smallint', 'smallint'],
  proposed_count: ['smallint', 'smallint'],
  missed_proposal_count: ['smallint', 'smallint'],
  end_epoch_balance: ['bigint', 'bigint'],
  end_epoch_effective_balance: ['bigint', 'bigint'],
  sum_attestation_rewards: ['bigint', 'bigint'],
  sum_sync_committee_rewards: ['bigint', 'bigint'],
  sum_proposer_rewards: ['bigint', 'bigint'],
  sum_priority_fees: ['bigint', 'bigint'],
  sum_baseline_mev: ['bigint', 'bigint'],
  effective_balance_epochs: ['bigint', 'bigint'],
  start_effective_balance: ['bigint', 'bigint'],
  empty_payload_count: ['smallint', 'smallint'],
};

export const columnNames = Object.keys(archivedColumns);

/** Both databases write the same text of these values. */
export const asText = columnNames.map((name) => (name === 'utc' ? 'utc::int' : name)).join(', ');

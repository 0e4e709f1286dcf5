/** Version of the columns of the files and of the hash of their rows, in the catalogue and in the metadata of each file. */
export const SCHEMA_VERSION = 2;

/** Columns of an archived file in their order, with their types in DuckDB. */
export const archivedColumns: Readonly<Record<string, string>> = {
  network: 'varchar',
  validator_index: 'integer',
  utc: 'boolean',
  day: 'integer',
  date: 'date',
  start_epoch: 'integer',
  end_epoch: 'integer',
  sum_missed_sync_signatures: 'integer',
  sum_sync_signature_count: 'integer',
  total_unique_attestations: 'smallint',
  sum_missed_attestations: 'smallint',
  sum_correct_head: 'smallint',
  sum_correct_target: 'smallint',
  sum_correct_source: 'smallint',
  sum_wrong_head_votes: 'smallint',
  sum_wrong_target_votes: 'smallint',
  sum_late_target_votes: 'smallint',
  sum_late_source_votes: 'smallint',
  sum_inclusion_delay: 'smallint',
  proposed_count: 'smallint',
  missed_proposal_count: 'smallint',
  end_epoch_balance: 'bigint',
  end_epoch_effective_balance: 'bigint',
  sum_attestation_rewards: 'bigint',
  sum_sync_committee_rewards: 'bigint',
  sum_proposer_rewards: 'bigint',
  sum_priority_fees: 'bigint',
  sum_baseline_mev: 'bigint',
  effective_balance_epochs: 'bigint',
  start_effective_balance: 'bigint',
  empty_payload_count: 'smallint',
};

export const columnNames = Object.keys(archivedColumns);

/** Bytes of a value in memory. A date is the number of its day from 1970 on. */
const widths: Readonly<Record<string, number>> = { boolean: 1, smallint: 2, integer: 4, date: 4, bigint: 8 };

export type NumberColumn = { name: string; type: string; bytes: number };

/** All columns but the network, which a file has one of: whole numbers. */
export const numberColumns: readonly NumberColumn[] = Object.entries(archivedColumns)
  .filter(([name]) => name !== 'network')
  .map(([name, type]) => ({ name, type, bytes: widths[type] as number }));

export const numberColumnNames = numberColumns.map(({ name }) => name);

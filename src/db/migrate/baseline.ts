/** The first migration. It replaces those of earlier versions. */
export const BASELINE = '0077_baseline';

/** All migrations of the last version before the baseline, whose tables are those of the baseline. */
export const beforeBaseline: readonly string[] = [
  '0067_baseline',
  '0068_entity_consolidations',
  '0069_validator_counts',
  '0070_private_set_progress',
  '0071_refreshed_windows',
  '0072_kept_sums',
  '0073_lists_checked_once',
  '0074_archived_months',
  '0075_renamed_summaries',
  '0076_saved_views',
];

/** Whether a database with these migrations can be adopted. */
export const isLastBeforeBaseline = (names: readonly string[]): boolean =>
  [...names].sort().join() === beforeBaseline.join();

export const refusalBeforeBaseline = `The database is of a version before ${BASELINE}: load the data again into an empty database, or first run "stakegraph migrate" of the last version with ${beforeBaseline.at(-1)}.`;

/** In place of the baseline, in a database that has its tables. */
export const adoption = `
  drop function if exists asked_operators(text[], text[], text[]);
  delete from stakegraph_migrations;
  delete from compatible_migrations;
  insert into stakegraph_migrations (name, run_on) values ('${BASELINE}', now())`;

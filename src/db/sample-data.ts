import type { Queryable } from './pool.ts';

/** SQL that is true if a table has sample data. Names began so before origins were recorded. */
const signs: Record<string, string> = {
  dataset_origins: `exists (select from dataset_origins where origin = 'sample')`,
  operator_summaries: `exists (select from operator_summaries where operator_id like 'Sample Pool %')`,
};

/** `tables`: those of the database, which may be of an older version. */
export async function hasSampleData(
  db: Queryable,
  tables: readonly string[] = Object.keys(signs),
): Promise<boolean> {
  const conditions = tables.flatMap((table) => signs[table] ?? []);
  if (conditions.length === 0) return false;
  const text = `/* hasSampleData */ select ${conditions.join(' or ')} as sample`;
  return (await db.query({ text, values: [] })).rows[0]?.sample === true;
}

import type { Queryable } from '../db/pool.ts';

/** Whether to load the sample data: only once, and not after rows of the user's own. */
export async function sampleWanted(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: `/* sampleWanted */
      select not exists (select from sample_data) and not exists (select from datasets) as wanted`,
    values: [],
  });
  return rows[0]?.wanted === true;
}

/** Keeps the sample data out of a database from now on; waits while it is being loaded. */
export async function decideOnSample(db: Queryable): Promise<void> {
  const text = `/* decideOnSample */
    insert into sample_data select now() where not exists (select from sample_data)`;
  await db.query({ text, values: [] });
}

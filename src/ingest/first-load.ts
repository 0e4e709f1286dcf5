import type { Queryable } from '../db/pool.ts';

// Sample data is loaded only into a database into which nothing was loaded before. Rows that are gone, a load that failed and
// the sample itself count too, so that no start mixes the sample with a user's own rows or brings back what was removed.

/** Whether nothing was ever loaded into a database. */
export async function isUntouched(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: `/* isUntouched */
      select not exists (select from sample_data) and not exists (select from datasets) as untouched`,
    values: [],
  });
  return rows[0]?.untouched === true;
}

/** Notes that rows are being loaded into a database; waits while another process loads the sample data. */
export async function noteFirstLoad(db: Queryable): Promise<void> {
  const text = `/* noteFirstLoad */
    insert into sample_data select now() where not exists (select from sample_data)`;
  await db.query({ text, values: [] });
}

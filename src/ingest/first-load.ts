import type { Queryable } from '../db/pool.ts';

// Only an untouched database gets the sample data. Otherwise a start could mix the sample with a user's rows, or
// restore rows that a user deleted.

export async function isUntouched(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: `/* isUntouched */
      select not exists (select from sample_data) and not exists (select from datasets) as untouched`,
    values: [],
  });
  return rows[0]?.untouched === true;
}

/** Prevents a later load of the sample data. */
export async function noteFirstLoad(db: Queryable): Promise<void> {
  const text = `/* noteFirstLoad */
    insert into sample_data select now() where not exists (select from sample_data)`;
  await db.query({ text, values: [] });
}

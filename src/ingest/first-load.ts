import type { Queryable } from '../db/pool.ts';

// A database is untouched only if no load ever began: a start must neither mix the sample with a user's rows nor
// restore deleted rows.

export async function isUntouched(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: `/* isUntouched */
      select not exists (select from sample_data) and not exists (select from datasets) as untouched`,
    values: [],
  });
  return rows[0]?.untouched === true;
}

/** Prevents loading the sample later; waits while another process loads it. */
export async function noteFirstLoad(db: Queryable): Promise<void> {
  const text = `/* noteFirstLoad */
    insert into sample_data select now() where not exists (select from sample_data)`;
  await db.query({ text, values: [] });
}

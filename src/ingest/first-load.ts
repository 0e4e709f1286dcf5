import type { Queryable } from '../db/pool.ts';

// Data counts as loaded even if it was removed, failed to load or was the sample: no start may mix the sample with a
// user's rows or restore deleted ones.

/** True if nothing was ever loaded. */
export async function isUntouched(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: `/* isUntouched */
      select not exists (select from sample_data) and not exists (select from datasets) as untouched`,
    values: [],
  });
  return rows[0]?.untouched === true;
}

/** Records that data was loaded, which rules out the sample. Blocks while another process loads the sample. */
export async function noteFirstLoad(db: Queryable): Promise<void> {
  const text = `/* noteFirstLoad */
    insert into sample_data select now() where not exists (select from sample_data)`;
  await db.query({ text, values: [] });
}

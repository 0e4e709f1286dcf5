import { SettingsError } from '../config.ts';
import type { Queryable } from '../db/pool.ts';

/** Throws if the sample data was loaded, so that an index is not mixed with it. */
export async function refuseSampleData(db: Queryable): Promise<void> {
  const { rows } = await db.query({
    text: `/* hasSampleData */
      select exists (select from operator_summaries where operator_id like 'Sample Pool %') as sample`,
    values: [],
  });
  if (!rows[0]?.sample) return;
  throw new SettingsError(
    'The database has the sample data, and an index would be mixed with it: set DATA_DIR to a new folder.',
  );
}

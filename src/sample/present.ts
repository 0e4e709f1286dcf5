import { SettingsError } from '../config/index.ts';
import type { Queryable } from '../db/pool.ts';
import { hasSampleData } from '../db/sample-data.ts';
import { noteFirstLoad } from '../ingest/first-load.ts';

/** Throws if sample data are loaded, and prevents loading them later, because an index must not mix with them. */
export async function beginWithoutSample(db: Queryable): Promise<void> {
  await noteFirstLoad(db);
  if (!(await hasSampleData(db))) return;
  throw new SettingsError(
    'The database has the sample data, and an index would be mixed with it: set DATA_DIR to a new folder.',
  );
}

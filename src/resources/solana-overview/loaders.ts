import type { TimeWindow } from '../../chain/windows.ts';
import { byKey } from '../../db/batch/loaders.ts';
import { reader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { solanaOverviewsOf } from './queries.ts';

export const loadSolanaOverview = reader({
  keyOf: (window: TimeWindow) => window,
  load: async (db: Queryable, windows: readonly TimeWindow[]) =>
    byKey(await solanaOverviewsOf(db, windows), (row) => row.timeWindow),
  rows: () => 1,
});

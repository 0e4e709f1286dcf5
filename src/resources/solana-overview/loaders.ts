import type { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { reader } from '../../db/readers.ts';
import { byKey } from '../../kernel/batch.ts';
import { solanaOverviewsOf } from './queries.ts';

/** The overview of a window, or undefined. */
export const loadSolanaOverview = reader({
  keyOf: (window: TimeWindow) => window,
  load: async (db: Queryable, windows: readonly TimeWindow[]) =>
    byKey(await solanaOverviewsOf(db, windows), (row) => row.timeWindow),
  rows: () => 1,
});

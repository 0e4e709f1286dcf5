import type { TimeWindow } from '../../chain/windows.ts';
import { rowReader } from '../../db/batch/readers.ts';
import { solanaOverviewsOf } from './queries.ts';

export const loadSolanaOverview = rowReader({
  keyOf: (window: TimeWindow) => window,
  load: solanaOverviewsOf,
  rowKey: (row) => row.timeWindow,
});

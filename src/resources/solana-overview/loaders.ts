import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { batchLoader } from '../../kernel/batch.ts';
import { solanaOverviewsOf } from './queries.ts';
import type { SolanaNetworkOverview } from './record.ts';

/** The overview of a window, or undefined; all that a request asks for in one step travel in one statement. */
export const loadSolanaOverview = (ctx: Context, window: TimeWindow) =>
  batchLoader<TimeWindow, SolanaNetworkOverview>(
    ctx.loaders,
    'solanaOverview',
    (key) => key,
    async (windows) => {
      const found = await solanaOverviewsOf(ctx.db, windows);
      return new Map(found.map((row) => [row.timeWindow, row]));
    },
  ).load(window);

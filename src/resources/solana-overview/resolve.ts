import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { loadSolanaOverview } from './loaders.ts';
import type { SolanaOverviewRow } from './queries.ts';

export const solanaOverview = (ctx: Context, window: TimeWindow): Promise<SolanaOverviewRow | undefined> =>
  loadSolanaOverview(ctx, window);

/** Shortest window first. If `window` is null, returns all windows. */
export async function solanaOverviews(ctx: Context, window: TimeWindow | null): Promise<SolanaOverviewRow[]> {
  const windows = window === null ? TimeWindow.options : [window];
  const found = await Promise.all(windows.map((name) => solanaOverview(ctx, name)));
  return found.filter((row) => row !== undefined);
}

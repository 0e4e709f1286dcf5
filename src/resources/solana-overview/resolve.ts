import { type TimeWindow, timeWindows } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { loadSolanaOverview } from './loaders.ts';
import type { SolanaNetworkOverview } from './record.ts';

/** The overview of a window (spec §4.7); undefined where there is none. */
export const solanaOverview = (
  ctx: Context,
  window: TimeWindow,
): Promise<SolanaNetworkOverview | undefined> => loadSolanaOverview(ctx, window);

/** The overviews in the order 1d, 7d, 30d, all, narrowed to one window if one is named. */
export async function solanaOverviews(
  ctx: Context,
  window: TimeWindow | null,
): Promise<SolanaNetworkOverview[]> {
  const windows = window === null ? timeWindows : [window];
  const found = await Promise.all(windows.map((name) => solanaOverview(ctx, name)));
  return found.filter((row) => row !== undefined);
}

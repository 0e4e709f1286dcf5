import { type TimeWindow, timeWindows } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { loadSolanaOverview } from './loaders.ts';
import type { SolanaNetworkOverview } from './record.ts';

/** Spec §4.7. */
export const solanaOverview = (
  ctx: Context,
  window: TimeWindow,
): Promise<SolanaNetworkOverview | undefined> => loadSolanaOverview(ctx, window);

/** Shortest window first; null means all windows. */
export async function solanaOverviews(
  ctx: Context,
  window: TimeWindow | null,
): Promise<SolanaNetworkOverview[]> {
  const windows = window === null ? timeWindows : [window];
  const found = await Promise.all(windows.map((name) => solanaOverview(ctx, name)));
  return found.filter((row) => row !== undefined);
}

import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { type Span, spans } from '../../db/change-columns.ts';
import { type Slice, slice } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';
import type { OperatorKey } from '../operators/loaders.ts';
import type { StakeAuthorityKey } from '../stake-authorities/loaders.ts';
import { loadOperatorHistory, loadSolanaHistory, loadStakeAuthorityHistory } from './loaders.ts';
import type { HistoryRange } from './queries.ts';
import type { OperatorHistory, SolanaHistory, StakeAuthorityHistory } from './record.ts';

export const hasHistory = (window: TimeWindow): window is Span => spans.some((span) => span === window);

export function checkWindow(window: TimeWindow): void {
  if (!hasHistory(window))
    throw badArgument('window', `window is ALL; history is stored of ONE_DAY, SEVEN_DAYS and THIRTY_DAYS.`);
}

/** Empty for private sets and single validators. */
export const operatorHistory = async (
  ctx: Context,
  key: OperatorKey,
  range: HistoryRange,
): Promise<Slice<OperatorHistory>> => slice(await loadOperatorHistory(ctx, key, range), range);

export const stakeAuthorityHistory = async (
  ctx: Context,
  key: StakeAuthorityKey,
  range: HistoryRange,
): Promise<Slice<StakeAuthorityHistory>> => slice(await loadStakeAuthorityHistory(ctx, key, range), range);

export const solanaHistory = async (
  ctx: Context,
  window: TimeWindow,
  range: HistoryRange,
): Promise<Slice<SolanaHistory>> => slice(await loadSolanaHistory(ctx, window, range), range);

import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, rangeDownFrom, type Slice, slice } from '../../kernel/page.ts';
import { type ChainDailyRewardRow, chainDailyRewardPage, chainDailyRewardTotal } from './queries.ts';

export const CHAIN_DAILY_REWARDS_SIZES = { defaultSize: 15, maxSize: 200 };

/** Newest day first (spec §4.9); positions are chain days. The first page starts at `fromDay`. */
export async function chainDailyRewards(
  ctx: Context,
  list: { network: Network; fromDay: number | null },
  range: Range<number>,
): Promise<Slice<ChainDailyRewardRow>> {
  const placed = rangeDownFrom(range, list.fromDay);
  return slice(await chainDailyRewardPage(ctx.db, list.network, placed), placed);
}

export const totalChainDailyRewards = (ctx: Context, network: Network): Promise<number> =>
  chainDailyRewardTotal(ctx.db, network);

export const chainDailyRewardCursors = (network: Network) =>
  integerCursors(() => `chainDailyRewards:${network}`);

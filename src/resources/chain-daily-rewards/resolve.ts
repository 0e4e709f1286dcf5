import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import {
  type ChainDailyRewardRow,
  chainDailyRewardPage,
  chainDailyRewardTotal,
  type DayList,
} from './queries.ts';
import { MAX_DAY } from './record.ts';

export type { DayList };

export const CHAIN_DAILY_REWARDS_SIZES = { defaultSize: 15, maxSize: 200 };

export const allDays = (network: Network): DayList => ({
  network,
  ends: { first: 0, last: MAX_DAY },
  ascending: false,
});

export const chainDailyRewards = async (
  ctx: Context,
  list: DayList,
  range: Range<number>,
): Promise<Slice<ChainDailyRewardRow>> => slice(await chainDailyRewardPage(ctx.db, list, range), range);

export const totalChainDailyRewards = (ctx: Context, list: DayList): Promise<number> =>
  chainDailyRewardTotal(ctx.db, list);

export const chainDailyRewardCursors = ({ network, ends, ascending }: DayList) =>
  integerCursors(
    () =>
      ends.first === 0 && ends.last >= MAX_DAY && !ascending
        ? `chainDailyRewards:${network}`
        : `chainDailyRewards:${JSON.stringify([network, ends, ascending])}`,
    (row: ChainDailyRewardRow) => row.day,
  );

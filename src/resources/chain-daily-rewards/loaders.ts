import type { Context } from '../../context.ts';
import { batchLoader } from '../../kernel/batch.ts';
import { type ChainDailyRewardRow, chainDailyRewardsByDay, type DayKey } from './queries.ts';

const keyOf = (key: DayKey) => `${key.network}:${key.day}`;

/** The record of a chain day, or undefined; all that a request asks for in one step travel in one statement. */
export const loadChainDailyReward = (ctx: Context, key: DayKey) =>
  batchLoader<DayKey, ChainDailyRewardRow>(ctx.loaders, 'chainDailyReward', keyOf, async (keys) => {
    const found = await chainDailyRewardsByDay(ctx.db, keys);
    return new Map(found.map((row) => [keyOf(row), row]));
  }).load(key);

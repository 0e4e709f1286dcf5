import type { Context } from '../../context.ts';
import { batchListLoader } from '../../kernel/batch.ts';
import {
  type RewardQuery,
  type RewardRange,
  type RewardRow,
  type RewardTable,
  rewardPages,
} from './queries.ts';

/** A page of rewards; the same page of several validators of a network is one statement. */
export const loadRewardPage = (
  ctx: Context,
  table: RewardTable,
  id: string,
  query: RewardQuery,
  range: RewardRange,
  asked: readonly string[],
): Promise<RewardRow[]> =>
  batchListLoader<string, RewardRow>(
    ctx.loaders,
    `rewards:${JSON.stringify([table, query, range, asked])}`,
    (key) => key,
    (ids) => rewardPages(ctx.db, table, ids, query, range, asked),
  )(id);

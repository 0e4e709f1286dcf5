import { listReader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Range, rowsToRead } from '../../kernel/page.ts';
import { type RewardQuery, type RewardTable, rewardPages } from './queries.ts';

export const loadRewardPage = listReader({
  keyOf: (id: string) => id,
  load: (
    db: Queryable,
    ids: readonly string[],
    table: RewardTable,
    query: RewardQuery,
    range: Range<number>,
    asked: readonly string[],
  ) => rewardPages(db, table, ids, query, range, asked),
  rows: (_table, { sortBy }, range) =>
    sortBy === 'day' ? (range.offset ?? 0) + rowsToRead(range) : Number.POSITIVE_INFINITY,
});

import { listReader, rowReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Range, rowsToRead } from '../../kernel/page.ts';
import {
  type RewardKey,
  type RewardQuery,
  type RewardTable,
  rewardPages,
  rewardsByDay,
  storedRewardDates,
} from './queries.ts';
import { definitions } from './record.ts';

export const loadRewardPage = listReader({
  keyOf: (id: string) => id,
  load: (
    db: Queryable,
    ids: readonly string[],
    table: RewardTable,
    query: RewardQuery,
    range: Range<number>,
    fieldNames: readonly string[],
  ) => rewardPages(db, table, ids, query, range, fieldNames),
  rows: (_table, { sortBy }, range) =>
    sortBy === 'day' ? (range.offset ?? 0) + rowsToRead(range) : Number.POSITIVE_INFINITY,
});

/** Dates stored for any validator of the network. */
export const loadStoredRewardDates = storedReader({
  statement: 'storedRewardDates',
  ends: storedRewardDates,
});

export const rewardKeyText = ({ id, day }: RewardKey) => `${id}:${day}`;

export const loadReward = rowReader({
  keyOf: rewardKeyText,
  load: rewardsByDay,
  rowKey(row, { kind, network }) {
    const id = kind === 'network' ? '' : String(row[definitions[network].idField]);
    return rewardKeyText({ id, day: row.day as string });
  },
});

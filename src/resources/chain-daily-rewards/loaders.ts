import { rowReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import { sql } from '../../db/rows.ts';
import { chainDailyRewardsByDay, type DayKey } from './queries.ts';

export const loadStoredDays = storedReader({
  statement: 'storedChainDays',
  ends: () =>
    sql`select min(d.day) as first, max(d.day) as last from chain_daily_rewards d where d.network = k.network`,
});

export const loadChainDailyReward = rowReader({
  keyOf: (key: DayKey) => `${key.network}:${key.day}`,
  load: chainDailyRewardsByDay,
});

import { rowReader } from '../../db/batch/readers.ts';
import { chainDailyRewardsByDay, type DayKey } from './queries.ts';

export const loadChainDailyReward = rowReader({
  keyOf: (key: DayKey) => `${key.network}:${key.day}`,
  load: chainDailyRewardsByDay,
  rows: () => 1,
});

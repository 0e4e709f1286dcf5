import { TimeWindow } from '../../chain/windows.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type StakeAuthorityField, StakeAuthoritySummary, type StakeAuthorityType } from './record.ts';

export type StakeAuthorityKey = { timeWindow: TimeWindow; stakeAuthority: string };

export type StakeAuthorityListKey = {
  timeWindow: TimeWindow;
  type: StakeAuthorityType | 'all';
};

/** The selected fields and the key. */
export type StakeAuthorityRow = Partial<StakeAuthoritySummary> & StakeAuthorityKey;
export type RankedStakeAuthorityRow = StakeAuthorityRow & { rank: number };

const record = StakeAuthoritySummary.extend({ timeWindow: TimeWindow });

const summaries: RankedRows = {
  record,
  fields: recordColumns(record, 's'),
  keys: ['timeWindow', 'stakeAuthority'],
};

export const stakeAuthorityPages = pagesByRank<
  StakeAuthorityListKey,
  StakeAuthorityField,
  RankedStakeAuthorityRow
>({
  statement: 'stakeAuthorityPages',
  name: 'stake_authority',
  columns: {
    time_window: ['text', 'timeWindow'],
    list_type: ['text', 'type'],
  },
  rows: summaries,
});

export const stakeAuthoritiesByKey = summariesByKey<
  StakeAuthorityKey,
  StakeAuthorityField,
  StakeAuthorityRow
>({
  statement: 'stakeAuthoritiesByKey',
  table: 'stake_authority_summaries',
  columns: {
    stake_authority: ['text', 'stakeAuthority'],
    time_window: ['text', 'timeWindow'],
  },
  rows: summaries,
});

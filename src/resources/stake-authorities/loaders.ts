import { rowReader } from '../../db/batch/readers.ts';
import { rankedPageReader } from '../../db/ranked/ranked-lists.ts';
import {
  type StakeAuthorityKey,
  type StakeAuthorityListKey,
  stakeAuthoritiesByKey,
  stakeAuthorityPages,
} from './queries.ts';

export const loadStakeAuthority = rowReader({
  keyOf: (key: StakeAuthorityKey) => `${key.timeWindow}:${key.stakeAuthority}`,
  load: stakeAuthoritiesByKey,
  rows: () => 1,
});

export const loadStakeAuthorityPage = rankedPageReader({
  keyOf: (list: StakeAuthorityListKey) => `${list.timeWindow}:${list.type}`,
  load: stakeAuthorityPages,
});

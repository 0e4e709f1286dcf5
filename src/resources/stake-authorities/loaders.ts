import { rowReader } from '../../db/batch/readers.ts';
import { rankedPageReader } from '../../db/ranked/ranked-lists.ts';
import { type StakeAuthorityKey, stakeAuthoritiesByKey, stakeAuthorityPages } from './queries.ts';

export const loadStakeAuthority = rowReader({
  keyOf: (key: StakeAuthorityKey) => `${key.timeWindow}:${key.stakeAuthority}`,
  load: stakeAuthoritiesByKey,
  rows: () => 1,
});

export const loadStakeAuthorityPage = rankedPageReader(stakeAuthorityPages);

import { rankedPageReader } from '../../db/ranked-lists.ts';
import { rowReader } from '../../db/readers.ts';
import {
  type StakeAuthorityKey,
  type StakeAuthorityListKey,
  stakeAuthoritiesByKey,
  stakeAuthorityPages,
} from './queries.ts';

/** One summary by its key. */
export const loadStakeAuthority = rowReader({
  keyOf: (key: StakeAuthorityKey) => `${key.timeWindow}:${key.stakeAuthority}`,
  load: stakeAuthoritiesByKey,
  rows: () => 1,
});

/** A page of a list. */
export const loadStakeAuthorityPage = rankedPageReader({
  keyOf: (list: StakeAuthorityListKey) => `${list.timeWindow}:${list.type}`,
  load: stakeAuthorityPages,
});

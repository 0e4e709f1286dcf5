import { rowReader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { rankedPageReader } from '../../db/ranked/ranked-lists.ts';
import { refusedFigures } from '../../kernel/refusal.ts';
import {
  type StakeAuthorityKey,
  type StakeAuthorityNode,
  stakeAuthoritiesById,
  stakeAuthoritiesByKey,
  stakeAuthorityPages,
} from './queries.ts';
import { stakeAuthorityFields } from './record.ts';

export const loadStakeAuthority = rowReader({
  keyOf: (key: StakeAuthorityKey) => `${key.timeWindow}:${key.stakeAuthority}`,
  load: stakeAuthoritiesByKey,
  rows: () => 1,
});

const figures = refusedFigures([
  'timeWindow',
  ...stakeAuthorityFields.filter((name) => name !== 'stakeAuthority'),
]);

/** Without a window; its figures are errors. */
export const loadStakeAuthorityNode = rowReader({
  keyOf: (key: { stakeAuthority: string }) => key.stakeAuthority,
  load: async (db: Queryable, keys: readonly { stakeAuthority: string }[]) =>
    (await stakeAuthoritiesById(db, keys)).map(
      (row): StakeAuthorityNode => Object.assign(Object.create(figures), row),
    ),
  rows: () => 1,
});

export const loadStakeAuthorityPage = rankedPageReader(stakeAuthorityPages);

import { refusedFigures } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { listReader, rowReader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { orderedPageReader } from '../../db/ranked/ordered-lists.ts';
import { rankedPageReader } from '../../db/ranked/ranked-lists.ts';
import type { Early } from '../../fast-rows/index.ts';
import {
  type StakeAuthorityKey,
  type StakeAuthorityListKey,
  type StakeAuthorityNode,
  stakeAuthoritiesById,
  stakeAuthoritiesByKey,
  stakeAuthoritiesByOrder,
  stakeAuthorityPages,
  stakeConcentrations,
} from './queries.ts';
import { type StakeAuthorityField, type StakeAuthoritySummary, stakeAuthorityFields } from './record.ts';

export type { StakeAuthorityKey };

export const stakeAuthorityKeyText = ({ timeWindow, stakeAuthority }: StakeAuthorityKey) =>
  `${timeWindow}:${stakeAuthority}`;

export const loadStakeAuthority = rowReader({
  keyOf: stakeAuthorityKeyText,
  load: stakeAuthoritiesByKey,
  rows: () => 1,
});

const figures = refusedFigures([
  'timeWindow',
  ...stakeAuthorityFields.filter((name) => name !== 'stakeAuthority'),
]);

type Id = { stakeAuthority: string };

const withoutWindow = (row: Pick<StakeAuthoritySummary, 'stakeAuthority' | 'poolName'>): StakeAuthorityNode =>
  Object.assign(Object.create(figures), row);

const readNode = rowReader({
  keyOf: (key: Id) => key.stakeAuthority,
  load: async (db: Queryable, keys: readonly Id[]) =>
    (await stakeAuthoritiesById(db, keys)).map(withoutWindow),
  rows: () => 1,
});

/** Like `loadOperatorNode`. */
export async function loadStakeAuthorityNode(
  ctx: Context,
  id: Id,
  early?: Early<StakeAuthorityField>,
): Promise<StakeAuthorityNode | undefined> {
  if (!early) return readNode(ctx, id);
  const { window, selection } = early;
  const row = await loadStakeAuthority(ctx, { ...id, timeWindow: window }, selection);
  if (row && !Array.isArray(selection)) return row;
  const node = row ? withoutWindow({ ...id, poolName: row.poolName ?? null }) : await readNode(ctx, id);
  return node && Object.assign(Object.create(figures), node, { early: { window, row } });
}

export const loadStakeAuthorityPage = rankedPageReader(stakeAuthorityPages);

export const loadOrderedStakeAuthorities = orderedPageReader(stakeAuthoritiesByOrder);

export const loadStakeConcentration = listReader({
  keyOf: ({ timeWindow, type }: StakeAuthorityListKey) => `${timeWindow}:${type}`,
  load: stakeConcentrations,
});

import type { Context } from '../../context.ts';
import { listReader, rowReader } from '../../db/batch/readers.ts';
import { orderedPageReader } from '../../db/ranked/ordered-lists.ts';
import { rankedPageReader } from '../../db/ranked/ranked-lists.ts';
import type { FirstSummary } from '../../fast-rows/index.ts';
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
import type { StakeAuthorityField } from './record.ts';

export type { StakeAuthorityKey };

export const stakeAuthorityKeyText = ({ timeWindow, stakeAuthority }: StakeAuthorityKey) =>
  `${timeWindow}:${stakeAuthority}`;

export const loadStakeAuthority = rowReader({ keyOf: stakeAuthorityKeyText, load: stakeAuthoritiesByKey });

type Id = { stakeAuthority: string };

const readNode = rowReader({ keyOf: (key: Id) => key.stakeAuthority, load: stakeAuthoritiesById });

/** Like `loadOperatorNode`. */
export async function loadStakeAuthorityNode(
  ctx: Context,
  id: Id,
  first?: FirstSummary<StakeAuthorityField>,
): Promise<StakeAuthorityNode | undefined> {
  if (!first) return readNode(ctx, id);
  const { window, selection } = first;
  const row = await loadStakeAuthority(ctx, { ...id, timeWindow: window }, selection);
  if (row) return row;
  const node = await readNode(ctx, id);
  return node && { ...node, withoutSummary: window };
}

export const loadStakeAuthorityPage = rankedPageReader(stakeAuthorityPages);

export const loadOrderedStakeAuthorities = orderedPageReader(stakeAuthoritiesByOrder);

export const loadStakeConcentration = listReader({
  keyOf: ({ timeWindow, type }: StakeAuthorityListKey) => `${timeWindow}:${type}`,
  load: stakeConcentrations,
});

import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { type Range, type Slice, slice, type Walk, walkEnded } from '../../kernel/page.ts';
import type { Asked } from '../../kernel/row-form.ts';
import { loadStakeAuthority } from './loaders.ts';
import {
  type RankedStakeAuthorityRow,
  type StakeAuthorityListKey,
  type StakeAuthorityRow,
  stakeAuthorityListSize,
  stakeAuthorityPage,
} from './queries.ts';
import type { StakeAuthorityField, StakeAuthorityType } from './record.ts';

export const STAKE_AUTHORITIES_DEFAULT_SIZE = 15;
export const STAKE_AUTHORITIES_MAX_SIZE = 200;

/** A list of stake authorities as a caller asks for it. */
export type StakeAuthorityList = { window: TimeWindow; type: StakeAuthorityType | null };

/** The stored list that answers it. */
export const listKey = (list: StakeAuthorityList): StakeAuthorityListKey => ({
  timeWindow: list.window,
  type: list.type ?? 'all',
});

/**
 * A page of stake authorities by network penetration (spec §4.8), ranks 0-based, with the list's size and revision;
 * `walk` reads from the list that a walk began with. Throws BAD_INPUT when that list is not kept any more.
 */
export async function stakeAuthorities(
  ctx: Context,
  list: StakeAuthorityList,
  range: Range<number>,
  asked: Asked<StakeAuthorityField>,
  walk?: Walk,
): Promise<Slice<RankedStakeAuthorityRow> & { total: number; revision: number }> {
  const key = { ...listKey(list), revision: walk?.revision };
  const fetched = await stakeAuthorityPage(ctx.db, key, range, asked);
  // Only a page past the end has no row to carry the size; a list's first page without rows is an empty list.
  const past = range.after !== undefined || range.before !== undefined;
  const size = fetched[0] ?? (past || walk ? await stakeAuthorityListSize(ctx.db, key) : undefined);
  if (walk && !size) throw walkEnded(walk);
  return { ...slice(fetched, range), total: size?.total ?? 0, revision: size?.revision ?? 0 };
}

/** One stake authority's summary in a window, or undefined. */
export const stakeAuthority = (
  ctx: Context,
  key: { window: TimeWindow; stakeAuthority: string },
  asked: Asked<StakeAuthorityField>,
): Promise<StakeAuthorityRow | undefined> =>
  loadStakeAuthority(ctx, { timeWindow: key.window, stakeAuthority: key.stakeAuthority }, asked);

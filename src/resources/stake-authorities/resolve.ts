import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import { type Range, rankedSlice, type Slice, type Walk } from '../../kernel/page.ts';
import { loadStakeAuthority, loadStakeAuthorityPage } from './loaders.ts';
import type { RankedStakeAuthorityRow, StakeAuthorityListKey, StakeAuthorityRow } from './queries.ts';
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
  selection: Selection<StakeAuthorityField>,
  walk?: Walk,
): Promise<Slice<RankedStakeAuthorityRow> & { total: number; revision: number }> {
  const key = { ...listKey(list), revision: walk?.revision };
  const page = await loadStakeAuthorityPage(ctx, key, range, selection);
  return rankedSlice(page, range, walk);
}

/** One stake authority's summary in a window, or undefined. */
export const stakeAuthority = (
  ctx: Context,
  key: { window: TimeWindow; stakeAuthority: string },
  selection: Selection<StakeAuthorityField>,
): Promise<StakeAuthorityRow | undefined> =>
  loadStakeAuthority(ctx, { timeWindow: key.window, stakeAuthority: key.stakeAuthority }, selection);

import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { loadStakeAuthority } from './loaders.ts';
import {
  type RankedStakeAuthorityRow,
  type StakeAuthorityListKey,
  type StakeAuthorityRow,
  stakeAuthorityListTotal,
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

/** A page of stake authorities by network penetration (spec §4.8), ranks 0-based, with the list's total. */
export async function stakeAuthorities(
  ctx: Context,
  list: StakeAuthorityList,
  range: Range<number>,
  asked: readonly StakeAuthorityField[],
): Promise<Slice<RankedStakeAuthorityRow> & { total: number }> {
  const key = listKey(list);
  const fetched = await stakeAuthorityPage(ctx.db, key, range, asked);
  // Only a page past the end has no row to carry the total; a list's first page without rows is an empty list.
  const past = range.after !== undefined || range.before !== undefined;
  const total = fetched[0]?.total ?? (past ? await stakeAuthorityListTotal(ctx.db, key) : 0);
  return { ...slice(fetched, range), total };
}

/** One stake authority's summary in a window, or undefined. */
export const stakeAuthority = (
  ctx: Context,
  key: { window: TimeWindow; stakeAuthority: string },
  asked: readonly StakeAuthorityField[],
): Promise<StakeAuthorityRow | undefined> =>
  loadStakeAuthority(ctx, { timeWindow: key.window, stakeAuthority: key.stakeAuthority }, asked);

import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { RankedSlice } from '../../db/ranked/ranked-lists.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { RankedRange } from '../../kernel/page.ts';
import { loadStakeAuthority, loadStakeAuthorityPage } from './loaders.ts';
import type { RankedStakeAuthorityRow, StakeAuthorityListKey, StakeAuthorityRow } from './queries.ts';
import type { StakeAuthorityField, StakeAuthorityType } from './record.ts';

export const STAKE_AUTHORITIES_SIZES = { defaultSize: 15, maxSize: 200 };

export type StakeAuthorityList = { window: TimeWindow; type: StakeAuthorityType | null };

export const listKey = (list: StakeAuthorityList): StakeAuthorityListKey => ({
  timeWindow: list.window,
  type: list.type ?? 'all',
});

/**
 * Sorted by network penetration (spec §4.8); ranks are 0-based. With a walk, reads the revision at which the walk
 * began; throws BAD_INPUT if that revision is gone.
 */
export const stakeAuthorities = (
  ctx: Context,
  list: StakeAuthorityList,
  ranked: RankedRange,
  selection: Selection<StakeAuthorityField>,
): Promise<RankedSlice<RankedStakeAuthorityRow>> =>
  loadStakeAuthorityPage(ctx, listKey(list), ranked, selection);

export const stakeAuthority = (
  ctx: Context,
  key: { window: TimeWindow; stakeAuthority: string },
  selection: Selection<StakeAuthorityField>,
): Promise<StakeAuthorityRow | undefined> =>
  loadStakeAuthority(ctx, { timeWindow: key.window, stakeAuthority: key.stakeAuthority }, selection);

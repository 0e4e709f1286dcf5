import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Where } from '../../db/ranked/ordered-lists.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Order, PlaceInOrder, RankedRange } from '../../kernel/page.ts';
import { loadOrderedStakeAuthorities, loadStakeAuthorityPage, loadStakeConcentration } from './loaders.ts';
import type { StakeAuthorityListKey, StakeAuthorityOrderField } from './queries.ts';
import type { StakeAuthorityField, StakeAuthorityType } from './record.ts';

export const STAKE_AUTHORITIES_SIZES = { defaultSize: 15, maxSize: 200 };

export type StakeAuthorityList = { window: TimeWindow; type: StakeAuthorityType | null };

export const listKey = (list: StakeAuthorityList): StakeAuthorityListKey => ({
  timeWindow: list.window,
  type: list.type ?? 'all',
});

/** Sorted by network penetration (spec §4.8). Throws BAD_INPUT if the revision is no longer stored. */
export const stakeAuthorities = (
  ctx: Context,
  list: StakeAuthorityList,
  ranked: RankedRange,
  selection: Selection<StakeAuthorityField>,
) => loadStakeAuthorityPage(ctx, listKey(list), ranked, selection);

export type OrderedStakeAuthorities = StakeAuthorityList & {
  order: Order<StakeAuthorityOrderField>;
  where: Where | null;
};

/** Only pools have names. */
export const orderedStakeAuthorities = (
  ctx: Context,
  { window, type, order, where }: OrderedStakeAuthorities,
  ordered: RankedRange<PlaceInOrder>,
  selection: Selection<StakeAuthorityField>,
) => {
  const key = listKey({ window, type: where?.name ? 'pool' : type });
  return loadOrderedStakeAuthorities(ctx, key, order, where, ordered, selection);
};

/** Fewest authorities first; empty without authorities. */
export const stakeConcentration = (ctx: Context, list: StakeAuthorityList, points: number) =>
  loadStakeConcentration(ctx, listKey(list), points);

import type { Context } from '../../context.ts';
import { integerCursors, placeCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { notFound } from '../../kernel/refusal.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import { loadSlotRewards, loadSlotState } from './loaders.ts';
import type { RewardPosition, RewardRow, SlotKey } from './queries.ts';

/** Seats; also the default page size (spec §8). */
export const COMMITTEE_SIZE = 512;
export const VALIDATOR_REWARDS_SIZES = { maxSize: 200 };

type SlotPage = Slice<RewardRow> & { total: number };

/**
 * Sorted by validator index (spec §4.6). The page is empty for a slot without a block. Undefined for slots after the stored
 * head, and for a block whose rewards are not stored: near the head, they come when its epoch is final.
 */
export async function rewardsOfSlot(
  ctx: Context,
  slot: SlotKey,
  range: Range<number>,
): Promise<SlotPage | undefined> {
  const fetched = await loadSlotRewards(ctx, slot, range);
  if (fetched[0]) return { ...slice(fetched, range), total: fetched[0].total };
  const state = await loadSlotState(ctx, slot);
  return state?.isKnown ? { ...slice(fetched, range), total: state.total } : undefined;
}

/** Throws NOT_FOUND where `rewardsOfSlot` is undefined. */
export async function syncCommitteeRewards(
  ctx: Context,
  slot: SlotKey,
  range: Range<number>,
): Promise<SlotPage> {
  const page = await rewardsOfSlot(ctx, slot, range);
  if (!page) throw notFound(`A reward of slot ${slot.slot}`, `on ${slot.network}`);
  return page;
}

export const slotRewardCursors = ({ network, slot }: SlotKey) =>
  integerCursors(
    () => `syncCommitteeRewards:${network}:${slot}`,
    (row: RewardRow) => row.rank,
  );

export const validatorRewardCursors = (validator: ValidatorKey, ascending: boolean) =>
  placeCursors(
    `syncCommitteeRewards:validator:${validatorKeyText(validator)}:${ascending}`,
    ['int', 'int'],
    (row: RewardRow) => [row.consensusSlot, row.rank],
    (slot, rank): RewardPosition => ({ slot, rank }),
  );

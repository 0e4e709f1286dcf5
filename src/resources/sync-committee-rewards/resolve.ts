import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor, integerCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { notFound } from '../../kernel/refusal.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import { loadSlotRewards, loadSlotState, loadValidatorRewards } from './loaders.ts';
import type { RewardPosition, RewardRow, SlotKey } from './queries.ts';

/** The seats of a sync committee; a page holds all of them unless asked otherwise (spec §8). */
export const COMMITTEE_SIZE = 512;
export const VALIDATOR_REWARDS_DEFAULT_SIZE = 10;
export const VALIDATOR_REWARDS_MAX_SIZE = 200;

/**
 * A page of the rewards of a slot's block (spec §4.6), ascending by validator index, ranks 0-based. A slot without a
 * block has none; throws NOT_FOUND when the slot lies after the stored head.
 */
export async function syncCommitteeRewards(
  ctx: Context,
  slot: SlotKey,
  range: Range<number>,
): Promise<Slice<RewardRow> & { total: number }> {
  const fetched = await loadSlotRewards(ctx, slot, range);
  if (fetched[0]) return { ...slice(fetched, range), total: fetched[0].total };
  const state = await loadSlotState(ctx, slot);
  if (!state?.reached) throw notFound(`Slot ${slot.slot}`, `on ${slot.network}`);
  return { ...slice(fetched, range), total: state.total };
}

/** Cursors of a slot's rewards, by rank. */
export const slotRewardCursors = ({ network, slot }: SlotKey) =>
  integerCursors(() => `syncCommitteeRewards:${network}:${slot}`);

/** A page of a validator's rewards, newest slot first. */
export const validatorRewards = async (
  ctx: Context,
  validator: ValidatorKey,
  range: Range<RewardPosition>,
): Promise<Slice<RewardRow>> => slice(await loadValidatorRewards(ctx, validator, range), range);

const validatorListName = (validator: ValidatorKey) =>
  `syncCommitteeRewards:validator:${validatorKeyText(validator)}`;

/** The cursor of a reward in its validator's list. */
export const validatorRewardCursor = (validator: ValidatorKey, row: RewardRow): string =>
  encodeCursor(validatorListName(validator), [row.consensusSlot, row.rank]);

/** The position in a cursor, or undefined when it is not one of this list. */
export function validatorRewardPosition(validator: ValidatorKey, cursor: string): RewardPosition | undefined {
  const [slot, rank] = decodePosition(validatorListName(validator), cursor, 2) ?? [];
  return slot === undefined || rank === undefined ? undefined : { slot, rank };
}

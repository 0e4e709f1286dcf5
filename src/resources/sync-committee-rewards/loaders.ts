import type { Context } from '../../context.ts';
import { batchListLoader, batchTotal } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import {
  type ListedRewardRow,
  type RewardPosition,
  type SlotKey,
  type SlotRewardRow,
  type SlotState,
  slotRewardPages,
  slotStates,
  validatorRewardPages,
  validatorRewardTotals,
} from './queries.ts';

const slotText = (key: SlotKey) => `${key.network}:${key.slot}`;

/** A page of a slot's rewards; the pages of many slots (of each block on a page) are one statement. */
export const loadSlotRewards = (
  ctx: Context,
  slot: SlotKey,
  range: Range<number>,
): Promise<SlotRewardRow[]> =>
  batchListLoader(
    ctx.loaders,
    `slotRewards:${JSON.stringify(range)}`,
    slotText,
    (slots: readonly SlotKey[]) => slotRewardPages(ctx.db, slots, range),
  )(slot);

/** How many rewards a slot has, and whether the stored chain has reached it; many slots are one statement. */
export const loadSlotState = async (ctx: Context, slot: SlotKey): Promise<SlotState | undefined> =>
  (
    await batchListLoader(ctx.loaders, 'slotState', slotText, (slots: readonly SlotKey[]) =>
      slotStates(ctx.db, slots),
    )(slot)
  )[0];

/** A page of a validator's rewards; the pages of many validators are one statement. */
export const loadValidatorRewards = (
  ctx: Context,
  validator: ValidatorKey,
  range: Range<RewardPosition>,
): Promise<ListedRewardRow[]> =>
  batchListLoader(
    ctx.loaders,
    `validatorRewards:${JSON.stringify(range)}`,
    validatorKeyText,
    (validators: readonly ValidatorKey[]) => validatorRewardPages(ctx.db, validators, range),
  )(validator);

/** How many rewards a validator has; those of many validators are one statement. */
export const loadValidatorRewardTotal = (ctx: Context, validator: ValidatorKey): Promise<number> =>
  batchTotal(ctx.loaders, 'validatorRewardTotal', validatorKeyText, (validators: readonly ValidatorKey[]) =>
    validatorRewardTotals(ctx.db, validators),
  )(validator);

import type { Context } from '../../context.ts';
import { listReader, totalReader } from '../../db/batch/readers.ts';
import { rowsToRead } from '../../kernel/page.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type SlotKey,
  type SlotState,
  slotRewardPages,
  slotStates,
  validatorRewardPages,
  validatorRewardTotals,
} from './queries.ts';

const slotText = (key: SlotKey) => `${key.network}:${key.slot}`;

/** A page of a slot's rewards; the pages of many slots (of each block on a page) are one statement. */
export const loadSlotRewards = listReader({
  keyOf: slotText,
  load: slotRewardPages,
  rows: rowsToRead,
});

const slotState = listReader({ keyOf: slotText, load: slotStates });

/** How many rewards a slot has, and whether the stored chain has reached it; many slots are one statement. */
export const loadSlotState = async (ctx: Context, slot: SlotKey): Promise<SlotState | undefined> =>
  (await slotState(ctx, slot))[0];

/** A page of a validator's rewards; the pages of many validators are one statement. */
export const loadValidatorRewards = listReader({
  keyOf: validatorKeyText,
  load: validatorRewardPages,
  rows: rowsToRead,
});

/** How many rewards a validator has; those of many validators are one statement. */
export const loadValidatorRewardTotal = totalReader({
  keyOf: validatorKeyText,
  load: validatorRewardTotals,
});

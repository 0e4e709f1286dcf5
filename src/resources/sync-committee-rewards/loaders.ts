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

export const loadSlotRewards = listReader({
  keyOf: slotText,
  load: slotRewardPages,
  rows: rowsToRead,
});

const slotState = listReader({ keyOf: slotText, load: slotStates });

export const loadSlotState = async (ctx: Context, slot: SlotKey): Promise<SlotState | undefined> =>
  (await slotState(ctx, slot))[0];

export const loadValidatorRewards = listReader({
  keyOf: validatorKeyText,
  load: validatorRewardPages,
  rows: rowsToRead,
});

export const loadValidatorRewardTotal = totalReader({
  keyOf: validatorKeyText,
  load: validatorRewardTotals,
});

import type { Context } from '../../context.ts';
import { listReader, pageReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import { sql } from '../../db/rows.ts';
import { rowsToRead } from '../../kernel/page.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type SeatKey,
  type SlotKey,
  type SlotState,
  seatRewards,
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

export const seatKeyText = (key: SeatKey) => `${key.network}:${key.consensusSlot}:${key.rank}`;

export const loadStoredRewardSlots = storedReader({
  statement: 'storedRewardSlots',
  ends: () =>
    sql`select min(s.slot) as first, max(s.slot) as last from sync_committee_slots s where s.network = k.network`,
});

export const loadSeatReward = rowReader({ keyOf: seatKeyText, load: seatRewards });

const slotState = listReader({ keyOf: slotText, load: slotStates });

export const loadSlotState = async (ctx: Context, slot: SlotKey): Promise<SlotState | undefined> =>
  (await slotState(ctx, slot))[0];

export const loadValidatorRewards = pageReader({ keyOf: validatorKeyText, load: validatorRewardPages });

export const loadValidatorRewardTotal = totalReader({ keyOf: validatorKeyText, load: validatorRewardTotals });

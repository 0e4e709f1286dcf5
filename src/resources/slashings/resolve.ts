import { firstEpochFrom, firstEpochOfChainDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { byValidatorName } from '../validators/loaders.ts';
import { loadOperatorSlashings, loadSlashing, loadSlashingByPubkey } from './loaders.ts';
import { type SlashingPosition, type SlashingRow, slashingPage, slashingTotal } from './queries.ts';

export const SLASHINGS_SIZES = { defaultSize: 10, maxSize: 200 };

export type SlashingList = { network: Network; fromEpoch: number };

/** Keeps the first epoch of the day below 2^31. */
export const LAST_START_DAY = 9_000_000;

/** `seconds` is Unix time. Capped below 2^31, because no later epoch is stored. */
export const epochFrom = (network: Network, start: { day: number } | { seconds: number }): number =>
  'day' in start
    ? firstEpochOfChainDay(start.day)
    : Math.min(firstEpochFrom(network, start.seconds), 2 ** 31 - 1);

const listName = (list: SlashingList) => `slashings:${list.network}:${list.fromEpoch}`;

export const slashingCursor = (list: SlashingList, row: SlashingPosition): string =>
  encodeCursor(listName(list), [row.slashingEpoch, row.validatorIndex]);

function positionIn(name: string, cursor: string): SlashingPosition | undefined {
  const [slashingEpoch, validatorIndex] = decodePosition(name, cursor, 2) ?? [];
  return slashingEpoch === undefined || validatorIndex === undefined
    ? undefined
    : { slashingEpoch, validatorIndex };
}

/** Undefined for a cursor of another list. */
export const slashingPosition = (list: SlashingList, cursor: string): SlashingPosition | undefined =>
  positionIn(listName(list), cursor);

/** Sorted by slashing epoch, then validator index, ascending (spec §4.5). */
export async function slashings(
  ctx: Context,
  list: SlashingList,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> {
  return slice(await slashingPage(ctx.db, list.network, list.fromEpoch, range), range);
}

export const slashing = byValidatorName(loadSlashing, loadSlashingByPubkey);

export const totalSlashings = (ctx: Context, list: SlashingList): Promise<number> =>
  slashingTotal(ctx.db, list.network, list.fromEpoch);

const operatorListName = (operator: OperatorId) =>
  `slashings:${JSON.stringify([operator.network, operator.idType, operator.id])}`;

export const operatorSlashingCursor = (operator: OperatorId, row: SlashingPosition): string =>
  encodeCursor(operatorListName(operator), [row.slashingEpoch, row.validatorIndex]);

/** Undefined for a cursor of another list. */
export const operatorSlashingPosition = (operator: OperatorId, cursor: string) =>
  positionIn(operatorListName(operator), cursor);

export const operatorSlashings = async (
  ctx: Context,
  operator: OperatorId,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> => slice(await loadOperatorSlashings(ctx, operator, range), range);

import { firstEpochFrom, firstEpochOfChainDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import type { OperatorKey } from '../operators/loaders.ts';
import { byValidatorName } from '../validators/loaders.ts';
import { loadOperatorSlashings, loadSlashing, loadSlashingByPubkey } from './loaders.ts';
import { type SlashingPosition, type SlashingRow, slashingPage, slashingTotal } from './queries.ts';

export const SLASHINGS_DEFAULT_SIZE = 10;
export const SLASHINGS_MAX_SIZE = 200;

/** The slashings of a network from an epoch on. */
export type SlashingList = { network: Network; fromEpoch: number };

/** The last chain day that a list begins with: its first epoch is still below 2^31. */
export const LAST_START_DAY = 9_000_000;

/** The first epoch at or after a chain day or a moment (seconds since 1970). Past 2^31 none can be stored: nothing is lost there. */
export const epochFrom = (network: Network, start: { day: number } | { seconds: number }): number =>
  'day' in start
    ? firstEpochOfChainDay(start.day)
    : Math.min(firstEpochFrom(network, start.seconds), 2 ** 31 - 1);

const listName = (list: SlashingList) => `slashings:${list.network}:${list.fromEpoch}`;

/** The cursor of a row; the same on both faces. */
export const slashingCursor = (list: SlashingList, row: SlashingPosition): string =>
  encodeCursor(listName(list), [row.slashingEpoch, row.validatorIndex]);

function positionIn(name: string, cursor: string): SlashingPosition | undefined {
  const [slashingEpoch, validatorIndex] = decodePosition(name, cursor, 2) ?? [];
  return slashingEpoch === undefined || validatorIndex === undefined
    ? undefined
    : { slashingEpoch, validatorIndex };
}

/** The position in a cursor, or undefined when it is not one of this list. */
export const slashingPosition = (list: SlashingList, cursor: string): SlashingPosition | undefined =>
  positionIn(listName(list), cursor);

/** A page of slashings, ascending by slashing epoch and validator index (spec §4.5). */
export async function slashings(
  ctx: Context,
  list: SlashingList,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> {
  return slice(await slashingPage(ctx.db, list.network, list.fromEpoch, range), range);
}

/** The slashing of a validator, or undefined when it was never slashed. */
export const slashing = byValidatorName(loadSlashing, loadSlashingByPubkey);

/** How many rows the list has. */
export const totalSlashings = (ctx: Context, list: SlashingList): Promise<number> =>
  slashingTotal(ctx.db, list.network, list.fromEpoch);

// Without the window: an operator has the same validators in each.
const operatorListName = (operator: OperatorKey) =>
  `slashings:${JSON.stringify([operator.network, operator.idType, operator.id])}`;

/** The cursor of a slashing in its operator's list. */
export const operatorSlashingCursor = (operator: OperatorKey, row: SlashingPosition): string =>
  encodeCursor(operatorListName(operator), [row.slashingEpoch, row.validatorIndex]);

/** The position in a cursor, or undefined when it is not one of this operator's list. */
export const operatorSlashingPosition = (operator: OperatorKey, cursor: string) =>
  positionIn(operatorListName(operator), cursor);

/** A page of the slashings of an operator's validators, in the order of the whole list. */
export const operatorSlashings = async (
  ctx: Context,
  operator: OperatorKey,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> => slice(await loadOperatorSlashings(ctx, operator, range), range);

import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { type SlashingPosition, type SlashingRow, slashingPage, slashingTotal } from './queries.ts';

export const SLASHINGS_DEFAULT_SIZE = 10;
export const SLASHINGS_MAX_SIZE = 200;

/** The slashings of a network from an epoch on. */
export type SlashingList = { network: Network; fromEpoch: number };

const listName = (list: SlashingList) => `slashings:${list.network}:${list.fromEpoch}`;

/** The cursor of a row; the same on both faces. */
export const slashingCursor = (list: SlashingList, row: SlashingPosition): string =>
  encodeCursor(listName(list), [row.slashingEpoch, row.validatorIndex]);

/** The position in a cursor, or undefined when it is not one of this list. */
export function slashingPosition(list: SlashingList, cursor: string): SlashingPosition | undefined {
  const key = decodeCursor(listName(list), cursor);
  return key ? { slashingEpoch: Number(key[0]), validatorIndex: Number(key[1]) } : undefined;
}

/** A page of slashings, ascending by slashing epoch and validator index (spec §4.5). */
export async function slashings(
  ctx: Context,
  list: SlashingList,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> {
  return slice(await slashingPage(ctx.db, list.network, list.fromEpoch, range), range);
}

/** How many rows the list has. */
export const totalSlashings = (ctx: Context, list: SlashingList): Promise<number> =>
  slashingTotal(ctx.db, list.network, list.fromEpoch);

import { isDeepStrictEqual } from 'node:util';
import { epochsWithin } from '../../chain/bounds.ts';
import { epochsOfDay, firstEpochFrom } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import { LAST_NUMBER, type Range, type Slice, slice } from '../../kernel/page.ts';
import type { PeriodQuery } from '../../periods/read-plan.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import type { OperatorId } from '../operators/loaders.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { byValidatorName } from '../validators/loaders.ts';
import { loadOperatorSlashings, loadSetSlashings, loadSlashing, loadSlashingByPubkey } from './loaders.ts';
import {
  type SlashingList,
  type SlashingPosition,
  type SlashingRow,
  slashingHistoryPage,
  slashingPage,
  slashingTotal,
} from './queries.ts';
import type { SlashingRecord, SlashingRecordField } from './record.ts';

export type { SlashingList };

export const SLASHINGS_SIZES = { defaultSize: 10, maxSize: 200 };

export const LAST_START_DAY = 9_000_000;

/** `seconds` is Unix time. Capped below 2^31, because later epochs are never stored. */
export const epochFrom = (network: Network, start: { day: number } | { seconds: number }): number =>
  'day' in start
    ? epochsOfDay(network, 'chain', start.day).first
    : Math.min(firstEpochFrom(network, start.seconds), 2 ** 31 - 1);

/** Oldest first (spec §4.5). */
export const slashingsFrom = (network: Network, first: number): SlashingList => ({
  network,
  epochs: { first, last: LAST_NUMBER },
  where: { operator: null, minPenalty: null, maxPenalty: null },
  order: { field: 'epoch', ascending: true },
});

function listName(list: SlashingList): string {
  const { network, epochs, where, order } = list;
  const plain = slashingsFrom(network, epochs.first);
  return isDeepStrictEqual(list, plain)
    ? `slashings:${network}:${epochs.first}`
    : `slashings:${JSON.stringify([network, epochs, where, order])}`;
}

export const slashingCursors = (list: SlashingList) => cursorsOf(listName(list), list.order);

export const operatorSlashingCursors = ({ network, idType, id }: OperatorId, order: SlashingList['order']) =>
  cursorsOf(`slashings:${JSON.stringify([network, idType, id, order])}`, order);

export const setSlashingCursors = (
  { id }: SetKey,
  { epochs, order }: Pick<SlashingList, 'epochs' | 'order'>,
) => cursorsOf(`slashings:${JSON.stringify(['set', id, epochs, order])}`, order);

function cursorsOf(name: string, { field }: SlashingList['order']) {
  const byPenalty = field === 'penalty';
  return placeCursors(
    name,
    [byPenalty ? /^-?\d{1,18}$/ : 'int', 'int'],
    (row: SlashingRow) => [byPenalty ? row.slashingPenalties : row.slashingEpoch, row.validatorIndex],
    (at, validatorIndex): SlashingPosition => ({ at, validatorIndex }),
  );
}

export const slashings = async (
  ctx: Context,
  list: SlashingList,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> => slice(await slashingPage(ctx.db, list, range), range);

export const slashing = byValidatorName(loadSlashing, loadSlashingByPubkey);

export const totalSlashings = (ctx: Context, list: SlashingList): Promise<number> =>
  slashingTotal(ctx.db, list);

export const operatorSlashings = async (
  ctx: Context,
  operator: OperatorId,
  order: SlashingList['order'],
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> => slice(await loadOperatorSlashings(ctx, operator, order, range), range);

export const slashingsOfSet = async (
  ctx: Context,
  set: SetKey,
  list: Pick<SlashingList, 'epochs' | 'order'>,
  range: Range<SlashingPosition>,
): Promise<Slice<SlashingRow>> => slice(await loadSetSlashings(ctx, set, list, range), range);

/** Periods without a matching slashing have no row. */
export const slashingHistory = (
  ctx: Context,
  { network, where }: Pick<SlashingList, 'network' | 'where'>,
  query: PeriodQuery<SlashingRecordField>,
  range: Range<number>,
  selection: Selection<SlashingRecordField>,
): Promise<PeriodPage<SlashingRecord>> => {
  const list = { network, where, epochs: epochsWithin(network, query.calendar, query) };
  return periodPage(range, (part, bare) =>
    slashingHistoryPage(ctx.db, list, query, part, bare ? [] : selection),
  );
};

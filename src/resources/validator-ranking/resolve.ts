import { archivedRowsIn, type ReadMonths, withMonths } from '../../archive/read.ts';
import { hasSums } from '../../archive/sums.ts';
import { type Bounds, datesWithin } from '../../chain/bounds.ts';
import { type Calendar, dayOfDate } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { isDistributed } from '../../db/distributed/layout.ts';
import type { OperatorScope } from '../../db/operator-members.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import { fairTurns } from '../../kernel/fair-turns.ts';
import { type Range, rowsToRead, type Slice, slice } from '../../kernel/page.ts';
import { badInput, Refusal } from '../../kernel/refusal.ts';
import {
  type RankingDays,
  type RankingQuery,
  rankArchived,
  rankingFigures,
  rankingMembers,
  rankStored,
} from './queries.ts';
import type { RankedValidator, RankingField } from './record.ts';
import { archivedSumsOfValidators, EFFECTIVENESS_UNITS } from './sums.ts';

export const RANKING_SIZES = { defaultSize: 10, maxSize: 200 };

/** Rows that one ranking may scan. */
const MAX_SCANNED = 10_000_000;
/** Measured: DuckDB reads so many rows of both calendars in the time of one day in PostgreSQL. */
const ARCHIVED_A_ROW = 20;
/** Rows that the lookup of an operator's validators counts as: it takes a tenth of the work of reading as many days. */
export const lookedUp = (validators: number): number => Math.round(validators / 10);
/** The figures of so many validators are read by themselves. */
const FEW = RANKING_SIZES.maxSize;
/** Rows of a row group: read to find one validator. */
const GROUP_ROWS = 20_480;

export type RankingList = Bounds & {
  network: Network;
  calendar: Calendar;
  operator: OperatorScope | null;
  indices: readonly number[] | null;
  field: RankingField;
  ascending: boolean;
  /** What was asked for in place of `fromDate`, in GraphQL. */
  days?: number | undefined;
};

/**
 * Rows that are scanned for `members` validators, all if null, as compute units count them: days in the database, and a
 * twentieth of the archived rows, which are sums if all days of a month are asked for.
 */
export function scannedRows(sizes: Context['sizes'], scope: RankingDays, members: number | null): number {
  const { network, calendar, dates } = scope;
  const utc = calendar === 'utc';
  const dayOf = (date: string | null, none: number) => (date === null ? none : dayOfDate(network, date));
  const [from, to] = [dayOf(dates.from, 0), dayOf(dates.to, 100_000)];
  const stored = sizes.daysOf(network, utc);
  const days = stored ? Math.max(0, Math.min(to, stored.last) - Math.max(from, stored.first) + 1) : 0;
  const archived = archivedRowsIn(network, dates, (month) => {
    const [first, next] = [dayOfDate(network, month.month), dayOfDate(network, month.next)];
    const all = next - first;
    const asked = Math.max(0, Math.min(to + 1, next) - Math.max(from, first));
    const isSummed = asked === all && hasSums(month, archivedSumsOfValidators);
    const rows = (month.rows * (isSummed ? 0.5 : asked)) / all;
    return members !== null && members <= FEW ? Math.min(rows, members * GROUP_ROWS) : rows;
  });
  const scanned = days * (members ?? sizes.active(network)) + archived / ARCHIVED_A_ROW;
  return Number.isFinite(scanned) ? Math.round(scanned) : 0;
}

const inWords = (rows: number) => rows.toLocaleString('en');

function checkScanned(
  rows: number,
  { fromDate, fromDay, days }: RankingList,
  part: 'query' | 'argument',
): void {
  if (rows <= MAX_SCANNED) return;
  const [name, value] =
    days !== undefined
      ? ['days', days]
      : fromDate === null && fromDay !== null
        ? ['fromDay', fromDay]
        : ['fromDate', fromDate];
  const given = value === null ? `${name} is not given` : `${name} is ${value}`;
  const msg = `${given}: ${inWords(rows)} days of validators would be scanned, and at most ${inWords(MAX_SCANNED)} are, where ${ARCHIVED_A_ROW} archived rows count as one. Ask for a shorter range, or for one operator.`;
  throw badInput([{ loc: [part, name as string], msg, type: 'range' }]);
}

/** Validators in their order, with the numbers by which they are ordered; NaN if there is none. */
type Ranked = { indices: Int32Array; keys: Float64Array };

/** Validators in rankings that are kept: 12 bytes each. */
const MAX_KEPT = 4_000_000;
const KEPT_MS = 600_000;
const kept = boundedMap<Ranked>(MAX_KEPT, ({ indices }) => indices.length + 1, KEPT_MS);

const SCANS = {
  ...{ places: 2, most: 1, waitTimeoutMs: 20_000 },
  ofOwn: () =>
    new Refusal(
      'RATE_LIMITED',
      'An account makes one ranking at a time, and another one of yours has not ended for 20 s. Try again when it has.',
      { headers: { 'retry-after': '5' } },
    ),
};
let turns: ReturnType<typeof fairTurns> | undefined;

/** Scans once, and again when the data changes. Of two scans at a time, one account has at most one. */
async function rankedOf(ctx: Context, list: RankingList, part: 'query' | 'argument'): Promise<Ranked> {
  const { network, calendar, operator, indices, field, ascending } = list;
  const query: RankingQuery = {
    ...{ network, calendar, dates: datesWithin(network, list) },
    ...{ operator, indices, field, ascending },
  };
  const datasets = ['validator-days', ...(operator ? ['validators', 'operators'] : [])];
  for (const name of datasets) ctx.trace.datasets.add(name); // a kept ranking reads none of their tables
  const key = JSON.stringify([query, datasets.map((name) => ctx.data.get(name))]);
  const known = kept.get(key);
  if (known) return known;
  turns ??= fairTurns(SCANS);
  const turn = await turns.turn(ctx.db.account);
  try {
    const found = kept.get(key) ?? (await scanned(ctx, query, (rows) => checkScanned(rows, list, part)));
    kept.set(key, found);
    return found;
  } finally {
    turns.leave(turn);
  }
}

async function scanned(ctx: Context, query: RankingQuery, check: (rows: number) => void): Promise<Ranked> {
  const rowsFor = (members: number | null) => scannedRows(ctx.sizes, query, members);
  const { network, operator, indices } = query;
  if (!operator && !indices) check(rowsFor(null));
  const ofOperator = operator && (await rankingMembers(ctx.db, network, operator));
  if (ofOperator) ctx.metering.read(lookedUp(ofOperator.length)); // also for a ranking that is then refused
  const members = ofOperator && indices ? both(ofOperator, indices) : (ofOperator ?? indices);
  const read = rowsFor(members?.length ?? null);
  check(read);
  const ranked =
    members && members.length <= FEW
      ? await rankFew(ctx, query, members)
      : await rankAll(ctx, query, members);
  ctx.metering.read(read);
  return ranked;
}

function both(some: readonly number[], others: readonly number[]): number[] {
  const known = new Set(some);
  return others.filter((index) => known.has(index));
}

/** `read` says whether PostgreSQL read a stored day. */
function reading<T extends { hasStored: boolean }>(
  ctx: Context,
  { network, dates }: RankingDays,
  read: (of: ReadMonths) => Promise<T>,
): Promise<T> {
  return withMonths(ctx.db, [network], dates, async (of) => {
    const found = await read(of);
    if (!found.hasStored) await of.check();
    return found;
  });
}

async function rankAll(
  ctx: Context,
  query: RankingQuery,
  members: readonly number[] | null,
): Promise<Ranked> {
  const { parts } = await reading(ctx, query, async (of) => {
    const parts: Ranked[] = [];
    const add = (indices: readonly number[], keys: readonly (number | null)[]) => {
      parts.push({
        indices: Int32Array.from(indices),
        keys: Float64Array.from(keys, (key) => key ?? Number.NaN),
      });
    };
    if (of.months.length > 0) {
      const archived = { ...of, members, isGone: ctx.isGone };
      const { hasStored } = await rankArchived(ctx.db, query, archived, add);
      return { parts, hasStored };
    }
    await rankStored(ctx.db, query, of.condition, add);
    return { parts, hasStored: parts.length > 0 };
  });
  const size = parts.reduce((sum, { indices }) => sum + indices.length, 0);
  const all = { indices: new Int32Array(size), keys: new Float64Array(size) };
  let at = 0;
  for (const { indices, keys } of parts) {
    all.indices.set(indices, at);
    all.keys.set(keys, at);
    at += indices.length;
  }
  return all;
}

/** For a few validators, reads all figures and sorts them here. */
async function rankFew(ctx: Context, query: RankingQuery, members: readonly number[]): Promise<Ranked> {
  const figures = await figuresOf(ctx, query, members);
  const keyOf = ({ avgValidatorEffectiveness, sumRewards, sumMissedAttestations }: Figures) => {
    if (query.field === 'effectiveness') return avgValidatorEffectiveness ?? Number.NaN;
    return Number(query.field === 'rewards' ? sumRewards : sumMissedAttestations);
  };
  const places = [...figures].map(([index, of]) => ({ key: keyOf(of), index }));
  places.sort((a, b) => compare(a, b, query.ascending));
  return {
    indices: Int32Array.from(places, ({ index }) => index),
    keys: Float64Array.from(places, ({ key }) => key),
  };
}

type Figures = Omit<RankedValidator, 'rank' | 'validatorIndex'>;
const noFigures: Figures = {
  dayCount: 0,
  avgValidatorEffectiveness: null,
  sumRewards: '0',
  sumMissedAttestations: '0',
};

async function figuresOf(
  ctx: Context,
  days: RankingDays,
  indices: readonly number[],
): Promise<Map<number, Figures>> {
  if (indices.length === 0) return new Map();
  const { sums } = await reading(ctx, days, (of) => rankingFigures(ctx.db, days, indices, of));
  return new Map(
    [...sums].map(([index, { dayCount, effectiveness, rewards, missed }]) => [
      index,
      {
        dayCount: Number(dayCount),
        avgValidatorEffectiveness:
          dayCount === 0n ? null : Number(effectiveness) / EFFECTIVENESS_UNITS / Number(dayCount),
        sumRewards: String(rewards),
        sumMissedAttestations: String(missed),
      },
    ]),
  );
}

/** A validator's place: `key` is NaN if it has no figure to be ordered by. */
export type RankingPlace = { key: number; index: number };

/** Without a figure last, in both directions; ties ascending by index. */
function compare(a: RankingPlace, b: RankingPlace, ascending: boolean): number {
  const [noA, noB] = [Number.isNaN(a.key), Number.isNaN(b.key)];
  if (noA !== noB) return noA ? 1 : -1;
  if (!noA && a.key !== b.key) return a.key < b.key === ascending ? -1 : 1;
  return a.index - b.index;
}

/** How many come before the place, and with `isIn` the one at the place too. */
function countBefore(
  { indices, keys }: Ranked,
  place: RankingPlace,
  ascending: boolean,
  isIn: boolean,
): number {
  let [low, high] = [0, indices.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = { key: keys[middle] as number, index: indices[middle] as number };
    const order = compare(at, place, ascending);
    if (order < 0 || (isIn && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type RankedRow = RankedValidator & { network: Network; place: RankingPlace };

/** `part` is where a refused range is given. Throws BAD_INPUT if more rows than `MAX_SCANNED` would be scanned. */
export async function ranking(
  ctx: Context,
  list: RankingList,
  range: Range<RankingPlace>,
  part: 'query' | 'argument',
): Promise<Slice<RankedRow> & { total: number }> {
  if (isDistributed())
    throw new Refusal('UNAVAILABLE', 'Validators are not ranked while their days are distributed.');
  const ranked = await rankedOf(ctx, list, part);
  const { network, ascending, calendar } = list;
  const total = ranked.indices.length;
  const { after, before, offset = 0 } = range;
  const first = (after ? countBefore(ranked, after, ascending, true) : 0) + offset;
  const end = before ? countBefore(ranked, before, ascending, false) : total;
  const size = Math.max(0, Math.min(rowsToRead(range), end - first));
  const start = range.backward ? end - size : first;
  const places = Array.from({ length: size }, (_, n) => start + n);
  const page = slice(range.backward ? places.reverse() : places, range);
  const indexAt = (place: number) => ranked.indices[place] as number;
  const days = { network, calendar, dates: datesWithin(network, list) };
  const figures = await figuresOf(ctx, days, page.rows.map(indexAt));
  const rows = page.rows.map((place) => {
    const index = indexAt(place);
    return {
      rank: place + 1,
      validatorIndex: index,
      ...(figures.get(index) ?? noFigures),
      network,
      place: { key: ranked.keys[place] as number, index },
    };
  });
  return { ...page, rows, total };
}

/** Cursors hold the figure and the index, so that pages go on after the row even if days were added since. */
export const rankingCursors = (list: RankingList) =>
  placeCursors(
    `validatorRanking:${JSON.stringify(list)}`,
    [(key) => key === '' || typeof key === 'number', 'int'],
    ({ place: { key, index } }: RankedRow) => [Number.isNaN(key) ? '' : key, index],
    (key, index): RankingPlace => ({ key: key === '' ? Number.NaN : Number(key), index }),
  );

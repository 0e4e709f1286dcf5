import { archivedDays, archivedRows, type DateRange, type ReadMonths, withMonths } from '../archive/read.ts';
import { dateOfDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { Queryable } from '../db/pool.ts';
import type { Sql } from '../db/rows.ts';
import type { Selection } from '../fast-rows/index.ts';
import { type Range, rowsToRead } from '../kernel/page.ts';
import { falls, inKeyOrder, type PeriodRow, periodPages, positionsOf } from './pages.ts';
import { type PeriodQuery, readPlan, type Series } from './read-plan.ts';
import { neededColumns, type ValidatorOwner, validatorDays } from './sources.ts';

type PageArguments<Field extends string> = [
  query: PeriodQuery<Field>,
  range: Range<number>,
  selection: Selection<Field>,
];

/** Days of validators that one statement gets from the archive. */
const MAX_DAYS = 200_000;

/**
 * Pages of days of validators, some of which may be archived. The statement itself checks that the months which are read
 * from files are those of the catalogue, so that a month which is archived meanwhile is neither missing nor counted twice.
 */
export async function validatorPages<Field extends string, Row>(
  db: Queryable,
  series: Series<Field>,
  keys: readonly ValidatorOwner[],
  ...args: PageArguments<Field>
): Promise<PeriodRow<Row>[]> {
  const networks = [...new Set(keys.map(({ network }) => network))];
  const dates = datesOf(networks, args[0], args[1]);
  return withMonths(db, networks, dates, async (of) => {
    const most = Math.max(1, Math.floor(MAX_DAYS / (31 * Math.max(1, of.months.length))));
    if (of.months.length === 0 || keys.length <= most)
      return pagesOf(db, series, keys, networks, dates, of, args);
    const pages: PeriodRow<Row>[] = [];
    for (let at = 0; at < keys.length; at += most) {
      const part = keys.slice(at, at + most);
      const some = await pagesOf<Field, Row>(db, series, part, networks, dates, of, args);
      pages.push(...some.map((row) => ({ ...row, list: row.list + at })));
    }
    return pages;
  });
}

/** The dates of the page, as far as its bounds and cursors limit them. */
function datesOf(networks: readonly Network[], query: PeriodQuery<string>, range: Range<number>): DateRange {
  const ofDays = (day: number | null | undefined, end: 'first' | 'last'): string[] => {
    if (day === null || day === undefined) return [];
    const dates = networks.map((network) => dateOfDay(network, Math.min(day, 100_000))).sort();
    return [dates.at(end === 'first' ? 0 : -1) as string];
  };
  const isByDay = inKeyOrder(query) && query.granularity === 'day';
  const [low, high] = isByDay ? positionsOf(query, range) : [];
  const from = [query.fromDate ?? [], ofDays(query.fromDay, 'first'), ofDays(low, 'first')].flat().sort();
  const to = [query.toDate ?? [], ofDays(query.toDay, 'last'), ofDays(high, 'last')].flat().sort();
  return { from: from.at(-1) ?? null, to: to[0] ?? null };
}

async function pagesOf<Field extends string, Row>(
  db: Queryable,
  series: Series<Field>,
  keys: readonly ValidatorOwner[],
  networks: readonly Network[],
  dates: DateRange,
  { months, condition, check }: ReadMonths,
  [query, range, selection]: PageArguments<Field>,
): Promise<PeriodRow<Row>[]> {
  const read = async (archived: readonly Sql[]) => {
    const source = validatorDays(keys, query, { condition, archived });
    const rows = await periodPages<Field, Row>(db, series, source, query, range, selection);
    if (rows.length === 0 && query.granularity !== 'hour') await check();
    return rows;
  };
  if (query.granularity === 'hour') return read([]);
  const isByDay = inKeyOrder(query) && !range.counted;
  const needed = isByDay ? (range.offset ?? 0) + rowsToRead(range) : Number.POSITIVE_INFINITY;
  const newestFirst = falls(query, range);
  if (months.length === 0 || (isByDay && newestFirst)) {
    const stored = await read([]);
    if (months.length === 0 || isFull(stored, keys.length, rowsToRead(range))) return stored;
  }
  const archived: Sql[] = [];
  const columns = neededColumns(readPlan(series, query, selection).typed);
  for (const network of networks) {
    const own = keys.filter((key) => key.network === network).map(({ validatorIndex }) => validatorIndex);
    const ofNetwork = months.filter((month) => month.network === network);
    if (newestFirst) ofNetwork.reverse();
    const found = new Map<number, number>();
    let step = Math.ceil(needed / 28);
    for (let at = 0; at < ofNetwork.length; at += step, step *= 2) {
      const asked = {
        ...{ indices: own, utc: query.calendar === 'utc' },
        ...(dates.from !== null && { from: dates.from }),
        ...(dates.to !== null && { to: dates.to }),
      };
      const some = ofNetwork.slice(at, at + step);
      const { byValidator, ...days } = await archivedDays(db, some, asked, columns);
      if (days.rows > 0) archived.push(archivedRows(network, days));
      for (const [index, rows] of byValidator) found.set(index, (found.get(index) ?? 0) + rows);
      if (own.every((index) => (found.get(index) ?? 0) >= needed)) break;
    }
  }
  return read(archived);
}

function isFull(rows: readonly { list: number }[], lists: number, most: number): boolean {
  const counts = new Map<number, number>();
  for (const { list } of rows) counts.set(list, (counts.get(list) ?? 0) + 1);
  return counts.size === lists && [...counts.values()].every((count) => count >= most);
}

import type { overviewQuery } from '../../__generated__/overviewQuery.graphql';
import { networkOf } from '../../url/network.ts';
import { calendars, dateAfter, daysOf, fromDate, hasDates, ranges, toDate, USUAL } from '../../url/range.ts';

type Overview = NonNullable<overviewQuery['response']['networkOverview']>;
export type Day = NonNullable<Overview['history']>['nodes'][number];

export const range = ranges(['7d', '30d', '90d', '1y', 'all'], USUAL);

const MOST = 1_000;
const DAY_MS = 86_400_000;
/** Longer ranges are shown by week. */
const MOST_DAYS = 400;

const daysBetween = (from: string, to: string) =>
  1 + Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** How many days the range has; undefined if it is open at an end. */
function lengthOf(search: URLSearchParams): number | undefined {
  const [from, to] = [fromDate.read(search), toDate.read(search)];
  return from && to ? daysBetween(from, to) : daysOf(range, search);
}

/** The variables of the document: the days of the range, and as many days before them for the comparison. */
export function overviewVariables(search: URLSearchParams) {
  const length = lengthOf(search);
  const isByDay = length !== undefined && length <= MOST_DAYS;
  const from = fromDate.read(search);
  return {
    network: networkOf(search),
    utc: calendars.read(search) === 'utc',
    granularity: isByDay ? ('DAY' as const) : ('WEEK' as const),
    fromDate: from && isByDay ? dateAfter(from, -length) : (from ?? null),
    toDate: toDate.read(search) ?? null,
    periods: isByDay ? 2 * length : MOST,
  };
}

export const startOfDay = ({ date, startDate }: Pick<Day, 'date' | 'startDate'>) => date ?? startDate ?? '';

export type Spans = {
  /** Oldest first. */
  shown: readonly Day[];
  /** As many days before `shown`, or undefined if not all of these are stored. */
  before: readonly Day[] | undefined;
  /** What `shown` is compared with, in words. */
  than: string;
  isByDay: boolean;
};

/** Splits what was asked for by `overviewVariables`, which comes newest first. */
export function spansOf(newestFirst: readonly Day[], search: URLSearchParams): Spans {
  const rows = newestFirst.toReversed();
  const length = lengthOf(search);
  const isByDay = length !== undefined && length <= MOST_DAYS;
  if (!isByDay) return { shown: rows, before: undefined, than: '', isByDay };
  const from = fromDate.read(search);
  const first =
    hasDates(search) && from ? rows.findIndex((row) => startOfDay(row) >= from) : rows.length - length;
  const start = Math.max(0, first < 0 ? rows.length : first);
  const before = rows.slice(0, start);
  const than = length === 1 ? 'the day before' : `the ${length} days before`;
  return { shown: rows.slice(start), before: before.length === length ? before : undefined, than, isByDay };
}

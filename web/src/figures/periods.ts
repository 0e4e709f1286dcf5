import { calendarDate, momentUtc } from '../parts/format.ts';
import {
  calendars,
  daysOf,
  fromDate,
  type RangeName,
  type Ranges,
  ranges,
  toDate,
  USUAL,
} from '../url/range.ts';
import { oneOf } from '../url/url-state.ts';
import { at } from './plots.ts';

/** The length of a period of figures over time. */
export const granularities = oneOf('granularity', ['day', 'week', 'month', 'quarter', 'year'], 'day');
export const granularityNames = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
};
/** Ranges of figures that are stored by day, and summed over any dates. */
export const periodRanges = ranges(['7d', '30d', '90d', '1y', 'all'], USUAL);

const days = { hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365 };
type Length = keyof typeof days;
/** The longest page of the API. */
export const MOST_PERIODS = 1_000;
const DAY_MS = 86_400_000;

/** The range as variables of a document. `periods` is the size of a page that has the whole range, at most the largest one. */
export function periodsOf<R extends RangeName, L extends Length>(
  search: URLSearchParams,
  of: Ranges<R>,
  length: L,
  calendar = calendars,
) {
  const [from = null, to = null] = [fromDate.read(search), toDate.read(search)];
  const end = to ? Date.parse(to) : Date.now();
  const chosen = from === null ? undefined : (end - Date.parse(from)) / DAY_MS + 2;
  const all = chosen ?? daysOf(of, search) ?? Number.POSITIVE_INFINITY;
  const most = Math.ceil(all / days[length]) + (chosen ? 1 : 0);
  return {
    granularity: length.toUpperCase() as Uppercase<L>,
    utc: calendar.read(search) === 'utc',
    fromDate: from,
    toDate: to,
    periods: Math.min(MOST_PERIODS, Math.max(1, most)),
  };
}

/** The range as a query of REST, the newest periods first. */
export function restQuery(of: {
  granularity: string;
  utc: boolean;
  fromDate: string | null;
  toDate: string | null;
  periods: number;
}) {
  const { granularity, utc, fromDate, toDate, periods } = of;
  return new URLSearchParams({
    granularity: granularity.toLowerCase(),
    ...(utc && { utc: 'true' }),
    ...(fromDate && { fromDate }),
    ...(toDate && { toDate }),
    sortOrder: 'desc',
    limit: String(periods),
  });
}

export type Period = {
  readonly date?: string | null | undefined;
  readonly startDate?: string | null | undefined;
  readonly endDate?: string | null | undefined;
  /** For periods that may be hours. */
  readonly startTimestamp?: string;
  readonly endTimestamp?: string;
};

const HOUR_MS = 3_600_000;
const isHour = ({ startTimestamp, endTimestamp }: Period) =>
  startTimestamp !== undefined &&
  endTimestamp !== undefined &&
  Date.parse(endTimestamp) - Date.parse(startTimestamp) < 2 * HOUR_MS;

export const startOf = ({ date, startDate }: Period) => at(date ?? startDate ?? '');
/** A day by its date, an hour by its beginning, longer periods by both ends. */
export function periodName(period: Period): string {
  const { date, startDate, endDate, startTimestamp } = period;
  if (isHour(period)) return momentUtc(startTimestamp);
  return date ? calendarDate(date) : `${calendarDate(startDate)} – ${calendarDate(endDate)}`;
}

/** From the beginning of the first period to the end of the last. */
export function rangeName(first: Period, last: Period): string {
  const [from, to] = [first.date ?? first.startDate, last.date ?? last.endDate];
  return from === to ? calendarDate(from) : `${calendarDate(from)} to ${calendarDate(to)}`;
}

/** For CSV. */
export const periodValue = ({ date, startDate, endDate }: Period) => date ?? `${startDate}/${endDate}`;

import { calendarDate, momentUtc } from '../parts/format.ts';
import { date, oneOf } from '../url/url-state.ts';
import { at } from './plots.ts';

/** Parameters of figures over time: the length of a period, the calendar, and the range. */
export const granularities = oneOf('granularity', ['day', 'week', 'month', 'quarter', 'year'], 'day');
export const granularityNames = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
};
export const calendars = oneOf('calendar', ['chain', 'utc'], 'chain');
export const calendarNames = { chain: 'Chain days', utc: 'UTC days' };
export const fromDate = date('from');
export const toDate = date('to');

const values = { day: 'DAY', week: 'WEEK', month: 'MONTH', quarter: 'QUARTER', year: 'YEAR' } as const;
const days = { day: 1, week: 7, month: 28, quarter: 90, year: 365 };
const UNBOUNDED = 90;
const MOST = 1_000;
const DAY_MS = 86_400_000;

/** As variables of a document. `last` has room for the whole range; without one it is the newest 90 periods. */
export function periodsOf(search: URLSearchParams) {
  const granularity = granularities.read(search);
  const [from = null, to = null] = [fromDate.read(search), toDate.read(search)];
  const length = from && ((to ? Date.parse(to) : Date.now()) - Date.parse(from)) / DAY_MS;
  const last = length ? Math.min(MOST, Math.max(1, Math.ceil(length / days[granularity]) + 2)) : UNBOUNDED;
  return {
    granularity: values[granularity],
    utc: calendars.read(search) === 'utc',
    fromDate: from,
    toDate: to,
    last,
  };
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

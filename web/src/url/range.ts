import { calendarDate } from '../parts/format.ts';
import { date, oneOf } from './url-state.ts';

/** Days before the newest stored one, that day included. */
const days = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 };
/** The newest stored day is yesterday, unless an import is late. */
export const rangeNames = {
  '1d': 'Last day',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
  '1y': '1 y',
  all: 'All',
};
export type RangeName = keyof typeof rangeNames;

/** Ranges that a page offers; each only where the API has its figures. */
export const ranges = <const T extends RangeName>(values: readonly T[], fallback: NoInfer<T>) =>
  oneOf('range', values, fallback);
export type Ranges<T extends RangeName = RangeName> = ReturnType<typeof ranges<T>>;

/** What every page begins with that has such a range. */
export const USUAL = '30d';

export const fromDate = date('from');
export const toDate = date('to');
export const hasDates = (search: URLSearchParams) =>
  fromDate.read(search) !== undefined || toDate.read(search) !== undefined;

/** The number of days of the range, if days are stored without a gap; undefined for all of them, and for dates, which replace the range. */
export function daysOf<T extends RangeName>(of: Ranges<T>, search: URLSearchParams): number | undefined {
  const name: RangeName = of.read(search);
  return name === 'all' || hasDates(search) ? undefined : days[name];
}

export const calendars = oneOf('calendar', ['chain', 'utc'], 'chain');
/** Calendars of sets. UTC is the default, because bookkeeping uses UTC. */
export const setCalendars = oneOf('calendar', ['chain', 'utc'], 'utc');
/** What the days of a page are, as it says below its range. */
const dayNames = { chain: 'chain days, from about noon to noon UTC', utc: 'UTC days' };

/** The range in words. All pages count back from the newest stored day, so that none is empty when an import is late. */
export function rangeText<T extends RangeName>(
  of: Ranges<T>,
  search: URLSearchParams,
  calendar: keyof typeof dayNames,
): string {
  const number = daysOf(of, search);
  const [from, to] = [fromDate.read(search), toDate.read(search)];
  const shown = hasDates(search)
    ? [from && `from ${calendarDate(from)}`, to && `to ${calendarDate(to)}`].filter(Boolean).join(' ')
    : number === undefined
      ? 'all stored days'
      : number === 1
        ? 'the newest stored day'
        : `${number} days up to the newest stored one`;
  return `${shown[0]?.toUpperCase()}${shown.slice(1)}; ${dayNames[calendar]}`;
}

export const calendarNames = { chain: 'Chain days', utc: 'UTC days' };

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

const DAY_MS = 86_400_000;
/** The date so many days later; earlier if `days` is negative. */
export const dateAfter = (date: string, days = 1) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

const SECONDS_PER_EPOCH = 384;
const EPOCHS_PER_DAY = 225;

/** The date of the chain day in which figures end, by the last slot of their last epoch. */
export function chainDate(
  asOf: { readonly epoch?: number | null; readonly time: string } | null | undefined,
): string | undefined {
  if (asOf?.epoch == null) return undefined;
  const seconds = ((asOf.epoch % EPOCHS_PER_DAY) + 1) * SECONDS_PER_EPOCH;
  return new Date(Date.parse(asOf.time) - 1_000 * seconds).toISOString().slice(0, 10);
}

/** The date of the chain day in which an epoch begins, seen from where figures end. */
export const chainDateOf = (epoch: number, asOf: { readonly epoch: number; readonly time: string }): string =>
  dateAfter(
    chainDate(asOf) ?? '',
    Math.floor(epoch / EPOCHS_PER_DAY) - Math.floor(asOf.epoch / EPOCHS_PER_DAY),
  );

/**
 * The range in words. All pages count back from the newest stored day, so that none is empty when an import is late; `newest`
 * is its date, where the page knows it.
 */
export function rangeText<T extends RangeName>(
  of: Ranges<T>,
  search: URLSearchParams,
  calendar: keyof typeof dayNames,
  newest?: string | undefined,
): string {
  const number = daysOf(of, search);
  const [from, to] = [fromDate.read(search), toDate.read(search)];
  const shown = hasDates(search)
    ? [from && `from ${calendarDate(from)}`, to && `to ${calendarDate(to)}`].filter(Boolean).join(' ')
    : number === undefined
      ? 'all stored days'
      : number === 1
        ? `the newest stored day${newest ? `, ${calendarDate(newest)}` : ''}`
        : `${number} days up to ${newest ? calendarDate(newest) : 'the newest stored one'}`;
  return `${shown[0]?.toUpperCase()}${shown.slice(1)}; ${dayNames[calendar]}`;
}

export const calendarNames = { chain: 'Chain days', utc: 'UTC days' };

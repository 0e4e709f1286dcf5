import { calendarDate } from '../parts/format.ts';
import { at, type Interval } from './plots.ts';

const named = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(navigator.languages as string[], { timeZone: 'UTC', ...options });
const [month, year] = [named({ month: 'long', year: 'numeric' }), named({ year: 'numeric' })];
const DAY_MS = 86_400_000;

/** The first moment of the day, ISO week, month, quarter or year that a UTC date is in. */
export function spanStart(interval: Interval, date: string): Date {
  const moment = at(date);
  const [of, index] = [moment.getUTCFullYear(), moment.getUTCMonth()];
  if (interval === 'day') return moment;
  if (interval === 'week') return new Date(moment.getTime() - ((moment.getUTCDay() + 6) % 7) * DAY_MS);
  if (interval === 'month') return new Date(Date.UTC(of, index));
  if (interval === 'quarter') return new Date(Date.UTC(of, index - (index % 3)));
  return new Date(Date.UTC(of, 0));
}

/** The span as a date such as `2025-10-01`, for CSV. */
export const spanDate = (interval: Interval, date: string) =>
  spanStart(interval, date).toISOString().slice(0, 10);

/** Name of a span, such as "October 2025" or "Week of 27 Oct 2025". */
export function spanName(interval: Interval, date: string): string {
  const start = spanStart(interval, date);
  if (interval === 'month') return month.format(start);
  if (interval === 'quarter') return `Q${1 + start.getUTCMonth() / 3} ${year.format(start)}`;
  if (interval === 'year') return year.format(start);
  const day = calendarDate(spanDate(interval, date));
  return interval === 'week' ? `Week of ${day}` : day;
}

export type Span = {
  readonly date?: string | null | undefined;
  readonly startDate?: string | null | undefined;
};
/** The date of a record over time, of any granularity. */
export const dateOf = ({ date, startDate }: Span) => date ?? startDate ?? '';

import { granularities } from '../../figures/periods.ts';
import { calendars, daysOf, fromDate, ranges, toDate } from '../../url/range.ts';
import { oneOf } from '../../url/url-state.ts';

export const MOST_PERIODS = 1_000;

/** Of plots; other figures of an operator are stored for windows. */
export const operatorRanges = ranges(['1d', '7d', '30d', '90d', '1y', 'all'], '30d');
export const granularity = oneOf('granularity', ['hour', 'day', 'week', 'month', 'quarter', 'year'], 'day');
export const granularityNames = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
  quarter: 'Quarters',
  year: 'Years',
};
const daysIn = { hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365 };

/** As variables of the document. */
export function periodsOf(search: URLSearchParams) {
  const by = granularity.read(search);
  const days = daysOf(operatorRanges, search) ?? Number.POSITIVE_INFINITY;
  return {
    granularity: by.toUpperCase() as Uppercase<typeof by>,
    utc: calendars.read(search) === 'utc',
    fromDate: fromDate.read(search) ?? null,
    toDate: toDate.read(search) ?? null,
    periods: Math.min(MOST_PERIODS, Math.ceil(days / daysIn[by])),
  };
}

/** The same of rewards, which are stored for days. */
export function rewardPeriods(search: URLSearchParams) {
  const by = granularities.read(search);
  return by.toUpperCase() as Uppercase<typeof by>;
}

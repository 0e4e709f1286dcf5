import { oneOf } from '../../url/url-state.ts';

/** Hours are stored for attestations only. */
export const granularity = oneOf('granularity', ['hour', 'day', 'week', 'month', 'quarter', 'year'], 'day');
export const granularityNames = {
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
  quarter: 'Quarters',
  year: 'Years',
};

/** For tabs without hours. */
export const withoutHours = (search: URLSearchParams) =>
  granularity.read(search) === 'hour' ? { [granularity.name]: undefined } : {};

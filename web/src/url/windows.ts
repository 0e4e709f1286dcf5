import { hasDates, type RangeName, type Ranges, ranges, USUAL } from './range.ts';

/** Ranges of figures that are stored for windows: no other days can be chosen for them. */
export const windows = ranges(['1d', '7d', '30d', 'all'], USUAL);
/** Ranges of operators and sets: their plots show any days, and their other figures are those of a window. */
export const entityRanges = ranges(['1d', '7d', '30d', '90d', '1y', 'all'], USUAL);
/** Ranges of lists of events: all events, or those between dates. */
export const eventRange = ranges(['all'], 'all');
export const windowValues = {
  '1d': 'ONE_DAY',
  '7d': 'SEVEN_DAYS',
  '30d': 'THIRTY_DAYS',
  all: 'ALL',
} as const;
export const windowNames = { '1d': 'Last day', '7d': '7 days', '30d': '30 days', all: 'All time' };
/** In a sentence. */
export const windowWords = { ...windowNames, '1d': 'the last day', all: 'all time' };
/** Beside figures of UTC days: windows are of chain days in both calendars. */
const chainWords = {
  '1d': 'the last chain day',
  '7d': '7 chain days',
  '30d': '30 chain days',
  all: 'all chain days',
};
type WindowName = keyof typeof windowValues;
const isWindow = (name: RangeName): name is WindowName => name in windowValues;

/** The window of a range; 30 days where the range of the other figures of a page is none. */
function nameOf<T extends RangeName>(search: URLSearchParams, of: Ranges<T>): WindowName {
  const name: RangeName = of.read(search);
  const isOfDates = of.values.some((one) => !isWindow(one)) && hasDates(search);
  return isWindow(name) && !isOfDates ? name : USUAL;
}
/** The range by which a link opens the page of what has figures of this window; none is needed for the usual one. */
export function rangeOf(window: keyof typeof changeDays): { range?: string } {
  const name = (Object.keys(windowValues) as WindowName[]).find((one) => windowValues[one] === window);
  return name === undefined || name === USUAL ? {} : { range: name };
}
export const windowOf = <T extends RangeName>(search: URLSearchParams, of: Ranges<T>) =>
  windowValues[nameOf(search, of)];

export const windowNameOf = <T extends RangeName>(
  search: URLSearchParams,
  of: Ranges<T>,
  isBesideUtc = false,
) => (isBesideUtc ? chainWords : windowWords)[nameOf(search, of)];

/** Says of which window figures are, if they are not of the range that was chosen. */
export function windowNote<T extends RangeName>(search: URLSearchParams, of: Ranges<T>): string | undefined {
  const name: RangeName = of.read(search);
  if (isWindow(name) && !hasDates(search)) return undefined;
  return `stored for 1, 7 and 30 days and for all time only: these are of ${windowWords[nameOf(search, of)]}`;
}

/** Figures by day are stored for windows of days only. */
export const hasHistory = <T extends RangeName>(search: URLSearchParams, of: Ranges<T>) =>
  windowOf(search, of) !== 'ALL';
/** A single day is no line. */
export const LEAST_DAYS = 7;
export const NO_HISTORY = 'All time has no figures by day. Choose another range above.';

/** Lists show changes over their window, by which the server orders them; all time has none. */
export const changeDays = { ONE_DAY: 1, SEVEN_DAYS: 7, THIRTY_DAYS: 30, ALL: undefined } as const;
/** The order of a list in a window, which is the usual one where there are no changes to order by. */
export const orderIn = <O extends { field: string }>(
  window: keyof typeof changeDays,
  chosen: O,
  fallback: O,
): O => (window === 'ALL' && chosen.field.endsWith('_CHANGE') ? fallback : chosen);

import { oneOf } from './url-state.ts';

/** The window of the figures of a page. */
export const windows = oneOf('window', ['1d', '7d', '30d', 'all'], '1d');
const windowValues = {
  '1d': 'ONE_DAY',
  '7d': 'SEVEN_DAYS',
  '30d': 'THIRTY_DAYS',
  all: 'ALL',
} as const;
export const windowNames = { '1d': '1 day', '7d': '7 days', '30d': '30 days', all: 'All time' };
export const windowOf = (search: URLSearchParams) => windowValues[windows.read(search)];

/** Figures by day are stored for windows of days only. */
export const hasHistory = (search: URLSearchParams) => windows.read(search) !== 'all';
export const NO_HISTORY = 'All time has no figures by day. Choose another window above.';

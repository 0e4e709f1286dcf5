import { type Calendar, epochStart, secondsBeforeGenesis } from '../../src/chain/calendar.ts';
import { genesisTime, type Network } from '../../src/chain/networks.ts';

/** The rules of hours and dates that SQL applies, written once more for the comparison. */

/** The hour in which an epoch starts, counted from the start of day 0: `day = floor(hour / 24)`. */
export const hourOfEpoch = (network: Network, calendar: Calendar, epoch: number): number =>
  Math.floor(
    (epochStart(network, epoch) - genesisTime[network] + secondsBeforeGenesis(network, calendar)) / 3_600,
  );

export const periods = ['week', 'month', 'quarter', 'year'] as const;
/** A period that days are gathered into by their date. */
export type Period = (typeof periods)[number];

/** The first date of the ISO week, month, quarter or year that a date belongs to. */
export function periodStart(period: Period, date: string): string {
  const [year = 0, month = 0] = date.split('-').map(Number);
  if (period === 'week') {
    const seconds = Date.parse(date) / 1000;
    const sinceMonday = (new Date(seconds * 1000).getUTCDay() + 6) % 7;
    return new Date((seconds - sinceMonday * 86_400) * 1000).toISOString().slice(0, 10);
  }
  const first = period === 'year' ? 1 : period === 'quarter' ? month - ((month - 1) % 3) : month;
  return `${year}-${String(first).padStart(2, '0')}-01`;
}

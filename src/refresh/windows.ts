import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { type TimeWindow, windowDays } from '../chain/windows.ts';
import { sql } from '../db/rows.ts';
import { hasDays } from '../ingest/importers/validator-months.ts';
import { run } from './write.ts';

/** The APR of `all` covers the last 90 days. */
const MAX_APR_DAYS = 90;

/** `version` differs after any change of the rows. */
export type StoredDay = { date: string; day: number; version: string };
type StoredMonth = { month: string; next: string; firstDay: number; version: string };

export type StoredDays = {
  /** Chain days, newest first. */
  days: readonly StoredDay[];
  /** Months before that of the newest day whose sums are up to date; their days may have been dropped. In order. */
  months: readonly StoredMonth[];
};

/** Undefined if no chain day is stored. */
export async function storedDays(client: pg.ClientBase, network: Network): Promise<StoredDays | undefined> {
  const { rows: days } = await run(
    client,
    sql`/* refreshDays */
    select date::text as date, day, version from validator_day_dates
    where network = ${network} and not utc order by day desc`,
  );
  const last = days[0]?.date;
  if (!last) return undefined;
  const { rows: months } = await run(
    client,
    sql`/* summedMonths */
    select month::text as month, (month + interval '1 month')::date::text as next, first_day as "firstDay", version
    from validator_months m
    where network = ${network} and not (due and ${hasDays}) and first_day is not null
      and month < date_trunc('month', ${last}::timestamp)::date
    order by month`,
  );
  return { days, months };
}

/** How often counts, and rewards with stakes for the APR, are added to the sums of a window; subtracted if negative. */
export type Share = readonly [counts: number, apr: number];
/** A chain day, or a month that is read from its sums. */
export type SummedPart = { isMonth: boolean; version: string; shares: Partial<Record<TimeWindow, Share>> };
/** Keyed by the date of a day, or by `month ` and the first date of a month. */
export type Parts = Map<string, SummedPart>;

export const monthKey = (month: string) => `month ${month}`;
export const monthOf = (key: string) => key.replace('month ', '');

/** What the sums of these windows consist of. */
export function partsOf({ days, months }: StoredDays, windows: readonly TimeWindow[]): Parts {
  const parts: Parts = new Map();
  const add = (window: TimeWindow, key: string, version: string, share: Share) => {
    if (share[0] === 0 && share[1] === 0) return;
    const part = parts.get(key) ?? { isMonth: key.startsWith('month '), version, shares: {} };
    part.shares[window] = share;
    parts.set(key, part);
  };
  const aprFirst = days[Math.min(days.length, MAX_APR_DAYS) - 1] as StoredDay;
  for (const window of windows) {
    const most = windowDays[window];
    if (most !== null) {
      for (const { date, version } of days.slice(0, most)) add(window, date, version, [1, 1]);
      continue;
    }
    for (const { month, firstDay, version } of months)
      add(window, monthKey(month), version, [1, firstDay >= aprFirst.day ? 1 : 0]);
    for (const { date, version } of days) {
      const inApr = date >= aprFirst.date ? 1 : 0;
      const summed = months.find(({ month, next }) => month <= date && date < next);
      // The first day that counts for the APR may be in the middle of a month.
      const apr = summed && summed.firstDay >= aprFirst.day ? 0 : inApr;
      add(window, date, version, [summed ? 0 : 1, apr]);
    }
  }
  return parts;
}

/**
 * What to add to sums of `had` so that they are those of `wanted`. Undefined if a part of `had` has changed since or is
 * gone, so that it cannot be subtracted.
 */
export function difference(stored: StoredDays, wanted: Parts, had: Parts): Parts | undefined {
  const versions = versionsOf(stored);
  const parts: Parts = new Map();
  for (const key of new Set([...wanted.keys(), ...had.keys()])) {
    const [to, from] = [wanted.get(key), had.get(key)];
    const version = versions.get(key);
    if (version === undefined || (from && from.version !== version)) return undefined;
    const shares: SummedPart['shares'] = {};
    for (const window of new Set([...windowsOf(to), ...windowsOf(from)])) {
      const [a, b] = [to?.shares[window] ?? NONE, from?.shares[window] ?? NONE];
      if (a[0] !== b[0] || a[1] !== b[1]) shares[window] = [a[0] - b[0], a[1] - b[1]];
    }
    if (Object.keys(shares).length > 0)
      parts.set(key, { isMonth: key.startsWith('month '), version, shares });
  }
  return parts;
}

/** Has the keys of `Parts`. */
export const versionsOf = ({ days, months }: StoredDays): Map<string, string> =>
  new Map([
    ...days.map(({ date, version }) => [date, version] as const),
    ...months.map(({ month, version }) => [monthKey(month), version] as const),
  ]);

export const NONE: Share = [0, 0];
export const windowsOf = (part: SummedPart | undefined) => Object.keys(part?.shares ?? {}) as TimeWindow[];

/** The first and the last day of the window; a summed month may be older than all days. */
export function bounds({ days, months }: StoredDays, window: TimeWindow): { first: number; last: number } {
  const most = windowDays[window] ?? days.length;
  const first = (days[Math.min(days.length, most) - 1] as StoredDay).day;
  const earliest = windowDays[window] === null ? months.map(({ firstDay }) => firstDay) : [];
  return { first: Math.min(first, ...earliest), last: (days[0] as StoredDay).day };
}

import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { run } from './write.ts';

/** Seven days of a million validators are seven million rows. */
export const DAYS_AT_ONCE = 7;

type Due = 'attestations_due' | 'rewards_due';

export type DaySelection = {
  network: Network;
  utc: boolean;
  all: boolean;
  after: string;
};

/**
 * Returns undefined if no day is stored. Locks the days, so that a concurrent import commits later and makes them due
 * again.
 */
export async function dueDates(
  client: pg.ClientBase,
  due: Due,
  { network, utc, all, after }: DaySelection,
  condition: Sql = sql`true`,
): Promise<string[] | undefined> {
  const { rows } = await run(
    client,
    sql`/* dueDates */
    select d.date::text as date from validator_day_dates d
    where d.network = ${network} and d.utc = ${utc} and d.date > ${after}::date and (${all} or d.${raw(due)}) and ${condition}
    order by d.date limit ${DAYS_AT_ONCE} for update`,
  );
  if (rows.length > 0) return rows.map(({ date }) => date);
  const { rows: days } = await run(
    client,
    sql`/* anyDays */ select from validator_day_dates where network = ${network} and utc = ${utc} limit 1`,
  );
  return days.length > 0 ? [] : undefined;
}

export const NO_COUNTS = { rows: 0, inserted: 0, updated: 0, removed: 0, dates: [] as string[] };

export async function doneDates(
  client: pg.ClientBase,
  due: Due,
  { network, utc }: DaySelection,
  dates: readonly string[],
): Promise<void> {
  await run(
    client,
    sql`/* doneDates */
    update validator_day_dates set ${raw(due)} = false
    where network = ${network} and utc = ${utc} and date = any(${[...dates]}::date[]) and ${raw(due)}`,
  );
}

/** Call after changing days that a refresh may have computed. Waits for a refresh that has read them before the change. */
export const markAttestationsDue = (
  client: pg.ClientBase,
  network: Network,
  days: readonly { utc: boolean; date: string }[],
) =>
  client.query(
    `/* markAttestationsDue */
    update validator_day_dates d set attestations_due = true
    from (
      select utc, date from validator_day_dates
      where network = $1 and (utc, date) in (select * from unnest($2::boolean[], $3::date[]))
      order by utc, date for update -- as a refresh locks them
    ) c
    where d.network = $1 and d.utc = c.utc and d.date = c.date`,
    [network, days.map(({ utc }) => utc), days.map(({ date }) => date)],
  );

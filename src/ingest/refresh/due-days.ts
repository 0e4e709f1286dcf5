import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { raw, type Sql, sql } from '../../db/rows.ts';
import { run } from './write.ts';

/** Most days computed in one transaction: a week of a million validators is seven million rows. */
export const DAYS_AT_ONCE = 7;

/** Columns that say whether attestations or rewards of a day are still to be computed. */
type Due = 'attestations_due' | 'rewards_due';

/** Selects the days of a calendar to compute next. */
export type DaysAsked = {
  network: Network;
  utc: boolean;
  /** Whether to include days that were computed before and have not changed since. */
  all: boolean;
  /** Only days after this date. */
  after: string;
};

/**
 * The next dates to compute, ascending, at most `DAYS_AT_ONCE`; undefined when no day is stored. Their rows are locked: a
 * concurrent import that changes these days finishes after this transaction, and makes them due again.
 */
export async function dueDates(
  client: pg.ClientBase,
  due: Due,
  { network, utc, all, after }: DaysAsked,
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

/** The counts when no day is due. */
export const NO_COUNTS = { rows: 0, inserted: 0, updated: 0, removed: 0, dates: [] as string[] };

/** Marks these dates as computed. */
export async function doneDates(
  client: pg.ClientBase,
  due: Due,
  { network, utc }: DaysAsked,
  dates: readonly string[],
): Promise<void> {
  await run(
    client,
    sql`/* doneDates */
    update validator_day_dates set ${raw(due)} = false
    where network = ${network} and utc = ${utc} and date = any(${[...dates]}::date[]) and ${raw(due)}`,
  );
}

import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { run } from './write.ts';

/** Days of validators that are computed from in one transaction: a week of a million validators is seven million rows. */
export const DAYS_AT_ONCE = 7;

/** What is computed from single days, by the column that says whether a day has yet to be computed from. */
type Due = 'attestations_due' | 'rewards_due';

/** Which days of a calendar are computed from next. */
export type DaysAsked = {
  network: Network;
  utc: boolean;
  /** Also days that were computed from before and have not changed since. */
  all: boolean;
  /** Only days after this date. */
  after: string;
};

/**
 * The next dates to compute from, ascending, at most `DAYS_AT_ONCE`; undefined where no day is stored. They are locked: an
 * import that changes their days meanwhile ends after this transaction, and makes them due again.
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

/** What is written where no day is due. */
export const NOTHING = { rows: 0, inserted: 0, updated: 0, removed: 0, dates: [] as string[] };

/** Notes that these dates were computed from. */
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

import type pg from 'pg';
import { isDistributed } from '../db/distributed/layout.ts';
import { waitForCommitOnAllNodes } from '../db/distributed/prepared.ts';
import { type Sql, sql } from '../db/rows.ts';
import type { DaySelection } from './due-days.ts';
import { run } from './write.ts';

type CalendarDays = Pick<DaySelection, 'network' | 'utc'>;

/**
 * Copies distributed days, because Citus answers some joins with local tables wrongly. Without `dates`, copies the
 * newest day.
 */
export async function localDays(
  client: pg.ClientBase,
  selection: CalendarDays,
  dates?: readonly string[],
): Promise<Sql> {
  if (!isDistributed()) return sql`validator_days`;
  const wanted = dates ?? (await newestDate(client, selection));
  await waitForCommitOnAllNodes(client); // the caller may have seen that days are due
  await run(
    client,
    sql`/* localDays */
    create temp table local_days on commit drop as
    select * from validator_days
    where network = ${selection.network} and utc = ${selection.utc} and date = any(${[...wanted]}::date[])`,
  );
  await client.query('/* analyzeLocalDays */ analyze local_days');
  return sql`local_days`;
}

async function newestDate(client: pg.ClientBase, { network, utc }: CalendarDays): Promise<string[]> {
  const { rows } = await run(
    client,
    sql`/* newestDate */
    select max(date)::text as date from validator_day_dates where network = ${network} and utc = ${utc}`,
  );
  return rows.flatMap(({ date }) => date ?? []);
}

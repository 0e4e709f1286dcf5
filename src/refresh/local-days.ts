import type pg from 'pg';
import { isDistributed } from '../db/distributed/layout.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { summedCounts } from '../ingest/importers/validator-months.ts';
import type { DaySelection } from './due-days.ts';
import { run } from './write.ts';

type CalendarDays = Pick<DaySelection, 'network' | 'utc'>;

/**
 * Copies distributed days, because Citus answers some joins with local tables wrongly. Without `dates`, copies the
 * newest day.
 */
export async function localDays(
  client: pg.ClientBase,
  asked: CalendarDays,
  dates?: readonly string[],
): Promise<Sql> {
  if (!isDistributed()) return sql`validator_days`;
  const wanted = dates ?? (await newestDate(client, asked));
  await run(
    client,
    sql`/* localDays */
    create temp table local_days on commit drop as
    select * from validator_days
    where network = ${asked.network} and utc = ${asked.utc} and date = any(${[...wanted]}::date[])`,
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

const added = {
  ...Object.fromEntries(summedCounts.map((name) => [name, 'integer'])),
  ...{ balance: 'bigint', effective: 'bigint', apr_rewards: 'bigint', apr_stake: 'bigint' },
};
const columns = [
  ...['validator_index', ...summedCounts, 'end_epoch'],
  ...['balance', 'effective', 'apr_rewards', 'apr_stake'],
];

export async function localSums(client: pg.ClientBase, place: number, days: Sql): Promise<Sql> {
  if (!isDistributed()) return days;
  const table = raw(`window_days_${place}`);
  const sums = Object.entries(added).map(([name, type]) => `sum(d.${name})::${type} as ${name}`);
  await run(
    client,
    sql`/* windowDays */
    create temp table ${table} on commit drop as
    select d.validator_index, max(d.end_epoch) as end_epoch, ${raw(sums.join(', '))}
    from (${days}
    ) d (${raw(columns.join(', '))})
    group by d.validator_index`,
  );
  await run(client, sql`/* analyzeWindowDays */ analyze ${table}`);
  return sql`select ${raw(columns.join(', '))} from ${table}`;
}

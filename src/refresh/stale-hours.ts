import type pg from 'pg';
import { dateOfDay, dayOfDate } from '../chain/calendar.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import type { DaySelection } from './due-days.ts';
import { run } from './write.ts';

/** Hours of a UTC or chain day. */
const HOURS = 24;

/**
 * Removes the hours of entities that no longer add up to their day, because validators have other names or addresses
 * than when an index wrote the hours, and the facts are gone. Call after computing the days.
 */
export async function removeStaleHours(
  client: pg.ClientBase,
  { network, utc }: Pick<DaySelection, 'network' | 'utc'>,
  { types, dates, counts }: { types: readonly string[]; dates: readonly string[]; counts: readonly string[] },
): Promise<number> {
  const days = dates.map((date) => dayOfDate(network, date));
  // A day with a gap counts only the hours within its stored epochs.
  const { rows } = await run(
    client,
    sql`/* staleDays */
    select d.period as day, d.start_epoch as first, d.end_epoch as last
    from index_periods d
    join index_periods h on h.network = d.network and h.utc = d.utc and h.hourly and h.period / ${HOURS}::int = d.period
      and h.start_epoch >= d.start_epoch and h.end_epoch <= d.end_epoch
    where d.network = ${network} and d.utc = ${utc} and not d.hourly and d.period = any(${days}::int[])
    group by d.period, d.start_epoch, d.end_epoch
    having bool_or(h.due and h.balances is null)
      and sum(h.end_epoch - h.start_epoch + 1) = d.end_epoch - d.start_epoch + 1`,
  );
  if (rows.length === 0) return 0;
  const stale = rows.map(({ day }) => dateOfDay(network, day));
  const added = (table: string, of: (column: string) => string) =>
    join(counts.map((name) => raw(`coalesce(${of(`${table}.${name}`)}, 0)`)));
  const within = (table: string): Sql =>
    sql`${raw(table)}.utc = ${utc} and ${raw(table)}.date = any(${stale}::date[])`;
  const removed = await run(
    client,
    sql`/* removeStaleHours */
    with stale as (
      select * from unnest(${stale}::date[], ${rows.map(({ first }) => first)}::int[], ${rows.map(({ last }) => last)}::int[])
        as g (date, first, last)
    ), different as (
      select h.entity_key, h.date from attestation_hours h
      join stale g on g.date = h.date and h.start_epoch >= g.first and h.end_epoch <= g.last
      join attestation_entities e on e.entity_key = h.entity_key
      left join attestation_days d on d.entity_key = h.entity_key and d.date = h.date and ${within('d')}
      where ${within('h')} and e.network = ${network} and e.id_type = any(${[...types]}::text[])
      group by h.entity_key, h.date
      having (${added('h', (name) => `sum(${name})`)}) is distinct from (${added('d', (name) => `max(${name})`)})
    )
    delete from attestation_hours t using different o, stale g
    where t.entity_key = o.entity_key and t.date = o.date and g.date = t.date and ${within('t')}
      and t.start_epoch >= g.first and t.end_epoch <= g.last`,
  );
  return removed.rowCount ?? 0;
}

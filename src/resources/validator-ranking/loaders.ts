import { storedReader } from '../../db/batch/stored.ts';
import { raw, sql } from '../../db/rows.ts';

/** Dates of stored and archived days of validators, in UTC days or chain days. */
export const loadRankingDates = storedReader({
  statement: 'rankingDates',
  ends(utc: boolean) {
    const dates = (table: string) => sql`
      select min(d.date) as first, max(d.date) as last from ${raw(table)} d
      where d.network = k.network and d.utc = ${utc}`;
    return sql`select min(first)::text as first, max(last)::text as last
      from (${dates('validator_day_dates')} union all ${dates('archived_day_dates')}) ends`;
  },
});

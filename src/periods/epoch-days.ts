import {
  type Calendar,
  dateOfDay,
  SECONDS_PER_DAY,
  SECONDS_PER_EPOCH,
  secondsBeforeGenesis,
} from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { raw, type Sql, sql } from '../db/rows.ts';

/** The functions of `chain/calendar.ts` in SQL. */
export function epochDays(network: Network, calendar: Calendar) {
  const before = raw(String(secondsBeforeGenesis(network, calendar)));
  const [day, epoch] = [raw(String(SECONDS_PER_DAY)), raw(String(SECONDS_PER_EPOCH))];
  const start = (at: Sql) =>
    sql`greatest(0, (${at}::bigint * ${day} - ${before} + ${epoch} - 1) / ${epoch})::int`;
  return {
    dayOf: (at: Sql): Sql => sql`((${at}::bigint * ${epoch} + ${before}) / ${day})::int`,
    firstEpoch: start,
    lastEpoch: (at: Sql): Sql => sql`(${start(sql`(${at} + 1)`)} - 1)`,
    dateOf: (at: Sql): Sql => sql`(${dateOfDay(network, 0)}::date + ${at})`,
  };
}

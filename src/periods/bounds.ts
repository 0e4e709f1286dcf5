import type { Bounds } from '../chain/bounds.ts';
import { raw, type Sql, sql } from '../db/rows.ts';

/** Lets PostgreSQL skip partitions. The cap is later than every stored day. */
export const onDate = (parted: boolean, sign: '>=' | '<=', day: number): Sql =>
  parted
    ? sql`and a.date ${raw(sign)} (to_timestamp(k.genesis) at time zone 'UTC')::date + ${Math.min(day, 100_000)}::int`
    : sql``;

/** Without partitions, adds no date condition: the planner would expect too few rows and sort them. */
export const withinBounds = (bounds: Bounds, parted: boolean): Sql => sql`
  ${bounds.fromDate === null ? sql`` : sql`and a.date >= ${bounds.fromDate}::date`}
  ${bounds.toDate === null ? sql`` : sql`and a.date <= ${bounds.toDate}::date`}
  ${bounds.fromDay === null ? sql`` : sql`and a.day >= ${bounds.fromDay} ${onDate(parted, '>=', bounds.fromDay)}`}
  ${bounds.toDay === null ? sql`` : sql`and a.day <= ${bounds.toDay} ${onDate(parted, '<=', bounds.toDay)}`}`;

import { type Sql, sql } from '../db/rows.ts';
import { type DirectedRange, keysOfPage } from '../kernel/page.ts';

export type Dates = { fromDate: string | null; toDate: string | null };
/** A page of a list with one row a day; its cursors are dates. */
export type HistoryRange = DirectedRange<string> & Dates;

export const wholeRange = (dates: Dates): HistoryRange => ({ ...dates, ascending: true, limit: 0 });

/** To be added to a condition on `d`. */
export function withinDates(d: Sql, { fromDate, toDate, ...range }: HistoryRange): Sql {
  const { above, below } = keysOfPage(range);
  return sql`
        ${fromDate === null ? sql`` : sql`and ${d}.date >= ${fromDate}::date`}
        ${toDate === null ? sql`` : sql`and ${d}.date <= ${toDate}::date`}
        ${above === undefined ? sql`` : sql`and ${d}.date > ${above}::date`}
        ${below === undefined ? sql`` : sql`and ${d}.date < ${below}::date`}`;
}

import { type Sql, sql } from '../db/rows.ts';
import { type DirectedRange, keysOfPage } from '../kernel/page.ts';

export type Dates = { fromDate: string | null; toDate: string | null };
/** A page of a list with one row a day; its cursors are dates. */
export type HistoryRange = DirectedRange<string> & Dates;

/** To be added to a condition on `d`: within the dates, and within the cursors of a page. */
export function withinDates(d: Sql, range: Dates | HistoryRange): Sql {
  const { fromDate, toDate } = range;
  const { above, below } = 'limit' in range ? keysOfPage(range) : {};
  return sql`
        ${fromDate === null ? sql`` : sql`and ${d}.date >= ${fromDate}::date`}
        ${toDate === null ? sql`` : sql`and ${d}.date <= ${toDate}::date`}
        ${above === undefined ? sql`` : sql`and ${d}.date > ${above}::date`}
        ${below === undefined ? sql`` : sql`and ${d}.date < ${below}::date`}`;
}

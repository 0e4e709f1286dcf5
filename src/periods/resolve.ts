import { type Range, type Slice, slice } from '../kernel/page.ts';
import type { PeriodRow } from './pages.ts';

export type PeriodPage<Record> = Slice<PeriodRow<Record>> & { total: number | null };

/** The total comes with the rows, so an empty page needs a second read. `bare` tells `load` to read only the total. */
export async function periodPage<Row extends { total: number | null }>(
  range: Range<number>,
  load: (range: Range<number>, bare: boolean) => Promise<Row[]>,
): Promise<Slice<Row> & { total: number | null }> {
  const fetched = await load(range, false);
  const past = range.after !== undefined || range.before !== undefined || (range.offset ?? 0) > 0;
  const again = fetched.length === 0 && past && range.counted;
  const first = again ? await load({ limit: 1, counted: true }, true) : fetched;
  return { ...slice(fetched, range), total: range.counted ? (first[0]?.total ?? 0) : null };
}

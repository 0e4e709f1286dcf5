import { z } from 'zod';
import * as Leaf from './leaves.ts';
import type { Slice } from './page.ts';
import { type Call, relativeUrl } from './route.ts';

const PageV0 = z
  .object({
    from: Leaf.count().describe('First position of the page.'),
    to: Leaf.count().describe('Position after the last row of the page.'),
    size: Leaf.count().describe('Rows asked for.'),
  })
  .meta({ id: 'Page', description: 'Where a v0 page lies in its list.' });

/** Spec §9. */
export const envelopeV0 = <T extends z.ZodType>(record: T) =>
  z.object({
    page: PageV0,
    total: Leaf.count().describe('Rows of the whole list.'),
    data: z.array(record),
    next: z.string().nullable().describe('Relative URL of the next page, null at the end.'),
  });

export function descendingPageV0<Row>(
  { path }: Pick<Call, 'path'>,
  { rows, hasNext }: Slice<Row>,
  page: { from: number | null; size: number; total: number },
  numberOf: (row: Row) => number,
) {
  const { size, total } = page;
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row && numberOf(row));
  const from = page.from ?? first ?? 0;
  const to = last === undefined ? from : Math.max(0, last - 1);
  return {
    page: { from, to, size },
    total,
    data: rows,
    next: hasNext ? relativeUrl(path, { from: to, size }) : null,
  };
}

/** Spec §9. */
export const envelopeV1 = <T extends z.ZodType>(record: T) =>
  z.object({
    previous: z
      .string()
      .nullable()
      .describe('Absolute URL of the page before this one, null where no row comes before.'),
    next: z
      .string()
      .nullable()
      .describe('Absolute URL of the page after this one, null where no row follows.'),
    pages: Leaf.count().describe('Pages of the whole list at this limit.'),
    results: z.array(record),
  });

/** `previous` ends where this page starts, so that paging back returns each row once. */
export function linksV1(
  call: Pick<Call, 'url' | 'query'>,
  { limit, offset, count, revision }: { limit: number; offset: number; count: number; revision?: number },
): { previous: string | null; next: string | null; pages: number } {
  const link = (from: number, to: number) => {
    const query = new URLSearchParams(call.query);
    query.set('limit', String(to - from));
    query.set('offset', String(from));
    if (revision !== undefined) query.set('revision', String(revision));
    return `${call.url}?${query}`;
  };
  const end = Math.min(offset, count);
  return {
    previous: end > 0 ? link(Math.max(0, end - limit), end) : null,
    next: offset + limit < count ? link(offset + limit, offset + 2 * limit) : null,
    pages: Math.ceil(count / limit),
  };
}

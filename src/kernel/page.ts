import { intParam } from './params.ts';
import { badInput } from './refusal.ts';

/**
 * The requested part of a list, of REST (`from`, `size`) and GraphQL (`first`/`after`, `last`/`before`). Positions are
 * exclusive; `backward` reads from the end.
 */
export type Range<Key> = {
  after?: Key;
  before?: Key;
  limit: number;
  backward?: boolean;
  /** Rows to skip, in REST lists without a stored order. */
  offset?: number;
  /** Neither cursors nor page info are needed. */
  rowsOnly?: boolean;
  /** Whether to read the size of the list with the page. */
  counted?: boolean;
};

/** One row more than the limit tells whether more follow. */
export const rowsToRead = ({ limit, rowsOnly }: Range<unknown>): number => (rowsOnly ? limit : limit + 1);

/**
 * The revision of a ranked list in which a walk began, and where the caller gave it. All its pages come from that list,
 * even after a refresh.
 */
export type Walk = { revision: number; loc: string[] };

/** The parameter in links that names the revision of a ranked list. */
export const revisionParam = () =>
  intParam({
    description:
      'Revision of the list to read; comes from `next`, so that a walk sees each row once while refreshes land. Replaced lists are kept for up to an hour, at most eight of each.',
    min: 0,
    nullable: true,
  });
export const walkOf = (revision: number | null): Walk | undefined =>
  revision === null ? undefined : { revision, loc: ['query', 'revision'] };

const walkEnded = ({ revision, loc }: Walk) =>
  badInput([
    {
      loc,
      msg: `${loc.at(-1)} belongs to revision ${revision} of the list, which is not kept any more: replaced lists are for up to an hour, at most eight of each. Begin again with the first page.`,
      type: 'revision',
    },
  ]);

/** A page in the list's order, and whether rows lie beyond it. */
export type Slice<Row> = { rows: Row[]; hasNext: boolean; hasPrevious: boolean };

/** Makes a slice of the rows that were read for a range. */
export function slice<Row>(fetched: Row[], range: Range<unknown>): Slice<Row> {
  const more = fetched.length > range.limit;
  const rows = more ? fetched.slice(0, range.limit) : fetched;
  return range.backward
    ? { rows: rows.toReversed(), hasPrevious: more, hasNext: range.before !== undefined }
    : { rows, hasNext: more, hasPrevious: range.after !== undefined };
}

/**
 * A slice of a page of a ranked list, empty when there is no such list. Throws BAD_INPUT when a walk's list is gone.
 * Ranks are dense, so they tell what lies beyond the page.
 */
export function rankedSlice<Row extends { rank: number }>(
  page: { rows: Row[]; total: number; revision: number } | undefined,
  range: Range<number>,
  walk: Walk | undefined,
): Slice<Row> & { total: number; revision: number } {
  if (walk && !page) throw walkEnded(walk);
  const { rows, total, revision } = page ?? { rows: [], total: 0, revision: 0 };
  const [first, last] = [rows[0], rows.at(-1)];
  const [after, before] = [range.after ?? -1, Math.min(range.before ?? total, total)];
  return range.backward
    ? {
        rows,
        total,
        revision,
        hasPrevious: first !== undefined && first.rank > after + 1,
        hasNext: range.before !== undefined,
      }
    : {
        rows,
        total,
        revision,
        hasNext: last !== undefined && last.rank + 1 < before,
        hasPrevious: range.after !== undefined,
      };
}

/**
 * Starts a range of a descending list at this number or the next one below it, unless a cursor says otherwise. Null is
 * the start of the list.
 */
export const rangeDownFrom = (range: Range<number>, start: number | null): Range<number> =>
  start === null || hasCursor(range) ? range : { ...range, after: start + 1 };

export const hasCursor = ({ after, before }: Range<unknown>): boolean =>
  after !== undefined || before !== undefined;

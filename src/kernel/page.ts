import { intParam } from './params.ts';
import { badInput } from './refusal.ts';

/**
 * Which part of a list is asked for. Positions are exclusive; `backward` reads from the end towards the start.
 * The same for REST (`from`, `size`) and GraphQL (`first`/`after`, `last`/`before`).
 */
export type Range<Key> = {
  after?: Key;
  before?: Key;
  limit: number;
  backward?: boolean;
  /** So many rows before the page are left out, in the lists of REST that have no stored place. */
  offset?: number;
  /** Nothing is asked of the page but its rows: neither their places nor whether more follow. */
  rowsOnly?: boolean;
  /** The size of the list is asked for, where it is read with the page. */
  counted?: boolean;
};

/** The rows to read for a range: one more than the limit tells whether more follow, and no count is needed. */
export const rowsToRead = ({ limit, rowsOnly }: Range<unknown>): number => (rowsOnly ? limit : limit + 1);

/**
 * The revision of a ranked list that a walk began with, and where the caller gave it: every page of the walk is read
 * from that list, also after a refresh has replaced it.
 */
export type Walk = { revision: number; loc: string[] };

/** The parameter by which the links of a ranked list name it. */
export const revisionParam = () =>
  intParam({
    description:
      'Revision of the list to read; comes from `next`, so that a walk sees each row once while refreshes land. Replaced lists are kept for up to an hour, at most eight of each.',
    min: 0,
    nullable: true,
  });
export const walkOf = (revision: number | null): Walk | undefined =>
  revision === null ? undefined : { revision, loc: ['query', 'revision'] };

/** The list that a walk began with is not kept any more. */
const walkEnded = ({ revision, loc }: Walk) =>
  badInput([
    {
      loc,
      msg: `${loc.at(-1)} belongs to revision ${revision} of the list, which is not kept any more: replaced lists are for up to an hour, at most eight of each. Begin again with the first page.`,
      type: 'revision',
    },
  ]);

/** One part of a list, in the list's order, and whether more lies on either side. */
export type Slice<Row> = { rows: Row[]; hasNext: boolean; hasPrevious: boolean };

/** Makes a slice of the `rowsToRead` of a range. */
export function slice<Row>(fetched: Row[], range: Range<unknown>): Slice<Row> {
  const more = fetched.length > range.limit;
  const rows = more ? fetched.slice(0, range.limit) : fetched;
  return range.backward
    ? { rows: rows.toReversed(), hasPrevious: more, hasNext: range.before !== undefined }
    : { rows, hasNext: more, hasPrevious: range.after !== undefined };
}

/**
 * A slice of a ranked list, of the rows of a page that is undefined where there is no such list; a walk's list that is not
 * there any more is BAD_INPUT. Ranks are dense, and say by themselves what lies beyond the page.
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
 * The range begun at this number or the next one below it, in a list that goes down: a place to begin at, where no cursor
 * says another. Null is the list's own beginning.
 */
export const rangeDownFrom = (range: Range<number>, start: number | null): Range<number> =>
  start === null || hasCursor(range) ? range : { ...range, after: start + 1 };

/** Whether a cursor says where a page lies. */
export const hasCursor = ({ after, before }: Range<unknown>): boolean =>
  after !== undefined || before !== undefined;

/** For every GraphQL list. Each REST list has its own documented default. */
export const DEFAULT_PAGE_SIZE = 20;

export type PageSizes = { defaultSize: number; maxSize: number };

/** `after` and `before` are exclusive. With `backward`, the page is at the end of the range. */
export type Range<Key> = {
  after?: Key;
  before?: Key;
  limit: number;
  backward?: boolean;
  /** Only for lists without stored ranks. */
  offset?: number;
  rowsOnly?: boolean;
  counted?: boolean;
};

/** For a list that is ordered by its key alone, in either direction. */
export type DirectedRange<Key> = Range<Key> & { ascending: boolean };

/** The page in terms of its key: `above` and `below` are exclusive; `direction` is the one to read in. */
export function keysOfPage<Key>({ after, before, ascending, backward }: DirectedRange<Key>) {
  const [above, below] = ascending ? [after, before] : [before, after];
  return { above, below, direction: ascending === (backward === true) ? 'desc' : 'asc' };
}

export const rowsToRead = ({ limit, rowsOnly }: Range<unknown>): number => (rowsOnly ? limit : limit + 1);

/** All pages of one pass through a list read `revision`, even after a refresh. `loc` locates the parameter. */
export type Walk = { revision: number; loc: string[] };

export type RankedRange<At = number> = { range: Range<At>; walk: Walk | undefined };

/** Rows without a value in the ordering field come last, with ranks of their own. */
export type PlaceInOrder = { valued: boolean; rank: number };

export type Order<Field extends string> = { field: Field; direction: 'asc' | 'desc' };

export const walkOf = (revision: number | null): Walk | undefined =>
  revision === null ? undefined : { revision, loc: ['query', 'revision'] };

export type Slice<Row> = { rows: Row[]; hasNext: boolean; hasPrevious: boolean };

export function slice<Row>(fetched: Row[], range: Range<unknown>): Slice<Row> {
  const more = fetched.length > range.limit;
  const rows = more ? fetched.slice(0, range.limit) : fetched;
  return range.backward
    ? { rows: rows.toReversed(), hasPrevious: more, hasNext: range.before !== undefined }
    : { rows, hasNext: more, hasPrevious: range.after !== undefined };
}

export const LAST_NUMBER = 2 ** 31 - 1;

/** Both inclusive; empty if `first` > `last`. */
export type Ends = { first: number; last: number };

export function endsOfPage(
  { after, before }: Range<number>,
  { first, last }: Ends,
  ascending: boolean,
): Ends {
  const [above = first - 1, below = last + 1] = ascending ? [after, before] : [before, after];
  return { first: Math.max(first, above + 1), last: Math.min(last, below - 1) };
}

export const hasCursor = ({ after, before }: Range<unknown>): boolean =>
  after !== undefined || before !== undefined;

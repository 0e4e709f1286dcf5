import type { GraphQLResolveInfo } from 'graphql';
import type { Stored } from '../../db/batch/stored.ts';
import { selectedFields } from '../../fast-rows/selection.ts';
import { type Cursors, decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import {
  DEFAULT_PAGE_SIZE,
  hasCursor,
  type PlaceInOrder,
  type Range,
  type RankedRange,
  type Slice,
} from '../../kernel/page.ts';
import { badInput, type Fault } from '../../kernel/refusal.ts';

export type ConnectionArgs = {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
};

type Limits<Key> = {
  maxSize: number;
  decode(cursor: string): Key | undefined;
};

export function connectionRange<Key>(
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  limits: Limits<Key>,
): Range<Key> {
  const faults = sizeFaults(args, limits.maxSize);
  const cursors: { after?: Key; before?: Key } = {};
  for (const name of ['after', 'before'] as const) {
    const cursor = args[name];
    if (cursor == null) continue;
    const key = limits.decode(cursor);
    if (key !== undefined) cursors[name] = key;
    else faults.push(fault(name, 'is not a cursor of this list with these arguments'));
  }
  const selected = selectedFields(info, []);
  const range: Range<Key> = {
    limit: args.first ?? args.last ?? DEFAULT_PAGE_SIZE,
    backward: args.last != null,
    ...cursors,
    rowsOnly: !selected.has('edges') && !selected.has('pageInfo'),
    counted: selected.has('totalCount'),
  };
  if (faults.length > 0) throw badInput(faults);
  return range;
}

const fault = (name: string, msg: string): Fault => ({
  loc: ['argument', name],
  msg: `${name} ${msg}.`,
  type: 'value_error',
});

function sizeFaults(args: ConnectionArgs, maxSize: number): Fault[] {
  const faults: Fault[] = [];
  if (args.first != null && args.last != null)
    faults.push(fault('last', 'cannot be given together with first; give one'));
  for (const name of ['first', 'last'] as const) {
    const size = args[name];
    if (size != null && (size < 1 || size > maxSize))
      faults.push(fault(name, `is ${size}; an integer from 1 to ${maxSize} is needed`));
  }
  return faults;
}

export const sizesText = ({ maxSize }: { maxSize: number }): string =>
  `At most ${maxSize} a page, ${DEFAULT_PAGE_SIZE} by default.`;

export function checkSizes(args: ConnectionArgs, maxSize: number): void {
  const faults = sizeFaults(args, maxSize);
  if (faults.length > 0) throw badInput(faults);
}

type WalkLimits = { list: string; maxSize: number };
type Ranked<Row> = Slice<Row> & { total: number; revision: number };

/**
 * Of a list with stored ranks, each page of which is of the revision that a cursor names. `valued`: rows may have no value in
 * the order, and cursors also tell whether the row has one.
 */
export async function rankedConnection<Row extends { rank: number }>(
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  limits: WalkLimits & { valued?: false },
  read: (ranked: RankedRange) => Promise<Ranked<Row>>,
): Promise<Connection<Row>>;
export async function rankedConnection<Row extends PlaceInOrder>(
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  limits: WalkLimits & { valued: true },
  read: (ranked: RankedRange<PlaceInOrder>) => Promise<Ranked<Row>>,
): Promise<Connection<Row>>;
export async function rankedConnection<Row extends { rank: number; valued?: boolean }>(
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  { valued = false, ...limits }: WalkLimits & { valued?: boolean },
  read: (ranked: never) => Promise<Ranked<Row>>,
) {
  const page = await read(walkRange(args, info, limits, valued) as never);
  return new Connection<Row>(
    page,
    (row) => encodeCursor(limits.list, [page.revision, row.rank, ...(valued ? [row.valued ? 1 : 0] : [])]),
    () => page.total,
  );
}

function walkRange(args: ConnectionArgs, info: GraphQLResolveInfo, limits: WalkLimits, valued: boolean) {
  const { after, before, ...range } = connectionRange(args, info, {
    ...limits,
    decode(cursor) {
      const [revision, rank, part] = decodePosition(limits.list, cursor, valued ? 3 : 2) ?? [];
      if (revision === undefined || rank === undefined || (part ?? 0) > 1) return undefined;
      return { revision, at: valued ? { rank, valued: part === 1 } : rank };
    },
  });
  if (after && before && after.revision !== before.revision) {
    const msg = `before is of revision ${before.revision} of the list and after of ${after.revision}; take both from one walk.`;
    throw badInput([{ loc: ['argument', 'before'], msg, type: 'revision' }]);
  }
  const revision = (after ?? before)?.revision;
  return {
    range: { ...range, ...(after && { after: after.at }), ...(before && { before: before.at }) },
    walk: revision === undefined ? undefined : { revision, loc: ['argument', after ? 'after' : 'before'] },
  };
}

type Listed<Key, Row, Page extends Slice<Row>> = {
  maxSize: number;
  cursors: Cursors<Row, Key>;
  /** Undefined if there is no list. */
  read: (range: Range<Key>) => Promise<Page | undefined>;
  total: (page: Page) => number | Promise<number>;
  stored?: () => Promise<Stored> | Stored;
};

/** The page that the arguments ask for; null if there is no list. */
export async function connectionOf<Key, Row, Page extends Slice<Row>>(
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  { maxSize, cursors, read, total, stored }: Listed<Key, Row, Page>,
) {
  const page = await read(connectionRange(args, info, { maxSize, decode: cursors.read }));
  return page ? new Connection<Row>(page, cursors.of, () => total(page), stored) : null;
}

/** Like `connectionOf`; the first page begins at a given number, or at the next number in the list. */
export function connectionFrom<Row>(
  start: number | null,
  ascending: boolean,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  of: Omit<Listed<number, Row, Slice<Row>>, 'read'> & { read: (range: Range<number>) => Promise<Slice<Row>> },
) {
  return connectionOf(args, info, {
    ...of,
    async read(range) {
      if (start === null || hasCursor(range)) return of.read(range);
      const page = await of.read({ ...range, after: ascending ? start - 1 : start + 1 });
      if (!selectedFields(info, ['pageInfo']).has('hasPreviousPage')) return page;
      if (range.backward && page.hasPrevious) return page;
      const { rows } = await of.read({ before: start, backward: true, limit: 1, rowsOnly: true });
      return { ...page, hasPrevious: rows.length > 0 };
    },
  });
}

/**
 * Computes a cursor only if it is selected, because each needs a hash. Classes make pages of 15 operators a third
 * faster than object literals with getters, whose hidden classes keep the rows in memory until a full garbage
 * collection.
 */
export const connection = <Row>(
  slice: Slice<Row>,
  cursorOf: (row: Row) => string,
  totalCount: () => number | Promise<number>,
  stored?: () => Promise<Stored> | Stored,
) => new Connection(slice, cursorOf, totalCount, stored);

class Connection<Row> {
  readonly nodes: Row[];
  readonly stored: (() => Promise<Stored> | Stored) | undefined;
  readonly #count: () => number | Promise<number>;
  #total: number | Promise<number> | undefined;
  readonly #slice: Slice<Row>;
  readonly #cursorOf: (row: Row) => string;

  constructor(
    slice: Slice<Row>,
    cursorOf: (row: Row) => string,
    totalCount: () => number | Promise<number>,
    stored?: () => Promise<Stored> | Stored,
  ) {
    this.nodes = slice.rows;
    this.#count = totalCount;
    this.stored = stored;
    this.#slice = slice;
    this.#cursorOf = cursorOf;
  }

  /** Counts once, however many aliases ask. */
  totalCount(): number | Promise<number> {
    return (this.#total ??= this.#count());
  }

  get edges() {
    return this.nodes.map((node) => new Edge(node, this.#cursorOf));
  }

  get pageInfo() {
    return new PageInfo(this.#slice, this.#cursorOf);
  }
}

class Edge<Row> {
  readonly node: Row;
  readonly #cursorOf: (row: Row) => string;

  constructor(node: Row, cursorOf: (row: Row) => string) {
    this.node = node;
    this.#cursorOf = cursorOf;
  }

  get cursor() {
    return this.#cursorOf(this.node);
  }
}

class PageInfo<Row> {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #cursorAt: (index: number) => string | null;

  constructor({ rows, hasNext, hasPrevious }: Slice<Row>, cursorOf: (row: Row) => string) {
    this.hasNextPage = hasNext;
    this.hasPreviousPage = hasPrevious;
    this.#cursorAt = (index) => {
      const row = rows.at(index);
      return row === undefined ? null : cursorOf(row);
    };
  }

  get startCursor() {
    return this.#cursorAt(0);
  }

  get endCursor() {
    return this.#cursorAt(-1);
  }
}

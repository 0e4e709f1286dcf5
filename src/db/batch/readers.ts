import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { type Range, rowsToRead, type Slice, slice } from '../../kernel/page.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type Span, type Tracer, tracer } from '../../kernel/tracing.ts';
import { noteStatement, type Trace } from '../changes/datasets.ts';
import type { Queryable } from '../pool.ts';
import { byKey, type LoaderCache, listsByKey } from './loaders.ts';

export type Reading = {
  loaders: LoaderCache;
  shared: SharedReads;
  trace: Trace;
};

/** Reads with the same name must differ only in their keys. */
export type Read<Key, Value, Args extends unknown[] = []> = {
  name: string;
  args: Args;
  keyOf: (key: Key) => string;
  rows: number;
  /** Also receives keys of other requests. */
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Map<string, Value>>;
};

export type SharedReads = <Key, Value, Args extends unknown[]>(
  request: Pick<Reading, 'loaders' | 'trace'>,
  read: Read<Key, Value, Args>,
  key: Key,
) => Promise<Value | undefined>;

/** Larger reads run alone: combining them saves little and delays every request. */
const MAX_ROWS = 128;
const MAX_KEYS = 8;
const MAX_KEYS_ALONE = 1_000;

type Waiting = {
  key: unknown;
  trace: Trace;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  span: Span | undefined;
};
type Batch = Map<Trace, Waiting[]>;
type AnyRead = Read<unknown, unknown, unknown[]>;

/**
 * Combines the reads of one turn of the event loop (gain: docs/performance.md). `onFault` receives faults that no
 * request receives.
 */
export function sharedReads(db: Queryable, onFault: (error: unknown) => void): SharedReads {
  const gathering = new Map<string, Batch>();

  async function run(read: AnyRead, requests: readonly Waiting[][]) {
    const waiting = requests.flat();
    const keys = new Map<string, unknown>();
    for (const { key } of waiting) keys.set(read.keyOf(key), key);
    const noting: Queryable = {
      query(statement) {
        for (const [{ trace }] of requests as [Waiting][]) noteStatement(trace, statement.text);
        return db.query(statement);
      },
    };
    try {
      const batch = [...keys.values()];
      const found = await (tracer
        ? tracedBatch(tracer, requests, keys.size, () => read.load(noting, batch, ...read.args))
        : read.load(noting, batch, ...read.args));
      for (const { key, resolve } of waiting) resolve(found.get(read.keyOf(key)));
    } catch (error) {
      // A refusal (database unavailable or busy) applies to all requests. Otherwise each request reads alone, so one
      // request's rows cannot fail another.
      if (requests.length === 1 || error instanceof Refusal) {
        for (const { reject } of waiting) reject(error);
        return;
      }
      onFault(error);
      for (const request of requests) run(read, [request]);
    }
  }

  function runBatch(read: AnyRead) {
    const most = Math.min(MAX_KEYS, Math.floor(MAX_ROWS / read.rows));
    const batch = gathering.get(read.name) as Batch;
    gathering.delete(read.name);
    let together: Waiting[][] = [];
    let keys = 0;
    for (const request of batch.values()) {
      if (!(request.length < most)) {
        // `most` may be NaN
        for (let at = 0; at < request.length; at += MAX_KEYS_ALONE)
          run(read, [request.slice(at, at + MAX_KEYS_ALONE)]);
        continue;
      }
      if (keys + request.length > most) {
        run(read, together);
        together = [];
        keys = 0;
      }
      together.push(request);
      keys += request.length;
    }
    if (keys > 0) run(read, together);
  }

  return <Key, Value, Args extends unknown[]>(
    { loaders, trace }: Pick<Reading, 'loaders' | 'trace'>,
    of: Read<Key, Value, Args>,
    key: Key,
  ) => {
    const read = of as unknown as AnyRead;
    const name = `${read.name} ${read.keyOf(key)}`;
    let found = loaders.get(name) as Promise<Value | undefined> | undefined;
    if (found) return found;
    found = new Promise((resolve, reject) => {
      let batch = gathering.get(read.name);
      if (!batch) {
        gathering.set(read.name, (batch = new Map()));
        setImmediate(runBatch, read);
      }
      const one = { key, trace, resolve, reject, span: tracer?.active() } as Waiting;
      const request = batch.get(trace);
      if (request) request.push(one);
      else batch.set(trace, [one]);
    });
    loaders.set(name, found);
    return found;
  };
}

function tracedBatch<T>(
  tracer: Tracer,
  requests: readonly Waiting[][],
  keys: number,
  load: () => Promise<T>,
): Promise<T> {
  const parents = requests.map(([first]) => first?.span);
  return tracer.span('batch', { 'stakegraph.batch.keys': keys }, load, parents);
}

type Of<Key, Args extends unknown[], Found> = {
  keyOf: (key: Key) => string;
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Found>;
  /** Maximum rows per key. Without `rows`, each request's keys are read alone. */
  rows?: (...args: Args) => number;
};

let readers = 0;

/**
 * For public data only, because one statement serves several requests. Create readers at module level, so that `load`
 * cannot depend on the caller.
 */
export function reader<Key, Args extends unknown[], Value>({
  keyOf,
  load,
  rows = () => Number.POSITIVE_INFINITY,
}: Of<Key, Args, Map<string, Value>>) {
  readers += 1;
  const own = readers;
  let last: Read<Key, Value, Args> | undefined;
  return (ctx: Reading, key: Key, ...args: Args): Promise<Value | undefined> => {
    if (!last || !isDeepStrictEqual(args, last.args))
      last = { name: `${own}:${JSON.stringify(args)}`, args, keyOf, rows: rows(...args), load };
    return ctx.shared(ctx, last, key);
  };
}

type RowsOf<Key, Args extends unknown[], Row> = Omit<Of<Key, Args, Row[]>, 'rows'>;
type RowReader<Key, Args extends unknown[], Row> = (
  ctx: Reading,
  key: Key,
  ...args: Args
) => Promise<Row | undefined>;

/** A key has one row. `rowKey` is the text of a row's key, where the row does not contain the key itself. */
export function rowReader<Key, Row extends Key, Args extends unknown[]>(
  of: RowsOf<Key, Args, Row>,
): RowReader<Key, Args, Row>;
export function rowReader<Key, Row, Args extends unknown[]>(
  of: RowsOf<Key, Args, Row> & { rowKey: (row: Row, ...args: Args) => string },
): RowReader<Key, Args, Row>;
export function rowReader<Key, Row, Args extends unknown[]>(
  of: RowsOf<Key, Args, Row> & { rowKey?: (row: Row, ...args: Args) => string },
) {
  const rowKey = of.rowKey ?? (of.keyOf as (row: never) => string as (row: Row) => string);
  return reader<Key, Args, Row>({
    keyOf: of.keyOf,
    rows: () => 1,
    load: async (db, keys, ...args) => byKey(await of.load(db, keys, ...args), (row) => rowKey(row, ...args)),
  });
}

export function listReader<Key, Row extends { list: number }, Args extends unknown[]>(
  of: Of<Key, Args, Row[]>,
) {
  const read = reader<Key, Args, Row[]>({
    ...of,
    load: async (db, keys, ...args) => listsByKey(await of.load(db, keys, ...args), keys, of.keyOf),
  });
  return (ctx: Reading, key: Key, ...args: Args) => read(ctx, key, ...args) as Promise<Row[]>;
}

/** A page of the rows of a key. */
export function pageReader<
  Key,
  Row extends { list: number },
  Page extends Range<unknown>,
  Args extends unknown[],
>(of: Omit<Of<Key, [Page, ...Args], Row[]>, 'rows'>) {
  const read = listReader({ ...of, rows: (range: Page, ..._args: Args) => rowsToRead(range) });
  return async (ctx: Reading, key: Key, range: Page, ...args: Args): Promise<Slice<Row>> =>
    slice(await read(ctx, key, range, ...args), range);
}

export const ListedTotal = z.object({ list: Leaf.count(), total: Leaf.count() });
export type ListedTotal = z.infer<typeof ListedTotal>;

export function totalReader<Key, Args extends unknown[]>(of: Of<Key, Args, ListedTotal[]>) {
  const rowsOf = listReader(of);
  return async (ctx: Reading, key: Key, ...args: Args): Promise<number> =>
    (await rowsOf(ctx, key, ...args))[0]?.total ?? 0;
}

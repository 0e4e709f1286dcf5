import { z } from 'zod';
import { type Asked, isForm } from '../../fast-rows/row-form.ts';
import { count } from '../../kernel/leaves.ts';
import type { Queryable } from '../pool.ts';
import { batchLoader, byKey, type LoaderCache, listsByKey } from './loaders.ts';
import type { Read } from './shared-reads.ts';

/** What a reader needs of the context of a request. */
export type Reading = {
  loaders: LoaderCache;
  shared: <Key, Value>(read: Read<Key, Value>) => Promise<Map<string, Value>>;
};

type Of<Key, Args extends unknown[], Found> = {
  /** A text that two keys share only when they are equal. */
  keyOf: (key: Key) => string;
  /** Reads what is found of each of these keys, in one statement. */
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Found>;
  /** The most rows that are read for a key. Without it there is no bound, and what a request asks for is read for it alone. */
  rows?: (...args: Args) => number;
};

const textOf = (part: unknown): string | undefined =>
  typeof part === 'object' && part !== null && isForm(part as Asked<string>)
    ? (part as { name: string }).name
    : JSON.stringify(part);

let readers = 0;

/**
 * Makes a function that reads what is public by a key: all that a request asks for in one step travels in one statement, and
 * with that of other requests. A reader is made once, with its module: then its `load` knows nothing of who asks. Beside keys
 * it takes forms and plain JSON: what is asked with the same JSON is the same. What is a caller's own is read by the loaders of
 * the request.
 */
export function reader<Key, Args extends unknown[], Value>({
  keyOf,
  load,
  rows = () => Number.POSITIVE_INFINITY,
}: Of<Key, Args, Map<string, Value>>) {
  readers += 1;
  const own = readers;
  let last: { args: Args; name: string } | undefined; // most ask what was asked before them, with the same objects
  return (ctx: Reading, key: Key, ...args: Args): Promise<Value | undefined> => {
    if (!last || args.some((arg, index) => arg !== last?.args[index]))
      last = { args, name: `${own}:${args.map(textOf).join()}` };
    const { name } = last;
    return batchLoader<Key, Value>(ctx.loaders, name, keyOf, (keys) =>
      ctx.shared({
        name,
        keys,
        keyOf,
        rows: rows(...args),
        load: (db, all) => load(db, all, ...args),
      }),
    ).load(key);
  };
}

/** Reads the row of a key, or undefined, where rows hold their key. */
export function rowReader<Key, Row extends Key, Args extends unknown[]>(of: Of<Key, Args, Row[]>) {
  return reader<Key, Args, Row>({
    ...of,
    load: async (db, keys, ...args) => byKey(await of.load(db, keys, ...args), of.keyOf),
  });
}

/** Reads the rows of a key, which may be none; each row has the position of its key in `list`. */
export function listReader<Key, Row extends { list: number }, Args extends unknown[]>(
  of: Of<Key, Args, Row[]>,
) {
  const read = reader<Key, Args, Row[]>({
    ...of,
    load: async (db, keys, ...args) => listsByKey(await of.load(db, keys, ...args), keys, of.keyOf),
  });
  return (ctx: Reading, key: Key, ...args: Args) => read(ctx, key, ...args) as Promise<Row[]>; // every key has a list
}

/** How many there are of a key, by its place among those asked for. */
export const ListedTotal = z.object({ list: count(), total: count() });
export type ListedTotal = z.infer<typeof ListedTotal>;

/** Reads how many there are of a key: 0 where no row tells it. */
export function totalReader<Key, Args extends unknown[]>(of: Of<Key, Args, ListedTotal[]>) {
  const rowsOf = listReader(of);
  return async (ctx: Reading, key: Key, ...args: Args): Promise<number> =>
    (await rowsOf(ctx, key, ...args))[0]?.total ?? 0;
}

import { z } from 'zod';
import { count } from '../../kernel/leaves.ts';
import type { Queryable } from '../pool.ts';
import { batchLoader, byKey, type LoaderCache, listsByKey } from './loaders.ts';
import type { Read } from './shared-reads.ts';

export type Reading = {
  loaders: LoaderCache;
  shared: <Key, Value>(read: Read<Key, Value>) => Promise<Map<string, Value>>;
};

type Of<Key, Args extends unknown[], Found> = {
  /** A text that two keys share only when they are equal. */
  keyOf: (key: Key) => string;
  /** Reads all keys in one statement. */
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Found>;
  /** Maximum rows of a key. Without it, requests are not combined. */
  rows?: (...args: Args) => number;
};

let readers = 0;

/**
 * Returns a function that reads public data by a key: one statement serves all keys of a request, and of other requests with the
 * same JSON of arguments. Private data must use the loaders of the request. A reader is made once, with its module, so that
 * `load` cannot depend on the caller.
 */
export function reader<Key, Args extends unknown[], Value>({
  keyOf,
  load,
  rows = () => Number.POSITIVE_INFINITY,
}: Of<Key, Args, Map<string, Value>>) {
  readers += 1;
  const own = readers;
  let last: { args: Args; name: string } | undefined; // most calls have the arguments of the call before
  return (ctx: Reading, key: Key, ...args: Args): Promise<Value | undefined> => {
    if (!last || args.some((arg, index) => arg !== last?.args[index]))
      last = { args, name: `${own}:${JSON.stringify(args)}` };
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

export function rowReader<Key, Row extends Key, Args extends unknown[]>(of: Of<Key, Args, Row[]>) {
  return reader<Key, Args, Row>({
    ...of,
    load: async (db, keys, ...args) => byKey(await of.load(db, keys, ...args), of.keyOf),
  });
}

/** Reads any number of rows of a key. */
export function listReader<Key, Row extends { list: number }, Args extends unknown[]>(
  of: Of<Key, Args, Row[]>,
) {
  const read = reader<Key, Args, Row[]>({
    ...of,
    load: async (db, keys, ...args) => listsByKey(await of.load(db, keys, ...args), keys, of.keyOf),
  });
  return (ctx: Reading, key: Key, ...args: Args) => read(ctx, key, ...args) as Promise<Row[]>; // every key has a list
}

export const ListedTotal = z.object({ list: count(), total: count() });
export type ListedTotal = z.infer<typeof ListedTotal>;

/** 0 if the result has no row for a key. */
export function totalReader<Key, Args extends unknown[]>(of: Of<Key, Args, ListedTotal[]>) {
  const rowsOf = listReader(of);
  return async (ctx: Reading, key: Key, ...args: Args): Promise<number> =>
    (await rowsOf(ctx, key, ...args))[0]?.total ?? 0;
}

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
  /** Returns equal texts only for equal keys. */
  keyOf: (key: Key) => string;
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Found>;
  /** Maximum rows per key. Without it, requests are not combined. */
  rows?: (...args: Args) => number;
};

let readers = 0;

/**
 * For public data only: one statement serves all requests with the same JSON of arguments. Private data must use the
 * request's loaders. Create readers at module level, so that `load` cannot depend on the caller.
 */
export function reader<Key, Args extends unknown[], Value>({
  keyOf,
  load,
  rows = () => Number.POSITIVE_INFINITY,
}: Of<Key, Args, Map<string, Value>>) {
  readers += 1;
  const own = readers;
  let last: { args: Args; name: string } | undefined; // most calls repeat the previous arguments
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

export function totalReader<Key, Args extends unknown[]>(of: Of<Key, Args, ListedTotal[]>) {
  const rowsOf = listReader(of);
  return async (ctx: Reading, key: Key, ...args: Args): Promise<number> =>
    (await rowsOf(ctx, key, ...args))[0]?.total ?? 0;
}

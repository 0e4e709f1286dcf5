import DataLoader from 'dataloader';

/** Where a request keeps its loaders. One for each request: a loader that outlives it would serve stale rows. */
export type LoaderCache = Map<string, DataLoader<unknown, unknown>>;

/**
 * The request's loader of this name, made at first use. `load` gets at most 1,000 distinct keys and answers them in
 * one statement, as a map from `keyOf(key)`; a key it has no row for becomes `missing`.
 */
export function batchLoader<Key, Value>(
  cache: LoaderCache,
  name: string,
  keyOf: (key: Key) => string,
  load: (keys: readonly Key[]) => Promise<Map<string, Value>>,
): DataLoader<Key, Value | undefined> {
  const known = cache.get(name);
  if (known) return known as DataLoader<Key, Value | undefined>;
  const loader = new DataLoader<Key, Value | undefined, string>(
    async (keys) => {
      const found = await load(keys);
      return keys.map((key) => found.get(keyOf(key)));
    },
    { maxBatchSize: 1_000, cacheKeyFn: keyOf },
  );
  cache.set(name, loader as DataLoader<unknown, unknown>);
  return loader as DataLoader<Key, Value | undefined>;
}

/** Like `batchLoader`, for rows that hold their key: `load` answers those that there are. Gives what reads the row of a key. */
export function batchRowLoader<Key, Row extends Key>(
  cache: LoaderCache,
  name: string,
  keyOf: (key: Key) => string,
  load: (keys: readonly Key[]) => Promise<Row[]>,
): (key: Key) => Promise<Row | undefined> {
  const loader = batchLoader<Key, Row>(cache, name, keyOf, async (keys) => {
    const found = await load(keys);
    return new Map(found.map((row) => [keyOf(row), row]));
  });
  return (key) => loader.load(key);
}

/**
 * Like `batchLoader`, for keys that have several rows: `load` answers the rows of all keys, each with the position of
 * its key in `list`. Gives what reads the rows of a key, which may be none.
 */
export function batchListLoader<Key, Row extends { list: number }>(
  cache: LoaderCache,
  name: string,
  keyOf: (key: Key) => string,
  load: (keys: readonly Key[]) => Promise<Row[]>,
): (key: Key) => Promise<Row[]> {
  const loader = batchLoader<Key, Row[]>(cache, name, keyOf, async (keys) => {
    const lists = new Map<string, Row[]>(keys.map((key) => [keyOf(key), []]));
    const byPosition = [...lists.values()];
    for (const row of await load(keys)) byPosition[row.list]?.push(row);
    return lists;
  });
  return (key) => loader.load(key) as Promise<Row[]>; // every key has a list
}

/** The same for how many there are of each key: 0 where no row tells it. */
export function batchTotal<Key>(
  cache: LoaderCache,
  name: string,
  keyOf: (key: Key) => string,
  load: (keys: readonly Key[]) => Promise<{ list: number; total: number }[]>,
): (key: Key) => Promise<number> {
  const rowsOf = batchListLoader(cache, name, keyOf, load);
  return async (key) => (await rowsOf(key))[0]?.total ?? 0;
}

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

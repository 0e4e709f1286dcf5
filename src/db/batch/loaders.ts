import DataLoader from 'dataloader';
import { tracer } from '../../kernel/tracing.ts';
import type { Queryable } from '../pool.ts';

/** Belongs to one request, because cached rows become stale. */
export type LoaderCache = Map<string, unknown>;

function batchLoader<Key, Value>(
  cache: LoaderCache,
  name: string,
  keyOf: (key: Key) => string,
  load: (keys: readonly Key[]) => Promise<Map<string, Value>>,
): DataLoader<Key, Value | undefined> {
  const known = cache.get(name);
  if (known) return known as DataLoader<Key, Value | undefined>;
  const loader = new DataLoader<Key, Value | undefined, string>(
    async (keys) => {
      const attributes = { 'stakegraph.batch.keys': keys.length };
      const found = await (tracer ? tracer.span('batch', attributes, () => load(keys)) : load(keys));
      return keys.map((key) => found.get(keyOf(key)));
    },
    { maxBatchSize: 1_000, cacheKeyFn: keyOf },
  );
  cache.set(name, loader);
  return loader as DataLoader<Key, Value | undefined>;
}

export const byKey = <Row>(found: readonly Row[], keyOf: (row: Row) => string): Map<string, Row> =>
  new Map(found.map((row) => [keyOf(row), row]));

/** A row's `list` is the position of its key. */
export function listsByKey<Key, Row extends { list: number }>(
  found: readonly Row[],
  keys: readonly Key[],
  keyOf: (key: Key) => string,
): Map<string, Row[]> {
  const lists = keys.map((): Row[] => []);
  for (const row of found) lists[row.list]?.push(row);
  return new Map(keys.map((key, index) => [keyOf(key), lists[index] as Row[]]));
}

type PrivateReading = { loaders: LoaderCache; primary: Queryable };
type Private<Key, Args extends unknown[], Row> = {
  /** Different from the names of all other readers. */
  name: string;
  keyOf: (key: Key) => string;
  load: (db: Queryable, keys: readonly Key[], ...args: Args) => Promise<Row[]>;
};

/** Like `rowReader`, for private data: `load` finds only what the caller owns. */
export const privateRowReader =
  <Request extends PrivateReading, Key, Row, Args extends unknown[]>({
    name,
    keyOf,
    load,
    rowKey,
  }: {
    /** Different from the names of all other readers. */
    name: string;
    keyOf: (key: Key) => string;
    load: (ctx: Request, keys: readonly Key[], ...args: Args) => Promise<Row[]>;
    rowKey: (row: Row) => string;
  }) =>
  (ctx: Request, key: Key, ...args: Args): Promise<Row | undefined> =>
    batchLoader<Key, Row>(ctx.loaders, `${name}:${JSON.stringify(args)}`, keyOf, async (keys) =>
      byKey(await load(ctx, keys, ...args), rowKey),
    ).load(key);

/** Like `listReader`, for private data; does not check who owns it. */
export const privateListReader =
  <Key, Row extends { list: number }, Args extends unknown[]>({
    name,
    keyOf,
    load,
  }: Private<Key, Args, Row>) =>
  (ctx: PrivateReading, key: Key, ...args: Args): Promise<Row[]> =>
    batchLoader<Key, Row[]>(ctx.loaders, `${name}:${JSON.stringify(args)}`, keyOf, async (keys) =>
      listsByKey(await load(ctx.primary, keys, ...args), keys, keyOf),
    ).load(key) as Promise<Row[]>;

/** Like `totalReader`, for private data. */
export function privateTotalReader<Key, Args extends unknown[]>(
  of: Private<Key, Args, { list: number; total: number }>,
) {
  const read = privateListReader(of);
  return async (ctx: PrivateReading, key: Key, ...args: Args): Promise<number> =>
    (await read(ctx, key, ...args))[0]?.total ?? 0;
}

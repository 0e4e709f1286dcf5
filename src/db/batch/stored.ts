import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { keyTable, raw, rows, type Sql, sql } from '../rows.ts';
import { listReader, type Reading } from './readers.ts';

const end = z.union([Leaf.count(), z.iso.date()]).nullable();
export const StoredRow = z.object({ list: Leaf.count(), from: end, to: end });

/** Both inclusive, in the unit of the list: a slot, an epoch, a day or a date. Null when nothing is stored. */
export type Stored = Pick<z.infer<typeof StoredRow>, 'from' | 'to'>;

type OfNetwork = { network: string };
const networkKeys = (keys: readonly OfNetwork[]): Sql => keyTable(keys, { network: ['text', 'network'] });

/**
 * `keys` makes the table of keys `k`, with `list` (from 1); by default, of networks. `ends` selects `first` and `last` of a
 * key.
 */
export function storedReader<Args extends unknown[], Key = OfNetwork>({
  statement,
  keys = networkKeys as never,
  ends,
}: {
  statement: string;
  keys?: (keysOfBatch: readonly Key[]) => Sql;
  ends: (...args: Args) => Sql;
}) {
  const read = listReader<Key, z.infer<typeof StoredRow>, Args>({
    keyOf: (key) => JSON.stringify(key),
    load: (db, keysOfBatch, ...args) =>
      rows(
        db,
        StoredRow,
        sql`/* ${raw(statement)} */
        select k.list::int - 1 as list, s.first as "from", s.last as "to"
        from ${keys(keysOfBatch)} cross join lateral (${ends(...args)}) s`,
      ),
    rows: () => 1,
  });
  return async (ctx: Reading, key: Key, ...args: Args): Promise<Stored> =>
    (await read(ctx, key, ...args))[0] as Stored;
}

/** The first and last epoch of the stored rows and of what an index has processed, with or without such rows. */
export const storedEpochs = (epoch: Sql, source: Sql): Sql => sql`
  select least(s.first, r.first) as first, greatest(s.last, r.last) as last
  from (select min(${epoch}) as first, max(${epoch}) as last from ${source}) s
  cross join (
    select min(first_epoch) as first, max(last_epoch) as last from index_ranges where network = k.network
  ) r`;

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import type { Queryable } from '../pool.ts';
import { rows, sql } from '../rows.ts';

/** Is greater than any row's key. */
export const LAST_KEY = 2 ** 31 - 1;

/** A position between rows: it follows `key` of `revision`. */
export type AddedPlace = { revision: number; key: number };

const AddedRow = z.object({
  revision: Leaf.count(),
  from: Leaf.count(),
  addedIn: Leaf.count().nullable(),
  key: Leaf.count().nullable(),
  omitted: Leaf.count().nullable(),
});

export type AddedRows = {
  /** The dataset's revision at the read; 0 before its first import. */
  revision: number;
  /** The oldest revision from which added rows are known. */
  from: number;
  /** In order of revision and key. After a bulk load, one item with the key LAST_KEY stands for `omitted` rows. */
  added: (AddedPlace & { omitted: number })[];
};

/** Returns up to `limit` rows after `place`; without `place`, only the revision. */
export async function addedRows(
  db: Queryable,
  dataset: string,
  network: string,
  place: AddedPlace | undefined,
  limit: number,
): Promise<AddedRows> {
  const [revision, key] = place ? [place.revision, place.key] : [LAST_KEY, LAST_KEY];
  const found = await rows(
    db,
    AddedRow,
    sql`/* addedRows */
    select d.revision, d.added_from as "from", a.revision as "addedIn", a.key, a.omitted
    from datasets d
    left join lateral (
      select r.revision, coalesce(k.key, ${LAST_KEY}) as key, r.omitted
      from added_rows r left join lateral unnest(r.keys) k (key) on true
      where r.dataset = ${dataset} and r.network = ${network} and r.revision between ${revision} and d.revision
        and (r.revision > ${revision} or coalesce(k.key, ${LAST_KEY}) > ${key})
      order by r.revision, 2
      limit ${limit}
    ) a on true
    where d.name = ${dataset}
    order by a.revision, a.key`,
  );
  const added = found.flatMap(({ addedIn, key, omitted }) =>
    addedIn === null ? [] : [{ revision: addedIn, key: key as number, omitted: omitted as number }],
  );
  return { revision: found[0]?.revision ?? 0, from: found[0]?.from ?? 0, added };
}

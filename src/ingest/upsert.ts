import type pg from 'pg';
import type { ImportCounts } from './importer.ts';

/** A table whose rows stand for themselves under a key: what an import gives of a row replaces what is stored of it. */
export type KeyedTable<Row> = {
  name: string;
  /** Column, kind in SQL and field of the row; the first two are the key, of which the first is the network. */
  columns: readonly (readonly [column: string, type: string, field: keyof Row & string])[];
};

const BATCH = 1_000;

/** Writes rows in the client's transaction; with `replace` the others of their networks are removed. */
export async function writeKeyed<Row>(
  client: pg.ClientBase,
  { name, columns }: KeyedTable<Row>,
  rows: readonly Row[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [`stakegraph ${name}`]);
  const [networkField, keyField] = columns.map(([, , field]) => field) as [keyof Row, keyof Row];
  const [, [key]] = columns as unknown as [unknown, [string]];
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) {
    const networks = rows.map((row) => row[networkField]);
    const removed = await client.query(
      `/* removeAbsent_${name} */
      delete from ${name} t
      where t.network = any($1::text[]) and not exists (
        select from unnest($2::text[], $3::int[]) as k (network, ${key})
        where (k.network, k.${key}) = (t.network, t.${key})
      )`,
      [[...new Set(networks)], networks, rows.map((row) => row[keyField])],
    );
    counts.removed = removed.rowCount ?? 0;
  }
  const names = columns.map(([column]) => column);
  const upsert = `/* import_${name} */
    with written as (
      insert into ${name} (${names.join(', ')})
      select ${columns.map(([, , field]) => `r."${field}"`).join(', ')}
      from jsonb_to_recordset($1::jsonb) as r (${columns.map(([, type, field]) => `"${field}" ${type}`).join(', ')})
      on conflict (network, ${key}) do update set ${names
        .slice(2)
        .map((column) => `${column} = excluded.${column}`)
        .join(', ')}
      returning (xmax = 0) as fresh
    )
    select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
    from written`;
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    const { rows: written } = await client.query(upsert, [JSON.stringify(batch)]);
    counts.inserted += written[0]?.inserted ?? 0;
    counts.updated += written[0]?.updated ?? 0;
    options.onProgress?.(Math.min(rows.length, start + BATCH));
  }
  return counts;
}

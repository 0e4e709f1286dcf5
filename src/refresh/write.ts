import type pg from 'pg';
import { type Sql, sql } from '../db/rows.ts';
import type { ImportCounts, Importer } from '../ingest/importer/importer.ts';
import { mergeStaged } from '../ingest/merge/load-rows.ts';
import { type Selected, stageSelected } from '../ingest/merge/staging.ts';

export type Written = ImportCounts & { rows: number };

export async function writeSelected<Row, Name extends string>(
  client: pg.ClientBase,
  importer: Importer<Row, Name>,
  selected: Selected<Name> | readonly Selected<Name>[],
  options: { replace: boolean; check?: () => Promise<void> },
): Promise<Written> {
  const rows = await stageSelected(client, importer, [selected].flat() as Selected<Name>[]);
  await options.check?.();
  return { rows, ...(await mergeStaged(client, importer, { replace: options.replace })) };
}

export const run = (client: pg.ClientBase, { text, values }: Sql) => client.query(text, values);

/** Writes a number like `doubleText`, because PostgreSQL would write `1.0` as 1. */
export const shownShare = (share: Sql): Sql => sql`json_share(${share}::float8)`;

export const shownObjects = (of: Sql, order: Sql): Sql =>
  sql`array_to_json(array_agg(row_to_json(${of}) order by ${order}))`;

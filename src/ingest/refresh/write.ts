import type pg from 'pg';
import { type Sql, sql } from '../../db/rows.ts';
import { mergeStaged } from '../import-file.ts';
import type { ImportCounts, Importer } from '../importer.ts';
import { type Selected, stageSelected } from '../staging.ts';

export type Written = ImportCounts & { rows: number };

/** Brings what a statement selects where an import would, in the transaction of the client: unchanged rows raise nothing. */
export async function writeSelected<Row, Name extends string>(
  client: pg.ClientBase,
  importer: Importer<Row, Name>,
  selected: Selected<Name>,
  options: { replace: boolean; check?: () => Promise<void> },
): Promise<Written> {
  const rows = await stageSelected(client, importer, selected);
  await options.check?.();
  return { rows, ...(await mergeStaged(client, importer, { replace: options.replace })) };
}

/** Runs a statement in the transaction of the client. */
export const run = (client: pg.ClientBase, { text, values }: Sql) => client.query(text, values);

/** SQL for a share of 0 to 1 as JSON with the text of `doubleText`: PostgreSQL itself would write 1 for `1.0`. */
export const shownShare = (share: Sql): Sql => sql`json_share(${share}::float8)`;

/** The rows `of` a subselect as a list of objects in JSON, as they are shown. */
export const shownObjects = (of: Sql, order: Sql): Sql =>
  sql`array_to_json(array_agg(row_to_json(${of}) order by ${order}))`;

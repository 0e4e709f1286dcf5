import type pg from 'pg';
import type { z } from 'zod';
import {
  type ColumnName,
  columnsOf,
  type Derived,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  rowChecker,
  stagedScopes,
  type Unique,
} from '../importer/importer.ts';
import { isReference, mergeReference } from './reference-table.ts';
import { anyColumnDiffers, columnList, type PlainTable, sameColumns } from './staging.ts';

export async function mergePlain(
  client: pg.ClientBase,
  { name, key, columns, scope, from = 'staged', within: withinFrom }: PlainTable,
  options: Pick<MergeOptions, 'replace' | 'whole'>,
): Promise<ImportCounts> {
  if (isReference(name)) return mergeReference(client, { name, key, columns }, options);
  const names = columns.map((column) => column.name);
  const figures = columns.filter((column) => !key.includes(column.name));
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) {
    const [scopes, within] =
      scope.length > 0
        ? [stagedScopes(scope, options, from), `(${columnList(scope, 't')}) in (select * from of_lists)`]
        : [{ text: `select from ${from} as g limit 1`, values: [] }, 'exists (select from of_lists)'];
    const range = withinFrom?.(scopes.values.length + 1);
    const removed = await client.query(
      `/* removeAbsent */
      with of_lists as materialized (${scopes.text})
      delete from ${name} t where ${within} and not exists (select from ${from} as s where ${sameColumns('t', 's', key)})
        ${range ? `and ${range.text}` : ''}`,
      [...scopes.values, ...(range?.values ?? [])],
    );
    counts.removed = removed.rowCount ?? 0;
  }
  const within = withinFrom?.(1);
  const same = `${sameColumns('t', 's', key)}${within ? ` and ${within.text}` : ''}`;
  // A merge join is faster, because both tables have an index in key order.
  await client.query('/* mergeSorted */ set local enable_hashjoin = off');
  const updated = await client.query(
    `/* updateStaged */
    update ${name} t set ${figures.map((column) => `${column.name} = s.${column.name}`).join(', ')} from ${from} as s
    where ${same} and (${anyColumnDiffers('t', 's', figures)})`,
    within?.values,
  );
  const inserted = await client.query(
    `/* insertStaged */
    insert into ${name} (${columnList(names)}) select ${columnList(names, 's')} from ${from} as s
    where not exists (select from ${name} t where ${same})
    order by ${columnList(key, 's')}`,
    within?.values,
  );
  await client.query('/* anyMerge */ set local enable_hashjoin to default');
  counts.updated = updated.rowCount ?? 0;
  counts.inserted = inserted.rowCount ?? 0;
  return counts;
}

type PlainImport<Shape extends z.ZodObject, Stored extends z.ZodObject> = Parameters<
  typeof rowChecker<Shape>
>[1] & {
  resource: string;
  shape: Shape;
  key: readonly (ColumnName<z.infer<Stored>> & string)[];
  table?: string;
  scope?: readonly string[];
  columns?: Stored;
  derived?: Derived<z.output<Shape>>;
  unique?: Pick<Unique, 'columns' | 'field'>;
  merge?: (client: pg.ClientBase, table: PlainTable, options: MergeOptions) => Promise<ImportCounts>;
};

/** The importer has no `replacesWhen`, because a source may hold any part of the rows. */
export function plainImporter<Shape extends z.ZodObject, Stored extends z.ZodObject = Shape>({
  resource,
  shape,
  key,
  table: name = resource.replaceAll('-', '_'),
  scope = ['network'],
  columns: fields,
  derived,
  unique,
  merge = mergePlain,
  ...checks
}: PlainImport<Shape, Stored>): Importer<z.output<Shape>, ColumnName<z.infer<Stored>>> {
  const columns = columnsOf(fields ?? (shape as unknown as Stored));
  return {
    resource,
    shape,
    check: rowChecker(shape, checks),
    checks,
    columns,
    ...(derived && { derived }),
    key,
    ...(unique && { unique: { table: name, key, ...unique } }),
    merge: (client, options) => merge(client, { name, key, columns, scope }, options),
  };
}

import type pg from 'pg';
import { type ImportCounts, type MergeOptions, stagedScopes } from './importer.ts';
import { type Column, changedColumns, columnList, sameColumns } from './staging.ts';

export type PlainTable = {
  name: string;
  key: readonly string[];
  columns: readonly Column[];
  /** Columns that name the list from which `replace` removes rows. */
  scope: readonly string[];
  from?: string;
  /** Reads only partitions of the staged dates. */
  parts?: { column: string; dates: readonly string[] };
};

/** Leaves rows untouched that are stored with the same digits. */
export async function mergePlain(
  client: pg.ClientBase,
  { name, key, columns, scope, from = 'staged', parts }: PlainTable,
  options: Pick<MergeOptions, 'replace' | 'whole'>,
): Promise<ImportCounts> {
  const names = columns.map((column) => column.name);
  const figures = columns.filter((column) => !key.includes(column.name));
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) {
    const [scopes, within] =
      scope.length > 0
        ? [stagedScopes(scope, options, from), `(${columnList(scope, 't')}) in (select * from of_lists)`]
        : [{ text: `select from ${from} as g limit 1`, values: [] }, 'exists (select from of_lists)'];
    const removed = await client.query(
      `/* removeAbsent */
      with of_lists as materialized (${scopes.text})
      delete from ${name} t where ${within} and not exists (select from ${from} as s where ${sameColumns('t', 's', key)})`,
      scopes.values,
    );
    counts.removed = removed.rowCount ?? 0;
  }
  // Dates are parameters, because the planner does not prune partitions by joined dates.
  const same = `${sameColumns('t', 's', key)}${parts ? ` and t.${parts.column} = any($1::date[])` : ''}`;
  const dates = parts ? [parts.dates] : [];
  const updated = await client.query(
    `/* updateStaged */
    update ${name} t set ${figures.map((column) => `${column.name} = s.${column.name}`).join(', ')} from ${from} as s
    where ${same} and (${changedColumns('t', 's', figures)})`,
    dates,
  );
  const inserted = await client.query(
    `/* insertStaged */
    insert into ${name} (${columnList(names)}) select ${columnList(names, 's')} from ${from} as s
    where not exists (select from ${name} t where ${same})
    order by ${columnList(key, 's')}`,
    dates,
  );
  counts.updated = updated.rowCount ?? 0;
  counts.inserted = inserted.rowCount ?? 0;
  return counts;
}

export function fieldColumns<Row>(
  columns: Record<keyof Row & string, readonly [column: string, type: string]>,
) {
  const fields = Object.entries(columns) as [keyof Row & string, readonly [string, string]][];
  return {
    columns: fields.map(([, [name, type]]) => ({ name, type })),
    stored(row: Row): Record<string, unknown> {
      const named: Record<string, unknown> = {};
      for (const [field, [name]] of fields) named[name] = row[field];
      return named;
    },
  };
}

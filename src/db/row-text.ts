import { z } from 'zod';
import type { Part, RowForm } from '../kernel/row-form.ts';
import { type Fields, join, raw, type Sql, sql } from './rows.ts';

/** What `rowText` adds to a row. */
export const Written = z.object({ text: z.string() });

/**
 * A row written as JSON by PostgreSQL, as `text`. What is written so need not be read, checked and written again for every
 * value: 200 stake authorities with all fields took 4.3 ms of CPU as columns. That it is JSON, and what its record says,
 * is for the table: its types, `not null`, and that no figure is NaN or infinite; every writer checks the record.
 * It has 99 values at the most, which records and the limit of aliases keep far below.
 */
export function rowText(form: RowForm, fields: Fields<string>): Sql {
  const values: Sql[] = [];
  const slots = form.parts.map((part) => {
    if ('constant' in part) return `${literal(part.key)}:${literal(part.constant)}`;
    const { slot, value } = written(part, fields[part.column] as Sql);
    values.push(value);
    return `${literal(part.key)}:${slot}`;
  });
  const text = sql`format(${join([raw(`'{${slots.join(',')}}'`), ...values])}) as "text"`;
  return text.values.length === 0 ? raw(text.sql) : text;
}

/** A name as JSON within a literal of SQL. Names are of records and of GraphQL. */
function literal(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a field.`);
  return `"${name}"`;
}

type Column = Exclude<Part, { constant: string }>;

/** Where a value goes in the text of its row, and the value: null is one that `format` would leave out. */
function written({ kind, nullable }: Column, column: Sql): { slot: string; value: Sql } {
  if (kind === 'quoted' && !nullable) return { slot: '"%s"', value: column };
  const value = shown(kind, column);
  return { slot: '%s', value: nullable ? sql`coalesce((${value})::text, 'null')` : value };
}

function shown(kind: Column['kind'], column: Sql): Sql {
  if (kind === 'quoted') return sql`'"' || ${column} || '"'`;
  if (kind === 'text') return sql`to_json(${column})`;
  if (typeof kind !== 'object') return column;
  const names = Object.entries(kind).map(([stored, name]) => raw(`when '${stored}' then '${literal(name)}'`));
  return sql`case ${column} ${join(names, ' ')} else 'null' end`;
}

import { z } from 'zod';
import type { Part, RowForm } from '../kernel/row-form.ts';
import { type Fields, inOnePiece, join, raw, type Sql, sql } from './rows.ts';

/** What `rowText` adds to a row. */
export const Written = z.object({ text: z.string() });

/** A call of PostgreSQL takes 100 arguments at the most. */
const MOST_ARGUMENTS = 100;

/**
 * A row written as JSON by PostgreSQL, as `text`. What is written so need not be read, checked and written again for every
 * value: 200 stake authorities with all fields took 4.3 ms of CPU as columns. That it is JSON, and what its record says,
 * is for the table: its types, `not null`, and that no figure is NaN or infinite; every writer checks the record.
 */
export function rowText(form: RowForm, fields: Fields<string>): Sql {
  const pieces: Sql[] = [];
  let open = '{'; // what stands before the next value
  form.parts.forEach((part, index) => {
    open += `${index > 0 ? ',' : ''}${literal(part.key)}:`;
    if ('constant' in part) {
      open += literal(part.constant);
      return;
    }
    const { value, quoted } = written(part, fields[part.column] as Sql);
    const mark = quoted ? '"' : '';
    pieces.push(raw(`'${open}${mark}'`), value);
    open = mark;
  });
  pieces.push(raw(`'${open}}'`));
  return inOnePiece(sql`${concat(pieces)} as "text"`);
}

/** One text of many; of more than a call takes, it is a call of calls. */
function concat(pieces: readonly Sql[]): Sql {
  if (pieces.length <= MOST_ARGUMENTS) return sql`concat(${join(pieces)})`;
  const calls: Sql[] = [];
  for (let at = 0; at < pieces.length; at += MOST_ARGUMENTS) {
    calls.push(concat(pieces.slice(at, at + MOST_ARGUMENTS)));
  }
  return concat(calls);
}

/** A name as JSON within a literal of SQL. Names are of records and of GraphQL. */
function literal(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a field.`);
  return `"${name}"`;
}

type Column = Exclude<Part, { constant: string }>;

/** A value as it stands in the text of its row, and whether in quotes: null is one that `concat` would leave out. */
function written({ kind, nullable }: Column, column: Sql): { value: Sql; quoted: boolean } {
  if (kind === 'quoted' && !nullable) return { value: column, quoted: true };
  const value = shown(kind, column);
  // Digits are no text yet, and JSON need not become one.
  const given = kind === 'digits' ? sql`(${value})::text` : value;
  return { value: nullable ? sql`coalesce(${given}, 'null')` : value, quoted: false };
}

function shown(kind: Column['kind'], column: Sql): Sql {
  if (kind === 'quoted') return sql`'"' || ${column} || '"'`;
  if (kind === 'text') return sql`to_json(${column})`;
  if (typeof kind !== 'object') return column;
  const names = Object.entries(kind).map(([stored, name]) => raw(`when '${stored}' then '${literal(name)}'`));
  return sql`case ${column} ${join(names, ' ')} else 'null' end`;
}

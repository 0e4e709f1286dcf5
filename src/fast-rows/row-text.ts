import { z } from 'zod';
import { type Fields, inOnePiece, join, type Sql, sql } from '../db/rows.ts';
import { type Column, columnParts, ROW_SEPARATOR, type RowForm, rowWriter, SEPARATOR } from './row-form.ts';

/** What `rowText` adds to a row. */
export const Written = z.object({ text: z.string() });

/** A call of PostgreSQL takes 100 arguments at the most, of which the first is the separator. */
const MAX_VALUES = 99;

/** How rows come that are gathered in one text: the text of one, and what makes JSON of each of several. */
export type RowTexts = { text: Sql; decode: (gathered: string) => string[] };

/**
 * A row as one text: its values strung together by PostgreSQL, and made JSON by `decode`. What comes so need not be read,
 * checked and written again for every value: 200 stake authorities with all fields took 4.3 ms of CPU as columns. The keys
 * are added here, since each costs PostgreSQL as much as a value. That the values are JSON, and what the record says, is for
 * the table: its types, `not null`, and that no figure is NaN or infinite; every writer checks the record.
 *
 * `texts` is for rows that `gather` puts in one text. What a row takes on its way, whatever is in it, is a good part of its
 * cost: the statement of 200 stake authorities took one caller a quarter less time so, that of 10 times 30 days a fifth.
 */
export function rowText(
  form: RowForm,
  fields: Fields<string>,
): { column: Sql; decode: (row: Record<string, unknown>) => void; texts: RowTexts } {
  const write = rowWriter(form);
  const values = columnParts(form).map((part) => value(part, fields[part.column] as Sql));
  const text = inOnePiece(values.length === 0 ? sql`''` : strung(values));
  return {
    column: inOnePiece(sql`${text} as "text"`),
    decode(row) {
      row.text = write(row.text as string);
    },
    texts: { text, decode: (gathered) => gathered.split(ROW_SEPARATOR).map(write) },
  };
}

/** The texts of rows as one, in the order in which they come; null where there are none. */
export const gather = (text: Sql): Sql => sql`string_agg(${text}, ${character(ROW_SEPARATOR)})`;

const character = (one: string) => sql([`chr(${one.charCodeAt(0)})`]);
const separator = character(SEPARATOR);

/** One text of many; of more than a call takes, it is a call of calls. */
function strung(values: readonly Sql[]): Sql {
  if (values.length <= MAX_VALUES) return sql`concat_ws(${separator}, ${join(values)})`;
  const calls: Sql[] = [];
  for (let at = 0; at < values.length; at += MAX_VALUES)
    calls.push(strung(values.slice(at, at + MAX_VALUES)));
  return strung(calls);
}

/** A value as it stands in the text of its row; null, which `concat_ws` would leave out, as nothing. */
function value({ kind, nullable }: Column, column: Sql): Sql {
  const shown = kind === 'text' ? sql`to_json(${column})` : column;
  return nullable ? sql`coalesce((${shown})::text, '')` : shown;
}

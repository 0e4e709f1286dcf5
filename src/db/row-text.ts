import { z } from 'zod';
import { type Column, columnParts, type RowForm, rowWriter, SEPARATOR } from '../kernel/row-form.ts';
import { type Fields, inOnePiece, join, type Sql, sql } from './rows.ts';

/** What `rowText` adds to a row. */
export const Written = z.object({ text: z.string() });

/** A call of PostgreSQL takes 100 arguments at the most, of which the first is the separator. */
const MOST_VALUES = 99;

/**
 * A row as one text: its values strung together by PostgreSQL, and made JSON by `decode`. What comes so need not be read,
 * checked and written again for every value: 200 stake authorities with all fields took 4.3 ms of CPU as columns. The keys
 * are added here, since each costs PostgreSQL as much as a value. That the values are JSON, and what the record says, is for
 * the table: its types, `not null`, and that no figure is NaN or infinite; every writer checks the record.
 */
export function rowText(
  form: RowForm,
  fields: Fields<string>,
): { column: Sql; decode: (row: Record<string, unknown>) => void } {
  const write = rowWriter(form);
  const values = columnParts(form).map((part) => value(part, fields[part.column] as Sql));
  return {
    column: inOnePiece(sql`${values.length === 0 ? sql`''` : strung(values)} as "text"`),
    decode(row) {
      row.text = write(row.text as string);
    },
  };
}

const separator = sql([`chr(${SEPARATOR.charCodeAt(0)})`]);

/** One text of many; of more than a call takes, it is a call of calls. */
function strung(values: readonly Sql[]): Sql {
  if (values.length <= MOST_VALUES) return sql`concat_ws(${separator}, ${join(values)})`;
  const calls: Sql[] = [];
  for (let at = 0; at < values.length; at += MOST_VALUES)
    calls.push(strung(values.slice(at, at + MOST_VALUES)));
  return strung(calls);
}

/** A value as it stands in the text of its row; null, which `concat_ws` would leave out, as nothing. */
function value({ kind, nullable }: Column, column: Sql): Sql {
  const shown = kind === 'text' ? sql`to_json(${column})` : column;
  return nullable ? sql`coalesce((${shown})::text, '')` : shown;
}

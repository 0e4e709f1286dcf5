import sql, { join, raw, type Sql } from 'sql-template-tag';
import { z } from 'zod';
import { quickCheck } from '../kernel/quick-check.ts';
import type { Queryable } from './pool.ts';

export type { Sql };
export { join, raw, sql };

/** A field's name on the wire and the SQL expression that gives it in its wire kind. */
export type Fields<Name extends string> = Record<Name, Sql>;

/** The select list of these fields, each under its own name. */
export const selectList = <Name extends string>(fields: Fields<Name>, names: readonly Name[]): Sql =>
  join(names.map((name) => sql`${fields[name]} as ${raw(`"${name}"`)}`));

/**
 * Runs a statement and checks every row. Nothing is coerced: a row that does not fit is a fault of ours, and it must show
 * here and not at a caller. `decode` brings a row into its kinds before, where the client cannot.
 */
export async function rows<T extends z.ZodType>(
  db: Queryable,
  row: T,
  statement: Sql,
  decode?: (row: Record<string, unknown>) => void,
): Promise<z.output<T>[]> {
  const text = statement.text;
  const result = await db.query({ text, values: statement.values });
  if (decode) result.rows.forEach(decode);
  const fits = quickCheck(row);
  if (result.rows.every(fits)) return result.rows as z.output<T>[];
  const checked = z.array(row).safeParse(result.rows);
  if (checked.success) return checked.data as z.output<T>[];
  const name = /\/\* (\w+) \*\//.exec(text)?.[1];
  throw new Error(`A row of ${name} does not fit: ${z.prettifyError(checked.error)}`);
}

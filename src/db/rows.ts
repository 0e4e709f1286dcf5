import sql, { join, raw, type Sql } from 'sql-template-tag';
import { z } from 'zod';
import type { Queryable } from './pool.ts';

export type { Sql };
export { join, raw, sql };

/** A field's name on the wire and the SQL expression that gives it in its wire kind. */
export type Fields<Name extends string> = Record<Name, Sql>;

/** The select list of these fields, each under its own name. */
export const selectList = <Name extends string>(fields: Fields<Name>, names: readonly Name[]): Sql =>
  join(names.map((name) => sql`${fields[name]} as ${raw(`"${name}"`)}`));

/**
 * Runs a statement and checks every row. zod checks and never coerces: a row that does not fit is a fault of ours,
 * and it must show here and not at a caller.
 */
export async function rows<T extends z.ZodType>(
  db: Queryable,
  row: T,
  statement: Sql,
): Promise<z.output<T>[]> {
  const result = await db.query({ text: statement.text, values: statement.values });
  const checked = arrayOf(row).safeParse(result.rows);
  if (checked.success) return checked.data as z.output<T>[];
  const name = /\/\* (\w+) \*\//.exec(statement.text)?.[1];
  throw new Error(`A row of ${name} does not fit: ${z.prettifyError(checked.error)}`);
}

const arrays = new WeakMap<z.ZodType, z.ZodArray>();
function arrayOf(row: z.ZodType): z.ZodArray {
  let array = arrays.get(row);
  if (!array) arrays.set(row, (array = z.array(row)));
  return array;
}

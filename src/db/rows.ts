import sql, { join, raw, Sql } from 'sql-template-tag';
import { z } from 'zod';
import type { Queryable } from './pool.ts';

export { join, raw, Sql, sql };

/** A field's name on the wire and the SQL expression that gives it in its wire kind. */
export type Fields<Name extends string> = Record<Name, Sql>;

/** A moment in UTC as it is shown. */
export const momentText = (moment: Sql): Sql => sql`to_char(${moment}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The same SQL in one piece, where it has no values: statements are put together of pieces at every call. */
export const inOnePiece = (statement: Sql): Sql =>
  statement.values.length === 0 ? raw(statement.sql) : statement;

/** The select list of these fields, each under its own name. */
export function selectList<Name extends string>(fields: Fields<Name>, names: readonly Name[]): Sql {
  return inOnePiece(join(names.map((name) => sql`${fields[name]} as ${raw(`"${name}"`)}`)));
}

export type KeyColumns<Key> = Record<string, readonly [type: string, value: (key: Key) => unknown]>;

/**
 * The keys that a statement is asked for as the table `k`, each with its place as `list`, from 1 on. A single key is a row
 * of values and no array: PostgreSQL takes the values into the conditions, and has no array to read. One summary took it
 * 180 µs of an array and takes 45 µs so.
 */
export function keyTable<Key>(keys: readonly Key[], columns: KeyColumns<Key>): Sql {
  const entries = Object.entries(columns);
  const [only] = keys;
  if (only !== undefined && keys.length === 1) {
    const texts = entries.map(([column, [type]]) => `::${type} as ${column}, `);
    const values = entries.map(([, [, value]]) => value(only));
    return new Sql(['(select ', ...texts.slice(0, -1), `${texts.at(-1)}1 as list) as k`], values);
  }
  const arrays = entries.map(([, [type, value]]) => sql`${keys.map(value)}::${raw(type)}[]`);
  const names = [...entries.map(([column]) => column), 'list'].join(', ');
  return sql`unnest(${join(arrays)}) with ordinality as k (${raw(names)})`;
}

/** Runs a statement and checks every row. `decode` brings a row into its kinds before, where the client cannot. */
export async function rows<T extends z.ZodType>(
  db: Queryable,
  row: T,
  { text, values }: { text: string; values: unknown[] },
  decode?: (row: Record<string, unknown>) => void,
): Promise<z.output<T>[]> {
  const found = (await db.query({ text, values })).rows;
  if (decode) found.forEach(decode);
  return checkRows(row, found, { text });
}

/**
 * Throws if a row of a statement does not match its schema. No value is coerced: such a row is a fault of ours, which must
 * show here and not at a caller.
 */
export function checkRows<T extends z.ZodType>(
  row: T,
  found: unknown[],
  { text }: { text: string },
): z.output<T>[] {
  for (const one of found) {
    const { error } = row.safeParse(one);
    if (!error) continue;
    const name = /\/\* (\w+) \*\//.exec(text)?.[1];
    throw new Error(`A row of ${name} does not fit: ${z.prettifyError(error)}`);
  }
  return found as z.output<T>[];
}

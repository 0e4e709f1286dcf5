import { raw, type Sql, sql } from '../rows.ts';

type Summaries = {
  table: string;
  key: readonly string[];
  /** Has the keys whose summaries differ in `column`. */
  renamed: string;
  /** The shortest first. */
  windows: readonly string[];
};

/**
 * SQL: a column of the current summary of `s` in its shortest stored window; that of `s` if none is stored any more. Lists
 * have this for each row, and nearly all rows have what their other windows have.
 */
export function inShortestWindow({ table, key, renamed, windows }: Summaries, column: string): Sql {
  const own = raw(`s.${column}`);
  const keyOf = (alias: string) => raw(key.map((name) => `${alias}.${name}`).join(', '));
  return sql`case when not s.superseded and (${keyOf('s')}) not in (select ${keyOf('r')} from ${raw(renamed)} r) then ${own}
    else (coalesce((
      select array[n.${raw(column)}] from ${raw(table)} n
      where ${raw(key.map((name) => `n.${name} = s.${name}`).join(' and '))} and not n.superseded
      order by ${placeOf(windows, 'n')} limit 1
    ), array[${own}]))[1] end`;
}

/** SQL to order by: the place of the window of a summary. */
export const placeOf = (windows: readonly string[], summary: string): Sql =>
  raw(`array_position('{${windows.join()}}'::text[], ${summary}.time_window)`);

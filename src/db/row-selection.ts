import type { z } from 'zod';
import { boundedMap } from '../kernel/bounded.ts';
import { type Asked, askedName, isForm } from '../kernel/row-form.ts';
import type { Queryable } from './pool.ts';
import { rowText, Written } from './row-text.ts';
import {
  type Fields,
  join,
  type KeyColumns,
  keyTable,
  raw,
  rows,
  type Sql,
  selectList,
  sql,
} from './rows.ts';
import { templates } from './templates.ts';

/** What a statement reads, and the check of its rows. */
type Selection<Row> = { columns: Sql; row: z.ZodType<Row> };

/**
 * What the statements of a ranked list read for what is asked, those used last kept: `keyed` of rows that are found by key,
 * which have what finds them too, `alone` of a row that is found by the only key, which has not where it is written, and
 * `ranked` of rows of a page, which have their place.
 */
export function rowSelections<Field extends string, KeyedRow, RankedRow>(of: {
  record: z.ZodObject;
  fields: Fields<Field>;
  /** Fields of the record that are a part of the key. */
  keyFields: readonly Field[];
  /** What else is a part of it, and is shown: its columns and their checks. */
  keyColumns: Fields<string>;
  key: z.ZodRawShape;
  /** The check of a row's place in its list. */
  place: z.ZodObject;
}) {
  const { fields, keyColumns, place } = of;
  const known = boundedMap<{
    keyed: Selection<KeyedRow>;
    alone: Selection<Partial<KeyedRow>>;
    ranked: Selection<RankedRow>;
  }>(500);
  return (asked: Asked<Field>) => {
    const name = askedName(asked);
    const kept = known.get(name);
    if (kept) return kept;
    const names = [...new Set<Field>([...of.keyFields, ...(isForm(asked) ? [] : asked)])].sort();
    const mask = Object.fromEntries(names.map((field) => [field, true])) as Record<never, never>;
    const columns = sql`${selectList(keyColumns, Object.keys(keyColumns))}, ${selectList(fields, names)}`;
    const row = of.record.pick(mask).extend(of.key);
    const text = isForm(asked) ? rowText(asked, { ...fields, ...keyColumns }) : undefined;
    const keyed = text
      ? { columns: join([columns, text]), row: row.extend(Written.shape) }
      : { columns, row };
    const made = {
      keyed,
      alone: text ? { columns: text, row: Written } : keyed,
      ranked: text
        ? { columns: text, row: place.extend(Written.shape) }
        : { columns, row: row.extend(place.shape) },
    } as unknown as NonNullable<typeof kept>;
    known.set(name, made);
    return made;
  };
}

/**
 * Reads the summaries of a ranked list by their keys, in no particular order; keys without a row are absent. `columns` are
 * those of the key in `table`, and `statement` names what is asked.
 */
export function summariesByKey<Key extends object, Field extends string, Row extends Key>(of: {
  statement: string;
  table: string;
  columns: KeyColumns<Key>;
  selection: (asked: Asked<Field>) => { keyed: Selection<Row>; alone: Selection<Partial<Row>> };
}) {
  const statements = templates<readonly Key[]>();
  const [name, table] = [raw(`/* ${of.statement} */`), raw(of.table)];
  const using = raw(Object.keys(of.columns).join(', '));
  return async (db: Queryable, keys: readonly Key[], asked: Asked<Field>): Promise<Row[]> => {
    const { keyed, alone } = of.selection(asked);
    const only = keys.length === 1 ? keys[0] : undefined;
    const read = only ? alone : keyed;
    const statement = statements(
      read,
      `${only === undefined}`,
      keys,
      (value) => sql`${name}
      select ${read.columns}
      from ${keyTable(keys, of.columns, value)} join ${table} s using (${using})
      where not s.superseded`,
    );
    const found = await rows(db, read.row, statement);
    return (only ? found.map((row) => ({ ...only, ...row })) : found) as Row[];
  };
}

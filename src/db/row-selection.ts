import type { z } from 'zod';
import { boundedMap } from '../kernel/bounded.ts';
import { type Asked, askedName, isForm } from '../kernel/row-form.ts';
import { rowText, Written } from './row-text.ts';
import { type Fields, join, type Sql, selectList, sql } from './rows.ts';

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
    const made = {
      alone: text ? { columns: text, row: Written } : { columns, row },
      keyed: text ? { columns: join([columns, text]), row: row.extend(Written.shape) } : { columns, row },
      ranked: text
        ? { columns: text, row: place.extend(Written.shape) }
        : { columns, row: row.extend(place.shape) },
    } as unknown as NonNullable<typeof kept>;
    known.set(name, made);
    return made;
  };
}

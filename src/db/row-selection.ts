import { z } from 'zod';
import { boundedMap } from '../kernel/bounded.ts';
import { count } from '../kernel/leaves.ts';
import { type Asked, askedName, isForm } from '../kernel/row-form.ts';
import { rowText, Written } from './row-text.ts';
import { type Fields, join, raw, type Sql, selectList, sql } from './rows.ts';

/** What a statement reads, what is made of each row where it comes as a text, and the check of its rows. */
type Selection<Row> = {
  columns: Sql;
  row: z.ZodType<Row>;
  decode?: ((row: Record<string, unknown>) => void) | undefined;
};

/** Of rows that are found by key: `keyed` has what finds them too, and `alone`, by the only key, not where it is written. */
export type KeyedSelection<Row> = { keyed: Selection<Row>; alone: Selection<Partial<Row>> };

/** Of rows of a page, which have their rank; `none` is a null for each column. */
export type RankedSelection<Row> = { ranked: Selection<Row & Ranked> & { none: Sql } };

const Ranked = z.object({ rank: count() });
type Ranked = z.infer<typeof Ranked>;

/** What the statements of a ranked list read for what is asked, those used last kept. */
export function rowSelections<Field extends string, Row>(of: {
  record: z.ZodObject;
  fields: Fields<Field>;
  /** Fields of the record that are a part of the key. */
  keyFields: readonly Field[];
  /** What else is a part of it, and is shown: its columns and their checks. */
  keyColumns: Fields<string>;
  key: z.ZodRawShape;
}) {
  const { fields, keyColumns } = of;
  const known = boundedMap<KeyedSelection<Row> & RankedSelection<Row>>(500);
  return (asked: Asked<Field>) => {
    const name = askedName(asked);
    const kept = known.get(name);
    if (kept) return kept;
    const names = [...new Set<Field>([...of.keyFields, ...(isForm(asked) ? [] : asked)])].sort();
    const mask = Object.fromEntries(names.map((field) => [field, true])) as Record<never, never>;
    const columns = sql`${selectList(keyColumns, Object.keys(keyColumns))}, ${selectList(fields, names)}`;
    const row = of.record.pick(mask).extend(of.key);
    const text = isForm(asked) ? rowText(asked, { ...fields, ...keyColumns }) : undefined;
    const decode = text?.decode;
    const keyed = text
      ? { columns: join([columns, text.column]), row: row.extend(Written.shape), decode }
      : { columns, row };
    const shown = text ? { columns: text.column, row: Written, decode } : keyed;
    const width = Object.keys(shown.row.shape).length;
    const none = raw(new Array(width).fill('null').join(', '));
    const ranked = { columns: shown.columns, none, row: Ranked.extend(shown.row.shape), decode };
    const made = { keyed, alone: shown, ranked } as unknown as NonNullable<typeof kept>;
    known.set(name, made);
    return made;
  };
}

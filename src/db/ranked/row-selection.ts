import { z } from 'zod';
import { type Asked, askedName, isForm, type RowForm } from '../../fast-rows/row-form.ts';
import { type RowTexts, rowText, Written } from '../../fast-rows/row-text.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { count } from '../../kernel/leaves.ts';
import { type Fields, join, raw, type Sql, selectList, sql } from '../rows.ts';

/** What a statement reads, what is made of each row where it comes as a text, and the check of its rows. */
type Selection<Row> = {
  columns: Sql;
  row: z.ZodType<Row>;
  decode?: ((row: Record<string, unknown>) => void) | undefined;
};

/** Of rows that are found by key: `keyed` has what finds them too, and `alone`, by the only key, not where it is written. */
export type KeyedSelection<Row> = { keyed: Selection<Row>; alone: Selection<Partial<Row>> };

/** Of rows of a page: those with their rank, of which `none` is a null for each column; or the texts of rows in a form. */
export type RankedSelection<Row> = { ranked: (Selection<Row & Ranked> & { none: Sql }) | RowTexts };

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
    const made = (
      isForm(asked) ? written(asked, { ...fields, ...keyColumns }, { columns, row }) : plain({ columns, row })
    ) as NonNullable<typeof kept>;
    known.set(name, made);
    return made;
  };
}

type Columns = { columns: Sql; row: z.ZodObject };

function plain(keyed: Columns) {
  const none = raw(Object.keys(keyed.row.shape).fill('null').join(', '));
  return { keyed, alone: keyed, ranked: { ...keyed, none, row: Ranked.extend(keyed.row.shape) } };
}

function written(form: RowForm, fields: Fields<string>, { columns, row }: Columns) {
  const { column, decode, texts } = rowText(form, fields);
  return {
    keyed: { columns: join([columns, column]), row: row.extend(Written.shape), decode },
    alone: { columns: column, row: Written, decode },
    ranked: texts,
  };
}

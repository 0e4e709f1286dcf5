import { hash } from 'node:crypto';
import { z } from 'zod';
import { JsonText, jsonList } from './json-text.ts';
import { isNullable, leafOf, unwrap } from './leaves.ts';

/**
 * How a value stands in JSON: `digits` as they are, `quoted` digits, dates or names, `text` with what JSON escapes and also
 * true and false, `json` as it is stored; or a text of a few, by other names.
 */
type Kind = 'digits' | 'quoted' | 'text' | 'json' | Readonly<Record<string, string>>;

/** One key of a written row: the column that it shows, or what it always is. */
export type Part =
  | { key: string; column: string; kind: Kind; nullable: boolean }
  | { key: string; constant: string };

/**
 * What a row looks like as JSON, for PostgreSQL to write it (`db/row-text.ts`): REST has one for each record, GraphQL one for
 * each selection of plain fields.
 */
export type RowForm = {
  /** The same for forms that are alike, and for no others. */
  name: string;
  parts: readonly Part[];
};

/** The fields that are asked of rows: so many columns, or all in one text. */
export type Asked<Field extends string> = readonly Field[] | RowForm;

export const isForm = (asked: Asked<string>): asked is RowForm => 'parts' in asked;

/** Tells apart what is asked. */
export const askedName = (asked: Asked<string>): string => (isForm(asked) ? asked.name : asked.join());

/** The columns that are read for what is asked. */
export const columnsOf = <Field extends string>(asked: Asked<Field>): readonly Field[] =>
  isForm(asked) ? asked.parts.flatMap((part) => ('column' in part ? [part.column as Field] : [])) : asked;

export const rowForm = (parts: readonly Part[]): RowForm => ({
  name: hash('sha256', JSON.stringify(parts), 'base64url'), // short: loaders are found by it at every call
  parts,
});

const forms = new WeakMap<z.ZodObject, RowForm>();

/** The form of a record in REST: every field, in its order. */
export function recordForm(record: z.ZodObject): RowForm {
  let form = forms.get(record);
  if (!form) {
    const parts = Object.entries(record.shape).map(([key, schema]) => ({
      key,
      column: key,
      kind: kindOf(unwrap(schema as z.ZodType)),
      nullable: isNullable(schema as z.ZodType),
    }));
    forms.set(record, (form = rowForm(parts)));
  }
  return form;
}

function kindOf(schema: z.core.$ZodType): Kind {
  const leaf = leafOf(schema);
  if (!leaf) return schema instanceof z.ZodEnum ? 'quoted' : 'json';
  if (leaf.raw || leaf.kind === 'Int' || leaf.kind === 'Float') return 'digits';
  return leaf.kind === 'String' || leaf.kind === 'Boolean' ? 'text' : 'quoted';
}

/** A row as PostgreSQL has written it. */
type WrittenRow = { text: string };
const isWritten = (row: object): row is WrittenRow => 'text' in row;

/** A row for an answer of REST, in its form where it is written; a row of columns stays what it is. */
export const writtenRow = <Shown>(row: object): Shown =>
  (isWritten(row) ? new JsonText([row.text], 1) : row) as Shown;

/** The same for a list of rows. */
export const writtenRows = <Shown>(rows: readonly object[]): Shown[] =>
  (rows.every(isWritten) ? jsonList(rows.map(({ text }) => text)) : rows) as Shown[];

/** A row in a form: as it was written, or written now, which private sets need: their rows are gathered. */
export function textOfRow(row: object, form: RowForm): string {
  if (isWritten(row)) return row.text;
  let out = '';
  for (const part of form.parts) {
    const value =
      'constant' in part ? `"${part.constant}"` : valueText(part.kind, (row as never)[part.column]);
    out += `${out === '' ? '{' : ','}"${part.key}":${value}`;
  }
  return `${out}}`;
}

function valueText(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof kind === 'object') return JSON.stringify(kind[value as string]);
  return kind === 'digits' ? String(value) : JSON.stringify(value);
}

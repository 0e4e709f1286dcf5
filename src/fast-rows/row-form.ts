import { hash } from 'node:crypto';
import { z } from 'zod';
import { doubleOfPostgres, doubleText } from '../kernel/double.ts';
import { JsonText, jsonList } from '../kernel/json-text.ts';
import { isNullable, leafOf, unwrap } from '../kernel/leaves.ts';

/**
 * How a value is written in JSON: `digits` unchanged, `double` by `doubleText`, `quoted` for digits, dates or names, `text` with
 * escapes and also for true and false, `json` as it is stored; or by a map from stored values to texts.
 */
type Kind = 'digits' | 'double' | 'quoted' | 'text' | 'json' | Readonly<Record<string, string>>;

/** A key that shows a column. */
export type Column = { key: string; column: string; kind: Kind; nullable: boolean };

/** One key of a written row: the column that it shows, or what it always is. */
export type Part = Column | { key: string; constant: string };

/**
 * What a row looks like as JSON that is written of a text in which PostgreSQL has strung its values together
 * (`fast-rows/row-text.ts`): REST has one for each record, GraphQL one for each selection of plain fields.
 */
export type RowForm = {
  /** The same for forms that are alike, and for no others. */
  name: string;
  parts: readonly Part[];
};

/** Stands between the values of a row in one text. JSON has it nowhere: in its texts it is escaped. */
export const SEPARATOR = '\u0001';
/** The same between rows. */
export const ROW_SEPARATOR = '\u0002';

/** The fields that are asked of rows: so many columns, or all in one text. */
export type Asked<Field extends string> = readonly Field[] | RowForm;

export const isForm = (asked: Asked<string>): asked is RowForm => 'parts' in asked;

/** Tells apart what is asked. */
export const askedName = (asked: Asked<string>): string => (isForm(asked) ? asked.name : asked.join());

/** The keys of a form that show columns. */
export const columnParts = (form: RowForm): Column[] => form.parts.filter((part) => 'column' in part);

/** The columns that are read for what is asked. */
export const columnsOf = <Field extends string>(asked: Asked<Field>): readonly Field[] =>
  isForm(asked) ? columnParts(asked).map(({ column }) => column as Field) : asked;

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
  if (leaf.kind === 'Float') return 'double';
  if (leaf.raw || leaf.kind === 'Int') return 'digits';
  return leaf.kind === 'String' || leaf.kind === 'Boolean' ? 'text' : 'quoted';
}

/**
 * Makes what writes a row of a form as JSON, of its values in one text. Throws where a value is missing against its record, or
 * is none of those that it may be.
 */
export function rowWriter(form: RowForm): (text: string) => string {
  const columns = columnParts(form);
  const around = textsAround(form.parts);
  const shown = columns.map(showing);
  const size = columns.length;
  return (text) => {
    const values = size === 0 ? [] : text.split(SEPARATOR);
    if (values.length !== size)
      throw new Error(`${values.length} values for ${columnsOf(form).join()}: one of them is null.`);
    const pieces = new Array<string>(2 * size + 1);
    for (let at = 0; at < size; at += 1) {
      const value = values[at] as string;
      const show = shown[at];
      const json = show ? show(value) : value;
      if (!json) throw new Error(`${columns[at]?.column} is ${JSON.stringify(value)}, which it cannot be.`);
      pieces[2 * at] = around[at] as string;
      pieces[2 * at + 1] = json;
    }
    pieces[2 * size] = around[size] as string;
    return pieces.join('');
  };
}

/** The JSON around the values of a row. */
function textsAround(parts: readonly Part[]): string[] {
  const texts: string[] = [];
  let open = '{';
  for (const [index, part] of parts.entries()) {
    open += `${index > 0 ? ',' : ''}${JSON.stringify(part.key)}:`;
    if ('constant' in part) {
      open += JSON.stringify(part.constant);
      continue;
    }
    const mark = part.kind === 'quoted' && !part.nullable ? '"' : '';
    texts.push(open + mark);
    open = mark;
  }
  return [...texts, `${open}}`];
}

/** How a value stands in its row; undefined where it does as it came. An empty one is null. */
function showing({ kind, nullable }: Column): ((value: string) => string | undefined) | undefined {
  const none = nullable ? 'null' : undefined;
  if (typeof kind === 'object') {
    const names = new Map(Object.entries(kind).map(([value, name]) => [value, JSON.stringify(name)]));
    return (value) => (value === '' ? none : names.get(value));
  }
  if (kind === 'double') return (value) => (value === '' ? none : doubleOfPostgres(value));
  if (!nullable) return undefined;
  return kind === 'quoted' ? (value) => (value === '' ? none : `"${value}"`) : (value) => value || none;
}

/** A row that is written. */
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
  if (kind === 'double') return doubleText(value as number);
  return kind === 'digits' ? String(value) : JSON.stringify(value);
}

import { hash } from 'node:crypto';
import { z } from 'zod';
import { doubleText } from '../kernel/json-text.ts';
import * as Leaf from '../kernel/leaves.ts';

/**
 * `quoted` is a string without characters to escape, such as a date; `text` may contain such characters. `json` is
 * stored in response form. `rounded` is a decimal that becomes a double. An object maps stored values to enum names.
 */
type Kind = 'digits' | 'double' | 'rounded' | 'quoted' | 'text' | 'json' | Readonly<Record<string, string>>;

export type Column = {
  key: string;
  column: string;
  kind: Kind;
  nullable: boolean;
  /** Keys within `json` whose values are stored as text and become JSON numbers. */
  numbers?: readonly string[] | undefined;
  /** A key within `json` whose name changes and whose value becomes a double. */
  renamed?: { from: string; to: string } | undefined;
};

/** `parts` become an object, or null if the row has no summary. */
export type LayoutPart =
  | Column
  | { key: string; constant: string }
  | { key: string; parts: readonly LayoutPart[] };

const columnsOf = (parts: readonly LayoutPart[]): Column[] =>
  parts.flatMap((part) => ('parts' in part ? columnsOf(part.parts) : 'column' in part ? [part] : []));

export class RowLayout {
  readonly parts: readonly LayoutPart[];
  readonly columns: readonly Column[];
  readonly name: string;

  constructor(parts: readonly LayoutPart[]) {
    this.parts = parts;
    this.columns = columnsOf(parts);
    this.name = hash('sha256', JSON.stringify(parts), 'base64url');
  }

  /** Batching compares selections as JSON. */
  toJSON(): string {
    return this.name;
  }
}

export type Selection<Field extends string> = readonly Field[] | RowLayout;

/** Never part of a value, because JSON escapes control characters. */
export const SEPARATOR = '\u0001';
export const ROW_SEPARATOR = '\u0002';

const layouts = new WeakMap<z.ZodObject, RowLayout>();

export function recordLayout(record: z.ZodObject): RowLayout {
  let layout = layouts.get(record);
  if (!layout) {
    const parts = Object.entries(record.shape).map(([key, schema]): Column => {
      const inner = Leaf.unwrap(schema as z.ZodType);
      const nullable = Leaf.isNullable(schema as z.ZodType);
      return { key, column: key, kind: kindOf(inner), nullable, numbers: numbersIn(inner) };
    });
    layouts.set(record, (layout = new RowLayout(parts)));
  }
  return layout;
}

function kindOf(schema: z.core.$ZodType): Kind {
  const leaf = Leaf.leafOf(schema);
  if (!leaf) return schema instanceof z.ZodEnum ? 'quoted' : 'json';
  if (leaf.kind === 'Float') return 'double';
  if (leaf.raw || leaf.kind === 'Int') return 'digits';
  return leaf.kind === 'String' || leaf.kind === 'Boolean' ? 'text' : 'quoted';
}

function numbersIn(schema: z.core.$ZodType): string[] | undefined {
  if (!(schema instanceof z.ZodArray && schema.element instanceof z.ZodObject)) return undefined;
  const keys = Object.entries(schema.element.shape).filter(
    ([, field]) => Leaf.leafOf(field as z.ZodType)?.raw,
  );
  return keys.length > 0 ? keys.map(([key]) => key) : undefined;
}

export function rowSerializer({ parts, columns }: RowLayout): (text: string) => string {
  const around = textsAround(parts);
  const shown = columns.map(serializerOf);
  const size = columns.length;
  return (text) => {
    const values = size === 0 ? [] : text.split(SEPARATOR);
    if (values.length !== size)
      throw new Error(
        `${values.length} values for ${columns.map(({ column }) => column).join()}: one of them is null.`,
      );
    const chunks = new Array<string>(2 * size + 1);
    for (let at = 0; at < size; at += 1) {
      const value = values[at] as string;
      const show = shown[at];
      const json = show ? show(value) : value;
      if (!json) throw new Error(`${columns[at]?.column} is ${JSON.stringify(value)}, which it cannot be.`);
      chunks[2 * at] = around[at] as string;
      chunks[2 * at + 1] = json;
    }
    chunks[2 * size] = around[size] as string;
    return chunks.join('');
  };
}

function textsAround(parts: readonly LayoutPart[]): string[] {
  const texts: string[] = [];
  let open = '';
  const addObject = (members: readonly LayoutPart[]) => {
    open += '{';
    for (const [index, part] of members.entries()) {
      open += `${index > 0 ? ',' : ''}${JSON.stringify(part.key)}:`;
      if ('constant' in part) open += JSON.stringify(part.constant);
      else if ('parts' in part) addObject(part.parts);
      else {
        const mark = part.kind === 'quoted' && !part.nullable ? '"' : '';
        texts.push(open + mark);
        open = mark;
      }
    }
    open += '}';
  };
  addObject(parts);
  return [...texts, open];
}

/** Returns undefined if values need no change. An empty text means null. */
function serializerOf({
  kind,
  nullable,
  numbers,
  renamed,
}: Column): ((value: string) => string | undefined) | undefined {
  const none = nullable ? 'null' : undefined;
  if (typeof kind === 'object') {
    const names = new Map(Object.entries(kind).map(([value, name]) => [value, JSON.stringify(name)]));
    return (value) => (value === '' ? none : names.get(value));
  }
  if (kind === 'rounded') return (value) => (value === '' ? none : doubleText(Number(value)));
  if (kind === 'double')
    return (value) => {
      if (value === '') return none;
      // PostgreSQL writes integers without a point, and exponents from 1e15.
      return value.includes('.') && !value.includes('+') ? value : doubleText(Number(value));
    };
  if (renamed) {
    const shown = withRenamed(renamed);
    return (value) => shown(value) || none;
  }
  if (numbers) {
    // JSON escapes quotes within a text, so only a key can match.
    const quoted = new RegExp(`"(${numbers.join('|')})":"(-?[\\d.]+)"`, 'g');
    return (value) => value.replace(quoted, '"$1":$2') || none;
  }
  if (!nullable) return undefined;
  return kind === 'quoted' ? (value) => (value === '' ? none : `"${value}"`) : (value) => value || none;
}

/** Digits after 0.1 to 0.9 that are no more than a double has, and do not end with 0, are those of the double. */
const OF_DOUBLE = /^0\.[1-9]\d{0,13}$/;

function withRenamed({ from, to }: { from: string; to: string }): (value: string) => string {
  // JSON escapes quotes within a text, so only a key can match.
  const [stored, shown] = [`"${from}":`, `"${to}":`];
  return (value) => {
    const [first, ...others] = value.split(stored);
    let json = first as string;
    for (const other of others) {
      const end = other.startsWith('"') ? other.indexOf('"', 1) : 0;
      const digits = other.slice(1, Math.max(1, end));
      const isDouble = digits === '' || (OF_DOUBLE.test(digits) && !digits.endsWith('0'));
      json += shown + (isDouble ? digits : doubleText(Number(digits))) + other.slice(end > 0 ? end + 1 : 0);
    }
    return json;
  };
}

export function serializeRow(row: object, { parts }: { parts: readonly LayoutPart[] }): string {
  let json = '';
  for (const part of parts) {
    json += `${json === '' ? '{' : ','}"${part.key}":${jsonValue(row, part)}`;
  }
  return `${json}}`;
}

function jsonValue(row: object, part: LayoutPart): string {
  if ('constant' in part) return `"${part.constant}"`;
  if ('parts' in part) return 'timeWindow' in row ? serializeRow(row, part) : 'null';
  const value = (row as never)[part.column] as unknown;
  const { renamed } = part;
  if (renamed && Array.isArray(value)) {
    const { from, to } = renamed;
    const shown = value.map(({ [from]: ratio, ...rest }) => ({ ...rest, [to]: Number(ratio) }));
    return jsonOf(part.kind, shown);
  }
  return jsonOf(part.kind, value);
}

function jsonOf(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof kind === 'object') return JSON.stringify(kind[value as string]);
  if (kind === 'double' || kind === 'rounded') return doubleText(Number(value));
  if (kind === 'json') return `[${(value as object[]).map(objectText).join()}]`;
  return kind === 'digits' ? String(value) : JSON.stringify(value);
}

/** All numbers are doubles. */
const objectText = (value: object): string =>
  `{${Object.entries(value)
    .map(([key, part]) => `"${key}":${typeof part === 'number' ? doubleText(part) : JSON.stringify(part)}`)
    .join()}}`;

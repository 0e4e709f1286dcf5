import { z } from 'zod';
import { type Fields, inOnePiece, join, type Sql, selectList, sql } from '../db/rows.ts';
import { boundedMap } from '../kernel/bounded.ts';
import {
  type Column,
  ROW_SEPARATOR,
  RowLayout,
  rowSerializer,
  SEPARATOR,
  type Selection,
} from './row-layout.ts';

export type Readable = { record: z.ZodObject; fields: Fields<string> };

export type RowReader = {
  names: readonly string[];
  columns: Sql;
  row: z.ZodObject;
  decode?: (row: Record<string, unknown>) => void;
  texts?: { text: Sql; gather: (text: Sql) => Sql; decode: (gathered: string) => string[] };
};

const known = new WeakMap<Readable, ReturnType<typeof boundedMap<RowReader>>>();

export function columnsOrText<Field extends string>(
  selection: Selection<Field>,
  of: Readable,
  keys: readonly string[] = [],
): RowReader {
  let readers = known.get(of);
  if (!readers) known.set(of, (readers = boundedMap<RowReader>(500)));
  const name = `${selection instanceof RowLayout ? selection.name : selection} ${keys}`;
  let reader = readers.get(name);
  if (!reader) {
    reader =
      selection instanceof RowLayout
        ? readText(selection, of, keys)
        : readColumns(of, [...new Set<string>([...keys, ...selection])]);
    readers.set(name, reader);
  }
  return reader;
}

function readColumns({ record, fields }: Readable, names: readonly string[]): RowReader {
  const mask = Object.fromEntries(names.map((name) => [name, true as const]));
  return { names, columns: selectList(fields, names), row: record.pick(mask as Record<never, never>) };
}

/**
 * PostgreSQL returns only values, and `decode` adds the JSON keys, because a key would take PostgreSQL as long as a
 * value. Values are not checked, because the constraints of the tables suffice. Several rows in one text make a
 * statement a quarter cheaper.
 */
function readText(layout: RowLayout, of: Readable, keys: readonly string[]): RowReader {
  const serialize = rowSerializer(layout);
  const values = layout.columns.map((column) => value(column, of.fields[column.column] as Sql));
  const text = inOnePiece(values.length === 0 ? sql`''` : joined(values));
  const found = readColumns(of, keys);
  return {
    names: [...new Set([...keys, ...layout.columns.map(({ column }) => column)])],
    columns: inOnePiece(join([...(keys.length > 0 ? [found.columns] : []), sql`${text} as "text"`])),
    row: found.row.extend({ text: z.string() }),
    decode(row) {
      row.text = serialize(row.text as string);
    },
    texts: { text, gather, decode: (gathered) => gathered.split(ROW_SEPARATOR).map(serialize) },
  };
}

const character = (one: string) => sql([`chr(${one.charCodeAt(0)})`]);
const separator = character(SEPARATOR);
const rowSeparator = character(ROW_SEPARATOR);

const gather = (text: Sql): Sql => sql`string_agg(${text}, ${rowSeparator})`;

/** PostgreSQL functions accept 100 arguments; the separator is one of them. */
const MAX_VALUES = 99;

function joined(values: readonly Sql[]): Sql {
  if (values.length <= MAX_VALUES) return sql`concat_ws(${separator}, ${join(values)})`;
  const calls: Sql[] = [];
  for (let at = 0; at < values.length; at += MAX_VALUES)
    calls.push(joined(values.slice(at, at + MAX_VALUES)));
  return joined(calls);
}

/** Null becomes an empty text, because `concat_ws` skips null. */
function value({ kind, nullable }: Column, column: Sql): Sql {
  const shown = kind === 'text' ? sql`to_json(${column})` : column;
  return nullable ? sql`coalesce((${shown})::text, '')` : shown;
}

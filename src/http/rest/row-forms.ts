import { LosslessNumber, parse, stringify } from 'lossless-json';
import Negotiator from 'negotiator';
import { z } from 'zod';
import { boundedMap } from '../../kernel/bounded.ts';
import { jsonWriter } from '../../kernel/json.ts';
import { JsonText } from '../../kernel/json-text.ts';

export type Form = 'csv' | 'ndjson';

const types: Record<string, Form | undefined> = {
  'application/json': undefined,
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};
export const formTypes: Record<Form, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Parameters other than `q`, by which Negotiator would not find a type without them. */
const PARAMETERS = /;\s*(?!q\s*=)[^\s;,="]+\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;

const known = boundedMap<{ form: Form | undefined }>(500);

/** Undefined means JSON. JSON is the default, and wins if `q` is equal. */
export function formOf(accept: string | undefined): Form | undefined {
  if (accept === undefined || !/csv|ndjson|text\/\*/i.test(accept)) return undefined;
  let read = known.get(accept);
  if (!read) {
    const plain = accept.replace(PARAMETERS, '');
    const [best = ''] = new Negotiator({ headers: { accept: plain } }).mediaTypes(Object.keys(types));
    known.set(accept, (read = { form: types[best] }));
  }
  return read.form;
}

export type List = {
  record: z.ZodObject;
  rowsOf(body: unknown): string[];
};

export function listOf(reply: z.ZodType): List | undefined {
  const key =
    reply instanceof z.ZodObject ? ['data', 'results'].find((name) => name in reply.shape) : undefined;
  const list = key ? (reply as z.ZodObject).shape[key] : reply;
  if (!(list instanceof z.ZodArray && list.element instanceof z.ZodObject)) return undefined;
  const record = list.element;
  const write = jsonWriter(record);
  return {
    record,
    rowsOf(body) {
      const rows = key ? (body as Record<string, unknown>)[key] : body;
      if (rows instanceof JsonText) return rows.texts();
      return (rows as unknown[]).map((row) => write(row).join(''));
    },
  };
}

/** Quotes empty text, to tell it from null (RFC 4180). */
const quotedCell = (text: string): string =>
  text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function cellOf(value: unknown): string {
  if (value == null) return '';
  if (typeof value === 'string') return quotedCell(value);
  if (value instanceof LosslessNumber || typeof value !== 'object') return String(value);
  return quotedCell(stringify(value) as string);
}

const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

export function linesOf(form: Form, { record }: List, rows: readonly string[], first: boolean): string {
  if (form === 'ndjson') return rows.map((row) => `${row}\n`).join('');
  const names = Object.keys(record.shape);
  const head = first ? csvLine(names.map(quotedCell)) : '';
  const lines = rows.map((row) => {
    const values = parse(row) as Record<string, unknown>;
    return csvLine(names.map((name) => cellOf(values[name])));
  });
  return head + lines.join('');
}

import { LosslessNumber, parse, stringify } from 'lossless-json';
import { z } from 'zod';
import { jsonWriter } from '../../kernel/json.ts';
import { JsonText } from '../../kernel/json-text.ts';
import { mediaRanges, preferredType } from '../../kernel/media-types.ts';

/** `csvForExcel` begins with a byte order mark, without which Excel does not read UTF-8. */
export type Form = 'csv' | 'csvForExcel' | 'ndjson';

const types: Record<string, Form | undefined> = {
  'application/json': undefined,
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};
const CSV = 'text/csv; charset=utf-8; header=present';
export const formTypes: Record<Form, string> = {
  csv: CSV,
  csvForExcel: CSV,
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Undefined means JSON, which is the default, and the first of types of equal weight that one wildcard names. */
export function formOf(accept: string | undefined): Form | undefined {
  if (accept === undefined || !/csv|ndjson|text\/\*/i.test(accept)) return undefined;
  const best = preferredType(mediaRanges(accept), Object.keys(types));
  const form = best && types[best.type];
  return form === 'csv' && /^true$/i.test(best?.parameters.bom ?? '') ? 'csvForExcel' : form;
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

const BYTE_ORDER_MARK = '\ufeff';

export function linesOf(form: Form, { record }: List, rows: readonly string[], first: boolean): string {
  if (form === 'ndjson') return rows.map((row) => `${row}\n`).join('');
  const names = Object.keys(record.shape);
  const mark = form === 'csvForExcel' ? BYTE_ORDER_MARK : '';
  const head = first ? mark + csvLine(names.map(quotedCell)) : '';
  const lines = rows.map((row) => {
    const values = parse(row) as Record<string, unknown>;
    return csvLine(names.map((name) => cellOf(values[name])));
  });
  return head + lines.join('');
}

import { LosslessNumber, parse } from 'lossless-json';
import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { cellsOf, recordEnd } from './csv-records.ts';
import { lineRows, type RawRow, type Records, SourceError } from './source.ts';

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const DIGITS = /^-?\d+$/;

type Read = (text: string) => unknown;

/** Invalid values stay text, so that the check reports them. */
function cellReader(field: z.core.$ZodType): Read {
  const inner = Leaf.unwrap(field);
  const kind = Leaf.leafOf(inner)?.kind;
  const read: Read =
    inner instanceof z.ZodArray || inner instanceof z.ZodObject
      ? readJson
      : kind === 'Boolean'
        ? (text) => (/^(t|f|true|false)$/i.test(text) ? /^t/i.test(text) : text)
        : kind === 'Int' || kind === 'Float'
          ? (text) => (NUMBER.test(text) ? Number(text) : text)
          : kind === 'BigInt'
            ? (text) => (NUMBER.test(text) && !DIGITS.test(text) ? new LosslessNumber(text) : text)
            : (text) => text; // decimals stay text, which keeps all digits
  return (text) => (text === '' ? null : read(text));
}

function readJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function checkedHeader(name: string, record: string[], shape: z.ZodObject): string[] {
  const header = record.map((column) => column.trim());
  const known = Object.keys(shape.shape);
  const unknown = header.filter((column) => !known.includes(column));
  const twice = header.find((column, index) => header.indexOf(column) !== index);
  if (unknown.length > 0) {
    const names = unknown.map((column) => JSON.stringify(column.slice(0, 64))).join(', ');
    const separator = record.length === 1 && /[;\t]/.test(header[0] as string);
    throw new SourceError(
      `${name}: the header names ${names}; ${separator ? 'cells are separated by commas, and ' : ''}columns are ${known.join(', ')}.`,
    );
  }
  if (twice) throw new SourceError(`${name}: the header names ${twice} twice.`);
  return header;
}

/** RFC 4180 with a header; columns may be absent. */
export function csvRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  shape: z.ZodObject,
): AsyncGenerator<Records> {
  let columns: string[] | undefined;
  let reads: Read[] = [];
  const begin = (cells: string[]) => {
    columns = checkedHeader(name, cells, shape);
    reads = columns.map((column) => cellReader(shape.shape[column] as z.core.$ZodType));
  };
  const rowOf = (record: string, place: number): RawRow | undefined => {
    const text = record.endsWith('\r') ? record.slice(0, -1) : record;
    if (text === '') return undefined;
    const cells = cellsOf(name, text, place);
    if (!columns) return void begin(cells);
    if (cells.length !== columns.length) {
      const msg = `has ${cells.length} cells, but the header has ${columns.length}`;
      return { value: undefined, place, broken: { text: JSON.stringify(cells), msg } };
    }
    const value: Record<string, unknown> = {};
    for (let index = 0; index < cells.length; index += 1)
      value[columns[index] as string] = reads[index]?.(cells[index] as string);
    return { value, place };
  };
  return lineRows(name, chunks, {
    ...{ rowOf, end: recordEnd, endless: 'a quote may not be closed' },
    layout: () => ({ columns: columns ?? [] }),
  });
}

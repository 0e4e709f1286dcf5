import { CsvError } from 'csv-parse';
import { LosslessNumber, parse } from 'lossless-json';
import { z } from 'zod';
import { leafOf, unwrap } from '../../kernel/leaves.ts';
import { type CsvRecord, cellsOf, csvParts } from './csv-records.ts';
import { type Lines, linesOf, type RawRow, SourceError } from './source.ts';

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const DIGITS = /^-?\d+$/;

type Read = (text: string) => unknown;

/** Invalid values stay text, so that the check reports them. */
function cellReader(field: z.core.$ZodType): Read {
  const inner = unwrap(field);
  const kind = leafOf(inner)?.kind;
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
    throw new SourceError(`${name}: the header names ${names}; columns are ${known.join(', ')}.`);
  }
  if (twice) throw new SourceError(`${name}: the header names ${twice} twice.`);
  return header;
}

/** RFC 4180 with a header; columns may be absent. */
export async function* csvRows(
  name: string,
  chunks: AsyncIterable<string>,
  shape: z.ZodObject,
): AsyncGenerator<RawRow[] | Lines> {
  const columns: Read[] = [];
  let header: string[] = [];
  const begin = (cells: string[]) => {
    header = checkedHeader(name, cells, shape);
    for (const column of header) columns.push(cellReader(shape.shape[column] as z.core.$ZodType));
  };
  const rowOf = ({ cells, line }: CsvRecord): RawRow => {
    if (cells.length !== header.length) {
      const msg = `has ${cells.length} cells, but the header has ${header.length}`;
      return { value: undefined, place: line, broken: { text: JSON.stringify(cells), msg } };
    }
    const value: Record<string, unknown> = {};
    for (let index = 0; index < cells.length; index += 1)
      value[header[index] as string] = columns[index]?.(cells[index] as string);
    return { value, place: line };
  };
  try {
    for await (const part of csvParts(chunks)) {
      if (Array.isArray(part)) {
        const rows = header.length === 0 ? part.slice(1) : part;
        if (header.length === 0 && part[0]) begin(part[0].cells);
        yield rows.map(rowOf);
        continue;
      }
      const { lineBreak, text } = part;
      let [at, place] = [0, part.line];
      while (header.length === 0 && at < text.length) {
        const end = text.indexOf(lineBreak, at) < 0 ? text.length : text.indexOf(lineBreak, at);
        if (end > at) begin(cellsOf(text.slice(at, end), place));
        at = end + lineBreak.length;
        place += 1;
      }
      const lineRow = (line: string, place: number) => {
        const own = line.endsWith('\r') ? line.slice(0, -1) : line;
        if (own === '') return undefined;
        try {
          return rowOf({ cells: cellsOf(own, place), line: place });
        } catch (error) {
          throw notCsv(name, error);
        }
      };
      yield linesOf(Buffer.from(text.slice(at)), place, lineRow, () => ({ columns: header }));
    }
  } catch (error) {
    throw notCsv(name, error);
  }
}

const notCsv = (name: string, error: unknown) =>
  error instanceof CsvError ? new SourceError(`${name}: is not CSV: ${error.message}`) : error;

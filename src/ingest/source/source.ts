import { isUtf8 } from 'node:buffer';
import type { Layout } from '../quick/split.ts';

/** `broken` describes an invalid NDJSON line or CSV record. */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

export type ReadRow = { text: string; row: RawRow | undefined };

/** A piece of a file. Whoever takes a row from `bytes` moves `at` and `place` to the next row. */
export type Records = {
  bytes: Buffer;
  /** Where the next row begins. */
  at: number;
  /** The number of the next row. */
  place: number;
  /** True if the file ends with `bytes`, which then end with a line break. */
  isLast: boolean;
  /** True if a row may be taken at `at` without `read`. */
  begins(): boolean;
  /** Takes the next row; `row` is undefined for what is no row, such as the header. Returns undefined if no whole row is left. */
  read(): ReadRow | undefined;
  layout(text: string): Layout;
};

export const noRecords = () => ({ bytes: Buffer.alloc(0), at: 0, place: 1, isLast: false });

export const MAX_MB = 32;
export const MAX_BYTES = MAX_MB * 1_048_576;
/** A compressed file of kilobytes can have millions of values or levels, each of which takes memory. */
export const MAX_VALUES = 1_000_000;
export const MAX_LEVELS = 64;

/** Appended to every file, because its last line may have none. */
const LINE_BREAK = Buffer.from('\n');

/** Yields `records` for each piece of a file. A row that does not end in a piece is in the next piece as a whole. */
export async function* piecesOf(chunks: AsyncIterable<Buffer>, records: Records): AsyncGenerator<Records> {
  let parts: Buffer[] = [];
  let size = 0;
  let enough = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < enough) continue;
    Object.assign(records, { bytes: Buffer.concat(parts), at: 0 });
    yield records;
    const rest = records.bytes.subarray(records.at);
    parts = [rest];
    size = rest.length;
    // A long row would otherwise be copied and searched for its end with each chunk.
    enough = Math.min(2 * size, MAX_BYTES);
  }
  Object.assign(records, { bytes: Buffer.concat([...parts, LINE_BREAK]), at: 0, isLast: true });
  yield records;
}

type LineFormat = Pick<Records, 'layout'> & {
  rowOf(text: string, place: number): RawRow | undefined;
  /** Where the row at `at` ends, before its line break; the length of `bytes` if it has none. */
  end(bytes: Buffer, at: number): number;
  /** The likely cause of a row without an end. */
  endless: string;
};

/** Rows that end with a line break. A row that has line breaks itself has the number of its first line. */
export function lineRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  { rowOf, layout, end, endless }: LineFormat,
): AsyncGenerator<Records> {
  const records: Records = {
    ...{ ...noRecords(), begins: () => true, layout },
    read() {
      const { bytes, at, place, isLast } = records;
      if (at >= bytes.length) return undefined;
      const next = end(bytes, at);
      if (next === bytes.length && !isLast) {
        if (next - at <= MAX_BYTES) return undefined;
        throw new SourceError(`${name}: line ${place} begins a row of more than ${MAX_MB} MB; ${endless}`);
      }
      const text = utf8Text(name, bytes, at, next);
      records.at = next + 1;
      records.place += text.split('\n').length;
      return { text, row: rowOf(text, place) };
    },
  };
  return piecesOf(chunks, records);
}

export type RowSource = {
  name: string;
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[] | Records>;
  /** True if the rows are a whole list; known only after the last row. */
  complete(): boolean;
  bytes(): { read: number; size: number | undefined };
};

export async function* readRows(batches: AsyncIterable<RawRow[] | Records>): AsyncGenerator<RawRow[]> {
  for await (const batch of batches) {
    if (Array.isArray(batch)) {
      yield batch;
      continue;
    }
    const rows: RawRow[] = [];
    let fault: unknown;
    try {
      for (let next = batch.read(); next; next = batch.read()) if (next.row) rows.push(next.row);
    } catch (error) {
      fault = error;
    }
    yield rows; // also the rows before a fault
    if (fault) throw fault;
  }
}

export class SourceError extends Error {}

export function utf8Text(name: string, bytes: Buffer, start: number, end: number): string {
  const part = bytes.subarray(start, end);
  if (!isUtf8(part)) throw new SourceError(`${name}: is not UTF-8 text.`);
  return part.toString();
}

/** The path cannot be read as a file. */
export class PathError extends SourceError {}

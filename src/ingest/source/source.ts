import { isAscii, isUtf8 } from 'node:buffer';
import type { Layout } from '../quick/split.ts';

/** `broken` describes an invalid NDJSON line or CSV record. */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

/** Whoever takes a row from `bytes` moves `at` and `place` to the next row. */
export type Lines = {
  bytes: Buffer;
  /** Where the next row begins. */
  at: number;
  /** The number of the next row. */
  place: number;
  /** Takes the next row; `row` is undefined for empty lines and the header. Returns undefined if no whole row is left. */
  read(): { text: string; row: RawRow | undefined } | undefined;
  layout(text: string): Layout | undefined;
};

type LineFormat = Pick<Lines, 'layout'> & {
  rowOf(text: string, place: number): RawRow | undefined;
  /** Where the row at `at` ends, before its line break. */
  end(bytes: Buffer, at: number): number;
  /** Where the last row that ends in this chunk ends, after its line break; 0 if none does. Gets each chunk once. */
  lastEnd(chunk: Buffer): number;
  /** The likely cause of a row without an end. */
  endless: string;
};

const MAX_MB = 32;
/** A compressed file of kilobytes can have millions of values or levels, each of which takes memory. */
export const MAX_VALUES = 1_000_000;
export const MAX_LEVELS = 64;

/** Rows that end with a line break. A row that has line breaks itself has the number of its first line. */
export async function* linesOf(
  name: string,
  chunks: AsyncIterable<Buffer>,
  { rowOf, layout, end, lastEnd, endless }: LineFormat,
): AsyncGenerator<Lines> {
  let place = 1;
  let rest: Buffer[] = [];
  const lines = (bytes: Buffer): Lines => {
    if (!isUtf8(bytes)) throw new SourceError(`${name}: ${NOT_UTF8}`);
    return {
      ...{ bytes, at: 0, place, layout },
      read() {
        if (this.at >= bytes.length) return undefined;
        const next = end(bytes, this.at);
        const text = bytes.toString('utf8', this.at, next);
        const row = rowOf(text, this.place);
        this.at = next + 1;
        this.place += text.split('\n').length;
        return { text, row };
      },
    };
  };
  for await (const chunk of chunks) {
    const length = lastEnd(chunk);
    if (length > 0) {
      const part = lines(Buffer.concat([...rest, chunk.subarray(0, length)]));
      yield part;
      ({ place } = part);
      rest = [];
    }
    rest.push(chunk.subarray(length));
    if (rest.reduce((sum, { length }) => sum + length, 0) > MAX_MB * 1_048_576)
      throw new SourceError(`${name}: line ${place} begins a row of more than ${MAX_MB} MB; ${endless}`);
  }
  yield lines(Buffer.concat(rest));
}

export type RowSource = {
  name: string;
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[] | Lines>;
  /** True if the rows are a whole list; known only after the last row. */
  complete(): boolean;
  bytes(): { read: number; size: number | undefined };
};

export async function* readRows(batches: AsyncIterable<RawRow[] | Lines>): AsyncGenerator<RawRow[]> {
  for await (const batch of batches) {
    if (Array.isArray(batch)) {
      yield batch;
      continue;
    }
    const rows: RawRow[] = [];
    for (let next = batch.read(); next; next = batch.read()) if (next.row) rows.push(next.row);
    yield rows;
  }
}

export class SourceError extends Error {}

export const NOT_UTF8 = 'is not UTF-8 text.';

/** Decodes one chunk of UTF-8 after the other. Without a chunk, checks that the last character is whole. */
export function utf8Decoder(name: string): (chunk?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let ascii = true;
  return (chunk) => {
    ascii &&= chunk === undefined || isAscii(chunk);
    if (ascii) return chunk?.toString('latin1') ?? '';
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new SourceError(`${name}: ${NOT_UTF8}`);
    }
  };
}

export function notJson(name: string, rows: number, why: string): SourceError {
  const place = rows > 0 ? ` after row ${rows}` : '';
  return new SourceError(`${name}: is not JSON${place}: ${why}`);
}

export const repeatedKey = (key: string) => `the key ${JSON.stringify(key)} appears twice in one object`;

/** The path cannot be read as a file. */
export class PathError extends SourceError {}

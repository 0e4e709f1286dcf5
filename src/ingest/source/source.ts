import { isAscii } from 'node:buffer';
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
  /** Takes the next row; `row` is undefined for empty lines. Returns undefined if no whole row is left. */
  read(): { text: string; row: RawRow | undefined } | undefined;
  layout(text: string): Layout | undefined;
};

/** `bytes` holds whole lines in UTF-8, of which the first has the number `place`. */
export function linesOf(
  bytes: Buffer,
  place: number,
  rowOf: (line: string, place: number) => RawRow | undefined,
  layout: Lines['layout'],
): Lines {
  return {
    ...{ bytes, at: 0, place, layout },
    read() {
      if (this.at >= bytes.length) return undefined;
      const lineBreak = bytes.indexOf('\n', this.at);
      const end = lineBreak < 0 ? bytes.length : lineBreak;
      const text = bytes.toString('utf8', this.at, end);
      const row = rowOf(text, this.place);
      this.at = end + 1;
      this.place += 1;
      return { text, row };
    },
  };
}

export type Source = {
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

/** There is no file of this name. */
export class PathError extends SourceError {}

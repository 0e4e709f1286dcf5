import type { Layout } from '../quick/split.ts';

/** `broken` describes an invalid NDJSON line or CSV record. */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

/** `place` numbers the first line. */
export type Lines = {
  /** Whole lines in UTF-8. */
  bytes: Buffer;
  place: number;
  /** Undefined for empty lines. */
  read(line: string, place: number): RawRow | undefined;
  layout(line: string, row: RawRow): Layout | undefined;
};

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
    if (Array.isArray(batch)) yield batch;
    else
      yield batch.bytes
        .toString()
        .split('\n')
        .map((line, index) => batch.read(line, batch.place + index))
        .filter((row) => row !== undefined);
  }
}

export class SourceError extends Error {}

export const NOT_UTF8 = 'is not UTF-8 text.';

/** There is no file of this name. */
export class PathError extends SourceError {}

/**
 * A parsed row and its place. A line of NDJSON that is not JSON, or of CSV with the wrong number of cells, is a row
 * with its text and fault: others may be loaded without it.
 */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

/** Yields rows in batches, so that no file has to fit into memory. */
export type Source = {
  name: string;
  /** What a place counts in messages: `row 3`, `line 17`. */
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[]>;
  /** Whether it was a REST body with its whole list; known after the last row. */
  complete(): boolean;
  /** `size` is undefined where it is not known. */
  bytes(): { read: number; size: number | undefined };
};

/** A source that cannot be read or loaded as a whole; the message names it. */
export class SourceError extends Error {}

/**
 * One row of a source, as parsed, and where it stands. A line of NDJSON that is not JSON, or of CSV with too few or too
 * many cells, is a row too, with its text and what is wrong: others may be loaded without it.
 */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

/** Rows as they are read, some at a time, so that no file has to fit into memory. */
export type Source = {
  name: string;
  /** What a place counts, for a person: `row 3`, `line 17`. */
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[]>;
  /** Whether it was a REST body that holds its whole list; known when all rows are read. */
  complete(): boolean;
  /** Bytes read so far, and of the whole where that is known. */
  bytes(): { read: number; size: number | undefined };
};

/** A source that cannot be read or loaded as a whole; the message names it. */
export class SourceError extends Error {}

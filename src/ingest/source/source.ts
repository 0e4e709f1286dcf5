/** `broken` describes an invalid NDJSON line or CSV record. */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

export type Source = {
  name: string;
  /** What `place` counts. */
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[]>;
  /** Whether the source held a whole list; known after the last row. */
  complete(): boolean;
  /** `size` is undefined for stdin. */
  bytes(): { read: number; size: number | undefined };
};

/** The message names the source. */
export class SourceError extends Error {}

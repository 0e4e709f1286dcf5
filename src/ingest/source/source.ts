/** `broken` describes an invalid NDJSON line or CSV record. */
export type RawRow = { value: unknown; place: number; broken?: { text: string; msg: string } };

export type Source = {
  name: string;
  unit: 'row' | 'line';
  rows: AsyncIterable<RawRow[]>;
  /** True if the rows are a whole list; known only after the last row. */
  complete(): boolean;
  bytes(): { read: number; size: number | undefined };
};

export class SourceError extends Error {}

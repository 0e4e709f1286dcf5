import type { DuckDBDataChunk } from '@duckdb/node-api';
import { type NumberColumn, numberColumns } from './columns.ts';
import { type Duck, loadForVectors } from './duckdb.ts';
import type { Column, Rows } from './row-hash.ts';

/**
 * Bits of validity of `count` rows from `start` on, in whole words of 64: 0 at the nulls, of which those from `first` on may
 * be within these rows. Also returns the place of the first later null.
 */
function validityOf(nulls: Uint32Array, first: number, start: number, count: number) {
  const bits = new Uint8Array(Math.ceil(count / 64) * 8).fill(0xff);
  let next = first;
  for (; next < nulls.length && (nulls[next] as number) < start + count; next += 1) {
    const at = (nulls[next] as number) - start;
    bits[at >> 3] = (bits[at >> 3] as number) & ~(1 << (at & 7));
  }
  return { bits, next };
}

/** Creates a table with the columns of `numberColumns`, and calls `work` with a function that appends rows to it. */
export async function appending(
  duck: Duck,
  table: string,
  work: (append: (rows: Rows) => void) => Promise<void>,
): Promise<void> {
  const { api, bindings } = await loadForVectors();
  await duck.run(
    `create or replace table ${table} (${numberColumns.map(({ name, type }) => `${name} ${type}`).join(', ')})`,
  );
  const { BIGINT, BOOLEAN, DATE, DuckDBDataChunk, INTEGER, SMALLINT } = api;
  const typeOf: Record<string, (typeof api)['BIGINT' | 'BOOLEAN' | 'DATE' | 'INTEGER' | 'SMALLINT']> = {
    ...{ bigint: BIGINT, boolean: BOOLEAN, date: DATE, integer: INTEGER, smallint: SMALLINT },
  };
  const types = numberColumns.map(({ type }) => typeOf[type] as typeof BIGINT);
  const most = bindings.vector_size();
  const appender = await duck.createAppender(table);
  const appendSome = (rows: Rows, start: number, count: number, nexts: number[]) => {
    const chunk = DuckDBDataChunk.create(types, count);
    for (const [at, { data, nulls }] of rows.columns.entries()) {
      const { bytes } = numberColumns[at] as NumberColumn;
      const vector = bindings.data_chunk_get_vector(chunk.chunk, at);
      const source = data.buffer as ArrayBuffer;
      bindings.copy_data_to_vector(vector, 0, source, data.byteOffset + start * bytes, count * bytes);
      if (nulls.length === 0) continue;
      const from = nexts[at] as number;
      const { bits, next } = validityOf(nulls, from, start, count);
      nexts[at] = next;
      if (next === from) continue;
      bindings.vector_ensure_validity_writable(vector);
      bindings.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
    }
    appender.appendDataChunk(chunk);
  };
  try {
    await work((rows) => {
      const nexts = rows.columns.map(() => 0);
      for (let start = 0; start < rows.count; start += most)
        appendSome(rows, start, Math.min(most, rows.count - start), nexts);
    });
  } finally {
    appender.closeSync();
  }
}

/** Calls `each` with the rows of a statement that selects `numberColumns`, in order. */
export async function streamRows(duck: Duck, text: string, each: (rows: Rows) => void): Promise<void> {
  const { bindings } = await loadForVectors();
  const columnOf = (chunk: DuckDBDataChunk, at: number, count: number): Column => {
    const { bytes } = numberColumns[at] as NumberColumn;
    const vector = bindings.data_chunk_get_vector(chunk.chunk, at);
    const data = bindings.vector_get_data(vector, count * bytes);
    const bits: Uint8Array | null = bindings.vector_get_validity(vector, Math.ceil(count / 64) * 8);
    if (!bits) return { data, nulls: new Uint32Array() };
    const found = new Uint32Array(count);
    let size = 0;
    for (let place = 0; place < count; place += 1)
      if (((bits[place >> 3] as number) & (1 << (place & 7))) === 0) {
        found[size] = place;
        size += 1;
      }
    const nulls = found.subarray(0, size);
    if (nulls.length === count) return { data: new Uint8Array(count * bytes), nulls };
    const cleared = Uint8Array.from(data);
    for (const place of nulls) cleared.fill(0, place * bytes, (place + 1) * bytes);
    return { data: cleared, nulls };
  };
  const result = await duck.stream(text);
  for (let chunk = await result.fetchChunk(); chunk; chunk = await result.fetchChunk()) {
    const some = chunk;
    const count = some.rowCount;
    if (count === 0) break;
    each({ count, columns: numberColumns.map((_, at) => columnOf(some, at, count)) });
  }
}

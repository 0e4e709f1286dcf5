import { createHash } from 'node:crypto';
import { numberColumns } from './columns.ts';

/** Values of a column, low bytes first, zero for null; and the places of the nulls, ascending from 0. */
export type Column = { data: Uint8Array; nulls: Uint32Array };

/** Consecutive rows, in the columns of `numberColumns`. */
export type Rows = { count: number; columns: readonly Column[] };

/**
 * A hash of rows in their order, however they are divided. Of each column, its values and the places of its nulls have a
 * SHA-256; the hash is the SHA-256 of all of these.
 */
export function rowHash(): { add: (rows: Rows) => void; rows: () => number; digest: () => Buffer } {
  const hashes = numberColumns.map(() => ({ values: createHash('sha256'), nulls: createHash('sha256') }));
  let all = 0;
  return {
    add({ count, columns }) {
      for (const [at, { values, nulls }] of hashes.entries()) {
        const column = columns[at] as Column;
        values.update(column.data);
        if (column.nulls.length === 0) continue;
        const places = column.nulls.slice();
        for (let n = 0; n < places.length; n += 1) places[n] = (places[n] as number) + all;
        nulls.update(places);
      }
      all += count;
    },
    rows: () => all,
    digest() {
      const whole = createHash('sha256').update(`${all} rows`);
      for (const { values, nulls } of hashes) whole.update(values.digest()).update(nulls.digest());
      return whole.digest();
    },
  };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberColumns } from '../../src/archive/columns.ts';
import { NumberRows } from '../../src/archive/number-rows.ts';
import type { Column } from '../../src/archive/row-hash.ts';

const ranges: Record<string, [bigint, bigint]> = {
  boolean: [0n, 1n],
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  date: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
};
const row = fc.tuple(
  ...numberColumns.map(({ type }) => {
    const [min, max] = ranges[type] as [bigint, bigint];
    return fc.option(fc.oneof(fc.bigInt(min, max), fc.constantFrom(min, max, 0n, 1n)), { freq: 6 });
  }),
);
type Row = (bigint | null)[];

/** As COPY writes it in the format text. */
const copied = (rows: readonly Row[]) =>
  Buffer.from(rows.map((values) => `${values.map((value) => value ?? '\\N').join('\t')}\n`).join(''));

function valuesOf({ data, nulls }: Column, bytes: number): (bigint | null)[] {
  const buffer = Buffer.from(data);
  const count = buffer.length / bytes;
  const isNull = new Set(nulls);
  return Array.from({ length: count }, (_, at) => {
    if (isNull.has(at)) return null;
    if (bytes === 8) return buffer.readBigInt64LE(at * 8);
    return BigInt(bytes === 1 ? buffer.readUInt8(at) : buffer.readIntLE(at * bytes, bytes));
  });
}

describe('Rows of whole numbers that COPY writes', () => {
  it('have their values to the digit, in any order, wherever the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(2_000), { maxLength: 20 }),
        fc.nat(),
        (rows, cuts, seed) => {
          const text = copied(rows);
          const found = new NumberRows(rows.length);
          found.add(copied(rows)); // is forgotten
          found.clear();
          const ends = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
          let start = 0;
          for (const end of ends) {
            found.add(text.subarray(start, end));
            start = end;
          }
          expect(found.count).toBe(rows.length);
          const order = Uint32Array.from(rows.keys()).sort(
            (a, b) => ((a * 7919 + seed) % 31) - ((b * 7919 + seed) % 31) || a - b,
          );
          for (const [at, { bytes }] of numberColumns.entries())
            expect(valuesOf(found.ordered(at, order), bytes)).toEqual(
              [...order].map((place) => (rows[place] as Row)[at]),
            );
        },
      ),
    );
  });

  it('are refused if a column cannot hold a value, if they have other columns, and if they are too many', () => {
    const zeros: Row = numberColumns.map(() => 0n);
    const small = numberColumns.findIndex(({ type }) => type === 'smallint');
    const rows = new NumberRows(1);
    rows.add(copied([zeros.with(small, 32_768n)]));
    expect(() => rows.ordered(small, Uint32Array.of(0))).toThrow(
      `${numberColumns[small]?.name} has 32768, which its column in the archive does not hold`,
    );
    for (const other of [zeros.slice(1), [...zeros, 0n]])
      expect(() => new NumberRows(1).add(copied([other]))).toThrow('rows of whole numbers were expected');
    expect(() => new NumberRows(1).add(copied([zeros, zeros]))).toThrow(
      'more than 1 rows were read at a time',
    );
  });
});

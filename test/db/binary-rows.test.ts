import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBinaryRows } from '../../src/maintenance/transfer/binary-rows.ts';

type Row = readonly (Uint8Array | null)[];

/** As the documentation of COPY describes the format. */
function binaryCopy(rows: readonly Row[]): Buffer {
  const int16 = (value: number) => {
    const bytes = Buffer.alloc(2);
    bytes.writeInt16BE(value);
    return bytes;
  };
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  return Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
    int32(0),
    int32(0),
    ...rows.flatMap((row) => [
      int16(row.length),
      ...row.flatMap((field) => (field ? [int32(field.length), field] : [int32(-1)])),
    ]),
    int16(-1),
  ]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const someRows = fc.array(fc.array(fc.option(fc.uint8Array({ maxLength: 20 })), { maxLength: 5 }), {
  maxLength: 20,
});
const pieceSize = fc.integer({ min: 1, max: 200 });

describe('counting the rows of a binary COPY', () => {
  it('counts every row, in whatever pieces the output comes', () =>
    fc.assert(
      fc.asyncProperty(someRows, pieceSize, async (rows, size) => {
        expect(await countBinaryRows(inPieces(binaryCopy(rows), size))).toBe(rows.length);
      }),
    ));

  it('finds that the output is cut off, and that something follows its end', () =>
    fc.assert(
      fc.asyncProperty(someRows, pieceSize, fc.nat(), async (rows, size, cut) => {
        const whole = binaryCopy(rows);
        const part = whole.subarray(0, cut % whole.length);
        expect(await countBinaryRows(inPieces(part, size))).toBeUndefined();
        const more = Buffer.concat([whole, Buffer.from('x')]);
        expect(await countBinaryRows(inPieces(more, size))).toBeUndefined();
      }),
    ));
});

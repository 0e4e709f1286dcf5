import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decode } from '../../src/kernel/decode.ts';
import { jsonWriter } from '../../src/kernel/json.ts';
import { bytesOf, jsonList, jsonPieces } from '../../src/kernel/json-text.ts';
import { count, gwei, hex, number, text } from '../../src/kernel/leaves.ts';
import { slow } from '../support/thorough.ts';

const Row = z.object({
  name: text(),
  note: text().nullable(),
  size: count(),
  share: number(),
  balance: gwei().nullable(),
  parts: z.array(z.object({ name: text(), amount: gwei() })),
});
const arbitrary: fc.Arbitrary<z.infer<typeof Row>> = fc.record({
  name: fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', '')),
  note: fc.option(fc.string().map((value) => `n${value.replaceAll('\0', '')}`)),
  size: fc.nat(),
  share: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  balance: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
  parts: fc.array(
    fc.record({
      name: fc.constant('a"b\\c'),
      amount: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    }),
  ),
});

describe('the JSON of a record', () => {
  it('comes back equal when it is imported, digits past 2^53 included', () => {
    fc.assert(
      fc.property(arbitrary, (row) => {
        const back = decode(Row, parse(jsonWriter(Row)(row).join('')));
        expect(Row.parse(back)).toEqual({ ...row, share: row.share === 0 ? 0 : row.share });
      }),
    );
  });

  it('has the keys of the schema in its order, with null for what is missing', () => {
    const written = jsonWriter(Row)({ parts: [], share: 1, size: 2, name: 'x' }).join('');
    expect(written).toBe('{"name":"x","note":null,"size":2,"share":1.0,"balance":null,"parts":[]}');
  });

  it('writes digits as a JSON number', () => {
    const write = jsonWriter(z.object({ balance: gwei() }));
    expect(write({ balance: '9007199254740993' }).join('')).toBe('{"balance":9007199254740993}');
  });
});

describe('JSON that is written already', () => {
  const texts = fc.array(fc.json({ maxDepth: 2 }));
  const whole = (pieces: readonly string[]) => bytesOf(pieces).toString();

  it('stands in a record of REST as it is, whatever the texts around it hold', () => {
    const schema = z.object({ name: text(), data: z.array(z.object({})), next: text().nullable() });
    const name = fc.string({ unit: fc.constantFrom('\0', '"', '\\', 'a', 'é', '😀') });
    fc.assert(
      fc.property(name, texts, (name, rows) => {
        const body = jsonWriter(schema)({ name, data: jsonList(rows), next: name });
        expect(JSON.parse(whole(body))).toEqual({
          name,
          data: rows.map((row) => JSON.parse(row)),
          next: name,
        });
      }),
    );
  });

  it('stands in any value as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), texts, fc.string(), (value, rows, key) => {
        const pieces = jsonPieces({ value, [`_${key}`]: [jsonList(rows), 1], absent: undefined });
        const expected = { value, [`_${key}`]: [rows.map((row) => JSON.parse(row)), 1] };
        expect(JSON.parse(whole(pieces))).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  slow('is so many bytes as its text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))).toEqual(bytesOf(pieces));
      }),
    );
  });
});

describe('an imported value', () => {
  it('has bytes written as \\x in 0x and lower case', () => {
    expect(decode(hex(2), '\\\\xABcd')).toBe('0xabcd');
    expect(decode(hex(2), '\\xABcd')).toBe('0xabcd');
    expect(decode(hex(2), '0xABcd')).toBe('0xabcd');
  });

  it('keeps names that look like bytes as they are', () => {
    expect(decode(text(), '0xBEEF')).toBe('0xBEEF');
    expect(decode(text(), '\\xBEEF')).toBe('\\xBEEF');
  });

  it('is null where the key is absent and null is allowed, and missing where it is not', () => {
    const decoded = decode(Row, parse('{"name":"x"}'));
    expect(decoded).toEqual({ name: 'x', note: null, balance: null });
  });

  it('is whole where it was written with a zero fraction', () => {
    expect(decode(gwei(), parse('31408009071.0'))).toBe('31408009071');
    expect(gwei().safeParse(decode(gwei(), parse('31408009071.5'))).success).toBe(false);
    expect(gwei().safeParse('9223372036854775808').success).toBe(false);
  });
});

import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decode } from '../../src/kernel/decode.ts';
import { jsonWriter } from '../../src/kernel/json.ts';
import {
  decimal,
  decimalRatio,
  decimalsAsNumbers,
  nonNegativeDecimal,
  text,
} from '../../src/kernel/leaves.ts';
import { decimalNumber, signedDecimals, written } from '../support/decimals.ts';

const read = (json: string) => decode(decimal(), parse(json));

describe('a decimal', () => {
  it('is read with every digit, as text or number, plain or with an exponent', () => {
    fc.assert(
      fc.property(signedDecimals, fc.boolean(), fc.integer({ min: -5, max: 45 }), (value, quoted, shift) => {
        const number = decimalNumber(value, shift);
        const json = quoted ? `"${number}"` : number;
        expect(read(json)).toBe(value);
        expect(decimal().safeParse(read(json)).success).toBe(true);
      }),
    );
  });

  it.each([
    ['1e-7', '0.0000001'],
    ['1.50E-7', '0.000000150'],
    ['"1e+3"', '1000'],
    ['12.5e1', '125'],
    ['12.50e1', '125.0'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['0e-3', '0.000'],
    ['0e5', '0'],
    ['"007.50"', '7.50'],
    ['"-12.30"', '-12.30'],
    ['9007199254740993.1', '9007199254740993.1'],
  ])('written %s is %s', (json, expected) => expect(read(json)).toBe(expected));

  it.each([
    '"+1"',
    '".5"',
    '"1."',
    '"1,5"',
    '"NaN"',
    '"Infinity"',
    '"0x10"',
    '" 1"',
    '""',
    'true',
    '[]',
    '1e999',
    '1e9999',
    '1e-41',
  ])('is not %s', (json) => expect(decimal().safeParse(read(json)).success).toBe(false));

  it('has the range of its leaf', () => {
    const fits = (leaf: z.ZodType, values: string[]) =>
      values.filter((value) => leaf.safeParse(value).success);
    const values = ['-1', '-0', '0', '0.0', '0.5', '1', '1.00', '1.01', '2', '00', '01.5', '1e3'];
    expect(fits(decimal(), values)).toEqual(['-1', '0', '0.0', '0.5', '1', '1.00', '1.01', '2']);
    expect(fits(nonNegativeDecimal(), values)).toEqual(['0', '0.0', '0.5', '1', '1.00', '1.01', '2']);
    expect(fits(decimalRatio(), values)).toEqual(['0', '0.0', '0.5', '1', '1.00']);
  });

  it.each([decimal, nonNegativeDecimal])('holds 40 digits on either side, and no more', (leaf) => {
    const [digits, more] = ['9'.repeat(40), '9'.repeat(41)];
    expect(leaf().safeParse(`${digits}.${digits}`).success).toBe(true);
    expect(leaf().safeParse(more).success).toBe(false);
    expect(leaf().safeParse(`0.${more}`).success).toBe(false);
  });
});

describe('a record in v1', () => {
  const Part = z
    .object({ share: decimalRatio().describe('Share.') })
    .meta({ id: 'Part', description: 'A part.' });
  const Whole = z
    .object({
      name: text().describe('Name.'),
      amount: decimal().nullable().describe('Amount.'),
      parts: z.array(Part).describe('Parts.'),
    })
    .meta({ id: 'Whole', description: 'A whole.' });
  const WholeV1 = decimalsAsNumbers(Whole);

  it('has the same digits, as JSON numbers', () => {
    const row = { name: '1.50', amount: '12345678901234567890.12345678900', parts: [{ share: '0.10' }] };
    expect(jsonWriter(Whole)(row).join('')).toBe(
      '{"name":"1.50","amount":"12345678901234567890.12345678900","parts":[{"share":"0.10"}]}',
    );
    expect(jsonWriter(WholeV1)(row).join('')).toBe(
      '{"name":"1.50","amount":12345678901234567890.12345678900,"parts":[{"share":0.10}]}',
    );
    expect(jsonWriter(WholeV1)({ ...row, amount: null }).join('')).toContain('"amount":null');
  });

  it('comes back equal when it is imported', () => {
    fc.assert(
      fc.property(written(signedDecimals), ({ value, json }) => {
        const row = { name: 'x', amount: value, parts: [] };
        for (const schema of [Whole, WholeV1]) {
          expect(decode(Whole, parse(jsonWriter(schema)(row).join('')))).toEqual(row);
        }
        expect(decode(Whole, parse(`{"name":"x","parts":[],"amount":${json}}`))).toEqual(row);
      }),
    );
  });

  it('keeps the descriptions, under names of its own', () => {
    expect(WholeV1.meta()).toEqual({ id: 'WholeV1', description: 'A whole.' });
    const fields = (record: z.ZodObject) =>
      Object.entries(record.shape).map(([name, field]) => [name, (field as z.ZodType).description]);
    expect(fields(WholeV1)).toEqual(fields(Whole));
    expect(WholeV1.shape.parts.element.meta()).toEqual({ id: 'PartV1', description: 'A part.' });
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doubleText, isPlainDouble } from '../../src/kernel/json-text.ts';

const recorded = new URL('../../../shared/real/', import.meta.url);
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('the text of a double', () => {
  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [-100, '-100.0'],
    [0.5, '0.5'],
    [0.0001, '0.0001'],
    [0.00009999, '9.999e-05'],
    [0.000014172675517684229, '1.4172675517684229e-05'],
    [-7e-6, '-7e-06'],
    [1e-100, '1e-100'],
    [5e-324, '5e-324'],
    [999999999999999.9, '999999999999999.9'],
    [1e15, '1000000000000000.0'],
    [2 ** 53, '9007199254740992.0'],
    [1e16, '1e+16'],
    [1.2345678901234568e20, '1.2345678901234568e+20'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
  ])('of %d is %s', (value, text) => {
    expect(doubleText(value)).toBe(text);
  });

  it('is read back as the same double, and is no whole number', () => {
    fc.assert(
      fc.property(doubles, (value) => {
        const text = doubleText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?(e[-+]\d{2,3})?$/);
        expect(text).toMatch(/[.e]/);
        expect(JSON.parse(text)).toBe(value);
      }),
    );
  });

  it('is what JavaScript writes where that is told so', () => {
    const shares = fc.double({ noNaN: true, min: -2, max: 2 });
    fc.assert(
      fc.property(fc.oneof(doubles, shares), (value) => {
        fc.pre(isPlainDouble(value));
        expect(doubleText(value)).toBe(String(value));
      }),
    );
  });

  // The later ones write exponents of one digit: 7e-6.
  it.skipIf(!existsSync(recorded)).each([
    ['operators-pool-7d', (text: string) => text],
    ['pool-shares-30d', (text: string) => text.replace(/e-0/, 'e-')],
  ])('is that of recorded answers: %s', (folder, inTheirs) => {
    const seen = readdirSync(new URL(folder, recorded)).flatMap((file) =>
      [
        ...readFileSync(new URL(`${folder}/${file}`, recorded), 'utf8').matchAll(
          /"(?:avg\w+|percentage|networkPenetration|aprPercentage)": ?(-?\d[^,}\s]*)/g,
        ),
      ].map(([, text = '']) => text),
    );
    expect(seen.filter((text) => inTheirs(doubleText(Number(text))) !== text)).toEqual([]);
    expect(seen.filter((text) => text.includes('e-')).length).toBeGreaterThan(100);
    expect(seen.filter((text) => text.endsWith('.0')).length).toBeGreaterThan(500);
  });
});

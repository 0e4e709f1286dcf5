import fc from 'fast-check';

const digits = (max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: max }).map((list) => list.join(''));

const plain = (whole: string, fraction: string) =>
  (whole.replace(/^0+/, '') || '0') + (fraction ? `.${fraction}` : '');

/** Decimals >= 0 of at most 38 digits in plain notation, trailing zeros and all. */
export const decimals: fc.Arbitrary<string> = fc
  .tuple(digits(38), fc.nat(38))
  .map(([text, point]) => plain(text.slice(0, point), text.slice(point)));

/** The same, some negative. */
export const signedDecimals: fc.Arbitrary<string> = fc
  .tuple(decimals, fc.boolean())
  .map(([value, negative]) => (negative && /[1-9]/.test(value) ? `-${value}` : value));

/** Decimals in 0..1 with at most 38 digits after the point. */
export const ratios: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: digits(38).map((fraction) => plain('0', fraction)) },
  { weight: 1, arbitrary: fc.nat(37).map((zeros) => plain('1', '0'.repeat(zeros))) },
);

/** The decimal as a JSON number whose point is moved by so many places, and moved back by an exponent. */
export function decimalNumber(value: string, shift: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  const all = whole + fraction;
  const point = all.length - shift;
  const exponent = shift - fraction.length;
  if (point < 1 || shift < 0) return value;
  const tail = all.slice(point);
  const mantissa = (all.slice(0, point).replace(/^0+(?=\d)/, '') || '0') + (tail ? `.${tail}` : '');
  return `${sign}${mantissa}e${exponent}`;
}

/** A decimal, and one of the ways to write it in JSON. */
export const written = (value: fc.Arbitrary<string>) =>
  fc
    .record({ value, quoted: fc.boolean(), shift: fc.integer({ min: -3, max: 40 }) })
    .map(({ value, quoted, shift }) => {
      const number = decimalNumber(value, shift);
      return { value, json: quoted ? JSON.stringify(number) : number };
    });

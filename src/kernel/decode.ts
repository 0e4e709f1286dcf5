import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { leafOf, unwrap } from './leaves.ts';

/**
 * Brings a value parsed by lossless-json into the kinds of a record, ready for the record's own check: digits of a
 * `BigInt` or `Decimal` leaf stay text, other numbers become doubles, bytes written as `\x…` become `0x…`, and a key that is absent
 * where null is allowed becomes null (older services answer fewer keys). What does not fit is left for the check.
 */
export function decode(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || value === null)
    return value ?? (schema instanceof z.ZodNullable ? null : undefined);
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return isObject(value) ? decodeObject(inner, value) : value;
  if (inner instanceof z.ZodArray) {
    return Array.isArray(value) ? value.map((item) => decode(inner.element, item)) : plain(value);
  }
  const leaf = leafOf(inner);
  if (leaf?.bytes !== undefined) return hexDigits(value);
  const kind = leaf?.kind;
  if (kind === 'Decimal') return decimalDigits(value);
  return kind === 'BigInt' ? wholeDigits(value) : plain(value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

function decodeObject(schema: z.ZodObject, value: Record<string, unknown>) {
  const entries = Object.entries(schema.shape).map(([key, field]) => [
    key,
    decode(field as z.core.$ZodType, Object.hasOwn(value, key) ? value[key] : undefined),
  ]);
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

const plain = (value: unknown): unknown => (isLosslessNumber(value) ? Number(value.toString()) : value);

/** Bytes as Postgres writes them, `\\x…`, or in capitals, as `0x…` in lower case. Other text stays: a name may look like it. */
const hexDigits = (value: unknown): unknown =>
  typeof value === 'string' && /^(0|\\+)x[0-9a-f]*$/i.test(value)
    ? value.toLowerCase().replace(/^(0|\\+)x/, '0x')
    : plain(value);

/** `32014860472`, also written `32014860472.0`, as digits. */
const wholeDigits = (value: unknown): unknown =>
  isLosslessNumber(value) ? value.toString().replace(/\.0+$/, '') : value;

/** A JSON number, or a string in the form of one, in plain notation: `1.50e-7` is `0.000000150`. Every digit stays. */
function decimalDigits(value: unknown): unknown {
  const text = isLosslessNumber(value) ? value.toString() : value;
  const match = typeof text === 'string' && /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0').padStart(whole.length + fraction.length - point, '0');
  const cut = Math.max(0, point);
  const [before, after] = [digits.slice(0, cut).replace(/^0+(?=\d)/, '') || '0', digits.slice(cut)];
  const plainText = after ? `${before}.${after}` : before;
  return /[1-9]/.test(plainText) ? sign + plainText : plainText;
}

import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { leafKind, unwrap } from './leaves.ts';

/**
 * Brings a value parsed by lossless-json into the kinds of a record, ready for the record's own check: digits of a
 * `BigInt` leaf stay text, other numbers become doubles, bytea-style `\x…` becomes `0x…`, and a key that is absent
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
  return leafKind(inner) === 'BigInt' ? wholeDigits(value) : plain(value);
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

function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.toString());
  if (typeof value === 'string' && /^\\+x[0-9a-f]*$/i.test(value))
    return `0x${value.replace(/^\\+x/i, '').toLowerCase()}`;
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value;
}

/** `32014860472`, also written `32014860472.0`, as digits. */
const wholeDigits = (value: unknown): unknown =>
  isLosslessNumber(value) ? value.toString().replace(/\.0+$/, '') : value;

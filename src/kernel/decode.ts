import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { isObject } from './json.ts';
import * as Leaf from './leaves.ts';
import { momentText } from './time.ts';

/**
 * Prepares parsed JSON, whose numbers must be lossless or exact, for a record's check. `BigInt` and `Decimal` become
 * text, other numbers become doubles, bytes become `0x…`, and moments become UTC. Missing nullable keys become null,
 * because older services omit some.
 */
export const decode = (schema: z.core.$ZodType, value: unknown): unknown => decoder(schema)(value);

type Decode = (value: unknown) => unknown;
const decoders = new WeakMap<z.core.$ZodType, Decode>();

function decoder(schema: z.core.$ZodType): Decode {
  const known = decoders.get(schema);
  if (known) return known;
  const absent = schema instanceof z.ZodNullable ? null : undefined;
  const inner = innerDecoder(Leaf.unwrap(schema));
  const made: Decode = (value) => {
    if (typeof value === 'number' && inner === plain) return value;
    return value === undefined || value === null ? (value ?? absent) : inner(value);
  };
  decoders.set(schema, made);
  return made;
}

function innerDecoder(schema: z.core.$ZodType): Decode {
  if (schema instanceof z.ZodObject) return objectDecoder(schema);
  if (schema instanceof z.ZodArray) {
    const item = decoder(schema.element);
    return (value) => (Array.isArray(value) ? value.map(item) : plain(value));
  }
  const leaf = Leaf.leafOf(schema);
  if (leaf?.bytes !== undefined) return hexDigits(leaf.bytes);
  if (leaf?.kind === 'DateTime') return utcMoment;
  if (leaf?.kind === 'Decimal') return decimalDigits;
  return leaf?.kind === 'BigInt' ? wholeDigits : plain;
}

function objectDecoder(schema: z.ZodObject): Decode {
  const keys = Object.keys(schema.shape);
  const reads = keys.map((key) => decoder(schema.shape[key] as z.core.$ZodType));
  return (value) => {
    if (!isObject(value) || isLosslessNumber(value)) return value;
    const decoded: Record<string, unknown> = {};
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] as string;
      const field = reads[index]?.(Object.hasOwn(value, key) ? value[key] : undefined);
      if (field !== undefined) decoded[key] = field;
    }
    return decoded;
  };
}

const isNumber = (value: unknown) => typeof value === 'number' || isLosslessNumber(value);

const plain = (value: unknown): unknown =>
  typeof value === 'object' && isLosslessNumber(value) ? Number(value.toString()) : value;

/** Also accepts the `\\x` of a PostgreSQL dump, and all digits without a prefix. */
function hexDigits(bytes: number): Decode {
  const bare = new RegExp(`^[0-9a-f]{${2 * bytes}}$`, 'i');
  return (value) => {
    if (typeof value !== 'string') return plain(value);
    const digits = bare.test(value) ? value : /^(?:0|\\+)x([0-9a-f]*)$/i.exec(value)?.[1];
    return digits === undefined ? value : `0x${digits.toLowerCase()}`;
  };
}

const utcMoment = (value: unknown): unknown =>
  typeof value === 'string' ? (momentText(value) ?? value) : plain(value);

/** `32014860472.0` and `3.2014860472e10` become `32014860472`. */
function wholeDigits(value: unknown): unknown {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return String(value);
  return isNumber(value) ? String(decimalDigits(value)).replace(/\.0+$/, '') : value;
}

/** Expands exponents: `1.50e-7` becomes `0.000000150`. */
function decimalDigits(value: unknown): unknown {
  const text = isNumber(value) ? String(value) : value;
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

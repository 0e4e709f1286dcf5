import { z } from 'zod';
import { isNullable, leafOf, unwrap } from './leaves.ts';

type Write = (value: unknown) => string;

const cache = new WeakMap<z.core.$ZodType, Write>();

/**
 * The JSON writer of a schema: keys in the schema's order, every key always there, and the digits of a raw leaf
 * (amounts in Gwei, decimals in v1) written as a JSON number without passing through a double. JSON.stringify can do
 * none of the three.
 */
export function jsonWriter(schema: z.core.$ZodType): Write {
  const known = cache.get(schema);
  if (known) return known;
  const inner = innerWriter(unwrap(schema));
  const write: Write = isNullable(schema) ? (value) => (value == null ? 'null' : inner(value)) : inner;
  cache.set(schema, write);
  return write;
}

function innerWriter(schema: z.core.$ZodType): Write {
  if (schema instanceof z.ZodObject) return objectWriter(schema);
  if (schema instanceof z.ZodArray) {
    const item = jsonWriter(schema.element);
    return (value) => {
      let out = '';
      for (const entry of value as unknown[]) out += out === '' ? item(entry) : `,${item(entry)}`;
      return `[${out}]`;
    };
  }
  const leaf = leafOf(schema);
  if (leaf?.raw) return (value) => value as string;
  return leaf?.kind === 'Int' || leaf?.kind === 'Float' ? writeNumber : writeText;
}

// JSON.stringify of one value at a time was a third of the time of a REST answer; most values need nothing of it.
const writeNumber: Write = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
/** What a JSON string cannot hold as it is. */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;
const writeText: Write = (value) =>
  typeof value === 'string' && !SPECIAL.test(value) ? `"${value}"` : JSON.stringify(value);

function objectWriter(schema: z.ZodObject): Write {
  const fields = Object.entries(schema.shape).map(([key, field], index) => ({
    key,
    head: `${index ? ',' : '{'}${JSON.stringify(key)}:`,
    write: jsonWriter(field as z.core.$ZodType),
  }));
  if (fields.length === 0) return () => '{}';
  return (value) => {
    let out = '';
    for (const field of fields)
      out += field.head + field.write((value as Record<string, unknown>)[field.key]);
    return `${out}}`;
  };
}

import { z } from 'zod';
import { doubleText, JsonText, textOf } from './json-text.ts';
import * as Leaf from './leaves.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves each `JsonText` to `aside` and writes a NUL, which JSON never contains, in its place. */
type Write = (value: unknown, aside: JsonText[]) => string;

const cache = new WeakMap<z.core.$ZodType, Write>();

/**
 * Writes every key but optional ones that are undefined, in the schema's order. Writes raw leaves (Gwei, decimals in v1)
 * with all digits.
 */
export function jsonWriter(schema: z.core.$ZodType): (value: unknown) => string[] {
  const write = writer(schema);
  return (value) => {
    const aside: JsonText[] = [];
    const text = write(value, aside);
    if (aside.length === 0) return [text];
    return text.split('\0').flatMap((part, index) => [part, ...(aside[index]?.pieces ?? [])]);
  };
}

function writer(schema: z.core.$ZodType): Write {
  const known = cache.get(schema);
  if (known) return known;
  const inner = innerWriter(Leaf.unwrap(schema));
  const one: Write = Leaf.isNullable(schema)
    ? (value, aside) => (value == null ? 'null' : inner(value, aside))
    : inner;
  cache.set(schema, one);
  return one;
}

function innerWriter(schema: z.core.$ZodType): Write {
  if (schema instanceof z.ZodObject) return orAside(objectWriter(schema));
  if (schema instanceof z.ZodArray) {
    const item = writer(schema.element);
    return orAside((value, aside) => {
      let out = '';
      for (const entry of value as unknown[]) out += `${out === '' ? '' : ','}${item(entry, aside)}`;
      return `[${out}]`;
    });
  }
  const leaf = Leaf.leafOf(schema);
  if (leaf?.raw) return (value) => value as string;
  if (leaf?.kind === 'Float') return writeDouble;
  return leaf?.kind === 'Int' ? writeNumber : writeText;
}

const orAside =
  (write: Write): Write =>
  (value, aside) => {
    if (!(value instanceof JsonText)) return write(value, aside);
    aside.push(value);
    return '\0';
  };

const writeNumber: Write = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
const writeDouble: Write = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? doubleText(value) : JSON.stringify(value);
const writeText: Write = (value) => textOf(value);

function objectWriter(schema: z.ZodObject): Write {
  const fields = Object.entries(schema.shape).map(([key, field], index) => {
    const isOptional = field instanceof z.ZodOptional && index > 0;
    return {
      ...{ key, isOptional, head: `${index ? ',' : '{'}${JSON.stringify(key)}:` },
      write: writer((isOptional ? field.unwrap() : field) as z.core.$ZodType),
    };
  });
  if (fields.length === 0) return () => '{}';
  return (value, aside) => {
    let out = '';
    for (const { head, key, isOptional, write } of fields) {
      const of = (value as Record<string, unknown>)[key];
      if (!isOptional || of !== undefined) out += head + write(of, aside);
    }
    return `${out}}`;
  };
}

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

export type JsonObject = Record<string, unknown>;

export const schemaOf = (
  schema: z.ZodType,
  found: Map<string, JsonObject>,
  io: 'input' | 'output' = 'output',
): JsonObject => {
  const document = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ zodSchema, jsonSchema }) => {
      if (typeof jsonSchema.pattern === 'string') jsonSchema.pattern = portable(jsonSchema.pattern);
      const leaf = Leaf.leafOf(zodSchema);
      if (jsonSchema.type !== 'string' || (leaf?.kind !== 'BigInt' && leaf?.kind !== 'Decimal')) return;
      if (!leaf.raw) return void Object.assign(jsonSchema, { format: 'decimal' });
      delete jsonSchema.pattern;
      const { kind, raw, wide, ...range } = leaf;
      const whole = { type: 'integer', ...(wide ? {} : { format: 'int64' }) };
      const type = kind === 'BigInt' ? whole : { type: 'number' };
      Object.assign(jsonSchema, type, range);
    },
  }) as JsonObject;
  return hoist(document, found);
};

/**
 * Python's `re`, and JavaScript without the flag u, have no classes like `\p{Cc}`. Without `\p{Cs}` nothing is missing,
 * because JSON parsers refuse or replace lone surrogates.
 */
const portable = (pattern: string): string =>
  pattern.replaceAll('\\p{Cc}', '\\x00-\\x1f\\x7f-\\x9f').replaceAll('\\p{Cs}', '');

function hoist(document: JsonObject, found: Map<string, JsonObject>): JsonObject {
  const { $schema: _schema, $defs, ...rest } = document;
  const relink = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(relink);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === '$ref'
          ? [key, String(inner).replace('#/$defs/', '#/components/schemas/')]
          : [key, relink(inner)],
      ),
    );
  };
  for (const [name, definition] of Object.entries(($defs ?? {}) as JsonObject)) {
    const { id: _id, ...schema } = relink(definition) as JsonObject;
    found.set(name, schema);
  }
  const { id, ...own } = relink(rest) as JsonObject;
  const name = typeof id === 'string' ? id : envelopeName(own);
  if (name === undefined) return own;
  found.set(name, own);
  return schemaRef(name);
}

export const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function envelopeName(schema: JsonObject): string | undefined {
  const { data, results } = (schema.properties ?? {}) as Record<string, { items?: { $ref?: string } }>;
  const row = (data ?? results)?.items?.$ref?.split('/').at(-1);
  return row && `${row}Page`;
}

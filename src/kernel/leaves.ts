import { z } from 'zod';

/**
 * The kinds of value a record can hold. A record's zod schema is the one place where a field's kind, range and
 * description stand; the row check, the REST body, the OpenAPI component and the GraphQL field derive from it.
 */
export type LeafKind = 'String' | 'Boolean' | 'Int' | 'Float' | 'BigInt' | 'Decimal' | 'Date' | 'DateTime';

const kinds = z.registry<{ kind: LeafKind }>();

const leaf = <T extends z.ZodType>(schema: T, kind: LeafKind): T => {
  kinds.add(schema, { kind });
  return schema;
};

/** What Postgres `bigint` holds: 9.2 billion ETH in Gwei. */
const fitsBigint = (digits: string) =>
  digits.length < 19 || BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

/** A whole number of 32 bits, the range of GraphQL's `Int`. */
export const int = () => leaf(z.int32(), 'Int');
/** A whole number >= 0 of 32 bits: a count, an index, an epoch, a slot. */
export const count = () => leaf(z.int32().min(0), 'Int');
/** A finite double. */
export const number = () => leaf(z.number(), 'Float');
/** A double in 0..1. */
export const ratio = () => leaf(z.number().min(0).max(1), 'Float');
/** A double >= 0. */
export const nonNegative = () => leaf(z.number().min(0), 'Float');
/** A whole number of Gwei >= 0 as digits: sums pass 2^53. REST writes the digits as a JSON number. */
export const gwei = () =>
  leaf(
    z
      .string('must be a whole number >= 0')
      .regex(/^(0|[1-9]\d{0,18})$/, 'must be a whole number >= 0')
      .refine(fitsBigint, 'must be below 2^63'),
    'BigInt',
  );
/** A whole number of Gwei that may be negative, as digits. */
export const signedGwei = () =>
  leaf(
    z
      .string('must be a whole number')
      .regex(/^(0|-?[1-9]\d{0,18})$/, 'must be a whole number')
      .refine(fitsBigint, 'must be within 64 bits'),
    'BigInt',
  );
/** Text without NUL, which Postgres cannot hold. */
export const text = (max = 512) =>
  leaf(
    z
      .string()
      .max(max)
      .refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
    'String',
  );
/** `0x` and lower-case hex digits of so many bytes. */
export const hex = (bytes: number) =>
  leaf(
    z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`), `must be 0x and ${bytes * 2} hex digits`),
    'String',
  );

/** The kind of a leaf, seen through `nullable`; undefined for objects, arrays and enums. */
export function leafKind(schema: z.core.$ZodType): LeafKind | undefined {
  return kinds.get(unwrap(schema) as z.ZodType)?.kind;
}

/** Whether null is a value of the schema. */
export const isNullable = (schema: z.core.$ZodType): boolean => schema instanceof z.ZodNullable;

/** The schema below `nullable`. */
export const unwrap = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodNullable ? schema.unwrap() : schema;

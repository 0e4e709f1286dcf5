import { z } from 'zod';
import { hasNoNul, isWellFormed } from './storable.ts';
import { parseDate, parseDateTime } from './time.ts';

/** The kind of a field's value, which decides its form in REST, OpenAPI, GraphQL and imports. */
export type LeafKind = 'String' | 'Boolean' | 'Int' | 'Float' | 'BigInt' | 'Decimal' | 'Date' | 'DateTime';

/** `raw`: REST writes a JSON number. `bytes`: number of decoded bytes. `wide`: may exceed 64 bits. */
type Leaf = {
  kind: LeafKind;
  raw?: boolean;
  minimum?: number;
  maximum?: number;
  bytes?: number;
  wide?: boolean;
};

const kinds = z.registry<Leaf>();

const leaf = <T extends z.ZodType>(schema: T, kind: LeafKind, more: Omit<Leaf, 'kind'> = {}): T => {
  kinds.add(schema, { kind, ...more });
  return schema;
};

const fitsBigint = (digits: string) =>
  digits.length < 19 || !/^-?\d+$/.test(digits) || BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);

export const flag = () => leaf(z.boolean(), 'Boolean');
export const int = () => leaf(z.int32(), 'Int');
/** Count, index, epoch or slot: 0 to 2³¹ − 1. */
export const count = () => leaf(z.int32().min(0), 'Int');
export const number = () => leaf(z.number(), 'Float');
export const ratio = () => leaf(z.number().min(0).max(1), 'Float');
export const nonNegative = () => leaf(z.number().min(0), 'Float');
/** Text, because sums exceed 2^53. */
export const gwei = () =>
  leaf(
    z
      .string('must be a whole number >= 0')
      .regex(/^(0|[1-9]\d{0,18})$/, 'must be a whole number >= 0')
      .refine(fitsBigint, 'must be below 2^63'),
    'BigInt',
    { raw: true, minimum: 0 },
  );
/** A count in a column of 64 bits. */
export const storedCount = () => gwei();
/** Sums may exceed 64 bits. */
export const bigCount = () =>
  leaf(z.string().regex(/^(0|[1-9]\d{0,39})$/, 'must be a whole number >= 0'), 'BigInt', {
    raw: true,
    minimum: 0,
  });
/** May exceed 64 bits: wei that a block burns, or the stake of a network, if above 41 million ETH, summed over a day. */
export const wideCount = () =>
  leaf(
    z
      .string('must be a whole number >= 0')
      .regex(/^(0|[1-9]\d{0,29})$/, 'must be a whole number >= 0 of at most 30 digits'),
    'BigInt',
    { raw: true, minimum: 0, wide: true },
  );
/** 64 bits without sign, which a bigint of PostgreSQL does not hold. */
export const uint64 = () =>
  leaf(
    z
      .string('must be a whole number >= 0')
      .regex(/^(0|[1-9]\d{0,19})$/, 'must be a whole number >= 0')
      .refine((digits) => !/^\d{20}$/.test(digits) || BigInt(digits) < 2n ** 64n, 'must be below 2^64'),
    'BigInt',
    { raw: true, minimum: 0, wide: true },
  );
/** Exact to the wei (spec §9). */
export const gweiDecimal = () => {
  const form = 'must be a number >= 0 with at most 9 digits after the point';
  return leaf(decimalText(/^(0|[1-9]\d{0,18})(\.\d{1,9})?$/, form), 'Decimal', { raw: true, minimum: 0 });
};
/** May exceed 64 bits. */
export const signedSum = () =>
  leaf(z.string().regex(/^(0|-?[1-9]\d{0,39})$/, 'must be a whole number'), 'BigInt', { raw: true });
export const date = () =>
  leaf(
    z.string().refine((value) => parseDate(value) !== undefined, 'must be a date like 2024-03-31'),
    'Date',
  );
export const timestamp = () =>
  leaf(
    z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, 'must be a moment like 2024-03-31T12:00:23Z')
      .refine((value) => parseDateTime(value) !== undefined, 'must be a moment that exists'),
    'DateTime',
  );
/** For imports, after `decode`. Can have a fraction of a second. */
export const moment = () => {
  const form =
    'must be a moment like 2024-03-31T12:00:23Z; an offset, a fraction and a space instead of T are accepted too';
  return leaf(
    z
      .string(form)
      .refine(
        (value) => /^\d{4}-[\d-]{5}T[\d:]{8}(\.\d+)?Z$/.test(value) && parseDateTime(value) !== undefined,
        form,
      ),
    'DateTime',
  );
};
const signedDigits = () =>
  z
    .string('must be a whole number')
    .regex(/^(0|-?[1-9]\d{0,18})$/, 'must be a whole number')
    .refine(fitsBigint, 'must be within 64 bits');
export const signedGwei = () => leaf(signedDigits(), 'BigInt', { raw: true });
export const signedGweiText = () => leaf(signedDigits(), 'BigInt');

const decimalText = (pattern: RegExp, form: string) => z.string(form).regex(pattern, form);
/** Keeps trailing zeros. */
export const decimal = () =>
  leaf(
    decimalText(
      /^(?!-0(\.0+)?$)-?(0|[1-9]\d{0,39})(\.\d{1,40})?$/,
      'must be a decimal number of at most 40 digits on either side of the point',
    ),
    'Decimal',
  );
export const nonNegativeDecimal = () =>
  leaf(
    decimalText(
      /^(0|[1-9]\d{0,39})(\.\d{1,40})?$/,
      'must be a decimal number >= 0 of at most 40 digits on either side of the point',
    ),
    'Decimal',
    { minimum: 0 },
  );
export const decimalRatio = () =>
  leaf(
    decimalText(
      /^(0(\.\d{1,40})?|1(\.0{1,40})?)$/,
      'must be a decimal number from 0 to 1 of at most 40 digits after the point',
    ),
    'Decimal',
    { minimum: 0, maximum: 1 },
  );
/** Refinements that no printable ASCII fails. */
export const unicodeChecks: ReadonlySet<unknown> = new Set([hasNoNul, isWellFormed]);
/** Refuses what PostgreSQL cannot store. */
export const text = (max = 512) =>
  leaf(
    z
      .string()
      .max(max)
      .refine(hasNoNul, 'must not contain a NUL character')
      .refine(isWellFormed, 'must be well-formed Unicode'),
    'String',
  );
export const hex = (bytes: number) =>
  leaf(
    z.string().regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`), `must be 0x and ${bytes * 2} hex digits`),
    'String',
    { bytes },
  );

export const base58Key = () =>
  leaf(
    z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a public key of 32 to 44 base58 digits'),
    'String',
  );

export const leafOf = (schema: z.core.$ZodType): Leaf | undefined => kinds.get(unwrap(schema) as z.ZodType);

export const leafKind = (schema: z.core.$ZodType): LeafKind | undefined => leafOf(schema)?.kind;

/** Decimals in v1 records are JSON numbers (spec §9). */
export function decimalsAsNumbers<Shape extends z.ZodRawShape>(
  record: z.ZodObject<Shape>,
): z.ZodObject<Shape> {
  const { id, ...meta } = record.meta() ?? {};
  const shape = Object.entries(record.shape).map(([name, field]) => [
    name,
    numbersIn(field as unknown as z.ZodType),
  ]);
  return z.object(Object.fromEntries(shape) as Shape).meta({ ...meta, id: `${id}V1` });
}

function numbersIn(field: z.ZodType): z.ZodType {
  const describe = <T extends z.ZodType>(made: T) => made.describe(field.description ?? '');
  if (field instanceof z.ZodNullable) return describe(numbersIn(field.unwrap() as z.ZodType).nullable());
  if (field instanceof z.ZodArray) return describe(z.array(numbersIn(field.element as z.ZodType)));
  if (field instanceof z.ZodObject) return decimalsAsNumbers(field);
  const known = leafOf(field);
  return known?.kind === 'Decimal'
    ? describe(leaf(field.clone(), 'Decimal', { ...known, raw: true }))
    : field;
}

export const isNullable = (schema: z.core.$ZodType): boolean => schema instanceof z.ZodNullable;

export const unwrap = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodNullable ? schema.unwrap() : schema;

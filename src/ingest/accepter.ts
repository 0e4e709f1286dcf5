import { z } from 'zod';

/** If false, zod checks every row, which takes four times as long. */
const ENABLED = true;

type Accepts = (value: unknown) => boolean;

/**
 * Returns a function that is true only for rows that zod would return unchanged. Zod must check other rows and word their
 * faults. Rows with lists or objects are always left to zod.
 */
export function accepter(shape: z.ZodObject): (row: Record<string, unknown>) => boolean {
  const fields = Object.entries(shape.shape).map(
    ([name, schema]) => [name, accepterOf(schema as z.core.$ZodType)] as const,
  );
  const { catchall, checks } = shape.def;
  if (!ENABLED || catchall || checks?.length || fields.some(([, accepts]) => !accepts)) return () => false;
  return (row) => {
    for (const [name, accepts] of fields) if (!accepts?.(row[name])) return false;
    return Object.keys(row).length === fields.length;
  };
}

/** Undefined for types and checks that it does not know. */
function accepterOf(schema: z.core.$ZodType): Accepts | undefined {
  if (schema instanceof z.ZodNullable) {
    const accepts = accepterOf(schema.unwrap());
    return accepts && ((value) => value === null || accepts(value));
  }
  const { def } = schema._zod;
  const own = 'check' in def ? [def as Check] : [];
  const others = ('checks' in def ? (def.checks as z.core.$ZodCheck[]) : undefined) ?? [];
  const all = [
    'coerce' in def ? undefined : ofType(schema),
    ...[...own, ...others.map((check) => check._zod.def as Check)].map(ofCheck),
  ];
  const known = all.filter((accepts) => accepts !== undefined);
  if (known.length < all.length) return undefined;
  return (value) => {
    for (const accepts of known) if (!accepts(value)) return false;
    return true;
  };
}

function ofType(schema: z.core.$ZodType): Accepts | undefined {
  if (schema instanceof z.ZodNumber) return Number.isFinite;
  if (schema instanceof z.ZodString) return (value) => typeof value === 'string';
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (!(schema instanceof z.ZodEnum)) return undefined;
  const options = new Set<unknown>(schema.options);
  return (value) => options.has(value);
}

type Check =
  | z.core.$ZodCheckNumberFormatDef
  | z.core.$ZodCheckGreaterThanDef
  | z.core.$ZodCheckLessThanDef
  | z.core.$ZodCheckRegexDef
  | z.core.$ZodCheckMinLengthDef
  | z.core.$ZodCheckMaxLengthDef
  | z.core.$ZodCustomDef;

function ofCheck(check: Check): Accepts | undefined {
  switch (check.check) {
    case 'number_format':
      return check.format === 'int32' ? (value) => value === ((value as number) | 0) : undefined;
    case 'greater_than':
      return check.inclusive ? (value) => (value as number) >= (check.value as number) : undefined;
    case 'less_than':
      return check.inclusive ? (value) => (value as number) <= (check.value as number) : undefined;
    case 'string_format':
      return check.format === 'regex' && !check.pattern.global && !check.pattern.sticky
        ? (value) => check.pattern.test(value as string)
        : undefined;
    // Zod counts code points, which are at least half as many as the units of a string.
    case 'min_length':
      return (value) => (value as string).length >= check.minimum * 2;
    case 'max_length':
      return (value) => (value as string).length <= check.maximum;
    case 'custom':
      return check.fn && ((value) => check.fn(value) === true);
    default:
      return undefined;
  }
}

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** If false, zod checks every row. */
const ENABLED = true;

export type Accepts = (value: unknown) => boolean;

/** The result is true only for rows that zod would return unchanged. Zod reports the faults of other rows. */
export const accepter = (shape: z.ZodObject): Accepts => objectAccepter(shape) ?? (() => false);

function objectAccepter(shape: z.ZodObject): Accepts | undefined {
  const fields = accepters(shape);
  if (!fields) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const row = value as Record<string, unknown>;
    for (const [name, accepts] of fields) if (!accepts(row[name])) return false;
    return Object.keys(row).length === fields.length;
  };
}

export function accepters(shape: z.ZodObject): [name: string, Accepts][] | undefined {
  const fields: [string, Accepts][] = [];
  for (const [name, schema] of Object.entries(shape.shape)) {
    const accepts = accepterOf(schema as z.core.$ZodType);
    if (accepts) fields.push([name, accepts]);
  }
  const { catchall, checks } = shape.def;
  const known = fields.length === Object.keys(shape.shape).length && !catchall && !checks?.length;
  return ENABLED && known ? fields : undefined;
}

/** Undefined for types and checks that it does not know. */
function accepterOf(schema: z.core.$ZodType): Accepts | undefined {
  if (schema instanceof z.ZodNullable) {
    const accepts = accepterOf(schema.unwrap());
    return accepts && ((value) => value === null || accepts(value));
  }
  if (schema instanceof z.ZodArray) return listAccepter(schema);
  if (schema instanceof z.ZodObject) return objectAccepter(schema);
  const { def } = schema._zod;
  if ('coerce' in def) return undefined;
  const own = 'check' in def ? [def as Check] : [];
  const others = ('checks' in def ? (def.checks as z.core.$ZodCheck[]) : undefined) ?? [];
  const checks = [...own, ...others.map((check) => check._zod.def as Check)];
  if (schema instanceof z.ZodNumber) return numberAccepter(checks);
  if (schema instanceof z.ZodString) return textAccepter(checks);
  if (checks.length > 0) return undefined;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  const options = new Set<unknown>(schema instanceof z.ZodEnum ? schema.options : []);
  return options.size > 0 ? (value) => options.has(value) : undefined;
}

function listAccepter({ element, def }: z.ZodArray): Accepts | undefined {
  const accepts = accepterOf(element);
  let most = Number.POSITIVE_INFINITY;
  for (const check of (def.checks ?? []) as z.core.$ZodCheck[]) {
    const limit = check._zod.def as Check;
    if (limit.check !== 'max_length') return undefined;
    most = Math.min(most, limit.maximum);
  }
  return accepts && ((value) => Array.isArray(value) && value.length <= most && value.every(accepts));
}

type Check =
  | z.core.$ZodCheckNumberFormatDef
  | z.core.$ZodCheckGreaterThanDef
  | z.core.$ZodCheckLessThanDef
  | z.core.$ZodCheckRegexDef
  | z.core.$ZodCheckMinLengthDef
  | z.core.$ZodCheckMaxLengthDef
  | z.core.$ZodCustomDef;

function numberAccepter(checks: readonly Check[]): Accepts | undefined {
  let [least, most, isInt] = [-Number.MAX_VALUE, Number.MAX_VALUE, false];
  for (const check of checks) {
    if (check.check === 'number_format' && check.format === 'int32') isInt = true;
    else if (check.check === 'greater_than' && check.inclusive) least = Math.max(least, Number(check.value));
    else if (check.check === 'less_than' && check.inclusive) most = Math.min(most, Number(check.value));
    else return undefined;
  }
  return (value) =>
    typeof value === 'number' && value >= least && value <= most && (!isInt || value === (value | 0));
}

function textAccepter(checks: readonly Check[]): Accepts | undefined {
  const all = checks.map(textCheck);
  const known = all.filter((accepts) => accepts !== undefined);
  if (known.length < all.length) return undefined;
  return (value) => {
    if (typeof value !== 'string') return false;
    for (const accepts of known) if (!accepts(value)) return false;
    return true;
  };
}

/** True if, of printable ASCII, only the length can be wrong. */
export function isFreeText(schema: z.ZodString): boolean {
  const { checks = [] } = schema.def;
  return checks.map((check) => check._zod.def as Check).every(isLengthOrUnicode);
}

const isLengthOrUnicode = (check: Check): boolean =>
  check.check === 'custom'
    ? Leaf.unicodeChecks.has(check.fn)
    : check.check === 'min_length' || check.check === 'max_length';

function textCheck(check: Check): ((text: string) => boolean) | undefined {
  switch (check.check) {
    case 'string_format': {
      const { format, pattern } = check;
      return format === 'regex' && !pattern.global && !pattern.sticky
        ? (text) => pattern.test(text)
        : undefined;
    }
    // Zod counts code points. A string of n units has from n/2 to n of them.
    case 'min_length':
      return (text) => text.length >= check.minimum * 2;
    case 'max_length':
      return (text) => text.length <= check.maximum;
    case 'custom':
      return check.fn && ((text) => check.fn(text) === true);
    default:
      return undefined;
  }
}

import { z } from 'zod';
import { type Fault, quoted } from './refusal.ts';
import { unstorable } from './storable.ts';

/** The functions `…Param` parse REST parameters without coercion. */
type Raw = string | string[] | undefined;
type JsonSchema = Record<string, unknown>;
type Wrong = { msg: string; type: string };
type Read<T> = (text: string) => { value: T } | Wrong;

const documents = z.registry<{ schema: JsonSchema; required: boolean }>();

type Options<D> = {
  description: string;
  default?: D;
  /** An absent or empty parameter, or the word null, means the default, or null if there is no default. */
  nullable?: boolean;
  deprecated?: boolean;
  examples?: unknown[];
};

function param<T, O extends Options<T>>(options: O, schema: JsonSchema, read: Read<T>) {
  type Absent = O extends { nullable: true } ? (O extends { default: T } ? never : null) : never;
  const { description, deprecated, examples } = options;
  const required = options.default === undefined && !options.nullable;
  const type = z.unknown().transform((input, context): T | Absent => {
    const raw = input as Raw;
    const fail = (wrong: Wrong) => {
      context.issues.push({ code: 'custom', input, message: wrong.msg, params: { type: wrong.type } });
      return z.NEVER;
    };
    if (Array.isArray(raw))
      return fail({ msg: `is given ${raw.length} times; give it once`, type: 'repeated' });
    const absent = raw === undefined || (options.nullable && (raw === '' || raw === 'null'));
    if (absent && required) return fail({ msg: 'is required', type: 'missing' });
    if (absent) return (options.default ?? null) as T | Absent;
    const result = read(raw as string);
    return 'value' in result ? result.value : fail(result);
  });
  documents.add(type, {
    required,
    schema: {
      ...schema,
      ...(options.nullable ? { type: [schema.type, 'null'].flat() } : {}),
      ...(options.nullable && Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
      description,
      ...(options.default !== undefined ? { default: options.default } : {}),
      ...(deprecated ? { deprecated } : {}),
      ...(examples ? { examples } : {}),
    },
  });
  return type;
}

export function intParam<const O extends Options<number> & { min: number; max?: number }>(options: O) {
  const max = options.max ?? 2 ** 31 - 1;
  const range = `from ${options.min} to ${max}`;
  const schema = { type: 'integer', minimum: options.min, maximum: max };
  return param<number, O>(options, schema, (raw) => {
    if (!/^-?\d+$/.test(raw))
      return { msg: `is ${quoted(raw)}; an integer ${range} is needed`, type: 'int_parsing' };
    const value = Number(raw);
    if (value < options.min || value > max || Object.is(value, -0)) {
      return { msg: `is ${quoted(raw)}; an integer ${range} is needed`, type: 'out_of_range' };
    }
    return { value };
  });
}

export function enumParam<const V extends string, const O extends Options<V> = Options<V>>(
  values: readonly V[],
  options: O,
  ending: readonly V[] = [],
) {
  const list = values.join(', ');
  const oneOf = values.map((word) => ({
    const: word,
    ...(ending.includes(word) ? { deprecated: true } : {}),
  }));
  const schema = { type: 'string', enum: [...values], ...(ending.length > 0 ? { oneOf } : {}) };
  return param<V, O>(options, schema, (raw) =>
    (values as readonly string[]).includes(raw)
      ? { value: raw as V }
      : { msg: `is ${quoted(raw)}; one of ${list} is needed`, type: 'enum' },
  );
}

export function boolParam<const O extends Options<boolean>>(options: O) {
  return param<boolean, O>(options, { type: 'boolean' }, (raw) => {
    const word = raw.toLowerCase();
    if (word === 'true' || word === 'false') return { value: word === 'true' };
    return { msg: `is ${quoted(raw)}; true or false is needed`, type: 'bool_parsing' };
  });
}

export const textFault = (text: string, max = 256): string | undefined =>
  text === ''
    ? 'is empty'
    : text.length > max
      ? `has ${text.length} characters; at most ${max} are accepted`
      : undefined;

export function textParam<const O extends Options<string> & { max?: number }>(
  options: O,
  normalise: (text: string) => string = (text) => text,
) {
  const max = options.max ?? 256;
  return param<string, O>(options, { type: 'string', minLength: 1, maxLength: max }, (raw) => {
    const msg = textFault(raw, max);
    if (msg) return { msg, type: raw === '' ? 'too_short' : 'too_long' };
    const wrong = unstorable(raw);
    if (wrong) return { msg: `is ${quoted(raw)}, which contains ${wrong.has}`, type: wrong.type };
    return { value: normalise(raw) };
  });
}

export function formParam<T, const O extends Options<T> & { form: string }>(
  options: O,
  schema: JsonSchema,
  read: (text: string) => T | undefined,
) {
  return param<T, O>(options, schema, (raw) => {
    const value = read(raw);
    return value === undefined
      ? { msg: `is ${quoted(raw)}; ${options.form} is needed`, type: 'format' }
      : { value };
  });
}

/** For two parameters that must be given together or not at all. An invalid one is undefined. */
export function pairFaults<Name extends string>(
  query: Partial<Record<Name, unknown>>,
  ...[one, other]: [Name, Name]
): Fault[] {
  const missing =
    query[one] === null && query[other] ? one : query[other] === null && query[one] ? other : undefined;
  if (missing === undefined) return [];
  const msg = `${missing} is required together with ${missing === one ? other : one}.`;
  return [{ loc: ['query', missing], msg, type: 'missing' }];
}

export const paramDocument = (type: z.core.$ZodType) => documents.get(type as z.ZodType);

/** `loc` is like `["query","window"]`. */
export function paramFaults(error: z.ZodError, part: string): Fault[] {
  return error.issues.map((issue) => {
    const name = issue.path.map(String).join('.');
    const type = issue.code === 'custom' ? String(issue.params?.type ?? 'value_error') : issue.code;
    return { loc: [part, ...issue.path.map(String)], msg: `${name} ${issue.message}.`, type };
  });
}

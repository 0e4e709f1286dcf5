import { z } from 'zod';
import { decode } from '../../kernel/decode.ts';
import { exactly } from '../../kernel/exactly.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type Accepts, isFreeText } from '../importer/accepter.ts';

export type Reader = {
  /** True if the value, which is ASCII, is right and stored as it is written. */
  takes(bytes: Buffer, start: number, end: number, quoted: boolean): boolean;
  /** The value that was taken last. */
  value(): unknown;
};

const [MINUS, ZERO, NINE] = [45, 48, 57];
/** Fits every 64-bit field. */
const MAX_DIGITS = 18;
/** A number with more characters may underflow a double, which PostgreSQL refuses. */
const MAX_FLOAT = 24;
const NUMBER = /^(0|[1-9]\d*)(\.\d+)?$/;
const FLOAT = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d{1,2})?$/i;

export function valueReader(schema: z.core.$ZodType, accepts: Accepts, json: boolean): Reader {
  const inner = Leaf.unwrap(schema);
  if (inner instanceof z.ZodArray) return listReader(inner, accepts, json);
  switch (Leaf.leafKind(schema)) {
    case 'Int':
      return intReader(accepts);
    case 'Boolean':
      return textReader((text, quoted) => !quoted && (text === 'true' || text === 'false'), isTrue);
    case 'BigInt':
      return digitsReader(accepts);
    case 'Float':
      // PostgreSQL reads these digits as the same double. -0 is stored as 0.
      return textReader(
        (text, quoted) =>
          !quoted &&
          text.length <= MAX_FLOAT &&
          FLOAT.test(text) &&
          !Object.is(Number(text), -0) &&
          accepts(Number(text)),
        Number,
      );
    case 'Decimal':
      return textReader((text) => NUMBER.test(text) && accepts(text));
    default:
      if (inner instanceof z.ZodString && isFreeText(inner)) return freeTextReader(accepts, json);
      return textReader((text, quoted) => quoted === json && decode(inner, text) === text && accepts(text));
  }
}

const MAX_LISTS = 1_000;

/** Takes JSON of lists. Lists often repeat those of other lines. */
function listReader(schema: z.ZodArray, accepts: Accepts, json: boolean): Reader {
  const known = new Map<string, unknown>();
  let value: unknown;
  return {
    takes(bytes, start, end, quoted) {
      if (quoted && json) return false;
      const text = bytes.toString('latin1', start, end);
      value = known.get(text);
      if (value) return true;
      const read = exactly(json ? text : text.replaceAll('""', '"'));
      const list = Array.isArray(read) ? decode(schema, read) : undefined;
      if (!accepts(list)) return false;
      value = list;
      if (known.size < MAX_LISTS) known.set(text, list);
      return true;
    },
    value: () => value,
  };
}

const isTrue = (text: string) => text === 'true';

function intReader(accepts: Accepts): Reader {
  let value = 0;
  return {
    takes(bytes, start, end, quoted) {
      if (quoted || !isWhole(bytes, start, end)) return false;
      value = 0;
      for (let index = start; index < end; index += 1) value = value * 10 + (bytes[index] as number) - ZERO;
      return accepts(value);
    },
    value: () => value,
  };
}

/**
 * Values of at most `fitting` digits are accepted without being made into text, which would take most of the time. This
 * needs a range of accepted values without gaps.
 */
function digitsReader(accepts: Accepts): Reader {
  let fitting = MAX_DIGITS;
  while (fitting > 0 && !['0', '1', '9'.repeat(fitting)].every(accepts)) fitting -= 1;
  let taken: Buffer | undefined;
  let [from, to] = [0, 0];
  const value = () => taken?.toString('latin1', from, to);
  return {
    takes(bytes, start, end) {
      const first = bytes[start] === MINUS ? start + 1 : start;
      taken = bytes;
      from = start;
      to = end;
      return isWhole(bytes, first, end) && ((first === start && end - start <= fitting) || accepts(value()));
    },
    value,
  };
}

/** Longer values are rare. */
const COMMON_LENGTH = 128;

/** Values of common lengths are accepted without being made into text, which would take most of the time. */
function freeTextReader(accepts: Accepts, json: boolean): Reader {
  const fits = Array.from({ length: COMMON_LENGTH }, (_, length) => accepts('a'.repeat(length)));
  let taken: Buffer | undefined;
  let [from, to] = [0, 0];
  const value = () => taken?.toString('latin1', from, to);
  return {
    takes(bytes, start, end, quoted) {
      taken = bytes;
      from = start;
      to = end;
      return quoted === json && (fits[end - start] ?? accepts(value()));
    },
    value,
  };
}

/** Values often repeat those of the line before, which are not made into text again. */
function textReader(
  accepts: (text: string, quoted: boolean) => boolean,
  read: (text: string) => unknown = (text) => text,
): Reader {
  let last: Buffer | undefined;
  let lastStart = 0;
  let lastQuoted = false;
  let value = '';
  return {
    takes(bytes, start, end, quoted) {
      const length = end - start;
      const isKnown = last && quoted === lastQuoted && length === value.length;
      if (isKnown && isSame(bytes, start, last as Buffer, lastStart, length)) return true;
      const text = bytes.toString('latin1', start, end);
      if (!accepts(text, quoted)) return false;
      last = bytes;
      lastStart = start;
      lastQuoted = quoted;
      value = text;
      return true;
    },
    value: () => read(value),
  };
}

export function isSame(
  bytes: Buffer,
  start: number,
  other: Buffer,
  otherStart: number,
  length: number,
): boolean {
  for (let index = 0; index < length; index += 1)
    if (bytes[start + index] !== other[otherStart + index]) return false;
  return true;
}

function isWhole(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length < 1 || length > MAX_DIGITS || (length > 1 && bytes[start] === ZERO)) return false;
  for (let index = start; index < end; index += 1) {
    const code = bytes[index] as number;
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

import { FAR_FUTURE_EPOCH } from '../../../chain/calendar.ts';
import { AnswerError } from '../../answers/error.ts';
import { integerOf, shown, uint64Of } from '../../answers/json.ts';

export const literal = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

export function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** Returns `at` if there are no digits or a leading zero. */
function endOfDigits(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let digit = (bytes[end] as number) - 48; digit >= 0 && digit <= 9; ) {
    end += 1;
    digit = (bytes[end] as number) - 48;
  }
  return bytes[at] === 48 && end > at + 1 ? at : end;
}

const QUOTE = 0x22;
/** Some nodes write numbers without quotes. */
const digitsAt = (bytes: Uint8Array, at: number): number => (bytes[at] === QUOTE ? at + 1 : at);

/** Exact below 2^53. */
export function numberAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = digitsAt(bytes, at); ; i += 1) {
    const digit = (bytes[i] as number) - 48;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}

/** Returns the end of a decimal of at most `most` digits, with or without quotes; otherwise 0. */
export function endOfDecimal(bytes: Uint8Array, at: number, most: number): number {
  const from = digitsAt(bytes, at);
  const end = endOfDigits(bytes, from);
  if (end === from || end - from > most) return 0;
  if (from === at) return end;
  return bytes[end] === QUOTE ? end + 1 : 0;
}

/** Takes numbers, too, because some nodes write them without quotes. */
export function decimal(value: unknown, field: string, max = Number.MAX_SAFE_INTEGER): number {
  const number = integerOf(value, max);
  if (number !== undefined) return number;
  throw new AnswerError(`${field} is ${shown(value)} in place of a decimal up to ${max}`);
}

export function uint64(value: unknown, field: string): bigint {
  const number = uint64Of(value);
  if (number !== undefined) return number;
  throw new AnswerError(`${field} is ${shown(value)} in place of a decimal of 64 bits`);
}

/** Infinity for FAR_FUTURE_EPOCH. */
export const epochNumber = (value: unknown, field: string): number =>
  value === FAR_FUTURE_EPOCH ? Number.POSITIVE_INFINITY : decimal(value, field);

/** No registry is this large. */
export const MAX_INDEX = 2 ** 27;
/** Where a list has validators and builders, the index of a builder is raised by this. */
export const BUILDER_FLAG = 2 ** 40;

/** Returns lower case. */
export function hex(value: unknown, field: string, bytes?: number): string {
  if (
    typeof value === 'string' &&
    /^0x(?:[0-9a-fA-F]{2})*$/.test(value) &&
    (bytes === undefined || value.length === 2 + 2 * bytes)
  )
    return value.toLowerCase();
  throw new AnswerError(`${field} is ${shown(value)} in place of 0x and ${bytes ?? 'some'} bytes in hex`);
}

export function objectAt(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new AnswerError(`${field} is ${shown(value)} in place of an object`);
}

/** Nodes written in Go may write an empty list as null. */
export function listAt(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  throw new AnswerError(`${field} is ${shown(value)} in place of a list`);
}

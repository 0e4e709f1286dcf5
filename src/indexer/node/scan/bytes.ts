import { FAR_FUTURE_EPOCH } from '../../../chain/calendar.ts';
import { AnswerError, shown } from '../errors.ts';

export const literal = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

export function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** Returns `at` if there are no digits or a leading zero. */
export function endOfDigits(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let digit = (bytes[end] as number) - 48; digit >= 0 && digit <= 9; ) {
    end += 1;
    digit = (bytes[end] as number) - 48;
  }
  return bytes[at] === 48 && end > at + 1 ? at : end;
}

/** Exact below 2^53. */
export function numberOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + (bytes[at] as number) - 48;
  return value;
}

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

export function decimal(value: unknown, field: string, max = Number.MAX_SAFE_INTEGER): number {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : Number.NaN;
  if (number <= max) return number;
  throw new AnswerError(`${field} is ${shown(value)} in place of a decimal up to ${max} in a string`);
}

/** Infinity for FAR_FUTURE_EPOCH. */
export const epochNumber = (value: unknown, field: string): number =>
  value === FAR_FUTURE_EPOCH ? Number.POSITIVE_INFINITY : decimal(value, field);

/** No registry is this large. */
export const MAX_INDEX = 2 ** 27;

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

export function listAt(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new AnswerError(`${field} is ${shown(value)} in place of a list`);
}

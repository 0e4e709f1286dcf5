import { hash } from 'node:crypto';
import { unstorable } from './storable.ts';

const VERSION = 1;

/** Detects edited cursors and cursors of other lists, but can be forged. */
const mark = (list: string, key: string) =>
  hash('sha256', `stakegraph:${VERSION}:${list}:${key}`, 'base64url').slice(0, 11);

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

export function encodeCursor(list: string, key: readonly (string | number)[]): string {
  const text = JSON.stringify(key);
  return base64(`${VERSION}.${mark(list, text)}.${text}`);
}

function parseKey(text: string): (string | number)[] | undefined {
  try {
    const key: unknown = JSON.parse(text);
    const fits = (part: unknown) => (typeof part === 'string' ? !unstorable(part) : typeof part === 'number');
    return Array.isArray(key) && key.every(fits) ? key : undefined;
  } catch {
    return undefined;
  }
}

export function decodeCursor(list: string, cursor: string): (string | number)[] | undefined {
  if (cursor.length > 1024) return undefined;
  const whole = Buffer.from(cursor, 'base64url').toString('utf8');
  const [version, given, ...rest] = whole.split('.');
  const text = rest.join('.');
  if (version !== String(VERSION) || given !== mark(list, text) || base64(whole) !== cursor) return undefined;
  const key = parseKey(text); // with a forged checksum, `text` can be anything
  return key && JSON.stringify(key) === text ? key : undefined;
}

/** PostgreSQL's `int` ends at 2³¹ − 1. */
export const isNumber = (part: unknown): part is number =>
  Number.isInteger(part) && (part as number) >= 0 && (part as number) < 2 ** 31;

export function decodePosition(list: string, cursor: string, length: number): number[] | undefined {
  const key = decodeCursor(list, cursor);
  return key?.length === length && key.every(isNumber) ? key : undefined;
}

export function integerCursors(name: () => string) {
  let made: string | undefined;
  const list = () => (made ??= name());
  return {
    of: (place: number): string => encodeCursor(list(), [place]),
    read: (cursor: string): number | undefined => decodePosition(list(), cursor, 1)?.[0],
  };
}

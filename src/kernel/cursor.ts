import { hash } from 'node:crypto';

/**
 * Cursors are opaque: `v1`, a mark of the list they belong to, and the key of a row in it. The mark covers the key
 * too, so a cursor of another list, a shortened or an edited one is refused instead of silently giving other rows.
 * A cursor holds nothing secret: it names a position in a list the caller may read anyway.
 */
const VERSION = 1;

const mark = (list: string, key: string) =>
  hash('sha256', `stakegraph:${VERSION}:${list}:${key}`, 'base64url').slice(0, 11);

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

/** The cursor of the row with this key in this list; `list` names the list with all that decides its order. */
export function encodeCursor(list: string, key: readonly (string | number)[]): string {
  const text = JSON.stringify(key);
  return base64(`${VERSION}.${mark(list, text)}.${text}`);
}

function parseKey(text: string): (string | number)[] | undefined {
  try {
    const key: unknown = JSON.parse(text);
    const fits = (part: unknown) => typeof part === 'string' || typeof part === 'number';
    return Array.isArray(key) && key.every(fits) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The key in a cursor, or undefined when it is not a cursor of this list. */
export function decodeCursor(list: string, cursor: string): (string | number)[] | undefined {
  if (cursor.length > 1024) return undefined;
  const whole = Buffer.from(cursor, 'base64url').toString('utf8');
  const [version, given, ...rest] = whole.split('.');
  const text = rest.join('.');
  if (version !== String(VERSION) || given !== mark(list, text) || base64(whole) !== cursor) return undefined;
  const key = parseKey(text); // the mark is no secret: what it covers may be anything
  return key && JSON.stringify(key) === text ? key : undefined;
}

/**
 * The key in a cursor as so many whole numbers >= 0 of 32 bits, or undefined. The mark is no secret: a cursor that was
 * made by hand can hold anything, and what it holds goes into a statement.
 */
export function decodePosition(list: string, cursor: string, length: number): number[] | undefined {
  const key = decodeCursor(list, cursor);
  const fits = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
  return key?.length === length && key.every(fits) ? (key as number[]) : undefined;
}

/**
 * The cursors of a list in which a row's place is one number, such as a slot. `name` is called for cursors alone, which few
 * ask for.
 */
export function integerCursors(name: () => string) {
  let made: string | undefined;
  const list = () => (made ??= name());
  return {
    of: (place: number): string => encodeCursor(list(), [place]),
    read: (cursor: string): number | undefined => decodePosition(list(), cursor, 1)?.[0],
  };
}

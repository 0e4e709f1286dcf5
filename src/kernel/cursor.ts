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
const isNumber = (part: unknown): part is number =>
  Number.isInteger(part) && (part as number) >= 0 && (part as number) < 2 ** 31;

export function decodePosition(list: string, cursor: string, length: number): number[] | undefined {
  const key = decodeCursor(list, cursor);
  return key?.length === length && key.every(isNumber) ? key : undefined;
}

export type Cursors<Row, Place> = {
  of: (row: Row) => string;
  read: (cursor: string) => Place | undefined;
};

/** Cursors of rows whose place in the list is one number. */
export function integerCursors<Row>(name: () => string, placeOf: (row: Row) => number): Cursors<Row, number> {
  let made: string | undefined;
  const list = () => (made ??= name());
  return {
    of: (row) => encodeCursor(list(), [placeOf(row)]),
    read: (cursor) => decodePosition(list(), cursor, 1)?.[0],
  };
}

type Part = string | number;
/** What a part of a cursor must be, which can be forged. A pattern makes it a text. */
type Form = 'int' | RegExp | ((part: Part) => boolean);
type Parts<Forms extends readonly Form[]> = {
  -readonly [At in keyof Forms]: Forms[At] extends 'int' ? number : Forms[At] extends RegExp ? string : Part;
};

const fits = (form: Form | undefined, part: Part): boolean =>
  form === 'int' ? isNumber(part) : form instanceof RegExp ? form.test(String(part)) : form?.(part) === true;

/** Cursors of rows whose place in the list has several parts, or is not a number. */
export function placeCursors<Row, const Forms extends readonly Form[], Place>(
  list: string,
  forms: Forms,
  partsOf: (row: Row) => readonly Part[],
  placeOf: (...parts: Parts<Forms>) => Place,
): Cursors<Row, Place> {
  return {
    of: (row) => encodeCursor(list, partsOf(row)),
    read(cursor) {
      const parts = decodeCursor(list, cursor);
      if (parts?.length !== forms.length || !parts.every((part, at) => fits(forms[at], part)))
        return undefined;
      const texts = parts.map((part, at) => (forms[at] instanceof RegExp ? String(part) : part));
      return placeOf(...(texts as Parts<Forms>));
    },
  };
}

import { isUtf8 } from 'node:buffer';
import { isSpace, jsonLayout } from '../quick/split.ts';
import { readLine } from './lines.ts';
import { type Lines, NOT_UTF8, notJson, repeatedKey, SourceError } from './source.ts';

const [SPACE, QUOTE, COMMA, COLON] = [32, 34, 44, 58];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [91, 92, 93, 123, 125];
const isStructural = (code: number | undefined) =>
  code === COMMA ||
  code === COLON ||
  code === OPEN ||
  code === CLOSE ||
  code === OPEN_LIST ||
  code === CLOSE_LIST ||
  code === QUOTE;

/** Names of the row lists of REST bodies; no row has these fields. */
export const listNames = new Set(['data', 'results']);

export const holdsList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]) => (listNames.has(name) && Array.isArray(member)) || holdsList(member),
  );

/** The rows of a JSON array, up to its end or an element that is not an object, or contains a list of rows. */
export type Elements = Lines & {
  /** True if no rows follow; `at` is then before the end of the array, or before the element. */
  ended: boolean;
  /** Begins an array at `at`. */
  begin(): void;
};

export function elementsOf(name: string): Elements {
  let first = 1;
  return {
    ...{ bytes: Buffer.alloc(0), at: 0, place: first, ended: true },
    layout: (text) => ({ ...jsonLayout(text), inArray: true }),
    begin() {
      first = this.place;
      this.ended = false;
    },
    read() {
      if (this.ended) return undefined;
      const { bytes, place } = this;
      const start = afterSpace(bytes, this.at);
      if (start === bytes.length) return undefined;
      if (bytes[start] === CLOSE_LIST && place > first)
        throw notJson(name, place - 1, 'a row must follow the comma');
      const element = bytes[start] === OPEN ? compact(bytes, start) : undefined;
      if (element?.next === 0) return undefined;
      const last = element ? afterSpace(bytes, element.next) : start;
      // Whether another row follows decides if this one is whole.
      if (last === bytes.length) return undefined;
      const isLast = bytes[last] === CLOSE_LIST;
      if (!element || (bytes[last] !== COMMA && !isLast)) {
        this.ended = true;
        return undefined;
      }
      const whole = bytes.subarray(start, element.next);
      if (!isUtf8(whole)) throw new SourceError(`${name}: ${NOT_UTF8}`);
      const row = readLine(element.text, place);
      if (row.broken) throw notJson(name, place - 1, faultOf(row.broken.msg));
      if (holdsList(row.value)) {
        this.ended = true;
        return undefined;
      }
      this.ended = isLast;
      this.at = isLast ? last : last + 1;
      this.place += 1;
      return { text: whole.toString(), row };
    },
  };
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function faultOf(msg: string): string {
  const [, key] = /Duplicate key '(.*)'/.exec(msg) ?? [];
  return key ? repeatedKey(key) : msg.replace('is not JSON: ', '');
}

/**
 * Returns the text, without spaces, of the object at `start`, and where the object ends: 0 if it does not end in `bytes`.
 * Undefined for what is not JSON.
 */
function compact(bytes: Buffer, start: number): { text: string; next: number } | undefined {
  let text = '';
  let from = start;
  let depth = 0;
  for (let index = start; index < bytes.length; index += 1) {
    const code = bytes[index] as number;
    if (code <= SPACE) {
      const next = afterSpace(bytes, index);
      if (next === index) return undefined;
      if (next === bytes.length) break;
      // `1 2` must not become 12.
      if (!isStructural(bytes[index - 1]) && !isStructural(bytes[next])) return undefined;
      text += bytes.toString('utf8', from, index);
      from = next;
      index = next - 1;
    } else if (code === QUOTE) {
      for (index += 1; bytes[index] !== QUOTE && index < bytes.length; index += 1) {
        if ((bytes[index] as number) < SPACE) return undefined;
        if (bytes[index] === BACKSLASH) index += 1;
      }
    } else if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return { text: text + bytes.toString('utf8', from, index + 1), next: index + 1 };
    }
  }
  return { text: '', next: 0 };
}

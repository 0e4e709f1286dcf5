import { isUtf8 } from 'node:buffer';
import { isSpace, jsonLayout } from '../quick/split.ts';
import { holdsList } from './document.ts';
import { readLine } from './lines.ts';
import { type Lines, NOT_UTF8, type RawRow, SourceError } from './source.ts';

/** If false, stream-json reads arrays. */
const ENABLED = true;
/** Larger rows are left to stream-json, because an incomplete row is read again with each chunk. */
const MAX_ROW = 4_194_304;

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

export const isArray = (head: string): boolean => ENABLED && /^\s*\[\s*\{/.test(head);

/**
 * Rows of an array of objects. `others` reads a document that begins after so many rows: the rest of the source, from the
 * first element on that is not a row, or is not JSON.
 */
export async function* arrayRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  others: (rest: AsyncIterable<Buffer>, count: number) => AsyncIterable<RawRow[]>,
): AsyncGenerator<RawRow[] | Lines> {
  const source = chunks[Symbol.asyncIterator]();
  const remaining = { [Symbol.asyncIterator]: () => source };
  const elements = elementsOf(name);
  const left = async function* (prefix: string) {
    yield Buffer.concat([Buffer.from(prefix), elements.bytes.subarray(elements.at)]);
    yield* remaining;
  };
  try {
    for (let begun = false; ; begun = true) {
      const next = await source.next();
      const bytes = Buffer.concat([elements.bytes.subarray(elements.at), next.value ?? Buffer.alloc(0)]);
      elements.bytes = bytes;
      elements.at = begun ? 0 : bytes.indexOf('[') + 1;
      if (next.done || bytes.length > MAX_ROW) return yield* others(left('['), elements.place - 1);
      yield elements;
      if (elements.end) return yield* others(left(elements.end), elements.place - 1);
    }
  } finally {
    await source.return?.();
  }
}

/** `end` is set before an element that is not a row, and after the array. It begins an array without the elements so far. */
type Elements = Lines & { end?: '[' | '[]' };

const elementsOf = (name: string): Elements => ({
  ...{ bytes: Buffer.alloc(0), at: 0, place: 1 },
  layout: (text) => ({ ...jsonLayout(text), inArray: true }),
  read() {
    if (this.end) return undefined;
    const { bytes, place } = this;
    const start = afterSpace(bytes, this.at);
    if (start === bytes.length) return undefined;
    if (bytes[start] === CLOSE_LIST && place > 1)
      throw notJson(name, place - 1, 'a row must follow the comma');
    const element = bytes[start] === OPEN ? compact(bytes, start) : undefined;
    if (element?.next === 0) return undefined;
    const last = element ? afterSpace(bytes, element.next) : start;
    // Whether another row follows decides if this one is whole.
    if (last === bytes.length) return undefined;
    const isLast = bytes[last] === CLOSE_LIST;
    if (!element || (bytes[last] !== COMMA && !isLast)) {
      this.end = '[';
      return undefined;
    }
    const whole = bytes.subarray(start, element.next);
    if (!isUtf8(whole)) throw new SourceError(`${name}: ${NOT_UTF8}`);
    const row = readLine(element.text, place);
    if (row.broken) throw notJson(name, place - 1, row.broken.msg);
    if (holdsList(row.value)) {
      this.end = '[';
      return undefined;
    }
    if (isLast) this.end = '[]';
    this.at = last + 1;
    this.place += 1;
    return { text: whole.toString(), row };
  },
});

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

const notJson = (name: string, count: number, msg: string) => {
  const [, key] = /Duplicate key '(.*)'/.exec(msg) ?? [];
  const after = count > 0 ? ` after row ${count}` : '';
  const why = key
    ? `the key ${JSON.stringify(key)} appears twice in one object`
    : msg.replace('is not JSON: ', '');
  return new SourceError(`${name}: is not JSON${after}: ${why}`);
};

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

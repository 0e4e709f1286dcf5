import { isUtf8 } from 'node:buffer';
import { readLine, rowLayout } from './lines.ts';
import { type Lines, NOT_UTF8, type RawRow, SourceError } from './source.ts';

/** If false, stream-json reads arrays. */
const ENABLED = true;
/** Larger rows are left to stream-json, because an incomplete row is read again with each chunk. */
const MAX_ROW = 4_194_304;
/** Keys of REST bodies, whose rows stream-json finds. No row has these fields. */
const bodyKeys = ['"data"', '"results"'];

const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44];
const [COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [58, 91, 92, 93, 123, 125];
const isSpace = (code: number | undefined) => code === SPACE || code === LF || code === CR || code === TAB;
const isStructural = (code: number) =>
  code === COMMA ||
  code === COLON ||
  code === OPEN ||
  code === CLOSE ||
  code === OPEN_LIST ||
  code === CLOSE_LIST ||
  code === QUOTE;

export const isArray = (head: string): boolean => ENABLED && /^\s*\[\s*\{/.test(head);

/**
 * Makes NDJSON of an array of objects. `others` reads a document that begins after so many rows: the rest of the source,
 * from the first element on that is not a row, or is not JSON.
 */
export async function* arrayRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  others: (rest: AsyncIterable<Buffer>, count: number) => AsyncIterable<RawRow[]>,
): AsyncGenerator<RawRow[] | Lines> {
  const source = chunks[Symbol.asyncIterator]();
  const remaining = { [Symbol.asyncIterator]: () => source };
  let bytes = Buffer.alloc(0);
  let count = 0;
  const left = async function* (prefix: string, at: number) {
    yield Buffer.concat([Buffer.from(prefix), bytes.subarray(at)]);
    yield* remaining;
  };
  const read = (text: string, place: number): RawRow | undefined => {
    const row = text === '' ? undefined : readLine(text, place);
    if (row?.broken) throw notJson(name, place - 1, row.broken.msg);
    return row;
  };
  try {
    for (let begun = false; ; ) {
      const next = await source.next();
      bytes = Buffer.concat([bytes, next.value ?? Buffer.alloc(0)]);
      if (begun && /^\s*\]/.test(bytes.toString('latin1', 0, 99)))
        throw notJson(name, count, 'a row must follow the comma');
      if (next.done || bytes.length > MAX_ROW || bodyKeys.some((key) => bytes.includes(key)))
        return yield* others(left(begun ? '[' : '', 0), count);
      const from = begun ? 0 : bytes.indexOf('[') + 1;
      const lines = Buffer.allocUnsafe(bytes.length);
      const { length, rows, at, end } = rowsAsLines(bytes, from, lines);
      if (!isUtf8(bytes.subarray(0, at))) throw new SourceError(`${name}: ${NOT_UTF8}`);
      begun ||= rows > 0;
      if (rows > 0) yield { bytes: lines.subarray(0, length), place: count + 1, read, layout: rowLayout };
      count += rows;
      if (end === 'array') return yield* others(left('[]', at), count);
      if (end === 'other') {
        if (bytes[at] === CLOSE_LIST) throw notJson(name, count, 'a row must follow the comma');
        return yield* others(left(begun ? '[' : '', begun ? at : 0), count);
      }
      bytes = bytes.subarray(begun ? at : 0);
    }
  } finally {
    await source.return?.();
  }
}

const notJson = (name: string, count: number, msg: string) => {
  const [, key] = /Duplicate key '(.*)'/.exec(msg) ?? [];
  const after = count > 0 ? ` after row ${count}` : '';
  const why = key
    ? `the key ${JSON.stringify(key)} appears twice in one object`
    : msg.replace('is not JSON: ', '');
  return new SourceError(`${name}: is not JSON${after}: ${why}`);
};

type Taken = {
  /** Bytes written to `lines`. */
  length: number;
  rows: number;
  /** Where the first element begins that is not taken, or what follows the array. */
  at: number;
  /** What is there: no whole element, the end of the array, or something else than an object. */
  end: 'chunk' | 'array' | 'other';
};

/** Writes each object of an array, from `start` on, as a line without spaces. */
function rowsAsLines(bytes: Buffer, start: number, lines: Buffer): Taken {
  let length = 0;
  let rows = 0;
  let index = start;
  const skipSpace = () => {
    while (isSpace(bytes[index])) index += 1;
  };
  for (;;) {
    skipSpace();
    const at = index;
    if (index >= bytes.length) return { length, rows, at, end: 'chunk' };
    if (bytes[index] !== OPEN) return { length, rows, at, end: 'other' };
    const row = compact(bytes, index, lines, length);
    if (!row) return { length, rows, at, end: 'other' };
    index = row.next;
    skipSpace();
    // Whether another row follows decides if this one is whole.
    if (row.next === 0 || index >= bytes.length) return { length, rows, at, end: 'chunk' };
    const follows = bytes[index];
    if (follows !== COMMA && follows !== CLOSE_LIST) return { length, rows, at, end: 'other' };
    index += 1;
    lines[row.length] = LF;
    length = row.length + 1;
    rows += 1;
    if (follows === CLOSE_LIST) return { length, rows, at: index, end: 'array' };
  }
}

/** Undefined for what is not JSON; `next` is 0 if the object does not end in `bytes`. */
function compact(bytes: Buffer, start: number, lines: Buffer, at: number) {
  let length = at;
  let depth = 0;
  let wasSpace = false;
  for (let index = start; index < bytes.length; index += 1) {
    const code = bytes[index] as number;
    if (code <= SPACE) {
      if (!isSpace(code)) return undefined;
      wasSpace = true;
      continue;
    }
    // `1 2` must not become 12.
    if (wasSpace && !isStructural(code) && !isStructural(lines[length - 1] as number)) return undefined;
    wasSpace = false;
    lines[length++] = code;
    if (code === QUOTE) {
      for (index += 1; index < bytes.length; index += 1) {
        const inner = bytes[index] as number;
        if (inner < SPACE) return undefined;
        lines[length++] = inner;
        if (inner === QUOTE) break;
        if (inner === BACKSLASH) {
          index += 1;
          lines[length++] = bytes[index] as number;
        }
      }
    } else if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return { length, next: index + 1 };
    }
  }
  return { length, next: 0 };
}

import { isSpace } from '../quick/split.ts';
import { MAX_LEVELS, MAX_VALUES } from './source.ts';
import { listNames } from './whole-list.ts';

const [SPACE, QUOTE, COMMA, COLON] = [32, 34, 44, 58];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [91, 92, 93, 123, 125];
const SCALARS = Buffer.from('-0123456789tfn');

/** A value has more of something than fits into memory. */
export class TooMany extends Error {}

export type Scanned = {
  /** Where the value ends, or where a list of rows begins in it; 0 if neither is in the bytes. */
  end: number;
  isList: boolean;
  /** The brackets that close what is open at `end`. */
  open: number[];
  /** The last comma, and how many brackets are open there. */
  comma: number;
  depth: number;
};

export function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/**
 * Scans on in a value, whose brackets are those of `around` after the first `outer`, up to its end or, if `seeksLists`,
 * to the begin of a list of rows. Throws an Error or TooMany; other faults are left to the parser.
 */
export function scanValue(
  bytes: Buffer,
  at: number,
  { around, outer, seeksLists }: { around: readonly number[]; outer: number; seeksLists: boolean },
): Scanned {
  const open = [...around];
  let [comma, depth, values] = [0, 0, 0];
  let [text, textEnd, before] = [0, 0, 0];
  const scanned = (end: number, isList = false) => ({ end, isList, open, comma, depth });
  if (open.length === outer) {
    const first = bytes[at] as number;
    if (SCALARS.includes(first)) return scanned(scalarEnd(bytes, at));
    if (first !== QUOTE && first !== OPEN && first !== OPEN_LIST) throw new Error('expected a value');
  }
  for (let index = at; index < bytes.length; index += 1) {
    const code = bytes[index] as number;
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      text = index + 1;
      for (index += 1; bytes[index] !== QUOTE; index += 1) {
        if (index >= bytes.length) return scanned(0);
        if (bytes[index] === BACKSLASH) index += 1;
      }
      textEnd = index;
    } else if (code === OPEN || code === OPEN_LIST) {
      if (open.push(code + 2) > MAX_LEVELS) throw new TooMany(`${MAX_LEVELS} levels of nesting`);
      const isNamed = code === OPEN_LIST && before === COLON && seeksLists;
      if (isNamed && listNames.has(bytes.toString('latin1', text, textEnd))) return scanned(index + 1, true);
    } else if (code === CLOSE || code === CLOSE_LIST) {
      const closing = open.pop() as number;
      if (code !== closing) throw new Error(`expected '${String.fromCharCode(closing)}'`);
    } else if (code === COMMA) {
      comma = index;
      depth = open.length;
      values += 1;
      if (values === MAX_VALUES) throw new TooMany(`${MAX_VALUES} values`);
    }
    if (open.length === outer) return scanned(index + 1);
    before = code;
  }
  return scanned(0);
}

function scalarEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at] as number;
    if (isSpace(code) || code === COMMA || code === CLOSE_LIST || code === CLOSE) return at;
  }
  return 0;
}

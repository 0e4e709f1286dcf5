/**
 * Of JSON, `around` has the texts before, between and after the values of a row. With `inArray`, commas separate the rows,
 * otherwise line breaks.
 */
export type Layout = { columns: readonly string[]; around?: readonly string[]; inArray?: boolean };

/** `quoted` is 1 for text in JSON, and in CSV for cells that contain doubled quotes. */
export type Cells = { starts: Int32Array; ends: Int32Array; quoted: Uint8Array };

/** Returns where the next row begins, or 0 for a row that it does not split. */
export type Split = (bytes: Buffer, at: number, cells: Cells) => number;

const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44];
const [BRACKET, BACKSLASH, CLOSING, BRACE] = [91, 92, 93, 125];
const isPlain = (code: number) => code >= SPACE && code < 127 && code !== BACKSLASH;
export const isSpace = (code: number | undefined) =>
  code === SPACE || code === LF || code === CR || code === TAB;

export const splitter = ({ columns, around, inArray = false }: Layout): Split =>
  around ? jsonSplitter(around, inArray) : csvSplitter(columns.length - 1);

const csvSplitter =
  (last: number): Split =>
  (bytes, at, { starts, ends, quoted }) => {
    const { length } = bytes;
    let index = at;
    for (let column = 0; ; column += 1) {
      const isQuoted = bytes[index] === QUOTE;
      if (isQuoted) index += 1;
      starts[column] = index;
      quoted[column] = 0;
      let code: number;
      for (; ; index += 1) {
        code = index < length ? (bytes[index] as number) : 0;
        if (code === QUOTE) {
          if (!isQuoted) return 0;
          if (bytes[index + 1] !== QUOTE) break;
          quoted[column] = 1;
          index += 1;
        } else if (!isQuoted && (code === COMMA || code === LF || code === CR)) break;
        else if (!isPlain(code)) return 0;
      }
      ends[column] = index;
      if (isQuoted) {
        index += 1;
        code = index < length ? (bytes[index] as number) : 0;
      }
      if (column === last) {
        if (index === at) return 0;
        if (code === LF) return index + 1;
        return code === CR && bytes[index + 1] === LF ? index + 2 : 0;
      }
      if (code !== COMMA) return 0;
      index += 1;
    }
  };

function jsonSplitter(around: readonly string[], inArray: boolean): Split {
  const befores = around.map(wordsOf);
  const last = befores.length - 1;
  let viewed: Buffer | undefined;
  let view: DataView;
  return (bytes, at, { starts, ends, quoted }) => {
    const { length } = bytes;
    if (viewed !== bytes) view = new DataView(bytes.buffer, bytes.byteOffset, length);
    viewed = bytes;
    let index = at;
    for (let column = 0; ; column += 1) {
      const { first, words, size } = befores[column] as Words;
      if (index + size > length) return 0;
      for (let n = 0; n < first.length; n += 1, index += 1) if (bytes[index] !== first[n]) return 0;
      for (let n = 0; n < words.length; n += 1, index += WORD)
        if (view.getFloat64(index) !== words[n]) return 0;
      if (column === last) break;
      const isText = bytes[index] === QUOTE;
      if (isText) index += 1;
      starts[column] = index;
      quoted[column] = isText ? 1 : 0;
      if (bytes[index] === BRACKET && !isText) index = endOfList(bytes, index, inArray);
      else
        for (; ; index += 1) {
          const code = index < length ? (bytes[index] as number) : 0;
          if (isText ? code === QUOTE : code === COMMA || code === BRACE || code <= SPACE) break;
          if (!isPlain(code)) return 0;
        }
      if (index === 0) return 0;
      ends[column] = index;
      if (isText) index += 1;
    }
    if (inArray) {
      if (bytes[index] !== COMMA) return 0;
      do index += 1;
      while (isSpace(bytes[index]));
      return index;
    }
    if (bytes[index] === CR) index += 1;
    return bytes[index] === LF ? index + 1 : 0;
  };
}

/** Returns where the list ends; 0 if it has no end, or unless `inArray` no end on the same line. */
function endOfList(bytes: Buffer, start: number, inArray: boolean): number {
  let isText = false;
  for (let index = start; index < bytes.length; index += 1) {
    const code = bytes[index] as number;
    if (!isPlain(code) && !(inArray && isSpace(code))) return 0;
    if (code === QUOTE) isText = !isText;
    else if (code === CLOSING && !isText) return index + 1;
  }
  return 0;
}

const WORD = 8;
type Words = { first: Uint8Array; words: Float64Array; size: number };

/** Eight characters are compared at once, as a double: ASCII is neither NaN nor a zero. */
function wordsOf(text: string): Words {
  const bytes = Buffer.from(text);
  const first = bytes.length % WORD;
  const words = new Float64Array((bytes.length - first) / WORD);
  for (let at = 0; at < words.length; at += 1) words[at] = bytes.readDoubleBE(first + at * WORD);
  return { first: bytes.subarray(0, first), words, size: bytes.length };
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g;

/** The layout of a JSON object, with its own spaces. */
export function jsonLayout(text: string): Layout {
  const columns: string[] = [];
  const around: string[] = [];
  let depth = 0;
  let last = '';
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 1 && token === ':') {
      columns.push(JSON.parse(last));
      let value = index + 1;
      while (isSpace(text.charCodeAt(value))) value += 1;
      around.push(text.slice(end, value));
    } else if (depth === 0 || (depth === 1 && token === ',')) {
      end = index;
      while (isSpace(text.charCodeAt(end - 1))) end -= 1;
    }
    last = token;
  }
  return { columns, around: [...around, text.slice(end)] };
}

/** `around` is the text around the values in JSON. */
export type Layout = { columns: readonly string[]; around?: readonly string[] };

export type Cells = { starts: Int32Array; ends: Int32Array; quoted: Uint8Array };

export type Split = (codes: Uint16Array, length: number, at: number, cells: Cells) => number;

const [LF, CR, QUOTE, COMMA, BACKSLASH, BRACE] = [10, 13, 34, 44, 92, 125];
const isPlain = (code: number) => code >= 32 && code < 127 && code !== BACKSLASH;

export const splitter = ({ columns, around }: Layout): Split =>
  around ? jsonSplitter(around) : csvSplitter(columns.length - 1);

const csvSplitter =
  (last: number): Split =>
  (codes, length, at, { starts, ends }) => {
    let column = 0;
    starts[0] = at;
    for (let index = at; ; index += 1) {
      const code = index < length ? (codes[index] as number) : LF;
      if (code === COMMA) {
        if (column === last) return 0;
        ends[column] = index;
        starts[(column += 1)] = index + 1;
      } else if (code === LF || code === CR) {
        ends[column] = index;
        return column < last || index === at ? 0 : index + (code === CR ? 2 : 1);
      } else if (!isPlain(code)) return 0;
    }
  };

function jsonSplitter(around: readonly string[]): Split {
  const befores = around.map(pairsOf);
  const last = befores.length - 1;
  let view: DataView = new DataView(new ArrayBuffer(0));
  return (codes, length, at, { starts, ends, quoted }) => {
    if (view.buffer !== codes.buffer) view = new DataView(codes.buffer);
    let index = at;
    for (let column = 0; ; column += 1) {
      const { first, pairs, size } = befores[column] as Pairs;
      if (index + size > length || codes[index] !== first) return 0;
      index += size - 2 * pairs.length;
      for (let pair = 0; pair < pairs.length; pair += 1, index += 2)
        if (view.getInt32(2 * index, true) !== pairs[pair]) return 0;
      if (column === last) break;
      const isText = codes[index] === QUOTE;
      if (isText) index += 1;
      starts[column] = index;
      quoted[column] = isText ? 1 : 0;
      for (; ; index += 1) {
        const code = index < length ? (codes[index] as number) : LF;
        if (isText ? code === QUOTE : code === COMMA || code === BRACE) break;
        if (!isPlain(code)) return 0;
      }
      ends[column] = index;
      if (isText) index += 1;
    }
    if (index < length && codes[index] === CR) index += 1;
    return index === length || codes[index] === LF ? index + 1 : 0;
  };
}

type Pairs = { first: number; pairs: Int32Array; size: number };

/** Two characters are compared at once. */
function pairsOf(text: string): Pairs {
  const pairs = new Int32Array(text.length >> 1);
  const start = text.length % 2;
  for (let pair = 0; pair < pairs.length; pair += 1)
    pairs[pair] = text.charCodeAt(start + 2 * pair) | (text.charCodeAt(start + 2 * pair + 1) << 16);
  return { first: text.charCodeAt(0), pairs, size: text.length };
}

export function jsonLayout(line: string, columns: readonly string[]): Layout {
  const [comma, colon] = line.includes('": ') ? [', ', ': '] : [',', ':'];
  const before = columns.map((name, index) => `${index > 0 ? comma : '{'}${JSON.stringify(name)}${colon}`);
  return { columns, around: [...before, '}'] };
}

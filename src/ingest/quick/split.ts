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
  const befores = around.map((text) => Uint16Array.from(text, (char) => char.charCodeAt(0)));
  const last = befores.length - 1;
  return (codes, length, at, { starts, ends, quoted }) => {
    let index = at;
    for (let column = 0; ; column += 1) {
      const before = befores[column] as Uint16Array;
      if (index + before.length > length) return 0;
      for (let offset = 0; offset < before.length; offset += 1, index += 1)
        if (codes[index] !== before[offset]) return 0;
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

export function jsonLayout(line: string, columns: readonly string[]): Layout {
  const [comma, colon] = line.includes('": ') ? [', ', ': '] : [',', ':'];
  const before = columns.map((name, index) => `${index > 0 ? comma : '{'}${JSON.stringify(name)}${colon}`);
  return { columns, around: [...before, '}'] };
}

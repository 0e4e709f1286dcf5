import { pipeline, Readable } from 'node:stream';
import { parse as csv } from 'csv-parse';
import { parse as csvSync } from 'csv-parse/sync';

export type CsvRecord = { cells: string[]; line: number };

const BATCH = 500;
const options = { skip_empty_lines: true, relax_column_count: true };
const MAX_LINE = 1_048_576;
const [LF, CR, QUOTE] = [10, 13, 34];
type LineBreak = '\n' | '\r\n';

/** Without a line break in quotes. */
const FIRST_LINE = /^[^"\r\n]*(?:"[^"\r\n]*"[^"\r\n]*)*(\r?\n)/;

export type CsvLines = { text: string; line: number; lineBreak: LineBreak };

/** Leaves the rest to the slower csv-parse from the first line on that contains a line break or has another one. */
export async function* csvParts(chunks: AsyncIterable<string>): AsyncGenerator<CsvLines | CsvRecord[]> {
  const source = chunks[Symbol.asyncIterator]();
  let lineBreak: LineBreak | undefined;
  let lines = 0;
  let text = '';
  try {
    for (let done: boolean | undefined = false, plain = true; plain && !done; ) {
      const next = await source.next();
      done = next.done;
      text += next.value ?? '';
      lineBreak ??= FIRST_LINE.exec(text)?.[1] as LineBreak | undefined;
      const whole = done && lineBreak ? text.length : endOfLines(text, lineBreak);
      const length = plainLength(text.slice(0, whole), lineBreak);
      const part = text.slice(0, length);
      if (lineBreak && length > 0) {
        yield { text: part, line: lines + 1, lineBreak };
        lines += countLines(part, lineBreak);
      }
      text = text.slice(length);
      plain = length === whole && text.length < MAX_LINE;
    }
    if (text !== '') yield* parsed(text, source, lines, lineBreak);
  } finally {
    await source.return?.();
  }
}

function endOfLines(text: string, lineBreak: LineBreak | undefined): number {
  const last = lineBreak ? text.lastIndexOf(lineBreak) : -1;
  return lineBreak && last >= 0 ? last + lineBreak.length : 0;
}

/** Up to the first line that has another line break, or one in quotes, which leaves an odd number of them before it. */
function plainLength(text: string, lineBreak: LineBreak | undefined): number {
  if (lineBreak === '\n' && !text.includes('"') && !text.includes('\r')) return text.length; // faster than the loop
  let start = 0;
  let isOpen = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isOpen = !isOpen;
    else if (code === CR) {
      if (isOpen || lineBreak === '\n' || text.charCodeAt(index + 1) !== LF) return start;
    } else if (code === LF) {
      if (isOpen || (lineBreak !== '\n' && text.charCodeAt(index - 1) !== CR)) return start;
      start = index + 1;
    }
  }
  return isOpen ? start : text.length;
}

const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

/** The cells of a line, numbered `line`. Throws a CsvError. */
export function cellsOf(text: string, line: number): string[] {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const [, quoted, plain, end] = CELL.exec(text) ?? [];
    const cell = quoted?.replaceAll('""', '"') ?? plain;
    if (cell === undefined) return csvSync('\n'.repeat(line - 1) + text, options)[0] as never;
    cells.push(cell);
    if (end === '') return cells;
  }
}

const countLines = (text: string, lineBreak: LineBreak): number => {
  let count = 0;
  for (let at = text.indexOf(lineBreak); at >= 0; at = text.indexOf(lineBreak, at + lineBreak.length))
    count += 1;
  return count;
};

async function* parsed(
  text: string,
  source: AsyncIterator<string>,
  lines: number,
  lineBreak: LineBreak | undefined,
): AsyncGenerator<CsvRecord[]> {
  async function* whole() {
    // Empty lines, which csv-parse skips, make it count lines as in the file.
    for (let left = lines; lineBreak && left > 0; left -= MAX_LINE)
      yield lineBreak.repeat(Math.min(left, MAX_LINE));
    yield text;
    yield* { [Symbol.asyncIterator]: () => source };
  }
  const parser = csv({ ...options, info: true, ...(lineBreak && { record_delimiter: lineBreak }) });
  const records = pipeline(Readable.from(whole()), parser, () => undefined); // no-op: the loop throws the error
  let batch: CsvRecord[] = [];
  for await (const { record, info } of records as AsyncIterable<Parsed>) {
    batch.push({ cells: record, line: info.lines });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

type Parsed = { record: string[]; info: { lines: number } };

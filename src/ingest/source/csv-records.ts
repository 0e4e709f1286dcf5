import { pipeline, Readable } from 'node:stream';
import { parse as csv } from 'csv-parse';

export type CsvRecord = { cells: string[]; line: number };

const BATCH = 500;
const MAX_LINE = 1_048_576;
/** By line break, what only csv-parse can read. */
const special = { '\n': /["\r]/, '\r\n': /"|\r(?!\n)|(?<!\r)\n/ } as const;
type LineBreak = keyof typeof special;

export type CsvLines = { text: string; line: number; lineBreak: LineBreak };

/** Leaves the rest to the slower csv-parse from the first special character on. */
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
      lineBreak ??= /^[^"\r\n]*(\r?\n)/.exec(text)?.[1] as LineBreak | undefined;
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

function plainLength(text: string, lineBreak: LineBreak | undefined): number {
  const first = lineBreak ? text.search(special[lineBreak]) : -1;
  return first < 0 ? text.length : endOfLines(text.slice(0, first), lineBreak);
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
  const options = { info: true, skip_empty_lines: true, relax_column_count: true };
  const parser = csv({ ...options, ...(lineBreak && { record_delimiter: lineBreak }) });
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

import { parse } from 'lossless-json';
import type { RawRow } from './source.ts';

function readLine(text: string, place: number): RawRow {
  try {
    return { value: parse(text), place };
  } catch (error) {
    return { value: undefined, place, broken: { text, msg: `is not JSON: ${(error as Error).message}` } };
  }
}

export async function* lineRows(chunks: AsyncIterable<string>): AsyncGenerator<RawRow[]> {
  let rest = '';
  let place = 0;
  const rowsOf = (lines: string[]) =>
    lines.flatMap((line) => {
      place += 1;
      const text = line.trim();
      return text === '' ? [] : [readLine(text, place)];
    });
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    yield rowsOf(lines);
  }
  yield rowsOf([rest]);
}

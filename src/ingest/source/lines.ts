import { parse } from 'lossless-json';
import { exactly } from '../../kernel/exactly.ts';
import { jsonLayout } from '../quick/split.ts';
import { type Lines, linesOf, MAX_VALUES, type RawRow } from './source.ts';

const LF = 10;

const broken = (text: string, place: number, msg: string): RawRow => ({
  value: undefined,
  place,
  broken: { text, msg },
});

function hasManyValues(text: string): boolean {
  let values = 0;
  for (let at = text.indexOf(','); at >= 0 && values < MAX_VALUES; at = text.indexOf(',', at + 1))
    values += 1;
  return values >= MAX_VALUES;
}

export function readLine(text: string, place: number): RawRow {
  if (text.length > MAX_VALUES && hasManyValues(text))
    return broken(text, place, `has more than ${MAX_VALUES} values`);
  try {
    return { value: exactly(text) ?? parse(text), place };
  } catch (error) {
    return broken(text, place, `is not JSON: ${(error as Error).message}`);
  }
}

const rowOf = (line: string, place: number): RawRow | undefined => {
  const text = line.trim();
  return text === '' ? undefined : readLine(text, place);
};

export const jsonLines = (name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Lines> =>
  linesOf(name, chunks, {
    ...{ rowOf, layout: jsonLayout },
    end: (bytes, at) => (bytes.indexOf(LF, at) + 1 || bytes.length + 1) - 1,
    lastEnd: (chunk) => chunk.lastIndexOf(LF) + 1,
    endless: 'a line break may be missing',
  });

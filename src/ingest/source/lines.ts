import { parse } from 'lossless-json';
import { exactly } from '../../kernel/exactly.ts';
import { jsonLayout } from '../quick/split.ts';
import { type Lines, linesOf, type RawRow } from './source.ts';

const LF = 10;

export function readLine(text: string, place: number): RawRow {
  try {
    return { value: exactly(text) ?? parse(text), place };
  } catch (error) {
    return { value: undefined, place, broken: { text, msg: `is not JSON: ${(error as Error).message}` } };
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

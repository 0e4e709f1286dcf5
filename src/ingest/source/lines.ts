import { parse } from 'lossless-json';
import { exactly } from '../../kernel/exactly.ts';
import { jsonLayout } from '../quick/split.ts';
import { lineRows, MAX_VALUES, type RawRow, type Records } from './source.ts';

const LF = 10;

function hasManyValues(text: string): boolean {
  let values = 0;
  for (let at = text.indexOf(','); at >= 0 && values < MAX_VALUES; at = text.indexOf(',', at + 1))
    values += 1;
  return values >= MAX_VALUES;
}

/** Parses JSON without loss of digits. Keys must not be repeated with different values. */
export function jsonRow(text: string, place: number): RawRow {
  const broken = (msg: string) => ({ value: undefined, place, broken: { text, msg } });
  if (text.length > MAX_VALUES && hasManyValues(text)) return broken(`has more than ${MAX_VALUES} values`);
  try {
    return { value: exactly(text) ?? parse(text), place };
  } catch (error) {
    return broken(`is not JSON: ${(error as Error).message}`);
  }
}

export const jsonLines = (name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Records> =>
  lineRows(name, chunks, {
    rowOf(line, place) {
      const text = line.trim();
      return text === '' ? undefined : jsonRow(text, place);
    },
    layout: jsonLayout,
    end: (bytes, at) => (bytes.indexOf(LF, at) + 1 || bytes.length + 1) - 1,
    endless: 'a line break may be missing',
  });

import { parse } from 'lossless-json';
import { exactly } from '../../kernel/exactly.ts';
import { jsonLayout } from '../quick/split.ts';
import {
  MAX_BYTES,
  MAX_MB,
  MAX_VALUES,
  noRecords,
  piecesOf,
  type RawRow,
  type Records,
  SourceError,
  utf8Text,
} from './source.ts';

const LF = 10;

type LineFormat = Pick<Records, 'layout'> & {
  rowOf(text: string, place: number): RawRow | undefined;
  /** Where the row at `at` ends, before its line break; the length of `bytes` if it has none. */
  end(bytes: Buffer, at: number): number;
  /** The likely cause of a row without an end. */
  endless: string;
};

/** Rows that end with a line break. A row that has line breaks itself has the number of its first line. */
export function lineRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  { rowOf, layout, end, endless }: LineFormat,
): AsyncGenerator<Records> {
  const records: Records = {
    ...{ ...noRecords(), begins: () => true, layout },
    read() {
      const { bytes, at, place, isLast } = records;
      if (at >= bytes.length) return undefined;
      const next = end(bytes, at);
      if (next === bytes.length && !isLast) {
        if (next - at <= MAX_BYTES) return undefined;
        throw new SourceError(`${name}: line ${place} begins a row of more than ${MAX_MB} MB; ${endless}`);
      }
      const text = utf8Text(name, bytes, at, next);
      records.at = next + 1;
      records.place += text.split('\n').length;
      return { text, row: rowOf(text, place) };
    },
  };
  return piecesOf(chunks, records);
}

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

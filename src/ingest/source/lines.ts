import { isUtf8 } from 'node:buffer';
import { parse } from 'lossless-json';
import { jsonLayout } from '../quick/split.ts';
import { type Lines, linesOf, NOT_UTF8, type RawRow, SourceError } from './source.ts';

const LF = 10;

export function readLine(text: string, place: number): RawRow {
  try {
    return { value: exactly(text) ?? parse(text), place };
  } catch (error) {
    return { value: undefined, place, broken: { text, msg: `is not JSON: ${(error as Error).message}` } };
  }
}

/** Undefined if `JSON.parse` may have lost digits or a repeated key. */
function exactly(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === withoutSpaces(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Some writers put spaces after commas and colons. */
const withoutSpaces = (text: string) =>
  text.includes('": ') ? text.replaceAll('": ', '":').replaceAll(', "', ',"') : text;

const rowOf = (line: string, place: number): RawRow | undefined => {
  const text = line.trim();
  return text === '' ? undefined : readLine(text, place);
};

export async function* jsonLines(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Lines> {
  let rest: Buffer[] = [];
  let place = 1;
  const checked = (bytes: Buffer): Lines => {
    if (!isUtf8(bytes)) throw new SourceError(`${name}: ${NOT_UTF8}`);
    return linesOf(bytes, place, rowOf, jsonLayout);
  };
  for await (const chunk of chunks) {
    const whole = chunk.lastIndexOf(LF) + 1;
    if (whole > 0) {
      const lines = checked(Buffer.concat([...rest, chunk.subarray(0, whole)]));
      yield lines;
      ({ place } = lines);
      rest = [];
    }
    rest.push(chunk.subarray(whole));
  }
  yield checked(Buffer.concat(rest));
}

import { parse } from 'lossless-json';
import { isObject } from '../importer.ts';
import { jsonLayout } from '../quick/split.ts';
import type { Lines, RawRow } from './source.ts';

function readLine(text: string, place: number): RawRow {
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

export const countLines = (text: string, lineBreak = '\n'): number => {
  let count = 0;
  for (let at = text.indexOf(lineBreak); at >= 0; at = text.indexOf(lineBreak, at + lineBreak.length))
    count += 1;
  return count;
};

const read = (line: string, place: number): RawRow | undefined => {
  const text = line.trim();
  return text === '' ? undefined : readLine(text, place);
};
const layout = (line: string, { value }: RawRow) =>
  isObject(value) ? jsonLayout(line, Object.keys(value)) : undefined;

export async function* jsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Lines> {
  let rest = '';
  let place = 1;
  for await (const chunk of chunks) {
    const whole = chunk.lastIndexOf('\n') + 1;
    if (whole === 0) {
      rest += chunk;
      continue;
    }
    const text = rest + chunk.slice(0, whole);
    rest = chunk.slice(whole);
    yield { text, place, read, layout };
    place += countLines(text);
  }
  yield { text: rest, place, read, layout };
}

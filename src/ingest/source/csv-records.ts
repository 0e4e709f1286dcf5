import { parse as csvSync } from 'csv-parse/sync';
import { SourceError } from './source.ts';

const [LF, QUOTE] = [10, 34];

/** A record ends with the first line break outside quotes; the length of `bytes` if there is none. */
export function recordEnd(bytes: Buffer, at: number): number {
  let isOpen = false;
  for (let index = at; index < bytes.length; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) isOpen = !isOpen;
    else if (code === LF && !isOpen) return index;
  }
  return bytes.length;
}

const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r]*))(,|$)/y;

/** The cells of a record that begins on `line`. Throws a SourceError. */
export function cellsOf(name: string, text: string, line: number): string[] {
  if (!text.includes('"') && !text.includes('\r')) return text.split(',');
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const [, quoted, plain, end] = CELL.exec(text) ?? [];
    const cell = quoted?.replaceAll('""', '"') ?? plain;
    if (cell === undefined) throw new SourceError(`${name}: is not CSV: ${faultOf(text, line)}`);
    cells.push(cell);
    if (end === '') return cells;
  }
}

function faultOf(text: string, line: number): string {
  if (text.split('"').length % 2 === 0) return `a quote of the record on line ${line} is not closed`;
  if (text.replaceAll(/"[^"]*"/g, '').includes('\r'))
    return `line ${line} has a CR without LF outside quotes; lines end with LF or CRLF`;
  try {
    csvSync('\n'.repeat(line - 1) + text.replaceAll('\r\n', '\n'), { skip_empty_lines: true });
  } catch (error) {
    return (error as Error).message;
  }
  return `line ${line} has a quote that neither encloses a cell nor is doubled in one`;
}

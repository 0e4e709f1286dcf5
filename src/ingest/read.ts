import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parse } from 'lossless-json';

/**
 * One row of a source, as parsed, and where it stands for a person: `row 3`, `line 17`. A line of NDJSON that is not JSON
 * is a row too, with its text and what is wrong: others may be loaded without it.
 */
export type RawRow = { value: unknown; place: string; broken?: { text: string; msg: string } };

/** The rows of a source; `complete` when it is a REST body that holds its whole list. */
export type Source = { name: string; rows: RawRow[]; complete: boolean };

/** A source that cannot be read as a whole; the message names it. */
export class SourceError extends Error {}

const unzip = promisify(gunzip);

async function readBytes(path: string): Promise<Buffer> {
  if (path !== '-') return readFile(path);
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream('', { fd: 0 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Reads a file, or standard input for `-`: a REST body, a JSON array, one JSON object, or NDJSON; gzip of each is
 * recognised by its first bytes. Numbers keep their digits.
 */
export async function readSource(path: string): Promise<Source> {
  const name = path === '-' ? 'standard input' : path;
  let bytes: Buffer;
  try {
    bytes = await readBytes(path);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await unzip(bytes);
  } catch (error) {
    throw new SourceError(`${name}: ${(error as Error).message}`);
  }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '')
    throw new SourceError(`${name}: is empty; a REST body, a JSON array or NDJSON is needed.`);
  return isNdjson(text) ? { name, rows: readLines(text), complete: false } : readDocument(name, text);
}

/** NDJSON is told from one document by its first or second line being a whole object, with other lines beside it. */
function isNdjson(text: string): boolean {
  const lines = text.split('\n', 50).filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.slice(0, 2).some(isObjectText);
}

function isObjectText(line: string): boolean {
  try {
    return line.trim().startsWith('{') && typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

function parseText(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new SourceError(`${name}: is not JSON: ${(error as Error).message}`);
  }
}

function readLine(text: string, place: string): RawRow {
  try {
    return { value: parse(text), place };
  } catch (error) {
    return { value: undefined, place, broken: { text, msg: `is not JSON: ${(error as Error).message}` } };
  }
}

const readLines = (text: string): RawRow[] =>
  text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), place: `line ${index + 1}` }))
    .filter(({ line }) => line !== '')
    .map(({ line, place }) => readLine(line, place));

/** The rows of a REST body: `data` of a v0 one, `results` of a v1 one. */
function bodyRows(document: Record<string, unknown> | unknown[] | null): unknown[] | undefined {
  if (document === null || Array.isArray(document)) return undefined;
  return [document.data, document.results].find((rows): rows is unknown[] => Array.isArray(rows));
}

function readDocument(name: string, text: string): Source {
  const document = parseText(text, name) as Record<string, unknown> | unknown[];
  const inBody = bodyRows(document);
  const values = inBody ?? (Array.isArray(document) ? document : [document]);
  const rows = values.map((value, index) => ({ value, place: `row ${index + 1}` }));
  const complete = inBody !== undefined && isWholeList(document as Record<string, unknown>, values.length);
  return { name, rows, complete };
}

/** A body without a page before or after it. */
function isWholeList(body: Record<string, unknown>, rows: number): boolean {
  if ((body.next ?? null) !== null || (body.previous ?? null) !== null) return false;
  const from = (body.page as Record<string, unknown> | undefined)?.from;
  const starts = from === null || from === undefined || String(from) === '0';
  return starts && ('results' in body || String(body.total) === String(rows));
}

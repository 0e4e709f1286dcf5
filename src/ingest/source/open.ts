import type { Hash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'lossless-json';
import type { z } from 'zod';
import { csvRows } from './csv.ts';
import { documentRows } from './documents.ts';
import { jsonLines } from './lines.ts';
import { PathError, type RowSource, SourceError } from './source.ts';
import { holdsList } from './whole-list.ts';

export const formats = ['json', 'csv'] as const;
export type Format = (typeof formats)[number];

const PEEKED = 65_536;
const READ_SIZE = 262_144;

/** Sources may be gzipped. Also throws SourceError while rows are read. */
export async function openRowSource(
  path: string,
  shape: z.ZodObject,
  format?: Format,
  hash?: Hash,
): Promise<RowSource> {
  const name = path === '-' ? 'standard input' : path;
  const file = path === '-' ? undefined : await fileAt(path);
  const counter = { read: 0 };
  const { head, all } = await peekable(unzipped(name, path, counter, hash));
  const start = new TextDecoder().decode(head, { stream: true });
  if (start.trim() === '')
    throw new SourceError(`${name}: is empty; a REST body, a JSON array, NDJSON or CSV is needed.`);
  const bytes = () => ({ read: counter.read, size: file?.size });
  const never = () => false;
  refuseCompressed(name, head);
  if (!format && !/\.csv(\.gz)?$/i.test(path) && looksLikeCsv(start))
    throw new SourceError(
      `${name}: looks like CSV; give --format csv, or a name that ends with .csv or .csv.gz.`,
    );
  if ((format ?? (/\.csv(\.gz)?$/i.test(path) ? 'csv' : 'json')) === 'csv') {
    const rows = csvRows(name, all, shape);
    return { name, unit: 'line', rows, complete: never, bytes };
  }
  if (isNdjson(start)) return { name, unit: 'line', rows: jsonLines(name, all), complete: never, bytes };
  const { rows, complete } = documentRows(name, all, new Set(Object.keys(shape.shape)));
  return { name, unit: 'row', rows, complete, bytes };
}

const compressions = [
  { name: 'zstd', start: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'xz', start: [0xfd, 0x37, 0x7a, 0x58] },
  { name: 'bzip2', start: [0x42, 0x5a, 0x68] },
  { name: 'zip', start: [0x50, 0x4b, 0x03, 0x04] },
];

function refuseCompressed(name: string, head: Buffer): void {
  const known = compressions.find(({ start }) => start.every((byte, at) => head[at] === byte));
  if (known) throw new SourceError(`${name}: is compressed with ${known.name}; only gzip is read.`);
}

const looksLikeCsv = (start: string): boolean => /^\s*"?[A-Za-z_]\w*"?[,;\t]"?[A-Za-z_]/.test(start);

export async function fileAt(path: string): Promise<Stats> {
  const file = await stat(path).catch((error) => fail(path, error, PathError));
  if (file.isDirectory()) throw new PathError(`${path}: is a folder; name its files.`);
  return file;
}

export function fail(name: string, error: unknown, Fault = SourceError): never {
  if (error instanceof SourceError) throw error;
  const { code, message } = error as NodeJS.ErrnoException;
  throw new Fault(`${name}: ${code === 'ENOENT' ? 'there is no such file.' : message}`);
}

async function* unzipped(
  name: string,
  path: string,
  counter: { read: number },
  hash?: Hash,
): AsyncGenerator<Buffer> {
  // Does not open file descriptor 0: Node may have made it non-blocking, and then reads from a slow writer would fail
  // with EAGAIN.
  const raw = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: READ_SIZE });
  async function* counted() {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      counter.read += chunk.length;
      hash?.update(chunk);
      yield chunk;
    }
  }
  try {
    const chunks = counted();
    let first = (await chunks.next()).value as Buffer | undefined;
    while (first && first.length < 2) {
      const more = (await chunks.next()).value as Buffer | undefined;
      if (!more) break;
      first = Buffer.concat([first, more]);
    }
    if (!first) return;
    async function* whole() {
      yield first as Buffer;
      yield* chunks;
    }
    if (first[0] !== 0x1f || first[1] !== 0x8b) yield* whole();
    else
      yield* pipeline(
        Readable.from(whole()),
        createGunzip({ chunkSize: READ_SIZE }),
        () => undefined,
      ) as AsyncIterable<Buffer>;
  } catch (error) {
    fail(name, error);
  } finally {
    raw.destroy();
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

async function peekable(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  let head = Buffer.alloc(0);
  while (head.length < PEEKED) {
    const { value, done } = await bytes.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  if (head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    head = head.subarray(BYTE_ORDER_MARK.length);
  async function* all() {
    yield head;
    yield* bytes;
  }
  return { head, all: all() };
}

/** True if the first or second line is a row, and the first line does not end inside a document. */
function isNdjson(head: string): boolean {
  const lines = head.split('\n', 50).filter((line) => line.trim() !== '');
  return lines.length > 1 && !/[[{,:]\s*$/.test(lines[0] as string) && lines.slice(0, 2).some(isRowText);
}

function isRowText(line: string): boolean {
  try {
    return line.trim().startsWith('{') && !holdsList(parse(line));
  } catch {
    return false;
  }
}

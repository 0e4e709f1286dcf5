import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLosslessNumber, parse } from 'lossless-json';
import { isObject } from '../../kernel/json.ts';
import { jsonLines } from '../source/lines.ts';
import { type RawRow, type RowSource, readRows } from '../source/source.ts';
import type { Page } from './walk.ts';

/** Keeps rows on disk, so that memory does not limit their number. */
export type Spool = {
  pages(): number;
  add(page: Page): Promise<void>;
  last(): string | undefined;
  values(): AsyncIterable<unknown>;
  source(name: string, completed?: (row: unknown) => unknown): RowSource;
  placeOf(place: number): { page: string; row: number };
  close(): Promise<void>;
};

const NAME = 'rows.ndjson';

const later = (one: string, other: string) =>
  /^\d+$/.test(one) && /^\d+$/.test(other) ? Number(one) > Number(other) : one > other;

/** Deletes the file while it is open, if the system allows it, so that a crash leaves no file. */
export async function openSpool(positionField: string | undefined): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'stakegraph-mirror-'));
  const file: FileHandle = await open(join(folder, NAME), 'w+');
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const pages: { name: string; before: number }[] = [];
  let rows = 0;
  let furthest: string | undefined;

  const lines = () => jsonLines(NAME, file.createReadStream({ start: 0, autoClose: false }));
  async function* values() {
    for await (const batch of readRows(lines())) for (const { value } of batch) yield value;
  }
  async function* completedRows(complete: (row: unknown) => unknown): AsyncGenerator<RawRow[]> {
    for await (const batch of readRows(lines())) {
      yield batch.map((row) => ({ ...row, value: complete(row.value) }));
    }
  }
  const notePosition = (line: string) => {
    const row = parse(line);
    const value = isObject(row) ? row[positionField as string] : undefined;
    const position = isLosslessNumber(value) || typeof value === 'string' ? String(value) : undefined;
    if (position !== undefined && (furthest === undefined || later(position, furthest))) furthest = position;
  };
  return {
    pages: () => pages.length,
    async add(page) {
      pages.push({ name: page.name, before: rows });
      rows += page.rows.length;
      if (positionField !== undefined) page.rows.forEach(notePosition);
      if (page.rows.length > 0) await file.appendFile(`${page.rows.join('\n')}\n`);
    },
    last: () => furthest,
    values,
    source: (name, completed = (row) => row) => ({
      name,
      unit: 'row',
      rows: completedRows(completed),
      complete: () => true,
      bytes: () => ({ read: 0, size: undefined }),
    }),
    placeOf(place) {
      const page = pages.findLast(({ before }) => before < place);
      return { page: page?.name ?? '', row: place - (page?.before ?? 0) };
    },
    async close() {
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

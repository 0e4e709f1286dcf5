import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Refusal } from '../kernel/refusal.ts';
import type { ArchivedMonth } from './catalogue.ts';
import { temporaryFolder } from './folders.ts';
import { footerWith, MAGIC } from './footer.ts';
import type { RowGroup, RowGroups } from './row-groups.ts';

export type ArchivedFile = {
  network: string;
  /** The first of the month. */
  month: string;
  folder: string;
  file: string;
  bytes: number;
  /** True for the file with the sums of the month's days. */
  hasSums?: boolean;
};

export type CataloguedFile = ArchivedFile & { sha256: Buffer };

/** Of the days of a month, and of their sums if it has them. */
export function filesOfMonth(month: ArchivedMonth): { days: CataloguedFile; sums?: CataloguedFile } {
  const { network, month: first, folder, file, bytes, sha256, sums } = month;
  const of = { network, month: first, folder };
  return {
    days: { ...of, file, bytes, sha256 },
    ...(sums && { sums: { ...of, ...sums, hasSums: true } }),
  };
}

export const pathOf = ({ folder, file }: Pick<ArchivedFile, 'folder' | 'file'>): string => join(folder, file);

/** Names the month and its file. Clients do not see the folder, which the log has. `what` follows the name of the file. */
export class UnreadableMonth extends Refusal {
  readonly what: string;

  constructor(month: ArchivedFile, what: string, cause?: unknown) {
    const days = `${month.hasSums ? 'sums of days' : 'days'} of ${month.network}`;
    const named = `${days} in ${month.month.slice(0, 7)} are archived in ${month.file}`;
    super('UNAVAILABLE', `The ${named}, which ${what}.`, { cause: cause ?? new Error(pathOf(month)) });
    this.what = what;
  }
}

/** Throws UnreadableMonth if the file is missing or has another size than in the catalogue. */
export async function openMonth(month: ArchivedFile): Promise<FileHandle> {
  const handle = await open(pathOf(month), 'r').catch((error: NodeJS.ErrnoException) => {
    const what = error.code === 'ENOENT' ? 'is missing' : `cannot be read (${error.code})`;
    throw new UnreadableMonth(month, what, error);
  });
  try {
    const { size } = await handle.stat();
    if (size === month.bytes) return handle;
    const change = size < month.bytes ? 'was truncated' : 'was changed';
    throw new UnreadableMonth(month, `${change}: it has ${size} bytes instead of ${month.bytes}`);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function sha256OfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest();
}

async function bytesOf(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(to - from);
  const { bytesRead } = await handle.read(buffer, 0, to - from, from);
  return bytesRead === to - from ? buffer : buffer.subarray(0, bytesRead);
}

let folder: string | undefined;
let files = 0;

function temporaryFile(): string {
  folder ??= temporaryFolder('stakegraph-archived-').folder;
  files += 1;
  return join(folder, `${files}.parquet`);
}

/**
 * Calls `work` with a temporary Parquet file that has only these row groups of the month's file. DuckDB takes about a
 * tenth of a millisecond for each row group of a file, also for those without the validators it looks for: a month of a
 * million validators has 3,000. Throws UnreadableMonth unless what was read has the checksums of the catalogue.
 */
export async function withRowGroups<T>(
  parts: readonly { month: ArchivedFile; frame: RowGroups['frame']; groups: readonly RowGroup[] }[],
  work: (paths: string[]) => Promise<T>,
): Promise<T> {
  const paths: string[] = [];
  try {
    const written = await Promise.allSettled(
      parts.map(({ month, frame, groups }) => {
        const path = temporaryFile();
        paths.push(path);
        return writePart(path, month, frame, groups);
      }),
    );
    for (const one of written) if (one.status === 'rejected') throw one.reason;
    return await work(paths);
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** The columns keep their places, with holes between them, because the metadata name these. */
async function writePart(
  path: string,
  month: ArchivedFile,
  frame: RowGroups['frame'],
  groups: readonly RowGroup[],
): Promise<void> {
  const source = await openMonth(month);
  try {
    const part = await open(path, 'wx', 0o600);
    try {
      await part.write(MAGIC, 0, MAGIC.length, 0);
      let end = MAGIC.length;
      const kept: { slice: Buffer; rows: number }[] = [];
      for (const [, , rows, from, to, metadataFrom, metadataTo, crc] of groups) {
        const data = await bytesOf(source, from, to);
        const slice = await bytesOf(source, metadataFrom, metadataTo);
        if (crc32(slice, crc32(data)) !== crc) throw new UnreadableMonth(month, 'was changed');
        await part.write(data, 0, data.length, from);
        end = to;
        kept.push({ slice, rows });
      }
      const text = (name: keyof RowGroups['frame']) => Buffer.from(frame[name], 'base64');
      const footer = footerWith({ head: text('head'), middle: text('middle'), tail: text('tail') }, kept);
      await part.write(footer, 0, footer.length, end);
    } finally {
      await part.close();
    }
  } finally {
    await source.close();
  }
}

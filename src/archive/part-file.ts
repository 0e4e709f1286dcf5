import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Refusal } from '../kernel/refusal.ts';
import type { ArchivedMonth } from './catalogue.ts';
import { temporaryFolder } from './folders.ts';
import { footerWith, MAGIC, movedGroup } from './footer.ts';
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

/** The file of the days of a month, and the file of their sums if it has one. */
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

async function bytesOf(
  handle: FileHandle,
  from: number,
  to: number,
  buffer = Buffer.allocUnsafe(to - from),
): Promise<Buffer> {
  const { bytesRead } = await handle.read(buffer, 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}

let folder: string | undefined;
let files = 0;

function temporaryFile(): string {
  folder ??= temporaryFolder('stakegraph-archived-').folder;
  files += 1;
  return join(folder, `${files}.parquet`);
}

type Part = { month: ArchivedFile; frame: RowGroups['frame']; groups: readonly RowGroup[] };

/**
 * Calls `work` with temporary Parquet files that have only these row groups. DuckDB takes about a tenth of a millisecond for
 * each row group of a file, also for those without the validators it looks for: a month of a million validators has 3,000.
 * Each file takes time, too, so that months whose files have the same columns share one. Throws UnreadableMonth unless what
 * was read has the checksums of the catalogue.
 */
export async function withRowGroups<T>(
  parts: readonly Part[],
  work: (paths: string[]) => Promise<T>,
): Promise<T> {
  const shared = new Map<string, Part[]>();
  for (const part of parts) {
    const { head, middle } = part.frame;
    shared.set(head + middle, [...(shared.get(head + middle) ?? []), part]);
  }
  const paths: string[] = [];
  try {
    await allOf(
      [...shared.values()].map((some) => {
        const path = temporaryFile();
        paths.push(path);
        return writeParts(path, some);
      }),
    );
    return await work(paths);
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** Waits for all before it throws why one failed, so that no file is closed while it is written. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The row groups of a month keep their distances, because the metadata name their places: there are holes between them. */
async function writeParts(path: string, parts: readonly Part[]): Promise<void> {
  const target = await open(path, 'wx', 0o600);
  try {
    await target.write(MAGIC, 0, MAGIC.length, 0);
    let end = MAGIC.length;
    const copied = await allOf(
      parts.map(({ month, groups }) => {
        const by = Math.max(0, end - (groups[0]?.[3] ?? end));
        end = Math.max(end, (groups.at(-1)?.[4] ?? 0) + by);
        return copyGroups(target, month, groups, by);
      }),
    );
    const { frame } = parts[0] as Part;
    const text = (name: keyof RowGroups['frame']) => Buffer.from(frame[name], 'base64');
    const whole = { head: text('head'), middle: text('middle'), tail: text('tail') };
    const footer = footerWith(whole, copied.flat());
    await target.write(footer, 0, footer.length, end);
  } finally {
    await target.close();
  }
}

/** Opens the month's file even if no row groups are asked for, so that its loss is reported. */
async function copyGroups(target: FileHandle, month: ArchivedFile, groups: readonly RowGroup[], by: number) {
  const source = await openMonth(month);
  try {
    const kept: { slice: Buffer; rows: number }[] = [];
    const buffer = Buffer.allocUnsafe(Math.max(0, ...groups.map(([, , , from, to]) => to - from)));
    for (const [, , rows, from, to, metadataFrom, metadataTo, crc] of groups) {
      const data = await bytesOf(source, from, to, buffer);
      const slice = await bytesOf(source, metadataFrom, metadataTo);
      if (crc32(slice, crc32(data)) !== crc) throw new UnreadableMonth(month, 'was changed');
      await target.write(data, 0, data.length, from + by);
      kept.push({ slice: by === 0 ? slice : movedGroup(slice, by), rows });
    }
    return kept;
  } finally {
    await source.close();
  }
}

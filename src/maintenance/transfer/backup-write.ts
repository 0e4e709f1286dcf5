import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DAY_MS } from '../../kernel/time.ts';
import { traced } from '../../kernel/tracing.ts';
import { MAGIC, type Manifest, type StoredTable, TRAILER_END } from './backup-format.ts';
import { verifyBackup } from './backup-read.ts';
import { type CopyProgress, counting } from './load.ts';
import type { CopySource } from './source.ts';

const LEVEL = 1;

type Writing = { handle: FileHandle; at: number };

async function append(file: Writing, bytes: Buffer): Promise<void> {
  await file.handle.writeFile(bytes);
  file.at += bytes.length;
}

async function writeTable(
  file: Writing,
  source: CopySource,
  table: CopySource['tables'][number],
  note: (bytes: number, checking?: boolean) => void,
): Promise<StoredTable> {
  const offset = file.at;
  const hash = createHash('sha256');
  // If an async function failed here, the pipeline would report the abort of the stream before it.
  const written = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      append(file, chunk).then(() => done(), done);
    },
  });
  await pipeline(source.read(table), counting(note), createGzip({ level: LEVEL }), written);
  note(0, true);
  return {
    ...table,
    ...(await source.check(table)),
    size: source.sizes.get(table.name) ?? 0,
    offset,
    length: file.at - offset,
    sha256: hash.digest('hex'),
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined); // Windows cannot open folders
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

const PARTIAL = /\.[\da-f]{8}\.partial$/;

/** Removes files of killed backups with such names. Those written within a day may belong to a running one. */
export function removeOldPartials(
  folder: string,
  isBackup: (name: string) => boolean,
): { partial: string; removed: boolean }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const partials = names.filter((name) => PARTIAL.test(name) && isBackup(name.replace(PARTIAL, '')));
  return partials.map((name) => {
    const partial = join(folder, name);
    const written = statSync(partial, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const removed = written < Date.now() - DAY_MS;
    if (removed) rmSync(partial, { force: true });
    return { partial, removed };
  });
}

export type BackupOptions = {
  version: string;
  replace: boolean;
  onProgress(progress: CopyProgress): void;
  /** Called once the file has its name. */
  onWritten(): void;
};

/**
 * Only the owner may read the file, because the file has hashes of tokens. The file gets its name after verification.
 */
export async function writeBackup(
  path: string,
  source: CopySource,
  options: BackupOptions,
): Promise<{ manifest: Manifest; bytes: number }> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const remove = () => rmSync(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  process.once('exit', remove);
  try {
    const file = { handle, at: 0 };
    const manifest = await fill(file, source, options);
    await handle.sync();
    await handle.close();
    await traced('backup verify', {}, () =>
      verifyBackup(partial, { countsRows: true, onProgress: options.onProgress }),
    );
    if (!options.replace && existsSync(path))
      throw new Error(`The file ${path} was made by another program.`);
    await rename(partial, path);
    options.onWritten();
    await syncFolder(dirname(path));
    return { manifest, bytes: file.at };
  } finally {
    await handle.close().catch(() => undefined);
    remove();
    process.off('exit', remove);
  }
}

async function fill(file: Writing, source: CopySource, options: BackupOptions): Promise<Manifest> {
  await append(file, MAGIC);
  const tables: StoredTable[] = [];
  let rows = 0;
  for (const table of source.tables) {
    let bytes = 0;
    const note = (count: number, checking = false) => {
      bytes += count;
      const place = { rows, done: tables.length, of: source.tables.length };
      options.onProgress({ table: table.name, bytes, ...place, checking });
    };
    note(0);
    const stored = await traced('backup table', { 'stakegraph.table': table.name }, () =>
      writeTable(file, source, table, note),
    );
    rows += Number(stored.rows);
    tables.push(stored);
  }
  const manifest: Manifest = {
    version: options.version,
    takenAt: source.takenAt,
    ...(source.database !== undefined && { database: source.database }),
    migrations: source.migrations,
    hasSample: source.hasSample,
    parts: source.parts,
    tables,
    sequences: await source.sequences(),
  };
  const text = Buffer.from(JSON.stringify(manifest));
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(text.length));
  await append(file, text);
  await append(file, Buffer.concat([length, createHash('sha256').update(text).digest(), TRAILER_END]));
  return manifest;
}

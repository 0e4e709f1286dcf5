import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  DamagedBackup,
  MAGIC,
  Manifest,
  type StoredTable,
  TRAILER_BYTES,
  TRAILER_END,
} from './backup-format.ts';
import { countBinaryRows } from './binary-rows.ts';
import type { CopyProgress } from './load.ts';
import type { CopySource } from './source.ts';

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Checks that the file has its whole length, but not its tables. */
export async function readManifest(path: string): Promise<Manifest> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (!(await bytesAt(handle, 0, MAGIC.length)).equals(MAGIC))
      throw new Error(`The file ${path} is not a backup of stakegraph.`);
    if (size < MAGIC.length + TRAILER_BYTES) throw new DamagedBackup(path, 'its end is missing');
    const trailer = await bytesAt(handle, size - TRAILER_BYTES, TRAILER_BYTES);
    if (!trailer.subarray(40).equals(TRAILER_END)) throw new DamagedBackup(path, 'its end is missing');
    const length = Number(trailer.readBigUInt64BE(0));
    const start = size - TRAILER_BYTES - length;
    if (start < MAGIC.length) throw new DamagedBackup(path, 'its manifest does not fit into it');
    const text = await bytesAt(handle, start, length);
    if (!createHash('sha256').update(text).digest().equals(trailer.subarray(8, 40)))
      throw new DamagedBackup(path, 'its manifest was changed');
    const manifest = Manifest.parse(JSON.parse(text.toString('utf8')));
    const end = manifest.tables.reduce(
      (at, { offset, length }) => (at === offset ? at + length : -1),
      MAGIC.length,
    );
    if (end !== start) throw new DamagedBackup(path, 'its tables do not follow each other');
    return manifest;
  } finally {
    await handle.close();
  }
}

const stored = (path: string, { offset, length }: StoredTable) =>
  createReadStream(path, { start: offset, end: offset + length - 1, highWaterMark: 1 << 20 });

type Verification = {
  /** Also decompresses the tables and counts their rows, which takes longer. */
  countsRows: boolean;
  onProgress(progress: CopyProgress): void;
};

async function discard(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}

/** Throws if the file differs from its manifest. */
export async function verifyBackup(
  path: string,
  { countsRows, onProgress }: Verification,
): Promise<Manifest> {
  const manifest = await readManifest(path);
  let rows = 0;
  for (const [index, table] of manifest.tables.entries()) {
    const place = { table: table.name, rows, done: index, of: manifest.tables.length, checking: true };
    let bytes = 0;
    const hash = createHash('sha256');
    const hashed = async function* (file: AsyncIterable<Buffer>) {
      for await (const chunk of file) {
        hash.update(chunk);
        bytes += chunk.length;
        onProgress({ ...place, bytes });
        yield chunk;
      }
    };
    const counted = await (countsRows
      ? pipeline(stored(path, table), hashed, createGunzip(), countBinaryRows).catch((error) => {
          if (!/^Z_/.test(error.code)) throw error;
          throw new DamagedBackup(path, `the table ${table.name} cannot be decompressed`);
        })
      : pipeline(stored(path, table), hashed, discard));
    if (hash.digest('hex') !== table.sha256)
      throw new DamagedBackup(path, `the table ${table.name} was changed`);
    if (countsRows && counted !== Number(table.rows)) {
      const what = counted === undefined ? 'cannot be read' : `has ${counted} rows instead of ${table.rows}`;
      throw new DamagedBackup(path, `the table ${table.name} ${what}`);
    }
    rows += Number(table.rows);
  }
  return manifest;
}

export function sourceOf(path: string, manifest: Manifest): CopySource {
  const byName = new Map(manifest.tables.map((table) => [table.name, table]));
  const tableOf = ({ name }: { name: string }) => byName.get(name) as StoredTable;
  return {
    tables: manifest.tables,
    parts: manifest.parts,
    migrations: manifest.migrations,
    takenAt: manifest.takenAt,
    database: manifest.database,
    hasSample: manifest.hasSample,
    sizes: new Map(manifest.tables.map(({ name, size }) => [name, size])),
    read(table): Readable {
      const rows = new PassThrough();
      pipeline(stored(path, tableOf(table)), createGunzip(), rows).catch(() => undefined); // destroys `rows` too
      return rows;
    },
    async check(table) {
      const { rows, hash } = tableOf(table);
      return { rows, hash };
    },
    sequences: async () => manifest.sequences,
  };
}

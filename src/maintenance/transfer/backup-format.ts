import { z } from 'zod';

/**
 * The file begins with this line. Then come the tables, each a gzip stream of PostgreSQL's binary COPY, the manifest as
 * JSON, and the trailer: the length of the manifest (8 bytes, big endian), its SHA-256 and `TRAILER_END`. A file
 * without a trailer is not complete.
 */
export const MAGIC = Buffer.from('stakegraph backup 1\n', 'latin1');
export const TRAILER_END = Buffer.from('stakegraph end\n\n', 'latin1');
export const TRAILER_BYTES = 8 + 32 + TRAILER_END.length;

const digits = z.string().regex(/^-?\d+$/);
const count = z.number().int().nonnegative();
const names = z.array(z.string().min(1));

const StoredTable = z.object({
  name: z.string().min(1),
  parent: z.string().nullable(),
  columns: names,
  generated: names,
  rows: digits,
  /** Sum of PostgreSQL's hashes of the rows. */
  hash: digits,
  /** Bytes in the database, for the progress of a restore. */
  size: z.number(),
  offset: count,
  length: count,
  sha256: z.string(),
});
export type StoredTable = z.infer<typeof StoredTable>;

export const Manifest = z.object({
  version: z.string(),
  takenAt: z.string(),
  /** The result of `databaseOf`; files of earlier versions lack it. */
  database: z.string().optional(),
  migrations: names,
  hasSample: z.boolean(),
  parts: z.array(z.object({ name: z.string().min(1), parent: z.string(), bound: z.string() })),
  tables: z.array(StoredTable),
  sequences: z.array(z.object({ name: z.string().min(1), value: digits, called: z.boolean() })),
});
export type Manifest = z.infer<typeof Manifest>;

export class DamagedBackup extends Error {
  constructor(file: string, what: string) {
    super(`The backup ${file} is damaged: ${what}.`);
  }
}

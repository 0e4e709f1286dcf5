import { randomBytes } from 'node:crypto';
import { constants, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { access, open, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder cannot be used; the message says why. */
class UnusableFolder extends Error {}

/** Returns the absolute path. */
export async function checkedFolder(given: string): Promise<string> {
  const folder = resolve(given);
  const stats = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist: make it first' : `cannot be read (${error.code})`;
    throw new UnusableFolder(`The folder of the archive ${folder} ${why}.`);
  });
  if (!stats.isDirectory()) throw new UnusableFolder(`The archive ${folder} is not a folder.`);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error) => {
    throw new UnusableFolder(`The folder of the archive ${folder} cannot be written (${error.code}).`);
  });
  return folder;
}

const inMB = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;

export async function checkSpace(folder: string, needed: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  throw new UnusableFolder(
    `${folder} has ${inMB(bavail * bsize)} free, and ${what} may need ${inMB(needed)}: make room there first.`,
  );
}

/** After this, a file in the folder is there even if the machine loses its power. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined); // Windows cannot open folders
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

const TEMPORARY = 'stakegraph-archiving-';

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const ABANDONED_MS = 3_600_000;

/** Removes folders of ended processes once they are an hour old, since processes of other containers are not seen here. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const id = Number(name.match(/^stakegraph-archiv(?:ing|ed)-(\d+)-/)?.[1]);
    if (!id || isRunning(id)) continue;
    const path = join(tmpdir(), name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (changed < Date.now() - ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Makes a folder in TMPDIR that lasts until the process ends. Also removes folders of processes that were killed. */
export function temporaryFolder(prefix: string): { folder: string; remove: () => void } {
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return { folder, remove };
}

export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = temporaryFolder(TEMPORARY);
  try {
    return await work(folder);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

const PARTIAL = /^\._?validator_(?:days|sums)-.+\.parquet\.([\da-f]{8})\.[\da-f]{8}\.partial$/;

/** `database` is the first part of a hash, so that databases may share a folder. */
export const partialName = (file: string, database: string): string =>
  `.${file}.${database}.${randomBytes(4).toString('hex')}.partial`;

/** Removes what killed processes of this database left. */
export function removePartials(folder: string, database: string): void {
  for (const name of readdirSync(folder))
    if (PARTIAL.exec(name)?.[1] === database) rmSync(join(folder, name), { force: true });
}

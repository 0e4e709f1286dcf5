import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { timestampText } from '../../kernel/time.ts';
import { readManifest } from './backup-read.ts';

const NAME = /^stakegraph-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

/** Whether `newBackupName` made the name. Files of other names are never removed. */
export const isBackupName = (name: string): boolean => NAME.test(name);

export const newBackupName = (now = Date.now()): string =>
  `stakegraph-${timestampText(Math.floor(now / 1000)).replaceAll(':', '')}.backup`;

export type FolderBackups = {
  /** In the order of time; `beganAt` is in milliseconds since 1970. */
  own: { name: string; beganAt: number }[];
  /** Names of files that name another database. */
  foreign: string[];
};

/**
 * Backups of `database` in the folder, and files that do not tell theirs. Those of the future, made while the clock was
 * wrong, are left out, so that they are neither the newest nor removed.
 */
export async function backupsIn(folder: string, database: string): Promise<FolderBackups> {
  const names = readdirSync(folder).filter(isBackupName).toSorted();
  const found: FolderBackups = { own: [], foreign: [] };
  for (const name of names) {
    const beganAt = Date.parse(name.replace(NAME, '$1T$2:$3:$4Z'));
    const manifest = await readManifest(join(folder, name)).catch(() => undefined);
    if ((manifest?.database ?? database) !== database) found.foreign.push(name);
    else if (beganAt <= Date.now()) found.own.push({ name, beganAt });
  }
  return found;
}

/** Keeps `written` and the newest other backups of its database. Returns the names of those that it removed. */
export function removeOldBackups(
  folder: string,
  { own }: FolderBackups,
  keep: number,
  written: string,
): string[] {
  const others = own.filter(({ name }) => name !== written);
  const old = others.slice(0, Math.max(0, others.length + 1 - keep)).map(({ name }) => name);
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

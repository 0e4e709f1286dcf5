import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { timestampText } from '../../kernel/time.ts';

const NAME = /^stakegraph-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

/** Whether `newBackupName` made the name. Files of other names are never removed. */
export const isBackupName = (name: string): boolean => NAME.test(name);

export const newBackupName = (now = Date.now()): string =>
  `stakegraph-${timestampText(Math.floor(now / 1000)).replaceAll(':', '')}.backup`;

/**
 * Backups of the folder in the order of time; `beganAt` is in milliseconds since 1970. Those of the future, made while
 * the clock was wrong, are neither the newest nor removed.
 */
const backupsIn = (folder: string): { name: string; beganAt: number }[] =>
  readdirSync(folder)
    .filter(isBackupName)
    .map((name) => ({ name, beganAt: Date.parse(name.replace(NAME, '$1T$2:$3:$4Z')) }))
    .filter(({ beganAt }) => beganAt <= Date.now())
    .toSorted((a, b) => a.beganAt - b.beganAt);

export const newestBackup = (folder: string) => backupsIn(folder).at(-1);

/** Keeps `written` and the newest other backups of the folder. Returns the names of those that it removed. */
export function removeOldBackups(folder: string, keep: number, written: string): string[] {
  const others = backupsIn(folder).filter(({ name }) => name !== written);
  const old = others.slice(0, Math.max(0, others.length + 1 - keep)).map(({ name }) => name);
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

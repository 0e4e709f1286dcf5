import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { timestampText } from '../../kernel/time.ts';

const NAME = /^stakegraph-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

/** Whether `newBackupName` made the name. Files of other names are never removed. */
export const isBackupName = (name: string): boolean => NAME.test(name);

/** Sorted names are in the order of time. */
export const newBackupName = (now = Date.now()): string =>
  `stakegraph-${timestampText(Math.floor(now / 1000)).replaceAll(':', '')}.backup`;

/** `beganAt` is in milliseconds since 1970. */
export function newestBackup(folder: string): { name: string; beganAt: number } | undefined {
  return readdirSync(folder)
    .filter(isBackupName)
    .map((name) => ({ name, beganAt: Date.parse(name.replace(NAME, '$1T$2:$3:$4Z')) }))
    .filter(({ beganAt }) => beganAt <= Date.now())
    .toSorted((a, b) => a.beganAt - b.beganAt)
    .at(-1);
}

/** Keeps the newest backups of the folder. Returns the names of those that it removed. */
export function removeOldBackups(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter(isBackupName).toSorted();
  const old = names.slice(0, Math.max(0, names.length - keep));
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^stakegraph-\d{4}-\d\d-\d\dT\d{6}Z\.backup$/;

/** Whether it is the name of a backup in a folder. Other files there stay. */
export const isBackupName = (name: string): boolean => NAME.test(name);

/** Names in their order are in the order of time. */
export function newBackupName(now = new Date()): string {
  const time = now.toISOString().replaceAll(':', '').slice(0, 'yyyy-mm-ddThhmmss'.length);
  return `stakegraph-${time}Z.backup`;
}

/** Removes all backups of the folder but the newest, and returns the names of those that it removed. */
export function removeOldBackups(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter(isBackupName).toSorted();
  const old = names.slice(0, Math.max(0, names.length - keep));
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}

import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './cluster.ts';
import { isAlive, ownMark, type ProcessMark, readMark } from './process.ts';

// Who uses a server: its owner, who ends it, and those who joined it, each by a file beside the cluster. All of it is done
// at once and not awaited, since a process that leaves without a word has no time to wait.

/** The owner of a server; `joined` is the file by which a process had joined that it was handed to. */
export type Owner = ProcessMark & { joined?: string };

const PREFIX = 'joined.';

/** The owner that runs; undefined when there is none. */
export function ownerOf(home: Home): Owner | undefined {
  const owner: Owner | undefined = readMark(home.owner);
  return owner && isAlive(owner) ? owner : undefined;
}

/** Writes down whose the server is. */
export function setOwner(home: Home, owner: Owner): void {
  const temporary = `${home.owner}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, JSON.stringify(owner), { flag: 'wx' });
  renameSync(temporary, home.owner);
}

/** Notes that this process has joined a server, by a file of this name. */
export function noteJoined(home: Home): string {
  const file = `${PREFIX}${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(join(home.folder, file), JSON.stringify(ownMark()), { flag: 'wx' });
  return file;
}

/** Takes the note away. */
export const forgetJoined = (home: Home, file: string): void =>
  rmSync(join(home.folder, file), { force: true });

/** Another process that has joined the server, as its next owner; the notes of those that are gone are taken away. */
export function heirOf(home: Home): Owner | undefined {
  for (const joined of readdirSync(home.folder)) {
    if (!joined.startsWith(PREFIX)) continue;
    const mark = readMark(join(home.folder, joined));
    if (!mark || !isAlive(mark)) forgetJoined(home, joined);
    else if (mark.pid !== process.pid) return { ...mark, joined };
  }
  return undefined;
}

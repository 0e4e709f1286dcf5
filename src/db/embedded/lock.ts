import { randomBytes } from 'node:crypto';
import { link, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, isRunning, ownMark, readMark } from './process.ts';

async function linkOnce(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The second lock keeps a slower process from removing a lock that a faster one took. */
async function breakLock(path: string, claim: string): Promise<void> {
  const breaker = `${path}.break`;
  if (await linkOnce(claim, breaker)) {
    const holder = readMark(path);
    if (!holder || !isAlive(holder)) await rm(path, { force: true });
    await rm(breaker, { force: true });
    return;
  }
  // `breaker` is held for an instant unless a process was killed.
  const age = await stat(breaker).then(
    (found) => Date.now() - found.ctimeMs,
    () => 0,
  );
  if (age > 5_000) await rm(breaker, { force: true });
}

async function acquire(path: string, claim: string, wait: number): Promise<void> {
  const deadline = performance.now() + wait;
  while (!(await linkOnce(claim, path))) {
    const holder = readMark(path);
    if (performance.now() > deadline) {
      const who = holder ? `process ${holder.pid}` : 'another process';
      throw new Error(
        `The lock ${path} has been held by ${who} for over ${wait / 1000} s: end that one first.`,
      );
    }
    if (!holder || !isAlive(holder)) await breakLock(path, claim);
    await sleep(20);
  }
}

async function sweep(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const pid = Number(/\.(\d+)\.[0-9a-f]{8}$/.exec(name)?.[1] ?? process.pid);
    if (!isRunning(pid)) await rm(join(dirname(path), name), { force: true });
  }
}

/** Excludes all other calls with this lock file, in any process. Throws after `wait` ms. */
export async function withLock<T>(path: string, wait: number, work: () => Promise<T>): Promise<T> {
  // The claim is linked into place once written, so that a lock always names its holder.
  const claim = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(claim, JSON.stringify(ownMark()), { flag: 'wx' });
  try {
    await acquire(path, claim, wait);
  } finally {
    await rm(claim, { force: true });
  }
  try {
    await sweep(path);
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

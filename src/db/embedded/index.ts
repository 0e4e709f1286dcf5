import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnvironment, findNative, prepareBinaries, program } from './binaries.ts';
import { ensureCluster, type Home, openHome, readPassword } from './cluster.ts';
import { withLock } from './lock.ts';
import { endServer, isAlive, isRunning, isServer, ownMark, type ProcessMark, readMark } from './process.ts';
import { pidFile, probe, readPidFile, type Server, startServer, urlOf } from './server.ts';

export type Embedded = {
  /** Changes with every start of the server. */
  url: string;
  owned: boolean;
  /** Resolves with the reason when the server ends before `stop()`. */
  ended: Promise<Error>;
  /** Stops an owned server. If its owner is killed instead, the next start adopts the server. */
  stop(): Promise<void>;
};

/** Options after `log` are for tests. */
export type StartOptions = {
  dataDir: string;
  log?: (line: string) => void;
  /** Folder with `bin`, `lib` and `share`. */
  native?: string;
  platform?: string;
  /** Milliseconds to wait for a running server's response. */
  patience?: number;
  pickPort?: () => Promise<number>;
};

// Long, because the lock's holder may be waiting for a server that replays its log.
const LOCK_WAIT = 150_000;
const BUSY_BOUND = 120_000;
const WATCH_MS = 250;

function ownerOf(home: Home): ProcessMark | undefined {
  const owner = readMark(home.owner);
  return owner && isAlive(owner) ? owner : undefined;
}

function becomeOwner(home: Home): void {
  const temporary = `${home.owner}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, JSON.stringify(ownMark()), { flag: 'wx' });
  renameSync(temporary, home.owner);
}

async function endOwn(pid: number, home: Home, native: string | undefined, bound?: number): Promise<void> {
  if (process.platform !== 'win32') return endServer(pid, bound);
  // On Windows a signal would kill the server without a shutdown.
  const pgCtl = program(join(native ?? (await findNative()), 'bin'), 'pg_ctl');
  await promisify(execFile)(pgCtl, ['stop', '-D', home.cluster, '-m', 'fast'], { env: bareEnvironment });
}

/** Ends a server that does not respond, or throws if a process owns it. */
async function findServer(home: Home, options: StartOptions): Promise<Server | undefined> {
  const first = await readPidFile(home.cluster);
  if (!first) return undefined;
  const began = performance.now();
  while (isServer(first.pid, home.cluster)) {
    const port = (await readPidFile(home.cluster))?.port ?? first.port;
    const state = await probe(port, await readPassword(home));
    if (state === 'ready') return { pid: first.pid, port };
    if (performance.now() - began > (state === 'busy' ? BUSY_BOUND : (options.patience ?? 5_000))) {
      const owner = ownerOf(home);
      if (owner) throw new Error(`The embedded PostgreSQL of process ${owner.pid} is silent: end that one.`);
      options.log?.(`the PostgreSQL left running in ${home.cluster} does not answer and is ended`);
      await endOwn(first.pid, home, options.native, 2_000);
      break;
    }
    await sleep(20);
  }
  // PostgreSQL does not start while this pid belongs to a process of the same user or a zombie. It handles negative
  // pids (single-user sessions) itself.
  const left = await readPidFile(home.cluster);
  if (left?.pid === first.pid && left.pid >= 0) await rm(pidFile(home.cluster), { force: true });
  return undefined;
}

function watch(home: Home, server: Server): Pick<Embedded, 'ended'> & { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let owner = readMark(home.owner);
  const ended = new Promise<Error>((resolve) => {
    timer = setInterval(() => {
      const now = readMark(home.owner);
      if (isRunning(server.pid)) {
        owner = now ?? owner;
        return;
      }
      clearInterval(timer);
      // An owner removes its mark before it stops the server.
      const crashed = now?.pid === owner?.pid && now?.started === owner?.started;
      const reason = crashed
        ? `The embedded PostgreSQL has ended; ${home.log} has its log.`
        : `The embedded PostgreSQL was stopped by the process that owned it (pid ${owner?.pid}): uncommitted changes are lost; run this command again.`;
      resolve(new Error(reason));
    }, WATCH_MS).unref();
  });
  return { ended, close: () => clearInterval(timer) };
}

function joinServer(home: Home, server: Server, url: string): Embedded {
  const { ended, close } = watch(home, server);
  return { url, owned: false, ended, stop: async () => close() };
}

function ownServer(home: Home, server: Server, url: string, options: StartOptions): Embedded {
  becomeOwner(home);
  const { ended, close } = watch(home, server);
  const disown = (): boolean => {
    close();
    if (!isServer(server.pid, home.cluster)) return false;
    rmSync(home.owner, { force: true });
    return true;
  };
  // Handles an exit without stop().
  const onExit = () => {
    if (disown() && process.platform !== 'win32') process.kill(server.pid, 'SIGINT');
  };
  process.once('exit', onExit);
  const end = async () => {
    if (disown()) await endOwn(server.pid, home, options.native);
  };
  const stop = async () => {
    // The lock keeps a starting process from joining a server that is about to end.
    let locked = false;
    await withLock(home.lock, 10_000, () => {
      locked = true;
      return end();
    }).catch((error: unknown) => (locked ? Promise.reject(error) : end()));
    process.off('exit', onExit);
  };
  let stopped: Promise<void> | undefined;
  return { url, owned: true, ended, stop: () => (stopped ??= stop()) };
}

async function launch(home: Home, options: StartOptions): Promise<Server> {
  const native = options.native ?? (await findNative(options.platform));
  const binaries = await prepareBinaries(native, home.account);
  await ensureCluster(home, binaries, options.log);
  try {
    const server = await startServer(home, binaries, await readPassword(home), options.pickPort);
    options.log?.(`started PostgreSQL ${binaries.major} in ${home.cluster}`);
    return server;
  } catch (error) {
    // A late server's owner may have been killed right after launching it.
    const late = await findServer(home, options);
    if (!late) throw error;
    return late;
  }
}

/**
 * Starts, joins or adopts the PostgreSQL in `<dataDir>/postgres`. The process that starts a server owns and stops it;
 * processes that joined then lose it. A server whose owner was killed is adopted.
 */
export async function startEmbedded(options: StartOptions): Promise<Embedded> {
  const home = await openHome(options.dataDir);
  return withLock(home.lock, LOCK_WAIT, async () => {
    const found = await findServer(home, options);
    const owner = found && ownerOf(home);
    const server = found ?? (await launch(home, options));
    const url = urlOf(server.port, await readPassword(home));
    if (owner) {
      options.log?.(`joined the PostgreSQL running in ${home.cluster}`);
      return joinServer(home, server, url);
    }
    if (found) options.log?.(`adopted the PostgreSQL left running in ${home.cluster}`);
    return ownServer(home, server, url, options);
  });
}

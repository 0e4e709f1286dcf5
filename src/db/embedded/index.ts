import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnvironment, findNative, prepareBinaries, program } from './binaries.ts';
import { ensureCluster, type Home, openHome, readPassword } from './cluster.ts';
import { endServer, isAlive, isRunning, isServer, ownerOf } from './process.ts';
import { pidFile, probe, readPidFile, type Server, startServer, urlOfEmbedded } from './server.ts';

export type Embedded = {
  url: string;
  owned: boolean;
  /** Resolves if the server ends before `stop()`. */
  ended: Promise<Error>;
  /** Stops the server only if this process started it. */
  stop(): Promise<void>;
};

export type StartOptions = {
  dataDir: string;
  log?: (line: string) => void;
  native?: string;
  platform?: string;
  pickPort?: () => Promise<number>;
};

const SILENT_BOUND = 5_000;
const BUSY_BOUND = 120_000;
const WATCH_MS = 250;

async function endOwn(pid: number, home: Home, native: string | undefined): Promise<void> {
  if (process.platform !== 'win32') return endServer(pid);
  // On Windows a signal would kill the server without a shutdown.
  const pgCtl = program(join(native ?? (await findNative()), 'bin'), 'pg_ctl');
  await promisify(execFile)(pgCtl, ['stop', '-D', home.cluster, '-m', 'fast'], { env: bareEnvironment });
}

/** Ends a server whose owner was killed. Throws for a server that does not respond. */
async function findServer(home: Home, options: StartOptions): Promise<Server | undefined> {
  const first = await readPidFile(home.cluster);
  if (!first) return undefined;
  const began = performance.now();
  while (isServer(first.pid, home.cluster)) {
    const owner = ownerOf(first.pid);
    if (owner && !isAlive(owner)) {
      options.log?.(`ending the PostgreSQL left running in ${home.cluster}`);
      await endOwn(first.pid, home, options.native);
      break;
    }
    const port = (await readPidFile(home.cluster))?.port ?? first.port;
    const state = await probe(port, await readPassword(home));
    if (state === 'ready') return { pid: first.pid, port };
    if (performance.now() - began > (state === 'busy' ? BUSY_BOUND : SILENT_BOUND)) {
      throw new Error(`The embedded PostgreSQL (process ${first.pid}) is silent: end its owner first.`);
    }
    await sleep(20);
  }
  // PostgreSQL does not start while the pid in this file belongs to a zombie or another process of its user. It handles
  // negative pids (single-user sessions) itself.
  const left = await readPidFile(home.cluster);
  if (left?.pid === first.pid && left.pid >= 0) await rm(pidFile(home.cluster), { force: true });
  return undefined;
}

function watch(home: Home, server: Server, owned: boolean): Pick<Embedded, 'ended'> & { close(): void } {
  const owner = ownerOf(server.pid);
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<Error>((resolve) => {
    timer = setInterval(async () => {
      if (isRunning(server.pid)) return;
      clearInterval(timer);
      // A server that stops in order removes its pid file.
      const crashed = owned || (await readPidFile(home.cluster))?.pid === server.pid;
      const reason = crashed
        ? `The embedded PostgreSQL has ended; ${home.log} has its log.`
        : `The embedded PostgreSQL was stopped, because the process that owned it (pid ${owner?.pid}) has ended: uncommitted changes are lost; run this command again.`;
      resolve(new Error(reason));
    }, WATCH_MS).unref();
  });
  return { ended, close: () => clearInterval(timer) };
}

function joinServer(home: Home, server: Server, url: string): Embedded {
  const { ended, close } = watch(home, server, false);
  return { url, owned: false, ended, stop: async () => close() };
}

function ownServer(home: Home, server: Server, url: string, options: StartOptions): Embedded {
  const { ended, close } = watch(home, server, true);
  const leave = (): boolean => {
    close();
    return isServer(server.pid, home.cluster);
  };
  const onExit = () => {
    if (leave() && process.platform !== 'win32') process.kill(server.pid, 'SIGINT');
  };
  process.once('exit', onExit);
  const stop = async () => {
    if (leave()) await endOwn(server.pid, home, options.native);
    process.off('exit', onExit);
  };
  let stopped: Promise<void> | undefined;
  return { url, owned: true, ended, stop: () => (stopped ??= stop()) };
}

/** The process that starts PostgreSQL also stops it, even while others use it. */
export async function startEmbedded(options: StartOptions): Promise<Embedded> {
  const home = await openHome(options.dataDir);
  const join = async (server: Server) => {
    options.log?.(`joined the PostgreSQL running in ${home.cluster}`);
    return joinServer(home, server, urlOfEmbedded(server.port, await readPassword(home)));
  };
  const found = await findServer(home, options);
  if (found) return join(found);
  const native = options.native ?? (await findNative(options.platform));
  const binaries = await prepareBinaries(native, home);
  await ensureCluster(home, binaries, options.log);
  const password = await readPassword(home);
  try {
    const server = await startServer(home, binaries, password, options.pickPort);
    options.log?.(`started PostgreSQL ${binaries.major} in ${home.cluster}`);
    return ownServer(home, server, urlOfEmbedded(server.port, password), options);
  } catch (error) {
    // If two starts are simultaneous, PostgreSQL runs only one server.
    const other = await findServer(home, options);
    if (!other) throw error;
    return join(other);
  }
}

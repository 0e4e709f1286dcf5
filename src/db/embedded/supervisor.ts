import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnvironment, findNative, prepareBinaries, program } from './binaries.ts';
import { ensureCluster, type Home, openHome, readPassword } from './cluster.ts';
import { withLock } from './lock.ts';
import { endServer, isRunning, isServer, ownMark } from './process.ts';
import { pidFile, probe, readPidFile, type Server, startServer, urlOf } from './server.ts';
import { forgetJoined, heirOf, noteJoined, ownerOf, setOwner } from './users.ts';

/** A running embedded PostgreSQL. */
export type Embedded = {
  /** An address for `pg`; it is another one after every start. */
  url: string;
  /** Whether this process is the owner from the start, and has not joined the server of another. */
  owned: boolean;
  /** Whether the server is there: killed or out of disk, it is not, and does not come back by itself. */
  running(): boolean;
  /** Ends the server if this process owns it, or hands it to another that uses it. Not calling it may leave an orphan. */
  stop(): Promise<void>;
};

/** What `startEmbedded` takes, and what only tests change. */
export type StartOptions = {
  dataDir: string;
  log?: (line: string) => void;
  /** The folder with `bin`, `lib` and `share`, in place of that of the installed package. */
  native?: string;
  /** The name of the platform, in place of this one. */
  platform?: string;
  /** Milliseconds in which a running server has to answer. */
  patience?: number;
  /** Chooses the port, in place of asking the system for a free one. */
  pickPort?: () => Promise<number>;
};

type Found = Server & { owned: boolean };

// Long enough for a server that replays its log in another process.
const LOCK_WAIT = 150_000;
const BUSY_BOUND = 120_000;

async function endOwn(pid: number, home: Home, native: string | undefined, bound?: number): Promise<void> {
  if (process.platform !== 'win32') return endServer(pid, bound);
  // A signal would be the end of the process without a shutdown there.
  const pgCtl = program(join(native ?? (await findNative()), 'bin'), 'pg_ctl');
  await promisify(execFile)(pgCtl, ['stop', '-D', home.cluster, '-m', 'fast'], { env: bareEnvironment });
}

/** Finds the server which runs on the cluster already; one that does not answer and that nobody owns is ended. */
async function findServer(home: Home, options: StartOptions): Promise<Found | undefined> {
  const first = await readPidFile(home.cluster);
  if (!first) return undefined;
  const owner = ownerOf(home);
  const began = performance.now();
  while (isServer(first.pid, home.cluster)) {
    const port = (await readPidFile(home.cluster))?.port ?? first.port;
    const state = await probe(port, await readPassword(home));
    if (state === 'ready') return { pid: first.pid, port, owned: owner !== undefined };
    if (performance.now() - began > (state === 'busy' ? BUSY_BOUND : (options.patience ?? 5_000))) {
      if (owner) throw new Error(`The embedded PostgreSQL of process ${owner.pid} is silent: end that one.`);
      options.log?.(`the PostgreSQL left running in ${home.cluster} does not answer and is ended`);
      await endOwn(first.pid, home, options.native, 2_000);
      break;
    }
    await sleep(20);
  }
  // The file of a dead server keeps PostgreSQL from starting while another program of the same user has the pid,
  // or while the dead one waits to be reaped.
  // A negative pid is that of a single-user session, which PostgreSQL itself looks after.
  const left = await readPidFile(home.cluster);
  if (left?.pid === first.pid && left.pid >= 0) await rm(pidFile(home.cluster), { force: true });
  return undefined;
}

/** What this process has of a server; `joined` is its note where it is not the owner from the start. */
function handleOf(home: Home, server: Server, url: string, options: StartOptions, joined?: string): Embedded {
  /** Gives it up; true where the server is this process's to end, and nobody else uses it. */
  const leave = (): boolean => {
    if (joined) forgetJoined(home, joined);
    if (!isServer(server.pid, home.cluster)) return false;
    const owner = ownerOf(home);
    if (joined && owner && owner.joined !== joined) return false;
    const heir = heirOf(home);
    if (heir) setOwner(home, heir);
    return !heir;
  };
  // A process that leaves without stop() asks for the shutdown at least, so that no orphan stays.
  const onExit = () => {
    if (leave() && process.platform !== 'win32') process.kill(server.pid, 'SIGINT');
  };
  process.once('exit', onExit);
  const end = async () => {
    if (!leave()) return;
    await endOwn(server.pid, home, options.native);
    await rm(home.owner, { force: true });
  };
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    // Under the lock, so that a process which starts now waits and does not join a server about to end.
    let begun = false;
    await withLock(home.lock, 10_000, () => {
      begun = true;
      return end();
    }).catch((error: unknown) => (begun ? Promise.reject(error) : end()));
    process.off('exit', onExit);
  };
  return {
    url,
    owned: !joined,
    running: () => isRunning(server.pid),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function launch(home: Home, options: StartOptions): Promise<Server> {
  const binaries = await prepareBinaries(
    options.native ?? (await findNative(options.platform)),
    home.account,
  );
  await ensureCluster(home, binaries, options.log);
  const password = await readPassword(home);
  try {
    const server = await startServer(home, binaries, password, options.pickPort);
    options.log?.(`started PostgreSQL ${binaries.major} in ${home.cluster}`);
    return server;
  } catch (error) {
    // The server of an owner that was killed right after launching it may have shown itself only now.
    const late = await findServer(home, options);
    if (!late) throw error;
    return late;
  }
}

/** `startEmbedded` with the settings that tests change. */
export async function start(options: StartOptions): Promise<Embedded> {
  const home = await openHome(options.dataDir);
  return withLock(home.lock, LOCK_WAIT, async () => {
    const found = await findServer(home, options);
    if (found?.owned) {
      options.log?.(`joined the PostgreSQL running in ${home.cluster}`);
      return handleOf(home, found, urlOf(found.port, await readPassword(home)), options, noteJoined(home));
    }
    if (found) options.log?.(`adopted the PostgreSQL left running in ${home.cluster}`);
    const server = found ?? (await launch(home, options));
    setOwner(home, ownMark());
    return handleOf(home, server, urlOf(server.port, await readPassword(home)), options);
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { endServer, isServer } from '../../src/db/embedded/process.ts';
import { readPidFile, urlOfEmbedded } from '../../src/db/embedded/server.ts';
import { deadlines } from './deadlines.ts';
import { scratch } from './scratch.ts';

/** The root of the project. */
export const project = fileURLToPath(new URL('../..', import.meta.url));
/** The command line as it is installed; `npm test` builds it first. */
export const main = process.env.STAKEGRAPH_MAIN ?? join(project, 'dist', 'main.js');

export type User = { uid: number; gid: number };

export type Options = {
  /** The whole environment besides PATH and the deadlines of tests: no setting of the developer's own reaches a test. */
  env?: Record<string, string | undefined>;
  user?: User | undefined;
  cwd?: string;
  input?: string | Buffer;
};

export type Outcome = { code: number | null; stdout: string; stderr: string };

const running = new Set<ChildProcess>();

/** Starts a program in a process group of its own, as a shell does. */
function spawnGroup(command: string, args: string[], { env, user, cwd }: Options) {
  const child = spawn(command, args, {
    ...user,
    cwd: cwd ?? (user ? '/' : project),
    env: { PATH: process.env.PATH, ...deadlines, ...env },
    detached: true,
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const outcome = once(child, 'close').then(([code]): Outcome => {
    running.delete(child);
    return { code, ...output };
  });
  return { child, output, outcome };
}

/** Runs a program to its end. */
export function run(command: string, args: string[], options: Options = {}): Promise<Outcome> {
  const { child, outcome } = spawnGroup(command, args, options);
  child.stdin.on('error', () => undefined); // it may have left without reading
  child.stdin.end(options.input ?? '');
  return outcome;
}

/** Runs `stakegraph …` to its end. */
export const stakegraph = (args: string[], options: Options = {}): Promise<Outcome> =>
  run(process.execPath, [main, ...args], options);

/**
 * Runs `stakegraph …` of each argument list, one after the other in one process: most of such a run is the start of the
 * process. Not for commands that read the standard input.
 */
export async function stakegraphOfEach(
  lists: readonly (readonly string[])[],
  options: Options = {},
): Promise<Outcome[]> {
  const program = `
    const outcomes = [];
    const write = process.stdout.write.bind(process.stdout);
    for (const [n, args] of ${JSON.stringify(lists)}.entries()) {
      const outcome = { code: 0, stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'])
        process[name].write = (text, ...more) => {
          outcome[name] += text;
          if (typeof more.at(-1) === 'function') more.at(-1)();
          return true;
        };
      process.argv = [process.execPath, ${JSON.stringify(main)}, ...args];
      process.exitCode = 0;
      await import(${JSON.stringify(pathToFileURL(main).href)} + '?' + n);
      outcome.code = process.exitCode;
      outcomes.push(outcome);
    }
    process.exitCode = 0;
    write(JSON.stringify(outcomes));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program], options);
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Starts `stakegraph …` with its standard input open. */
export const launch = (args: string[], options: Options = {}) =>
  spawnGroup(process.execPath, [main, ...args], options);

export type Served = {
  url: string;
  /** The development token of the banner, '' when it shows none. */
  token: string;
  banner: string;
  child: ChildProcess;
  stderr(): string;
  outcome: Promise<Outcome>;
  /** Asks it to stop and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>;
  get(path: string): Promise<Response>;
};

/** `stakegraph serve` up to its banner; throws what it said when it ends without one. */
export async function serve(
  options: Options & { shell?: boolean; args?: string[]; main?: string } = {},
): Promise<Served> {
  const program = [process.execPath, options.main ?? main, 'serve', ...(options.args ?? [])];
  // A shell that has more to do stays, as that of `npm start` does.
  const [command, ...args] = options.shell ? ['/bin/sh', '-c', '"$@"; exit $?', 'sh', ...program] : program;
  const env = { PORT: '0', LOG_LEVEL: 'warn', ...options.env };
  const { child, output, outcome } = spawnGroup(command as string, args, { ...options, env });
  let ended = false;
  outcome.then(() => (ended = true));
  while (!/^stakegraph is serving at \S+\n[\s\S]*(DATABASE_URL|curl .*)\n/.test(output.stdout)) {
    if (ended) throw new Error(`stakegraph serve ended: ${JSON.stringify(await outcome)}`);
    await Promise.race([once(child.stdout, 'data'), outcome]);
  }
  const banner = output.stdout;
  const url = /serving at (\S+)/.exec(banner)?.[1] as string;
  const token = /Token +(\S+)/.exec(banner)?.[1] ?? '';
  return {
    url,
    token,
    banner,
    child,
    stderr: () => output.stderr,
    outcome,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return outcome;
    },
    get: (path) =>
      fetch(url + path, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(120_000),
      }),
  };
}

/** Whatever a test left running is ended: for `afterEach`. */
export function endRunning() {
  for (const child of running) {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // the process has already ended
    }
  }
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres', 'cluster');

/** The process of the embedded PostgreSQL of a data folder, undefined when none runs. */
export async function postgresOf(dataDir: string): Promise<number | undefined> {
  const pid = (await readPidFile(clusterOf(dataDir)))?.pid;
  return pid && isServer(pid, clusterOf(dataDir)) ? pid : undefined;
}

/** An address of the embedded PostgreSQL that runs in a data folder. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const file = await readPidFile(clusterOf(dataDir));
  const password = await readFile(join(dataDir, 'postgres', 'password'), 'utf8');
  return urlOfEmbedded(file?.port as number, password.trim());
}

/** A new folder for data, and what removes it with the PostgreSQL that may still run there. */
export function makeDataDir(user?: User): { path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(scratch, 'stakegraph-cli-'));
  if (user) chownSync(path, user.uid, user.gid);
  return {
    path,
    async remove() {
      const pid = await postgresOf(path);
      if (pid) await endServer(pid);
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A folder for one test, removed when it ends. */
export function dataDirForTest(user?: User): string {
  const { path, remove } = makeDataDir(user);
  onTestFinished(async () => {
    endRunning();
    await remove();
  });
  return path;
}

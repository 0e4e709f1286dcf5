import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process named so that another one which later gets the same pid is not taken for it. */
export type ProcessMark = { pid: number; started: string };

const ENDED = 'ended';

function quiet(command: string, args: string[]): string {
  try {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', SystemRoot: process.env.SystemRoot };
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env }).trim();
  } catch {
    return '';
  }
}

/** When the process started, in the system's own notation; empty when that cannot be learnt. */
function startOf(pid: number): string {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux') return quiet('ps', ['-o', 'lstart=', '-p', String(pid)]);
  try {
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds its pid until its parent reaps it, which a container's first process may never do.
    if (fields[0] === 'Z' || fields[0] === 'X') return ENDED;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`;
  } catch {
    return '';
  }
}

/** Whether any process with this pid runs. */
export function isRunning(pid: number): boolean {
  // Anything else names a whole group of processes.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any answer but "no such process" (EPERM: somebody else's) means that there is one.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return process.platform !== 'linux' || startOf(pid) !== ENDED;
}

/** The mark of this very process. */
export function ownMark(): ProcessMark {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** The mark in a file, with what else stands there; undefined when there is none. */
export function readMark(path: string): ProcessMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as ProcessMark;
    return typeof mark.pid === 'number' && typeof mark.started === 'string' ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the marked process still runs, and is not merely another one with its pid. */
export function isAlive(mark: ProcessMark): boolean {
  if (!isRunning(mark.pid)) return false;
  const started = startOf(mark.pid);
  return started === '' || mark.started === '' || started === mark.started;
}

function commandLine(pid: number): string {
  if (process.platform === 'win32') {
    const script = `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`;
    return quiet('powershell', ['-NoProfile', '-NonInteractive', '-Command', script]);
  }
  if (process.platform !== 'linux') return quiet('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function inodeSetting(cluster: string): string {
  return `stakegraph.cluster=${statSync(cluster, { bigint: true, throwIfNoEntry: false })?.ino ?? 'none'}:`;
}

/** The `-c` setting by which `isServer` knows the server of a cluster again. */
export function clusterSetting(cluster: string): string {
  return `${inodeSetting(cluster)}${cluster}`;
}

/**
 * Whether the process is a PostgreSQL serving this cluster. Only the command line tells that to everybody:
 * the working directory of a process of another user is hidden from root too in most containers.
 */
export function isServer(pid: number, cluster: string): boolean {
  if (!isRunning(pid)) return false;
  const line = `${commandLine(pid)} `;
  if (!/(^|[\\/])postgres(\.exe)?"? "?-D/.test(line)) return false;
  // The inode finds a cluster whose folder was renamed, the path one that somebody started by hand.
  return (
    line.includes(inodeSetting(cluster)) ||
    line.includes(`:${cluster} `) ||
    line.includes(`-D ${cluster} `) ||
    line.includes(`"${cluster}"`)
  );
}

/** Waits until the process is gone; false when it still runs after `bound` milliseconds. */
export async function waitForEnd(pid: number, bound: number): Promise<boolean> {
  const deadline = performance.now() + bound;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

/**
 * Ends a server: a fast shutdown (open sessions are cut, data is written), after `fastBound` an immediate one
 * (the next start replays the log), and at last a kill for one that is frozen. The caller knows it for ours.
 */
export async function endServer(pid: number, fastBound = 10_000): Promise<void> {
  const steps = [
    ['SIGINT', fastBound],
    ['SIGQUIT', Math.min(fastBound, 6_000)],
    ['SIGKILL', 5_000],
  ] as const;
  for (const [signal, bound] of steps) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    if (await waitForEnd(pid, bound)) return;
  }
  throw new Error(`The embedded PostgreSQL (process ${pid}) does not end.`);
}

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process even if its pid is reused. */
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

/** Returns the start time as one word, empty if unknown. */
function startOf(pid: number): string {
  if (process.platform === 'win32') return '';
  if (process.platform !== 'linux')
    return quiet('ps', ['-o', 'lstart=', '-p', String(pid)]).replace(/\W+/g, '_');
  try {
    // The second field, the command, may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // In a container, zombies may stay forever.
    if (fields[0] === 'Z' || fields[0] === 'X') return ENDED;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().replaceAll('-', '_');
    return `${boot}_${fields[19]}`;
  } catch {
    return '';
  }
}

export function isRunning(pid: number): boolean {
  // `kill` takes 0 and negative numbers as process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return process.platform !== 'linux' || startOf(pid) !== ENDED;
}

export function ownMark(): ProcessMark {
  return { pid: process.pid, started: startOf(process.pid) };
}

export function readMark(path: string): ProcessMark | undefined {
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as ProcessMark;
    return typeof mark.pid === 'number' && typeof mark.started === 'string' ? mark : undefined;
  } catch {
    return undefined;
  }
}

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

export function ownSettings(cluster: string): string[] {
  const { pid, started } = ownMark();
  return [`stakegraph.owner=${pid}.${started}`, `${inodeSetting(cluster)}${cluster}`];
}

export function ownerOf(server: number): ProcessMark | undefined {
  const [, pid, started = ''] = /stakegraph\.owner=(\d+)\.(\w*)/.exec(commandLine(server)) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started };
}

/** Compares command lines, because most containers hide working directories even from root. */
export function isServer(pid: number, cluster: string): boolean {
  if (!isRunning(pid)) return false;
  const line = `${commandLine(pid)} `;
  if (!/(^|[\\/])postgres(\.exe)?"? "?-D/.test(line)) return false;
  // The inode is found even if the cluster was renamed, the path even if the server was started by hand.
  return (
    line.includes(inodeSetting(cluster)) ||
    line.includes(`:${cluster} `) ||
    line.includes(`-D ${cluster} `) ||
    line.includes(`"${cluster}"`)
  );
}

export async function waitForEnd(pid: number, bound: number): Promise<boolean> {
  const deadline = performance.now() + bound;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

/** SIGINT requests a fast shutdown, SIGQUIT an immediate one, after which the next start replays the log. */
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

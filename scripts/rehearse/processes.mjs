// The processes of a rehearsal: PostgreSQL with a standby, Redis, gateways and haproxy. All end with it.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';

export const project = fileURLToPath(new URL('../..', import.meta.url));
const running = new Set();

const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').map(Number) : [];
const bin = `/usr/lib/postgresql/${Math.max(...versions)}/bin`;
const haproxyProgram = '/usr/sbin/haproxy';
const redisProgram = '/usr/bin/redis-server';

/** Programs that are not installed. */
export const missing = () =>
  [join(bin, 'postgres'), join(bin, 'pg_basebackup'), haproxyProgram, redisProgram].filter(
    (path) => !existsSync(path),
  );

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** PostgreSQL refuses to run as root. */
function databaseUser() {
  if (process.getuid() !== 0) return {};
  const id = (option) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function start(command, args, log, options = {}) {
  const output = openSync(log, 'a');
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] });
  const ended = once(child, 'exit').then(() => running.delete(child));
  running.add(child);
  const end = (signal) => {
    if (running.has(child)) process.kill(-child.pid, signal);
    return ended;
  };
  return {
    child,
    ended,
    log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

export async function endAll() {
  for (const child of running) process.kill(-child.pid, 'SIGKILL');
  while (running.size > 0) await sleep(20);
}

/** Waits until `check` returns something true. */
export async function until(check, what, withinMs = 120_000) {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await Promise.resolve()
      .then(check)
      .catch(() => false);
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what} did not happen within ${withinMs / 1_000} s`);
    await sleep(50);
  }
}

export async function query(url, text, values = []) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** A primary that commits only what its standby has too, and that standby. */
export async function startDatabases(folder) {
  const user = databaseUser();
  const home = join(folder, 'postgres');
  mkdirSync(home);
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid);
  const run = (program, args) =>
    execFileSync(join(bin, program), args, { ...user, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  const server = async (name, prepare, options) => {
    const port = await freePort();
    const data = join(home, name);
    await prepare(data);
    const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', home];
    const settings = ['max_connections=200', 'shared_buffers=64MB', 'log_min_messages=fatal', ...options];
    const process = start(
      join(bin, 'postgres'),
      [...args, ...settings.flatMap((setting) => ['-c', setting])],
      join(folder, `${name}.log`),
      { ...user, cwd: home },
    );
    const url = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;
    await until(() => query(url, 'select 1'), `The start of the ${name} database`);
    return { ...process, url, port, promote: () => run('pg_ctl', ['promote', '-w', '-D', data]) };
  };
  const primary = await server(
    'primary',
    (data) => run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']),
    [],
  );
  const standby = await server(
    'standby',
    (data) =>
      run('pg_basebackup', [
        ...['-D', data, '-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'],
        ...['-R', '-X', 'stream', '--no-sync', '--checkpoint=fast'],
      ]),
    // A promoted server waits for no other.
    ['hot_standby=on', 'synchronous_standby_names='],
  );
  await query(primary.url, `alter system set synchronous_standby_names = '*'`);
  await query(primary.url, 'select pg_reload_conf()');
  const isSynchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  await until(
    async () => (await query(primary.url, isSynchronous)).length > 0,
    'The start of synchronous replication',
  );
  const both = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  const url = `postgres://postgres@${both}/postgres?sslmode=disable&target_session_attrs=read-write`;
  return { primary, standby, url };
}

export async function startRedis(folder) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return { ...start(redisProgram, args, join(folder, 'redis.log')), url: `redis://127.0.0.1:${port}` };
}

/** Runs a command of the version in the folder `version`. */
export async function command(version, args, settings) {
  const env = { PATH: process.env.PATH, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [join(version, 'dist/main.js'), ...args], {
    env,
  });
  return stdout;
}

/** A gateway that is started again on the same port, of the same version unless another is given. */
export async function makeGateway(folder, name, version, settings) {
  const port = await freePort();
  let running;
  let current = version;
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(2_000) }).then(({ ok }) => ok);
  return {
    port,
    stop: () => running.stop(),
    kill: () => running.kill(),
    async start(version = current) {
      current = version;
      const env = { PATH: process.env.PATH, NODE_ENV: 'production', LOG_LEVEL: 'warn', ...settings };
      running = start(
        process.execPath,
        [join(current, 'dist/main.js'), 'serve'],
        join(folder, `${name}.log`),
        {
          env: { ...env, PORT: String(port) },
        },
      );
      const ended = running.ended.then(() => {
        const lastLine = readFileSync(running.log, 'utf8').trim().split('\n').at(-1);
        throw new Error(`Gateway ${name} did not start: ${lastLine}`);
      });
      ended.catch(() => undefined); // it also ends later
      await Promise.race([until(isReady, `The start of gateway ${name}`), ended]);
    },
  };
}

/** haproxy with the documented settings, but without TLS and on other ports. */
export async function startHaproxy(folder, gateways) {
  const port = await freePort();
  const page = readFileSync(join(project, 'docs/deployment.md'), 'utf8');
  const [, documented] = /```haproxy\n([\s\S]*?)```/.exec(page);
  const servers = gateways.map((gateway, index) => [`10.0.0.${index + 1}:4000`, `127.0.0.1:${gateway.port}`]);
  const config = [[/bind :443 .*/, `bind 127.0.0.1:${port}`], ...servers].reduce(
    (text, [from, to]) => text.replace(from, to),
    documented,
  );
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config);
  const process = start(haproxyProgram, ['-db', '-f', file], join(folder, 'haproxy.log'));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/health`)).ok, 'The start of haproxy');
  return { ...process, url };
}

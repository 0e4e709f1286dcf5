import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { giveToOwner } from './account.ts';
import { type Binaries, bareEnvironment, program } from './binaries.ts';
import { DATABASE_NAME, type Home, placeOf } from './cluster.ts';
import { endServer, ownSettings } from './process.ts';

export type Server = { pid: number; port: number };

const LOG_LIMIT = 8_000_000;
// After a crash the server replays up to a gigabyte of log.
const START_BOUND = 120_000;
// Temporary faults: another program has the port, or children of a killed server still run.
const PASSING = /could not (bind|create any TCP)|pre-existing shared memory block|Address already in use/;

const BEING_CREATED = ['42P04', '23505', '55006'];

export function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

export async function readPidFile(cluster: string): Promise<(Server & { status: string }) | undefined> {
  const text = await readFile(pidFile(cluster), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7] ?? '' };
}

/** `sslmode` overrides PGSSLMODE. */
export function urlOfEmbedded(port: number, password: string, database = DATABASE_NAME): string {
  return `postgres://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

async function query(url: string, text: string, bound: number): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: bound,
    query_timeout: bound,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** `busy` means that the server starts or shuts down. */
export async function probe(port: number, password: string): Promise<'ready' | 'busy' | 'silent'> {
  try {
    await query(urlOfEmbedded(port, password), 'select 1', 2_000);
    return 'ready';
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (code === '53300') return 'ready';
    if (code === '57P03') return 'busy';
    if (code === '28P01') throw new Error('The embedded PostgreSQL refuses the password in its own folder.');
    if (code !== '3D000') return 'silent';
  }
  // initdb does not create this database, and a start may be killed between the two.
  await query(urlOfEmbedded(port, password, 'postgres'), `create database ${DATABASE_NAME}`, 30_000).catch(
    (error) => {
      if (!BEING_CREATED.includes(error.code)) throw error;
    },
  );
  return 'busy';
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  await new Promise((done) => listener.close(done));
  return port;
}

async function openLog(home: Home): Promise<FileHandle> {
  const size = await stat(home.log).then(
    (found) => found.size,
    () => 0,
  );
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const fresh = size > LOG_LIMIT ? O_TRUNC : 0;
  const file = await open(home.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | fresh, 0o600);
  await giveToOwner(home.log, home.folder);
  return file;
}

async function launch(
  home: Home,
  bin: string,
  port: number,
): Promise<{ child: ChildProcess; offset: number }> {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    // No sockets, because their paths are limited to 107 bytes.
    'unix_socket_directories=',
    'shared_buffers=128MB',
    'max_connections=100',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    'logging_collector=off',
    ...ownSettings(home.cluster),
  ];
  const file = await openLog(home);
  try {
    const { size: offset } = await file.stat();
    const args = [
      '-D',
      await placeOf(home.cluster, home.account),
      ...settings.flatMap((each) => ['-c', each]),
    ];
    // Detached: Ctrl-C signals the whole process group, and would stop the database first.
    const child = spawn(program(bin, 'postgres'), args, {
      ...home.account,
      cwd: home.cluster,
      env: bareEnvironment,
      stdio: ['ignore', file.fd, file.fd],
      detached: true,
      windowsHide: true,
    });
    await once(child, 'spawn');
    child.unref();
    return { child, offset };
  } finally {
    await file.close();
  }
}

async function becomesReady(home: Home, child: ChildProcess, password: string): Promise<Server | undefined> {
  const deadline = performance.now() + START_BOUND;
  while (child.exitCode === null && child.signalCode === null) {
    const file = await readPidFile(home.cluster);
    if (file?.pid === child.pid && file?.status === 'ready') {
      if ((await probe(file.port, password)) === 'ready') return { pid: file.pid, port: file.port };
    }
    if (performance.now() > deadline) {
      await endServer(Number(child.pid));
      break;
    }
    await sleep(10);
  }
  return undefined;
}

export async function startServer(
  home: Home,
  { bin }: Binaries,
  password: string,
  pickPort: () => Promise<number> = freePort,
): Promise<Server> {
  const until = performance.now() + 10_000;
  for (let pause = 10; ; pause *= 2) {
    const { child, offset } = await launch(home, bin, await pickPort());
    try {
      const server = await becomesReady(home, child, password);
      if (server) return server;
    } catch (error) {
      await endServer(Number(child.pid));
      throw error;
    }
    const output = (await readFile(home.log)).subarray(offset).toString('utf8').trim();
    if (!PASSING.test(output) || performance.now() > until) {
      const tail = output.split('\n').slice(-8).join('\n');
      throw new Error(`The embedded PostgreSQL did not start; the end of ${home.log}:\n${tail}`);
    }
    await sleep(pause);
  }
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findNative } from '../../src/db/embedded/binaries.ts';
import { type Embedded, type StartOptions, startEmbedded } from '../../src/db/embedded/index.ts';
import { isRunning, waitForEnd } from '../../src/db/embedded/process.ts';
import { readPidFile } from '../../src/db/embedded/server.ts';
import { scratch } from '../support/scratch.ts';
import { slow } from '../support/thorough.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const build = join(project, 'node_modules', '.cache', `embedded-test-${process.pid}`);
const asRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

// Whether another user gets to this clone and to this Node at all.
const reachable =
  asRoot && spawnSync(process.execPath, ['-e', ''], { ...nobody, cwd: '/' }).status === 0
    ? spawnSync('/bin/sh', ['-c', 'test -r "$0"', join(project, 'package.json')], nobody).status === 0
    : false;

// A process of its own: it starts the database, prints its URL, and stops when it reads a line, unless `leave` is set.
const program = `
import { startEmbedded } from './index.js';
const { leave, ...options } = JSON.parse(process.argv[2]);
const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
try {
  const { url, owned, ended, stop } = await startEmbedded(options);
  say({ url, owned });
  if (!owned) void ended.then((error) => say({ error: error.message }));
  if (!leave) process.stdin.once('data', async (line) => {
    if (String(line) === 'exit\\n') process.exit();
    await stop();
    say({ stopped: true });
    process.exit();
  });
} catch (error) {
  say({ error: error.message });
}
`;

type Answer = { url: string; owned: boolean; error?: string };
type Helper = {
  child: ChildProcess;
  answer: Promise<Answer>;
  /** What the process says next. */
  next(): Promise<unknown>;
  stop(): Promise<void>;
};

let root: string;
let shared: string;
const helpers: ChildProcess[] = [];
const started: Embedded[] = [];

function helper(options: StartOptions & { leave?: boolean }, user?: { uid: number; gid: number }): Helper {
  const child = spawn(process.execPath, [join(build, 'helper.js'), JSON.stringify(options)], {
    ...user,
    cwd: user ? '/' : project,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  helpers.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? '{"error":"ended"}');
  const answer: Promise<Answer> = next();
  const stop = async () => {
    child.stdin.write('stop\n');
    expect(await next()).toEqual({ stopped: true });
  };
  return { child, answer, next, stop };
}

async function here(options: StartOptions): Promise<Embedded> {
  const embedded = await startEmbedded(options);
  started.push(embedded);
  return embedded;
}

async function rows(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function folder(name: string): Promise<string> {
  return mkdtemp(join(root, `${name}-`));
}

async function serverPid(dataDir: string): Promise<number> {
  return (await readPidFile(join(dataDir, 'postgres', 'cluster')))?.pid ?? 0;
}

beforeAll(async () => {
  // mkdtemp gives mode 0700: as root, everything here lies below a folder closed to the server's account.
  root = await mkdtemp(join(scratch, 'embedded-'));
  shared = await folder('shared');
  const options =
    `--ignoreConfig --outDir ${build} --rootDir src/db/embedded --target es2023 --module nodenext
    --types node --allowImportingTsExtensions --rewriteRelativeImportExtensions --skipLibCheck`.split(/\s+/);
  const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, ...options, 'src/db/embedded/index.ts'], { cwd: project });
  await writeFile(join(build, 'helper.js'), program);
});

afterEach(async () => {
  for (const embedded of started.splice(0)) await embedded.stop();
  for (const child of helpers.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  for (const path of [root, build]) await rm(path, { recursive: true, force: true, maxRetries: 3 });
});

describe('one process', () => {
  test('starts, keeps its data over a restart, and leaves nothing running', async () => {
    const dataDir = join(shared, 'made', 'on the way');
    const lines: string[] = [];
    const first = await startEmbedded({ dataDir, log: (line) => lines.push(line) });
    started.push(first);
    expect(first.owned).toBe(true);
    expect(lines).toHaveLength(2);
    const [about] = await rows(
      first.url,
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('data_checksums') as sums,
         current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
         current_setting('TimeZone') as zone, current_setting('jit') as jit, current_setting('fsync') as fsync,
         datname, datlocprovider, datlocale, pg_encoding_to_char(encoding) as encoding
       from pg_database where datname = current_database()`,
    );
    expect(about).toEqual({
      major: 18,
      sums: 'on',
      listen: '127.0.0.1',
      sockets: '',
      zone: 'UTC',
      jit: 'off',
      fsync: 'on',
      datname: 'stakegraph',
      datlocprovider: 'b',
      datlocale: 'C.UTF-8',
      encoding: 'UTF8',
    });
    await rows(first.url, 'create table kept as select 7 as n');
    const pid = await serverPid(dataDir);
    await first.stop();
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    expect((await readdir(join(dataDir, 'postgres'))).sort()).toEqual(['cluster', 'password', 'server.log']);

    const second = await here({ dataDir });
    expect(await rows(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
    const modes = ['cluster', 'password', 'server.log'].map(async (name) => {
      return ((await stat(join(dataDir, 'postgres', name))).mode & 0o777).toString(8);
    });
    expect(await Promise.all(modes)).toEqual(['700', '600', '600']);
  });

  test('asks for the password', async () => {
    const { url } = await here({ dataDir: shared });
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(rows(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('makes the database again that a killed first start did not come to', async () => {
    const first = await here({ dataDir: shared });
    const other = new URL(first.url);
    other.pathname = '/postgres';
    await rows(other.href, 'drop database stakegraph');
    await first.stop();
    const second = await here({ dataDir: shared });
    expect(await rows(second.url, 'select current_database() as name')).toEqual([{ name: 'stakegraph' }]);
  });

  test('takes another port when the chosen one is taken', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port: taken } = listener.address() as { port: number };
    let asked = 0;
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    free.close();
    const pickPort = async () => (asked++ === 0 ? taken : port);
    const { url } = await here({ dataDir: shared, pickPort });
    listener.close();
    expect([asked, Number(new URL(url).port)]).toEqual([2, port]);
  });

  test('says what the log says when the server does not start', async () => {
    const conf = join(shared, 'postgres', 'cluster', 'postgresql.conf');
    const before = await readFile(conf);
    await appendFile(conf, "\nno_such_setting = 'x'\n");
    await expect(startEmbedded({ dataDir: shared })).rejects.toThrow(/did not start[\s\S]*no_such_setting/);
    await writeFile(conf, before);
  });

  test('does not keep its process alive, and ends with it', async () => {
    const { child, answer } = helper({ dataDir: shared, leave: true });
    child.stdin?.end();
    const [code] = await once(child, 'exit');
    expect([code, (await answer).owned]).toEqual([0, true]);
    expect(await waitForEnd(await serverPid(shared), 5_000)).toBe(true);
  });
});

describe('several processes', () => {
  test('a second one joins, and its stop harms nobody', async () => {
    const owner = await here({ dataDir: shared });
    const joiner = helper({ dataDir: shared });
    expect(await joiner.answer).toEqual({ url: owner.url, owned: false });
    await joiner.stop();
    const inside = await here({ dataDir: shared });
    expect(inside.owned).toBe(false);
    await inside.stop();
    expect(await rows(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test.each(['stops', 'exits'] as const)(
    'the server ends with an owner that %s, and those that have joined it are told by whom it was stopped',
    async (how) => {
      const owner = helper({ dataDir: shared });
      await owner.answer;
      const pid = await serverPid(shared);
      const joined = helper({ dataDir: shared });
      expect(await joined.answer).toMatchObject({ owned: false });
      if (how === 'stops') await owner.stop();
      else owner.child.stdin?.write('exit\n');
      expect(await joined.next()).toEqual({
        error: `The embedded PostgreSQL was stopped, because the process that owned it (pid ${owner.child.pid}) has ended: uncommitted changes are lost; run this command again.`,
      });
      expect(isRunning(pid)).toBe(false);
      await joined.stop();
      expect((await readdir(join(shared, 'postgres'))).sort()).toEqual(['cluster', 'password', 'server.log']);
    },
  );

  test('those that have joined are told of a server that ends by itself', async () => {
    const owner = await here({ dataDir: shared });
    const joined = helper({ dataDir: shared });
    await joined.answer;
    process.kill(await serverPid(shared), 'SIGKILL');
    const message = `The embedded PostgreSQL has ended; ${join(shared, 'postgres', 'server.log')} has its log.`;
    expect(await joined.next()).toEqual({ error: message });
    expect((await owner.ended).message).toBe(message);
    await waitForEnd(await serverPid(shared), 5_000);
  });

  test('one that has joined goes on when the owner is killed, and is told when the next start ends the server', async () => {
    const owner = helper({ dataDir: shared });
    const { url } = await owner.answer;
    const pid = await serverPid(shared);
    const joined = helper({ dataDir: shared });
    await joined.answer;
    owner.child.kill('SIGKILL');
    await once(owner.child, 'exit');
    expect(await rows(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const late = helper({ dataDir: shared });
    expect((await late.answer).owned).toBe(true);
    expect(isRunning(pid)).toBe(false);
    expect(await joined.next()).toEqual({
      error: `The embedded PostgreSQL was stopped, because the process that owned it (pid ${owner.child.pid}) has ended: uncommitted changes are lost; run this command again.`,
    });
    await joined.stop();
    await late.stop();
  });

  test('two at once make one cluster and one server', async () => {
    const dataDir = await folder('race');
    const both = [helper({ dataDir }), helper({ dataDir })];
    const answers = await Promise.all(both.map(({ answer }) => answer));
    expect(answers.map(({ owned }) => owned).sort()).toEqual([false, true]);
    expect(answers[0]?.url).toBe(answers[1]?.url);
    for (const { stop } of answers[0]?.owned ? both.reverse() : both) await stop();
    expect(await serverPid(dataDir)).toBe(0);
  });

  test('the server of a killed owner is ended by the next start, which loses nothing', async () => {
    const first = helper({ dataDir: shared });
    const { url } = await first.answer;
    await rows(url, 'create table written as select 7 as n');
    const pid = await serverPid(shared);
    // The whole group, as Ctrl-C in a terminal does it.
    process.kill(-(first.child.pid ?? 0), 'SIGKILL');
    await once(first.child, 'exit');
    expect(isRunning(pid)).toBe(true);
    const second = await here({ dataDir: shared });
    expect([second.owned, isRunning(pid)]).toEqual([true, false]);
    expect(await rows(second.url, 'select n from written')).toEqual([{ n: 7 }]);
    const own = await serverPid(shared);
    await second.stop();
    expect(isRunning(own)).toBe(false);
  });

  slow('an orphan that does not answer is replaced', async () => {
    const first = helper({ dataDir: shared });
    await first.answer;
    const pid = await serverPid(shared);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    process.kill(pid, 'SIGSTOP');
    const second = await here({ dataDir: shared });
    expect([second.owned, isRunning(pid)]).toEqual([true, false]);
    expect(await rows(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('what a crash leaves behind', () => {
  test('a pid file of a process that is gone, or of another program of the same user', async () => {
    const cluster = join(shared, 'postgres', 'cluster');
    const { uid, gid } = await stat(cluster);
    const stranger = spawn('sleep', ['60'], asRoot ? { uid, gid } : {});
    helpers.push(stranger);
    for (const pid of [stranger.pid, 4_194_303, '']) {
      const path = join(cluster, 'postmaster.pid');
      await writeFile(path, pid ? `${pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n\nready   \n` : '');
      if (asRoot) await chown(path, uid, gid);
      const embedded = await here({ dataDir: shared });
      expect(embedded.owned).toBe(true);
      await embedded.stop();
    }
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
  });

  test.runIf(process.platform === 'linux')(
    'a server whose owner has the pid of another program by now',
    async () => {
      const cluster = join(shared, 'postgres', 'cluster');
      const first = helper({ dataDir: shared });
      await first.answer;
      const line = await readFile(`/proc/${await serverPid(shared)}/cmdline`, 'utf8');
      await first.stop();
      const { uid, gid } = await stat(cluster);
      const [program = '', ...args] = line
        .replace(/stakegraph\.owner=\d+\.\w+/, `stakegraph.owner=${process.pid}.before_the_last_boot`)
        .split('\0')
        .slice(0, -1);
      const user = asRoot ? { uid, gid } : {};
      const server = spawn(program, args, { ...user, cwd: cluster, env: {}, stdio: 'ignore' });
      helpers.push(server);
      while ((await readPidFile(cluster))?.status !== 'ready') await sleep(20);
      expect((await here({ dataDir: shared })).owned).toBe(true);
      expect(server.exitCode).toBe(0);
    },
  );

  /** A folder in which a process was killed during its initdb; a slow look finds that done, and tries again. */
  async function halfMade(): Promise<string> {
    const dataDir = await folder('half');
    const { child, answer, stop } = helper({ dataDir });
    const half = async () => {
      const names = await readdir(join(dataDir, 'postgres')).catch(() => []);
      const temporary = names.find((name) => /^init-[^p]/.test(name));
      return temporary && existsSync(join(dataDir, 'postgres', temporary, 'data', 'PG_VERSION'));
    };
    let done = false;
    void answer.then(() => {
      done = true;
    });
    while (!done && !(await half())) await sleep(2);
    if (done) {
      await stop();
      return halfMade();
    }
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
    if (!existsSync(join(dataDir, 'postgres', 'cluster'))) return dataDir;
    await here({ dataDir }); // the database may run already: it is ended with the others
    return halfMade();
  }

  test('half an initdb', async () => {
    const dataDir = await halfMade();
    const { url } = await here({ dataDir });
    expect(await rows(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const names = await readdir(join(dataDir, 'postgres'));
    expect(names.filter((name) => name.startsWith('init-'))).toEqual([]);
  });
});

describe('one line of advice', () => {
  test('on a platform without binaries', async () => {
    const failure = startEmbedded({ dataDir: await folder('platform'), platform: 'plan9-mips' });
    await expect(failure).rejects.toThrow(
      /^No embedded PostgreSQL .*plan9-mips.*set DATABASE_URL to a PostgreSQL 15 or later\.$/,
    );
  });

  test('for a cluster of another version, and for what is no cluster', async () => {
    const dataDir = await folder('version');
    const cluster = join(dataDir, 'postgres', 'cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(join(cluster, 'notes.txt'), '');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/^.* is not a PostgreSQL cluster.*$/);
    await writeFile(join(cluster, 'PG_VERSION'), '17\n');
    await mkdir(join(cluster, 'global'));
    await expect(startEmbedded({ dataDir })).rejects.toThrow(
      /^.* was made by PostgreSQL 17 and the embedded one is 18.*$/,
    );
  });

  test.runIf(reachable)("for an ordinary user on root's data, who is told how to go on", async () => {
    const open = await mkdtemp(join(tmpdir(), 'embedded-open-'));
    try {
      await chmod(open, 0o755);
      const dataDir = join(open, 'data');
      await (await here({ dataDir })).stop();
      const { error } = await helper({ dataDir }, nobody).answer;
      expect(error).toMatch(/^The embedded database in .* belongs to root.*chown.*$/);
      expect((await helper({ dataDir: join(open, 'other') }, nobody).answer).error).toMatch(
        /^.*choose another.*$/,
      );
    } finally {
      await rm(open, { recursive: true, force: true });
    }
  });
});

describe('installations and users', () => {
  slow('a package without its links and executable bits, in a folder closed to others', async () => {
    const copy = join(await folder('package'), 'linux');
    const original = dirname(await findNative());
    await cp(original, copy, { recursive: true, verbatimSymlinks: true });
    const version = `0.0.0-test-${process.pid}`;
    await writeFile(join(copy, 'package.json'), JSON.stringify({ version }));
    const native = join(copy, 'native');
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    for (const { target } of links) await rm(join(copy, target));
    for (const name of await readdir(join(native, 'bin'))) await chmod(join(native, 'bin', name), 0o644);
    try {
      for (let round = 0; round < 2; round++) {
        const embedded = await here({ dataDir: shared, native });
        expect(await rows(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }]);
        await embedded.stop();
      }
      for (const { target } of links) expect((await lstat(join(copy, target))).isSymbolicLink()).toBe(true);
    } finally {
      for (const cache of ['/var/cache/stakegraph', join(tmpdir(), 'stakegraph-postgres')]) {
        for (const name of await readdir(cache).catch((): string[] => [])) {
          if (name.endsWith(version)) await rm(join(cache, name), { recursive: true });
        }
      }
    }
  });

  test.runIf(reachable)('an ordinary user, then root on the same data, then the user again', async () => {
    const dataDir = await mkdtemp(join(scratch, 'embedded-user-'));
    try {
      await chown(dataDir, nobody.uid, nobody.gid);
      const first = helper({ dataDir }, nobody);
      const { url } = await first.answer;
      await rows(url, 'create table kept as select 7 as n');
      await first.stop();
      const second = await here({ dataDir });
      expect(second.owned).toBe(true);
      const joined = helper({ dataDir }, nobody);
      expect(await joined.answer).toEqual({ url: second.url, owned: false });
      await joined.stop();
      await second.stop();
      const third = helper({ dataDir }, nobody);
      expect(await rows((await third.answer).url, 'select n from kept')).toEqual([{ n: 7 }]);
      await third.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

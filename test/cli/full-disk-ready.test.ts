import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { createPool } from '../../src/db/pool.ts';
import { asSuperuser } from '../support/citus.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dataDirForTest, endRunning, serve } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

afterEach(endRunning);

const WAIT_MS = 60_000;
const READY = [200, { status: 'ready' }];
const FULL = [
  200,
  { status: 'degraded', reads: true, writes: false, reason: 'the disk of the database is full' },
];

/** A disk of its own for a database, or undefined where none can be mounted. */
async function smallDisk(database: TestDatabase, megabytes: number) {
  const [{ data_directory: data }] = await asSuperuser(database.url, 'show data_directory');
  const name = `disk_${process.pid}_${Date.now()}`;
  const path = join('/tmp', `stakegraph-${name}`);
  const server = new URL(database.url);
  const own = server.pathname.slice(1);
  server.pathname = '/postgres';
  try {
    const { uid, gid } = statSync(data);
    mkdirSync(path);
    const options = `size=${megabytes}m,uid=${uid},gid=${gid},mode=0700`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
    chownSync(path, uid, gid);
    const { bsize, blocks } = statfsSync(path);
    if (bsize * blocks !== megabytes * 2 ** 20) throw new Error('The mount has another size.');
    await asSuperuser(server.href, `create tablespace ${name} location '${path}'`);
  } catch {
    // In some sandboxes a mount succeeds, but has neither the size nor the owner that it was given.
    spawnSync('umount', [path], { stdio: 'ignore' });
    rmSync(path, { recursive: true, force: true });
    return undefined;
  }
  await asSuperuser(server.href, `alter database ${own} set tablespace ${name}`);
  return {
    fill() {
      try {
        writeFileSync(join(path, 'filler'), Buffer.alloc(megabytes * 2 ** 20));
      } catch {}
    },
    empty: () => rmSync(join(path, 'filler'), { force: true }),
    async remove() {
      await asSuperuser(server.href, `drop tablespace ${name}`);
      execFileSync('umount', [path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

slow(
  '/ready tells that a disk is full, before and after a write fails, and that it is not any more',
  async ({ skip }) => {
    const database = await createDatabase('sample');
    const pool = createPool({ url: database.url, readOnly: false });
    const { token } = await createToken(pool, 'test');
    await pool.end();
    const known = `select validator_index as index from validators where network = 'mainnet' limit 500`;
    const validators = (await asSuperuser(database.url, known)).map(({ index }) => index);
    const disk = await smallDisk(database, 200);
    onTestFinished(async () => {
      endRunning();
      await database.drop();
      await disk?.remove();
    });
    if (!disk) return skip('no disk for a database can be mounted');
    const served = await serve({ env: { DATABASE_URL: database.url, DATA_DIR: dataDirForTest() } });
    const ready = async () => {
      const response = await served.get('/ready');
      return [response.status, await response.json()];
    };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const write = async (name: string) => {
      const body = JSON.stringify({ name, validators });
      return (await fetch(`${served.url}/v1/eth/tags`, { method: 'POST', headers, body })).status;
    };
    const read = async () => (await fetch(`${served.url}/v0/eth/slashings`, { headers })).status;

    expect(await ready()).toEqual(READY);
    expect(await write('before')).toBe(201);
    disk.fill();
    const statuses = new Set<number>();
    for (let n = 0; n < 60 && !statuses.has(503); n += 1) statuses.add(await write(`full ${n}`));
    expect(statuses).toContain(503);
    await eventually(async () => expect(await ready()).toEqual(FULL), WAIT_MS);
    expect(await read()).toBe(200);

    disk.empty();
    await eventually(async () => expect(await ready()).toEqual(READY), WAIT_MS);
    expect(await write('after')).toBe(201);

    // Without a single write
    disk.fill();
    await eventually(async () => expect(await ready()).toEqual(FULL), WAIT_MS);
    disk.empty();
    await eventually(async () => expect(await ready()).toEqual(READY), WAIT_MS);
  },
  300_000,
);

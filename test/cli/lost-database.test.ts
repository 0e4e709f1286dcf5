import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { openDatabase } from '../../src/db/open/index.ts';
import { eventually, until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { endRunning, launch, serve, stakegraph } from '../support/process.ts';
import { lossyWay } from '../support/proxy.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
afterEach(endRunning);

const list = '/v0/eth/slashings';

/** A service whose database lies behind a way that can be lost. */
async function served(timeoutMs: number) {
  const way = await lossyWay(database.url);
  const env = {
    DATABASE_URL: way.url,
    STATEMENT_TIMEOUT_MS: String(timeoutMs),
    WAIT_TIMEOUT_MS: '5000',
    CACHE: 'off',
  };
  const service = await serve({ env });
  const token = /sgt_\S+/.exec(
    (await stakegraph(['token', 'create', '--name', 'test'], { env })).stdout,
  )?.[0];
  const status = async (path: string) =>
    (await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  const isWell = async () => expect([await status('/ready'), await status(list)]).toEqual([200, 200]);
  await eventually(isWell); // a token is known soon after it is made
  return { way, service, status, isWell };
}

it('A database whose connections are reset while a statement runs is 503, and asked again', async () => {
  const { way, service, status, isWell } = await served(60_000);
  await database.pool.withClient(async (client) => {
    await client.query('begin; lock table slashings in access exclusive mode');
    const asked = status(list);
    const waits = async () => (await client.query('select from pg_locks where not granted')).rowCount;
    await eventually(async () => expect(await waits()).toBeGreaterThan(0));
    way.cut();
    expect(await asked).toBe(503);
    await client.query('rollback');
  });
  await eventually(isWell);
  expect(service.stderr()).not.toContain('stopping');
});

slow('A database that falls silent is 503, of /ready too, and asked again when it speaks', async () => {
  const { way, status, isWell } = await served(500);
  way.hush();
  const asked = Array.from({ length: 20 }, () => status(list)); // more than the pool has connections
  expect(await Promise.all(asked)).toEqual(Array(20).fill(503));
  expect(await status('/ready')).toBe(503);
  way.mend();
  await eventually(isWell, 20_000); // until the last of its connections is given up
});

slow(
  'A database whose answer comes a byte at a time is 503 when it has not ended in time, and asked again',
  async () => {
    const { way, status, isWell } = await served(500);
    way.trickle(400);
    const began = performance.now();
    const asked = Array.from({ length: 3 }, () => status(list));
    expect(await Promise.all(asked)).toEqual(Array(3).fill(503)); // their rows would take half a minute
    expect(performance.now() - began).toBeLessThan(12_000);
    way.mend();
    await eventually(isWell, 20_000);
  },
);

slow(
  'A database that falls silent is written to again when it speaks, also where all connections were at work',
  async () => {
    const way = await lossyWay(database.url);
    const settings = readSettings({ DATABASE_URL: way.url });
    const { write, close } = await openDatabase(settings, () => undefined, { serves: true });
    onTestFinished(close);
    const all = (text: string) => Promise.allSettled([1, 2, 3].map(() => write.query({ text, values: [] })));
    await all('select pg_sleep(0.2)');
    expect(write.stats().total).toBe(3);
    way.hush();
    const lost = all('select 1');
    await sleep(500);
    way.mend();
    await eventually(() => write.query({ text: 'select 1', values: [] }), 30_000);
    expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  },
);

it('An import whose connection is reset tells so, and has loaded nothing', async () => {
  const way = await lossyWay(database.url);
  const { child, outcome } = launch(['import', 'chain-balances', '-'], { env: { DATABASE_URL: way.url } });
  const rows = (from: number) =>
    Array.from({ length: 5_000 }, (_, at) => `{"epoch":${from + at},"totalActiveBalance":1}\n`).join('');
  const ask = (text: string) => database.pool.query({ text, values: [] });
  child.stdin.write(rows(0));
  const copies = `select from pg_stat_activity where query like '%fillStaging%' and pid <> pg_backend_pid()`;
  await eventually(async () => expect((await ask(copies)).rows.length).toBeGreaterThan(0), 20_000);
  way.cut();
  child.stdin.on('error', () => undefined); // it may have ended
  child.stdin.end(rows(5_000));
  const { code, stderr } = await outcome;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^-: nothing loaded\nstakegraph: The database of DATABASE_URL: .*\n$/),
  ]);
  expect((await ask('select from chain_balances')).rows).toEqual([]);
});

it('A backup whose connection is reset tells so, and leaves no file', async () => {
  const own = await createDatabase('empty');
  onTestFinished(() => own.drop());
  await own.pool.query({
    text: `insert into chain_balances select 'holesky', n, 1 from generate_series(1, 999999) n`,
    values: [],
  });
  const way = await lossyWay(own.url);
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-lost-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { outcome } = launch(['backup', folder], { env: { DATABASE_URL: way.url } });
  await until(() => readdirSync(folder).length > 0, outcome);
  way.cut();
  const { code, stderr } = await outcome;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^stakegraph: The database of DATABASE_URL: .*\n$/),
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

it('An import into a database whose disk is full tells so, and has loaded nothing', async () => {
  const own = await createDatabase('empty');
  onTestFinished(() => own.drop());
  const ask = (text: string) => own.pool.query({ text, values: [] });
  await ask(`create function no_room() returns trigger language plpgsql as
    $$ begin raise 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`);
  await ask('create trigger no_room before insert on chain_balances execute function no_room()');
  const { code, stderr } = await stakegraph(['import', 'chain-balances', '-'], {
    env: { DATABASE_URL: own.url },
    input: '{"epoch":1,"totalActiveBalance":1}\n',
  });
  expect([code, stderr]).toEqual([
    1,
    '-: nothing loaded\nstakegraph: The database of DATABASE_URL: could not extend file "base/1/2": No space left on device\n',
  ]);
  expect((await ask('select from chain_balances')).rows).toEqual([]);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { operator, slashing } from '../ingest/rows.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { pageV0, reply, serviceForTest } from '../support/mirror.ts';
import { preparedForTest } from '../support/prepared.ts';
import { dataDirForTest, embeddedUrl, endRunning, launch, serve } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

afterEach(endRunning);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const SECONDS = 10_000;
const lock = (dataset: string) => `select pg_advisory_lock(hashtext('stakegraph dataset ${dataset}'))`;

/** Another writer of a dataset, at whose lock a load waits with its statement. */
async function otherWriter(url: string, dataset: string) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  await client.query(lock(dataset));
  /** Statements of other connections that wait for a lock. */
  const waiting = async () =>
    (
      await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  /** Other connections of commands that are in a transaction, whatever they do. */
  const open = async () =>
    (
      await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and xact_start is not null and application_name = 'stakegraph'`,
      )
    ).rowCount;
  return { client, waiting, open };
}

const files = async (count: number) => {
  const folder = dataDirForTest();
  const names = Array.from({ length: count }, (_, index) => join(folder, `${index + 1}.json`));
  for (const [index, name] of names.entries()) await writeFile(name, JSON.stringify([slashing(index + 1)]));
  return names;
};

/** Imports files one after the other, of which the second waits for another writer. */
async function importUpToSecond(url: string, env: Record<string, string>, ...flags: string[]) {
  const [one, two, three] = (await files(3)) as [string, string, string];
  const started = launch(['import', 'slashings', one, '-', three, ...flags], { env });
  await eventually(async () => expect(started.output.stdout).toContain(one), 60_000);
  const writer = await otherWriter(url, 'slashings');
  started.child.stdin.end(JSON.stringify([slashing(7)]));
  await eventually(async () => expect(await writer.waiting()).toBe(1), 30_000);
  return { ...started, writer, one, two, three };
}

const stored = async (client: pg.Client) =>
  (await client.query('select validator_index from slashings order by 1')).rows.map(
    (row) => row.validator_index,
  );

describe.each(['SIGTERM', 'SIGINT'] as const)('an import that is stopped by %s', (signal) => {
  it('cancels its statement, lets its locks go, and tells each file that was not loaded', async () => {
    await database.pool.query({ text: 'truncate slashings, datasets, imported_files', values: [] });
    const env = { DATABASE_URL: database.url };
    const { child, outcome, writer, one, three } = await importUpToSecond(database.url, env);
    child.kill(signal);
    const { code, stdout, stderr } = await outcome;
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `${one}: 1 of 1 rows (1 new, 0 updated, 0 removed)\n`,
    });
    expect(stderr).toBe(
      `-: nothing loaded; the import was stopped\n${three}: nothing loaded; the import was stopped\n`,
    );
    await eventually(async () => expect(await writer.open()).toBe(0), SECONDS);
    expect(await stored(writer.client)).toEqual([1]);
  });
});

describe('an import that is stopped', () => {
  it('tells with --json each file as a line', async () => {
    await database.pool.query({ text: 'truncate slashings, datasets, imported_files', values: [] });
    const env = { DATABASE_URL: database.url };
    const { child, outcome, three } = await importUpToSecond(database.url, env, '--json');
    child.kill('SIGTERM');
    const { stdout } = await outcome;
    const told = stdout.trim().split('\n');
    expect(told.map((line) => JSON.parse(line))).toMatchObject([
      { loaded: true },
      { file: '-', loaded: false, error: '-: nothing loaded; the import was stopped' },
      { file: three, loaded: false },
    ]);
  });

  slow('leaves nothing at work in the embedded database of a gateway', async () => {
    const env = { DATA_DIR: await preparedForTest(), SAMPLE_DATA: 'off' };
    await serve({ env });
    const url = await embeddedUrl(env.DATA_DIR);
    const { child, outcome, writer, three } = await importUpToSecond(url, env);
    child.kill('SIGTERM');
    const { code, stderr } = await outcome;
    expect(code).toBe(1);
    expect(stderr).toContain(`${three}: nothing loaded; the import was stopped\n`);
    await eventually(async () => expect(await writer.open()).toBe(0), SECONDS);
    expect(await stored(writer.client)).toEqual([1]);
  });

  it('by the end of the gateway, whose PostgreSQL it had joined, says who stopped that', async () => {
    const env = { DATA_DIR: await preparedForTest(), SAMPLE_DATA: 'off' };
    const gateway = await serve({ env });
    const { outcome, three } = await importUpToSecond(await embeddedUrl(env.DATA_DIR), env);
    expect(await gateway.stop()).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await outcome;
    expect(code).toBe(1);
    expect(stderr.split('\n').slice(1)).toEqual([
      `stakegraph: The embedded PostgreSQL was stopped, because the process that owned it (pid ${gateway.child.pid}) has ended: uncommitted changes are lost; run this command again.`,
      '-: nothing loaded; the import was stopped',
      `${three}: nothing loaded; the import was stopped`,
      '',
    ]);
  });

  it('by kill -9 leaves nothing at work either', async () => {
    await database.pool.query({ text: 'truncate slashings, datasets, imported_files', values: [] });
    const env = { DATABASE_URL: database.url };
    const { child, outcome, writer } = await importUpToSecond(database.url, env);
    child.kill('SIGKILL');
    await outcome;
    await eventually(async () => expect(await writer.open()).toBe(0), SECONDS);
    expect(await stored(writer.client)).toEqual([1]);
  });
});

describe('a mirror that goes on until SIGTERM', () => {
  it('ends when the gateway stops, whose PostgreSQL it had joined', async () => {
    const { url } = await serviceForTest((request, response) =>
      reply(response, pageV0([operator('A')], request)),
    );
    const env = { DATA_DIR: await preparedForTest(), SAMPLE_DATA: 'off', UPSTREAM_TOKEN: 'a-token' };
    const gateway = await serve({ env });
    const only = ['--resources', 'operators', '--classes', 'pool', '--windows', '7d', '--every', '1h'];
    const args = ['mirror', '--from', url, '--token-env', 'UPSTREAM_TOKEN', ...only];
    const { output, outcome } = launch(args, { env });
    await eventually(async () => expect(output.stdout).not.toBe(''), 60_000);
    await gateway.stop();
    const { code, stderr } = await outcome;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `was stopped, because the process that owned it (pid ${gateway.child.pid}) has ended: uncommitted changes are lost; run this command again.\n`,
    );
  });
});

describe('a mirror that is stopped twice', () => {
  it('cancels its statement and names the list that was not loaded', async () => {
    const { url } = await serviceForTest((request, response) =>
      reply(response, pageV0([operator('A')], request)),
    );
    const writer = await otherWriter(database.url, 'operators');
    const only = ['--resources', 'operators', '--classes', 'pool', '--windows', '7d'];
    const args = ['mirror', '--from', url, '--token-env', 'UPSTREAM_TOKEN', ...only];
    const env = { DATABASE_URL: database.url, UPSTREAM_TOKEN: 'a-token' };
    const { child, outcome } = launch(args, { env });
    await eventually(async () => expect(await writer.waiting()).toBe(1), 60_000);
    child.kill('SIGTERM');
    await sleep(500);
    child.kill('SIGTERM');
    const { code, stderr } = await outcome;
    expect(code).toBe(1);
    expect(stderr).toContain('The mirror was stopped; nothing loaded of operators mainnet 7d pool.\n');
    await eventually(async () => expect(await writer.open()).toBe(0), SECONDS);
  });
});

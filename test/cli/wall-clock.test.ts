import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { clockSetBy } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase } from '../support/gateway.ts';
import { pageV0, reply, serviceForTest } from '../support/mirror.ts';
import { preparedForTest } from '../support/prepared.ts';
import { dataDirForTest, endRunning, serve, stakegraph } from '../support/process.ts';

const back = { NODE_OPTIONS: clockSetBy(-10) };
const forward = { NODE_OPTIONS: clockSetBy(10) };

afterEach(endRunning);

it.each([
  ['back', back],
  ['forward', forward],
])('/ready follows the database within seconds while the time of day is set %s', async (_, clock) => {
  const database = await createDatabase('empty');
  onTestFinished(async () => {
    endRunning();
    await database.drop();
  });
  const run = (text: string) => database.pool.query({ text, values: [] });
  const served = await serve({ env: { DATABASE_URL: database.url, DATA_DIR: dataDirForTest(), ...clock } });
  const isReady = (status: number) =>
    eventually(async () => expect((await served.get('/ready')).status).toBe(status));
  await isReady(200);
  await run('alter table datasets rename to data_sets');
  await isReady(503);
  await run('alter table data_sets rename to datasets');
  await isReady(200);
});

it('The embedded PostgreSQL starts, and shuts down in order, while the time of day is set forward', async () => {
  const dataDir = await preparedForTest();
  const served = await serve({ env: { DATA_DIR: dataDir, SAMPLE_DATA: 'off', ...forward } });
  expect((await served.get('/v0/eth/slashings')).status).toBe(200);
  expect(await served.stop()).toMatchObject({ code: 0, stderr: '' });
  const log = await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8');
  expect(log).toContain('received fast shutdown request');
  expect(log).not.toContain('received immediate shutdown request');
  expect(log).toContain('database system is shut down');
});

it('An echo of the signal to stop ends nothing while the time of day is set forward', async () => {
  const database = await createDatabase('empty');
  onTestFinished(async () => {
    endRunning();
    await database.drop();
  });
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDirForTest(), DRAIN_DELAY_MS: '800', ...forward };
  const served = await serve({ env });
  served.child.kill('SIGTERM');
  await sleep(200);
  expect(await served.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
});

it.each([
  ['back', back],
  ['forward', forward],
])(
  'stakegraph mirror asks at its --rate while the time of day is set %s',
  async (_, clock) => {
    const database = await createDatabase('empty');
    onTestFinished(async () => {
      endRunning();
      await database.drop();
    });
    const at: number[] = [];
    const { url } = await serviceForTest((request, response) => {
      at.push(performance.now());
      const timeWindow = request.url.searchParams.get('window');
      reply(response, pageV0([operator('A', { idType: 'nodeOperator', timeWindow })], request), 200);
    });
    const lists = ['--resources', 'operators', '--classes', 'nodeOperator', '--windows', '7d,30d'];
    const args = ['mirror', '--from', url, '--token-env', 'UPSTREAM_TOKEN', '--rate', '1', ...lists];
    const { code } = await stakegraph(args, {
      env: { DATABASE_URL: database.url, UPSTREAM_TOKEN: 'a-token', ...clock },
    });
    expect([code, at.length]).toEqual([0, 2]);
    expect((at[1] as number) - (at[0] as number)).toBeGreaterThan(900);
  },
  20_000,
);

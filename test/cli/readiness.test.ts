import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded/index.ts';
import { createPool } from '../../src/db/pool.ts';
import { loadSampleData } from '../../src/sample/load.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase } from '../support/gateway.ts';
import { prepare } from '../support/prepared.ts';
import { dataDirForTest, endRunning, makeDataDir, type Served, serve } from '../support/process.ts';
import { lossyWay } from '../support/proxy.ts';
import { createReplica } from '../support/replica.ts';
import { slow } from '../support/thorough.ts';
import { bodyOf, type GraphqlErrors } from '../support/typed.ts';

afterEach(endRunning);

const WAIT_MS = 30_000;

/** A PostgreSQL of its own that can be stopped, and started again on the same port. */
async function stoppableServer() {
  const home = makeDataDir();
  await prepare(home.path);
  let server: Embedded = await startEmbedded({ dataDir: home.path });
  const { url } = server;
  onTestFinished(async () => {
    endRunning();
    await server.stop();
    await home.remove();
  });
  const pool = createPool({ url, readOnly: false });
  const { token } = await createToken(pool, 'test');
  await pool.end();
  return {
    url,
    token,
    stop: () => server.stop(),
    async start() {
      server = await startEmbedded({ dataDir: home.path, pickPort: async () => Number(new URL(url).port) });
    },
    /** Stops it, and starts it beside a copy, which has its system identifier as a replica has. */
    async copy(): Promise<string> {
      await server.stop();
      const twin = makeDataDir();
      await promisify(execFile)('cp', ['-a', `${home.path}/.`, twin.path]);
      const copy = await startEmbedded({ dataDir: twin.path });
      onTestFinished(async () => {
        await copy.stop();
        await twin.remove();
      });
      await this.start();
      return copy.url;
    },
    becomeStandby: () => writeFile(join(home.path, 'postgres', 'cluster', 'standby.signal'), ''),
  };
}

function callsOf(served: Served, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = (path: string, body?: object) =>
    fetch(served.url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  return {
    ask,
    status: async (path: string, body?: object) => (await ask(path, body)).status,
    async ready() {
      const response = await served.get('/ready');
      return [response.status, await response.json()];
    },
    async metrics() {
      const text = await (await served.get('/metrics')).text();
      return ['reads', 'writes'].map((name) =>
        Number(new RegExp(`^stakegraph_${name}_up (\\d)$`, 'm').exec(text)?.[1]),
      );
    },
    logged: (msg: string) =>
      served
        .stderr()
        .split('\n')
        .filter((line) => line.includes(`"msg":"${msg}"`)).length,
  };
}

const degraded = (reason: string) => [200, { status: 'degraded', reads: true, writes: false, reason }];
const GONE = 'the database of DATABASE_URL does not answer';
const STANDBY = 'the database of DATABASE_URL is a standby';
const DEGRADED = 'degraded: reads work, writes do not';
const READY = 'ready: reads and writes work';

slow('/ready tells that only reads work while the primary is stopped and a replica answers', async () => {
  const primary = await stoppableServer();
  const pool = createPool({ url: primary.url, readOnly: false });
  await loadSampleData(pool, pino({ level: 'silent' }), {
    attestations: { days: 1, hourDays: 1, entities: 1 },
  });
  await pool.end();
  const way = await lossyWay(await primary.copy());
  const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: way.url, LOG_LEVEL: 'info' };
  const served = await serve({ env: { ...env, DATA_DIR: dataDirForTest() } });
  const { ask, status, ready, metrics, logged } = callsOf(served, primary.token);
  expect(await ready()).toEqual([200, { status: 'ready' }]);
  expect(await metrics()).toEqual([1, 1]);

  await primary.stop();
  await eventually(async () => expect(await ready()).toEqual(degraded(GONE)), WAIT_MS);
  await eventually(async () => expect(await metrics()).toEqual([1, 0]), WAIT_MS);
  const operators = await ask('/v0/eth/operators?window=7d&idType=pool');
  expect([operators.status, (await bodyOf<{ total: number }>(operators)).total > 0]).toEqual([200, true]);
  const query = '{ slashings(network: MAINNET) { totalCount } }';
  const slashings = await bodyOf<{ data: { slashings: { totalCount: number } } }>(ask('/graphql', { query }));
  expect(slashings.data.slashings.totalCount).toBeGreaterThan(0);
  expect(await status('/v1/eth/tags', { name: 'Mine', validators: [] })).toBe(503);
  expect(await status('/v1/eth/tags')).toBe(503);
  const mutation = 'mutation { createPrivateSet(input: { name: "Mine" }) { privateSet { name } } }';
  const refused = await bodyOf<GraphqlErrors>(ask('/graphql', { query: mutation }));
  expect(refused.errors[0].extensions.code).toBe('UNAVAILABLE');
  expect(logged(DEGRADED)).toBeGreaterThan(0);

  way.close();
  await eventually(async () => expect((await ready())[0]).toBe(503), WAIT_MS);
  expect((await ready())[1]).toEqual({ status: 'not ready', reason: expect.any(String) });
  await eventually(async () => expect(await metrics()).toEqual([0, 0]), WAIT_MS);
  expect(await status('/v0/eth/operators?window=7d&idType=pool')).toBe(503);

  await primary.start();
  await eventually(async () => expect(await ready()).toEqual([200, { status: 'ready' }]), WAIT_MS);
  await eventually(async () => expect(await metrics()).toEqual([1, 1]), WAIT_MS);
  await eventually(
    async () => expect(await status('/v1/eth/tags', { name: 'Mine', validators: [] })).toBe(201),
    WAIT_MS,
  );
  for (const msg of ['not ready', READY]) expect(logged(msg)).toBeGreaterThan(0);
});

slow('/ready stays 200 while a primary that falls silent is asked', async () => {
  const [primary, replica] = [await createDatabase('empty'), await createReplica('sample')];
  const way = await lossyWay(primary.url);
  onTestFinished(async () => {
    endRunning();
    await Promise.all([primary.drop(), replica.drop()]);
  });
  const env = { DATABASE_URL: way.url, DATABASE_READ_URL: replica.url, DATA_DIR: dataDirForTest() };
  const { ready } = callsOf(await serve({ env }), '');
  expect(await ready()).toEqual([200, { status: 'ready' }]);
  way.hush();
  const statuses = new Set<unknown>();
  await eventually(async () => {
    const found = await ready();
    statuses.add(found[0]);
    expect(found).toEqual(degraded(GONE));
  }, 60_000);
  expect(statuses).toEqual(new Set([200]));
  way.mend();
  way.cut();
  await eventually(async () => expect(await ready()).toEqual([200, { status: 'ready' }]), WAIT_MS);
});

slow(
  '/ready tells that only reads work where the primary has become a standby, and no replica is set',
  async () => {
    const primary = await stoppableServer();
    const env = { DATABASE_URL: primary.url, DATA_DIR: dataDirForTest() };
    const { status, ready } = callsOf(await serve({ env }), primary.token);
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    await primary.stop();
    await eventually(async () => expect((await ready())[0]).toBe(503), WAIT_MS);
    await primary.becomeStandby();
    await primary.start();
    await eventually(async () => expect(await ready()).toEqual(degraded(STANDBY)), WAIT_MS);
    expect(await status('/v0/eth/slashings')).toBe(200);
    expect(await status('/v1/eth/tags', { name: 'Mine', validators: [] })).toBe(503);
  },
);

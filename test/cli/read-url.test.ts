import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { dataDirForTest, endRunning, serve, stakegraph } from '../support/process.ts';
import { lossyWay } from '../support/proxy.ts';
import { createReplica } from '../support/replica.ts';
import { every, slow } from '../support/thorough.ts';
import { bodyOf } from '../support/typed.ts';

afterEach(endRunning);

describe('stakegraph serve with DATABASE_READ_URL', () => {
  it('answers from the replica, knows tokens of the primary, and writes to the primary', async () => {
    // Two databases with different rows stand for a primary and a replica that lags: the rows show which one answers.
    const [primary, replica] = [await createDatabase('empty'), await createReplica('sample')];
    onTestFinished(async () => {
      endRunning();
      await Promise.all([primary.drop(), replica.drop()]);
    });
    const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, DATA_DIR: dataDirForTest() };
    const { stdout } = await stakegraph(['token', 'create', '--name', 'reader'], { env });
    const served = await serve({ env });
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${served.url}${path}`, {
        headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      expect(response.status).toBe(body ? 201 : 200);
      return bodyOf<{ total: number; results: { name: string }[] }>(response);
    };
    const setsOf = async ({ pool }: TestDatabase) =>
      (await pool.query({ text: `select name from private_sets where name = 'Mine'`, values: [] })).rows;

    expect((await ask('/v0/eth/operators?window=7d&idType=pool')).total).toBeGreaterThan(0);
    await ask('/v1/eth/tags', { name: 'Mine', validators: [] });
    expect(await setsOf(primary)).toEqual([{ name: 'Mine' }]);
    expect(await setsOf(replica)).toEqual([]);
    expect((await ask('/v1/eth/tags')).results.map((set) => set.name)).toEqual(['Mine']);
  });

  it.each(every(2, ['is reset', 'falls silent']))(
    'answers from the primary while a replica that %s is away',
    async (how) => {
      const [primary, replica] = [await createDatabase('empty'), await createReplica('sample')];
      const way = await lossyWay(replica.url);
      onTestFinished(async () => {
        endRunning();
        await Promise.all([primary.drop(), replica.drop()]);
      });
      const env = {
        ...{ DATABASE_URL: primary.url, DATABASE_READ_URL: way.url, DATA_DIR: dataDirForTest() },
        ...{ STATEMENT_TIMEOUT_MS: '60000', LOG_LEVEL: 'info' },
      };
      const token = (await stakegraph(['token', 'create', '--name', 'reader'], { env })).stdout.trim();
      const served = await serve({ env });
      const ask = async (path: string) => {
        const response = await fetch(served.url + path, { headers: { authorization: `Bearer ${token}` } });
        expect(response.status).toBe(200);
        return response;
      };
      const total = async () =>
        (await bodyOf<{ total: number }>(ask('/v0/eth/operators?window=7d&idType=pool'))).total;
      const up = async () =>
        /^stakegraph_read_replica_up\{replica="\S+"\} (\d)$/m.exec(await (await ask('/metrics')).text())?.[1];
      const ready = async () => expect((await served.get('/ready')).status).toBe(200);
      const lines = (text: string) =>
        served
          .stderr()
          .split('\n')
          .filter((line) => line.includes(text)).length;
      expect(await total()).toBeGreaterThan(0);
      expect(await up()).toBe('1');

      way.hush();
      if (how === 'is reset') way.cut();
      // More requests than connections, all without a failure; responses cached from the replica are dropped.
      await eventually(async () => expect(await total()).toBe(0), 15_000);
      expect(await Promise.all(Array.from({ length: 40 }, total))).toEqual(Array(40).fill(0));
      await eventually(async () => expect(await up()).toBe('0'), 20_000);
      await ready();
      expect([lines('a read replica is not used'), lines('a read replica is used again')]).toEqual([1, 0]);

      way.mend();
      way.cut();
      await eventually(async () => expect(await total()).toBeGreaterThan(0), 20_000);
      await eventually(async () => expect(await up()).toBe('1'), 20_000);
      await ready();
      expect([lines('a read replica is not used'), lines('a read replica is used again')]).toEqual([1, 1]);
    },
  );

  slow('starts and answers from the primary where the replica is not there', async () => {
    const primary = await createDatabase('sample');
    onTestFinished(async () => {
      endRunning();
      await primary.drop();
    });
    const env = { DATABASE_URL: primary.url, DATA_DIR: dataDirForTest() };
    const token = (await stakegraph(['token', 'create', '--name', 'reader'], { env })).stdout.trim();
    const missing = primary.url.replace(/\/[^/]*$/, '/missing');
    const served = await serve({
      env: { ...env, DATABASE_READ_URL: `postgres://me@127.0.0.1:1/none ${missing}` },
    });
    // if the server has no TLS, the other attempt gives the reason
    const told = served
      .stderr()
      .split('\n')
      .filter((line) => line.includes('a read replica is not used'));
    expect(told).toHaveLength(2);
    expect(told.join()).toContain('database \\"missing\\" does not exist');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${served.url}/v0/eth/operators?window=7d`, { headers })).status).toBe(200);
    expect((await served.get('/ready')).status).toBe(200);
  });
});

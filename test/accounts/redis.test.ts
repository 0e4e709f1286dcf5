import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { type Meter, openMeter } from '../../src/accounts/meter.ts';
import { openRedis } from '../../src/accounts/redis.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { callerOf, month } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { endRunning, serve, stakegraph } from '../support/process.ts';
import { noRedis, type RedisServer, redisForTest } from '../support/redis.ts';
import { slow } from '../support/thorough.ts';

describe.skipIf(noRedis)('with REDIS_URL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase('empty');
  });
  afterAll(() => database.drop());
  afterAll(endRunning);

  /** Meters like those of replicas that share one Redis and one database, and their logs. */
  async function replicas(
    redis: RedisServer,
    count: number,
    { now = () => new Date(), db = database.pool }: { now?: () => Date; db?: Queryable } = {},
  ) {
    const lines: any[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const connections = await Promise.all(Array.from({ length: count }, () => openRedis(redis.url, log)));
    const meters = await Promise.all(connections.map((redis) => openMeter({ db, log, now, redis })));
    onTestFinished(async () => {
      for (const meter of meters) await meter.stop();
      for (const connection of connections) connection.stop();
    });
    return { meters, lines };
  }
  const account = async (): Promise<string> => {
    const { rows } = await database.pool.query({
      text: `insert into accounts (name, tier) values (gen_random_uuid()::text, 'build') returning account_id::text as id`,
      values: [],
    });
    return rows[0]?.id as string;
  };
  const passes = (meter: Meter, caller: Caller) =>
    meter.admit(caller).then(
      () => true,
      (error) => {
        if (!['RATE_LIMITED', 'ALLOWANCE_USED'].includes(error.code)) throw error;
        return false;
      },
    );
  const passed = async (meters: Meter[], caller: Caller, times: number) => {
    const all = Array.from({ length: times }, (_, i) => passes(meters[i % meters.length] as Meter, caller));
    return (await Promise.all(all)).filter(Boolean).length;
  };
  /** Redis shares the usage at once; the database would share it after two seconds. */
  const atOnce = (check: () => Promise<void>) => eventually(check, 1_500);
  const up = (meters: Meter[], expected: boolean) =>
    eventually(
      () => expect(meters.map((meter) => meter.redisUp())).toEqual(meters.map(() => expected)),
      10_000,
    );

  it('exactly the allowed number of hundreds of requests to two replicas at once passes', async () => {
    const redis = await redisForTest();
    await redis.start();
    const { meters } = await replicas(redis, 2);
    // Tries again if a stalled machine takes longer than the second in which requests are counted.
    let [count, took] = [0, Number.POSITIVE_INFINITY];
    for (let tries = 0; took >= 1_000 && tries < 20; tries += 1) {
      const caller = callerOf(await account(), { rateLimit: 100 });
      const started = Date.now();
      count = await passed(meters, caller, 400);
      took = Date.now() - started;
    }
    expect(count).toBe(100);
  });

  slow(
    'while Redis is away each replica counts for itself, and when it is back they count together again',
    async () => {
      const redis = await redisForTest();
      await redis.start();
      const { meters, lines } = await replicas(redis, 2);
      const caller = callerOf(await account(), { rateLimit: 10 });
      await up(meters, true);
      expect(await passed(meters, caller, 100)).toBe(10);

      await redis.stop();
      await up(meters, false);
      await new Promise((done) => setTimeout(done, 1_100));
      expect(await passed(meters, caller, 100)).toBe(20);

      await redis.start();
      await up(meters, true);
      expect(await passed(meters, caller, 100)).toBe(10);
      const messages = lines.map(({ msg }) => msg).filter((msg) => /Redis/.test(msg));
      const [common, alone] = [/^Redis is up/, /^Redis is down/].map((form) => expect.stringMatching(form));
      expect(messages).toEqual([common, common, alone, alone, common, common]);
    },
  );

  slow('a Redis that stalls is left and joined again, once', async () => {
    const redis = await redisForTest();
    await redis.start();
    const { meters, lines } = await replicas(redis, 2);
    await up(meters, true);
    const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
    for (const stall of [520, 540, 560, 580, 600]) {
      redis.hang();
      await pause(stall);
      redis.resume();
      await pause(600);
      const told = lines.length;
      await pause(600);
      expect([stall, lines.length]).toEqual([stall, told]);
    }
    await up(meters, true);
  });

  slow('requests in the middle are served when Redis is ended, or hangs', async () => {
    for (const trouble of ['stop', 'hang'] as const) {
      const redis = await redisForTest();
      await redis.start();
      const { meters } = await replicas(redis, 2);
      const caller = callerOf(await account(), {
        rateLimit: 100_000,
        allowance: { ...month, units: 10 ** 6 },
      });
      let running = true;
      const times: number[] = [];
      const one = async (meter: Meter) => {
        while (running) {
          const started = performance.now();
          (await meter.admit(caller)).charge(1);
          times.push(performance.now() - started);
          await new Promise((done) => setTimeout(done, 5));
        }
      };
      const load = Promise.all(meters.flatMap((meter) => [one(meter), one(meter)]));
      await new Promise((done) => setTimeout(done, 300));
      await redis[trouble]();
      await new Promise((done) => setTimeout(done, 2_500));
      running = false;
      await load;
      await up(meters, false);
      expect(Math.max(...times)).toBeLessThan(1_000);
      const at = performance.now();
      expect(await passes(meters[0] as Meter, caller)).toBe(true);
      expect(performance.now() - at).toBeLessThan(50);
    }
  });

  it('an allowance used up on one replica is used up on the other at once', async () => {
    const redis = await redisForTest();
    await redis.start();
    const { meters } = await replicas(redis, 2);
    const [first, second] = meters as [Meter, Meter];
    const caller = callerOf(await account(), { allowance: { ...month, units: 100 } });
    const [ofFirst, ofSecond] = await Promise.all(meters.map((meter) => meter.admit(caller)));
    ofFirst?.charge(60);
    await atOnce(async () => expect((await second.admit(caller)).standing().unitsUsed).toBe(60));
    ofSecond?.charge(40);
    await atOnce(async () => expect(await passes(first, caller)).toBe(false));
    await expect(first.admit(caller)).rejects.toMatchObject({ code: 'ALLOWANCE_USED' });
  });

  slow('an emptied Redis goes on from what the database has', async () => {
    const redis = await redisForTest();
    await redis.start();
    const { meters } = await replicas(redis, 2);
    const [first, second] = meters as [Meter, Meter];
    const caller = callerOf(await account(), { allowance: { ...month, units: 1_000 } });
    const before = await first.admit(caller);
    before.charge(600);
    await first.flush();
    await redis.stop();
    before.charge(30); // into memory alone
    await up(meters, false);
    await redis.start();
    await up(meters, true);
    await first.flush();
    await second.flush();
    const after = await second.admit(caller);
    expect(after.standing().unitsUsed).toBe(630);
    after.charge(5);
    await atOnce(async () => expect((await first.admit(caller)).standing().unitsUsed).toBe(635));
  });

  it('what was used in a month that ends while it is written is not of the next month', async () => {
    const redis = await redisForTest();
    await redis.start();
    let today = new Date('2026-11-30T23:59:59Z');
    let ends = false;
    const db: Queryable = {
      async query(statement) {
        const found = await database.pool.query(statement);
        if (ends && statement.text.includes('usageTotals')) today = new Date('2026-12-01T00:00:01Z');
        return found;
      },
    };
    const { meters } = await replicas(redis, 1, { now: () => today, db });
    const [meter] = meters as [Meter];
    const caller = callerOf(await account(), { allowance: { ...month, units: 1_000 } });
    await up(meters, true);
    (await meter.admit(caller)).charge(1_000);
    ends = true;
    await meter.flush();
    expect(today.getUTCMonth()).toBe(11);
    expect((await meter.admit(caller)).standing().unitsUsed).toBe(0);
  });

  slow('a gateway starts without Redis, and joins it when it comes', async () => {
    const redis = await redisForTest();
    const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    await stakegraph(['account', 'create', 'joins', '--tier', 'enterprise', '--rate', '20'], { env });
    const token = (
      await stakegraph(['token', 'create', '--name', 'x', '--account', 'joins'], { env })
    ).stdout.trim();
    const served = [await serve({ env }), await serve({ env })];
    const ask = async (url: string) =>
      (await fetch(`${url}/v0/eth/slashings`, { headers: { authorization: `Bearer ${token}` } })).status;
    const metric = async (url: string) =>
      /^stakegraph_redis_up (\d)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
    expect(await ask(served[0]?.url as string)).toBe(200);
    for (const { url } of served) expect(await metric(url)).toBe('0');
    await redis.start();
    for (const { url } of served) await eventually(async () => expect(await metric(url)).toBe('1'), 10_000);
    const started = Date.now();
    const statuses = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => ask(served[i % 2]?.url as string)),
    );
    const windows = Math.ceil((Date.now() - started) / 1_000);
    const count = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    expect(count).toBeGreaterThanOrEqual(20);
    expect(count).toBeLessThanOrEqual(20 * windows);
    for (const one of served) expect(await one.stop()).toMatchObject({ code: 0 });
    for (const one of served) expect(one.stderr().match(/Redis is down/g)).toHaveLength(1);
  });
});

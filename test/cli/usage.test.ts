import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { endRunning, type Served, serve, stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
afterEach(endRunning);

const env = () => ({ DATABASE_URL: database.url });
const call = (...args: string[]) => stakegraph(args, { env: env() });

async function accountWithToken(name: string, ...limits: string[]): Promise<string> {
  expect((await call('account', 'create', name, ...limits)).code).toBe(0);
  return (await call('token', 'create', '--name', 'test', '--account', name)).stdout.trim();
}

async function usage(name: string, ...flags: string[]) {
  const { code, stdout, stderr } = await call('usage', name, '--json', ...flags);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Asks again and again, four at a time, until it is told to stop or the gateway is gone. */
function load(served: Served, token: string) {
  const answered: { units: number; at: number }[] = [];
  let sent = 0;
  let stopped = false;
  const one = async () => {
    while (!stopped) {
      sent += 1;
      try {
        const { headers } = await fetch(`${served.url}/v0/eth/slashings`, {
          headers: { authorization: `Bearer ${token}` },
        });
        answered.push({ units: Number(headers.get('x-service-compute-units')), at: Date.now() });
      } catch {
        return;
      }
      await sleep(5);
    }
  };
  const workers = Promise.all(Array.from({ length: 4 }, one));
  return {
    answered,
    sent: () => sent,
    async stop() {
      stopped = true;
      await workers;
    },
  };
}
const unitsOf = (answers: { units: number }[]) => answers.reduce((sum, { units }) => sum + units, 0);

describe('stakegraph usage', () => {
  it('tells what an account used in the time of its allowance, or in a month', async () => {
    await call('account', 'create', 'frontend', '--tier', 'build');
    const store = (month: string, units: number) =>
      database.pool.query({
        text: `insert into usage (account_id, month, units, requests)
          select account_id, $1::date, $2, 3 from accounts where name = 'frontend'`,
        values: [`${month}-01`, units],
      });
    const month = new Date().toISOString().slice(0, 7);
    await store(month, 12_345);
    await store('2024-02', 77);
    const { code, stdout } = await call('usage', 'frontend');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^frontend  build  ${month}  12,345 of 1,000,000 compute units, resets \\d{4}-\\d\\d-01T00:00:00Z  3 requests\n$`,
      ),
    );
    expect((await call('usage', 'frontend', '--month', '2024-02')).stdout).toBe(
      'frontend  build  2024-02  77 of 1,000,000 compute units, resets 2024-03-01T00:00:00Z  3 requests\n',
    );
    await call('account', 'set-tier', 'frontend', 'free');
    expect((await call('usage', 'frontend')).stdout).toBe(
      'frontend  free  life  12,422 of 100,000 compute units  6 requests\n',
    );
    expect(await usage('frontend', '--month', '2024-01')).toMatchObject({ month: '2024-01', unitsUsed: 0 });
    expect(await usage('frontend')).toEqual({
      account: 'frontend',
      tier: 'free',
      month: null,
      period: 'life',
      unitsUsed: 12_422,
      unitsAllowed: 100_000,
      unitsRemaining: 87_578,
      resetsAt: null,
      requests: 6,
    });
  });

  it('exits with 1 for an account that is not there, and with 2 for what is no month', async () => {
    const { code, stderr } = await call('usage', 'nobody');
    expect([code, stderr]).toEqual([
      1,
      'stakegraph: There is no account "nobody"; see "stakegraph account list".\n',
    ]);
    for (const month of ['2026-13', '2026', 'x'])
      expect((await call('usage', 'x', '--month', month)).code).toBe(2);
    expect((await call('usage', '--help')).stdout).toContain('--month <month>');
  });
});

describe('usage under load', () => {
  it('is stored to the last unit when the gateway is asked to stop', async () => {
    const token = await accountWithToken('stopped', '--tier', 'enterprise');
    const served = await serve({ env: env() });
    const asking = load(served, token);
    await until(() => asking.answered.length > 20, served.outcome);
    await asking.stop();
    expect((await served.stop()).code).toBe(0);
    expect(await usage('stopped')).toMatchObject({
      unitsUsed: unitsOf(asking.answered),
      requests: asking.answered.length,
    });
  });

  slow(
    'is short by one flush interval at the most after kill -9, never long, and goes on from there',
    async () => {
      const token = await accountWithToken('killed', '--tier', 'enterprise');
      const served = await serve({ env: env() });
      const asking = load(served, token);
      await sleep(5_500);
      const killedAt = Date.now();
      served.child.kill('SIGKILL');
      await served.outcome;
      await asking.stop();
      const { unitsUsed } = await usage('killed');
      // An interval of 2 seconds, and what a loaded machine takes to write.
      const before = unitsOf(asking.answered.filter(({ at }) => at < killedAt - 2_500));
      expect(before).toBeGreaterThan(100);
      expect(unitsUsed).toBeGreaterThanOrEqual(before);
      expect(unitsUsed).toBeLessThanOrEqual(5 * asking.sent());

      const again = await serve({ env: env() });
      const more = load(again, token);
      await until(() => more.answered.length > 20, again.outcome);
      await more.stop();
      await again.stop();
      expect((await usage('killed')).unitsUsed).toBe(unitsUsed + unitsOf(more.answered));
    },
  );
});

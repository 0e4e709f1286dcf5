import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { makeAccount } from '../support/accounts.ts';
import { createDatabase, startGateway } from '../support/gateway.ts';
import { LARGE } from '../support/large-operator.ts';
import { slow } from '../support/thorough.ts';

// What some accounts ask for delays those accounts, not their neighbours.

const POOL = 10;
/** Statements of one account, and of all accounts whose statements are long, that run at a time. */
const OF_ACCOUNT = 3;
const OF_ABUSIVE = 7;
const CHEAP = '{ operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes { id } } }';
const REQUESTS = 60;
/** A limit, so that a neighbour that waits is not measured for minutes. */
const MOST_MEASURING_MS = 60_000;
/** Shorter responses are mostly waiting for the scheduler of the machine. */
const LEAST_MS = 15;
/** In seconds. */
const [SETTLED, MOST_SETTLING] = [5, 60];

const p95 = (times: number[]) =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.95) - 1] as number;

/** A different document each time, so that no two requests share a read or a cached response. */
const worst = (n: number) => {
  const own = `operatorId: ${JSON.stringify(LARGE)}, idType: NODE_OPERATOR`;
  const aliases = Array.from(
    { length: 20 },
    (_, alias) =>
      `a${alias}: consolidations(${own}, fromDay: ${n * 20 + alias}, first: 1) { totalCount nodes { epoch } }`,
  );
  return `{ ${aliases.join(' ')} }`;
};

/** Keeps so many connections busy, not through the gateway, until the returned function is called. */
async function busyDatabase(url: string, connections: number) {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }));
  let stopped = false;
  const working = clients.map(async (client) => {
    await client.connect();
    while (!stopped) await client.query('select sum(n) from generate_series(1, 300000) n');
    await client.end();
  });
  return async () => {
    stopped = true;
    await Promise.all(working);
  };
}

const ABUSE = `datname = current_database() and state = 'active' and query ~ 'onsolidation.*select' and pid <> pg_backend_pid()`;

slow.each([
  { accounts: 1, atOnce: OF_ACCOUNT },
  { accounts: 8, atOnce: OF_ABUSIVE },
])(
  'Free accounts that do their worst leave the p95 of a neighbour within three times of what as much work elsewhere leaves: $accounts',
  async ({ accounts, atOnce }) => {
    const settings = { DATABASE_POOL: POOL, STATEMENT_TIMEOUT_MS: 15_000 };
    const database = await createDatabase('large');
    const gateway = await startGateway({ database, settings });
    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    const abusing = async (): Promise<number> =>
      (await watcher.query(`select count(*)::int as n from pg_stat_activity where ${ABUSE}`)).rows[0].n;
    let attacking = true;
    const attacks: Promise<void>[] = [];
    onTestFinished(async () => {
      attacking = false;
      const emptying = database.pool.query({ text: 'truncate consolidations', values: [] });
      let left = true;
      void Promise.all([emptying, ...attacks]).finally(() => (left = false));
      while (left) {
        await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ABUSE}`);
        await sleep(100);
      }
      await watcher.end();
      await gateway.close();
      await database.drop();
    });
    const { authorization: neighbour } = await makeAccount(gateway, { tier: 'growth', rateLimit: 10_000 });
    const abusive = await Promise.all(
      Array.from({ length: accounts }, () => makeAccount(gateway, { tier: 'free' })),
    );

    const measure = async () => {
      const times: number[] = [];
      const end = performance.now() + MOST_MEASURING_MS;
      for (let n = 0; n < REQUESTS && performance.now() < end; n += 1) {
        const begun = performance.now();
        const { status } = await gateway.graphql(CHEAP, {}, { authorization: neighbour });
        times.push(performance.now() - begun);
        expect(status).toBe(200);
        await sleep(10);
      }
      return p95(times);
    };
    await measure(); // warms up
    const endWork = await busyDatabase(database.url, atOnce);
    const besideOthers = await measure();
    await endWork();

    let asked = 0;
    const attack = async (authorization: string) => {
      while (attacking) {
        await gateway.graphql(worst(asked++), {}, { authorization }).catch(() => undefined);
        await sleep(500);
      }
    };
    for (const { authorization } of abusive)
      for (let n = 0; n < OF_ACCOUNT; n += 1) attacks.push(attack(authorization));
    // The first statements of an account may take the last connections.
    let quiet = 0;
    for (let second = 0; second < MOST_SETTLING && quiet < SETTLED; second += 1) {
      await sleep(1_000);
      quiet = (await abusing()) <= atOnce ? quiet + 1 : 0;
    }
    let most = 0;
    const watch = async () => {
      while (attacking) {
        most = Math.max(most, await abusing());
        await sleep(50);
      }
    };
    const watching = watch();
    const besideAttack = await measure();
    attacking = false;
    await watching;
    expect(besideAttack).toBeLessThan(3 * Math.max(besideOthers, LEAST_MS));
    expect(most).toBe(atOnce);
  },
);

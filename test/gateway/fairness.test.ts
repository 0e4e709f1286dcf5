import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { makeAccount } from '../support/accounts.ts';
import { createDatabase, startGateway } from '../support/gateway.ts';
import { LARGE, makeLargeOperator } from '../support/large-operator.ts';
import { slow } from '../support/thorough.ts';

// What one account asks for delays that account, not its neighbours.

const OF_ACCOUNT = 2;
const CHEAP = '{ operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes { id } } }';
const REQUESTS = 60;
/** Below this, the turns of the machine's own scheduler are most of a response. */
const LEAST_MS = 15;

const p95 = (times: number[]) =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.95) - 1] as number;

/** Another document each time, so that no two requests read together or again. */
const worst = (n: number) => {
  const own = `operatorId: ${JSON.stringify(LARGE)}, idType: NODE_OPERATOR`;
  const aliases = Array.from(
    { length: 20 },
    (_, alias) =>
      `a${alias}: consolidations(${own}, fromDay: ${n * 20 + alias}, first: 1) { totalCount nodes { epoch } }`,
  );
  return `{ ${aliases.join(' ')} }`;
};

/** Keeps as many connections busy as one account may, not through the gateway, until the returned function is called. */
async function busyDatabase(url: string) {
  const clients = Array.from({ length: OF_ACCOUNT }, () => new pg.Client({ connectionString: url }));
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

slow(
  'A free account that does its worst leaves the p95 of its neighbour within three times of what as much work elsewhere leaves',
  async () => {
    const database = await createDatabase('sample');
    await makeLargeOperator(database.pool, 100_000);
    const settings = { ACCOUNT_STATEMENTS: OF_ACCOUNT, STATEMENT_TIMEOUT_MS: 15_000 };
    const gateway = await startGateway({ database, settings });
    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    let attacking = true;
    const asked: Promise<unknown>[] = [];
    onTestFinished(async () => {
      attacking = false;
      let left = true;
      void Promise.allSettled(asked).finally(() => (left = false));
      // Each statement that ends lets the next one of its line begin.
      while (left) {
        await watcher.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'active' and query ~ 'consolidation' and pid <> pg_backend_pid()`,
        );
        await sleep(20);
      }
      await watcher.end();
      await gateway.close();
      await database.drop();
    });
    const { authorization: neighbour } = await makeAccount(gateway, { tier: 'growth', rateLimit: 10_000 });
    const { authorization: free } = await makeAccount(gateway, { tier: 'free' });

    const measure = async () => {
      const times: number[] = [];
      for (let n = 0; n < REQUESTS; n += 1) {
        const begun = performance.now();
        const { status } = await gateway.graphql(CHEAP, {}, { authorization: neighbour });
        times.push(performance.now() - begun);
        expect(status).toBe(200);
        await sleep(10);
      }
      return p95(times);
    };
    await measure(); // warms up
    const endWork = await busyDatabase(database.url);
    const besideOthers = await measure();
    await endWork();

    const attack = async () => {
      for (let n = 0; attacking; n += 1) {
        asked.push(gateway.graphql(worst(n), {}, { authorization: free }));
        await sleep(500);
      }
    };
    void attack();
    let most = 0;
    const watch = async () => {
      while (attacking) {
        const { rows } = await watcher.query(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and query ~ 'consolidation'
            and pid <> pg_backend_pid()`,
        );
        most = Math.max(most, rows[0].n);
        await sleep(50);
      }
    };
    const watching = watch();
    await sleep(1_000);
    const besideAttack = await measure();
    attacking = false;
    await watching;
    expect(most).toBe(OF_ACCOUNT);
    expect(besideAttack).toBeLessThan(3 * Math.max(besideOthers, LEAST_MS));
  },
);

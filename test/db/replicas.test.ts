import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { databaseName } from '../../src/config/database-url.ts';
import { readSettings } from '../../src/config/index.ts';
import { lagMeter } from '../../src/db/changes/reached.ts';
import { startEmbedded } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/migrate/index.ts';
import { type Database, openDatabase } from '../../src/db/open/index.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { lossyWay } from '../support/proxy.ts';
import { createReplica } from '../support/replica.ts';
import { scratch } from '../support/scratch.ts';
import { slow } from '../support/thorough.ts';

const WAIT_MS = 30_000;

/** Databases of one server stand for the primary and its replicas: who answers shows by the name. */
let primary: TestDatabase;
let one: TestDatabase;
let other: TestDatabase;
beforeAll(async () => {
  primary = await createDatabase('empty');
  one = await createReplica();
  other = await createReplica();
});
afterAll(() => Promise.all([primary, one, other].map((database) => database.drop())));

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const raise = ({ pool }: TestDatabase, dataset = 'slashings') =>
  pool.query({ text: 'select raise_revision($1)', values: [dataset] });

async function open(urls: string[], primaryUrl = primary.url): Promise<Database> {
  const settings = readSettings({
    DATABASE_URL: primaryUrl,
    DATABASE_READ_URL: urls.join('\n'),
    WAIT_TIMEOUT_MS: '5000',
  });
  const database = await openDatabase(settings, () => undefined, { serves: true });
  onTestFinished(database.close);
  await readRevisions(database);
  return database;
}

const readRevisions = ({ revisions }: Database) =>
  revisions.query({ text: 'select name, revision from datasets', values: [] });
function serverFor({ read }: Database): Queryable {
  const server = read.choose?.();
  if (!server) throw new Error('There are no replicas.');
  return server;
}
const answerer = async (db: Queryable) =>
  (await db.query({ text: 'select current_database() as name', values: [] })).rows[0]?.name;
const chosen = (database: Database) => answerer(serverFor(database));
/** Who answers twenty requests, each asked while the others are. */
const answerers = async (database: Database) =>
  new Set(await Promise.all(Array.from({ length: 20 }, () => chosen(database))));
const statesOf = (database: Database) =>
  Object.fromEntries(database.replicas?.states().map(({ name, up }) => [name.split('/')[1], up]) ?? []);

describe('several replicas', () => {
  it('share requests, and each request reads one of them', async () => {
    const database = await open([one, other].map(({ url }) => url));
    const names = [one, other].map(({ url }) => nameOf(url));
    await eventually(async () => expect(await answerers(database)).toEqual(new Set(names)), WAIT_MS);
    await eventually(async () => {
      for (let request = 0; request < 10; request += 1) {
        const server = serverFor(database);
        const all = await Promise.all([1, 2, 3].map(() => answerer(server)));
        expect(new Set(all).size).toBe(1);
      }
    }, WAIT_MS);
    const statements = database.replicas?.states().map((state) => state.statements);
    expect(statements).toEqual([expect.any(Number), expect.any(Number)]);
    for (const count of statements as number[]) expect(count).toBeGreaterThan(5);
  });

  it('send a request to the one that is less busy', async () => {
    const database = await open([one, other].map(({ url }) => url));
    const first = serverFor(database);
    const name = await answerer(first);
    const busy = name === nameOf(one.url) ? one : other;
    await busy.pool.withClient(async (client) => {
      const lock = 'select pg_advisory_xact_lock(7)';
      await client.query(`begin; ${lock}`);
      const waiting = first.query({ text: lock, values: [] });
      await eventually(async () => {
        for (let request = 0; request < 4; request += 1) expect(await chosen(database)).not.toBe(name);
      });
      await client.query('rollback');
      await waiting;
    });
  });

  slow('are used again once they have the revisions that were shown', async () => {
    const database = await open([one, other].map(({ url }) => url));
    await raise(one);
    await readRevisions(database);
    const rows = (await readRevisions(database)).rows;
    expect(rows.find(({ name }) => name === 'slashings')?.revision).toBe(1);
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(one.url)])),
      WAIT_MS,
    );
    await raise(other);
    await eventually(async () => expect((await answerers(database)).size).toBe(2), WAIT_MS);
    await raise(primary);
  });

  slow(
    'leave a statement that needs a later revision to another that has it, or to the primary',
    async () => {
      const database = await open([one, other].map(({ url }) => url));
      const asked = async (revision: number) => {
        const since = { dataset: 'blocks', revision };
        const server = serverFor(database);
        return (await server.query({ text: 'select current_database() as name', values: [], since })).rows[0]
          ?.name;
      };
      const all = async (revision: number) =>
        new Set(await Promise.all(Array.from({ length: 10 }, () => asked(revision))));
      await raise(primary, 'blocks');
      await eventually(async () => expect(await all(1)).toEqual(new Set([nameOf(primary.url)])), WAIT_MS);
      await raise(other, 'blocks');
      await eventually(async () => expect(await all(1)).toEqual(new Set([nameOf(other.url)])), WAIT_MS);
      await raise(one, 'blocks');
      await eventually(async () => expect((await all(1)).size).toBe(2), WAIT_MS);
    },
  );

  slow('are not used without a migration that the gateway needs', async () => {
    const database = await open([one, other].map(({ url }) => url));
    const faults: unknown[] = [];
    database.replicas?.onUse((name, fault) => faults.push([name.split('/')[1], fault?.reason]));
    const run = (text: string) => one.pool.query({ text, values: [] });
    await run('create table kept as select * from stakegraph_migrations order by name desc limit 1');
    onTestFinished(async () => void (await run('drop table kept')));
    await run('delete from stakegraph_migrations where name in (select name from kept)');
    const [{ name }] = (await run('select name from kept')).rows as [{ name: string }];
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(other.url)])),
      WAIT_MS,
    );
    expect(statesOf(database)[nameOf(one.url)]).toBe(false);
    await run('insert into stakegraph_migrations select * from kept');
    await eventually(async () => expect((await answerers(database)).size).toBe(2), WAIT_MS);
    expect(faults).toContainEqual([nameOf(one.url), `lacks ${name}`]);
    expect(faults).toContainEqual([nameOf(one.url), undefined]);
  });

  slow('are not used if they are other databases, which is told to who asks later too', async () => {
    const dataDir = await mkdtemp(join(scratch, 'stakegraph-stranger-'));
    const stranger = await startEmbedded({ dataDir });
    onTestFinished(async () => {
      await stranger.stop();
      await rm(dataDir, { recursive: true });
    });
    await migrate(stranger.url);
    const sibling = await createDatabase('empty');
    onTestFinished(sibling.drop);
    const database = await open([stranger.url, sibling.url, other.url]);
    expect(await answerers(database)).toEqual(new Set([nameOf(other.url)]));
    const faults: unknown[] = [];
    database.replicas?.onUse((name, fault) => faults.push([name, fault?.reason]));
    const reason =
      'is no replica of DATABASE_URL: it is another database, or of another PostgreSQL cluster (the OIDs or the system identifiers differ)';
    expect(new Set(faults)).toEqual(
      new Set([stranger, sibling].map(({ url }) => [databaseName(url), reason])),
    );
    expect(database.replicas?.states().map(({ up }) => up)).toEqual([false, false, true]);
  });

  slow('are not used while they lag more than five seconds behind, unless the primary is down', async () => {
    const way = await lossyWay(primary.url);
    const database = await open(
      [one, other].map(({ url }) => url),
      way.url,
    );
    await raise(primary, 'operators');
    await raise(other, 'operators');
    const reason = 'lags more than 5 s behind';
    const faults: unknown[] = [];
    database.replicas?.onUse((name, fault) => faults.push([name.split('/')[1], fault?.reason]));
    await eventually(() => expect(faults).toContainEqual([nameOf(one.url), reason]), WAIT_MS);
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(other.url)])),
      WAIT_MS,
    );
    await raise(primary, 'operators');
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(primary.url)])),
      WAIT_MS,
    );
    way.close();
    await eventually(async () => {
      await readRevisions(database);
      expect(await answerers(database)).toEqual(new Set([nameOf(other.url)]));
    }, WAIT_MS);
    for (const database of [one, one, other]) await raise(database, 'operators');
  });

  slow('pass on to the others, and last to the primary, what one of them fails to answer', async () => {
    const ways = [await lossyWay(one.url), await lossyWay(other.url)] as const;
    const database = await open(ways.map(({ url }) => url));
    await answerers(database);
    const answered = Promise.all(
      Array.from({ length: 6 }, () => serverFor(database).query({ text: 'select pg_sleep(1)', values: [] })),
    );
    ways[0].close();
    await answered;
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(other.url)])),
      WAIT_MS,
    );
    ways[1].close();
    await eventually(
      async () => expect(await answerers(database)).toEqual(new Set([nameOf(primary.url)])),
      WAIT_MS,
    );
    expect(Object.values(statesOf(database))).toEqual([false, false]);
  });
});

it('the lag of a replica is the age of the first revisions that it lacks', () => {
  let now = 0;
  const lag = lagMeter(() => now);
  const at = (revision: number) => new Map([['blocks', revision]]);
  lag.note(at(1));
  now = 10_000;
  lag.note(at(1));
  expect([lag.of(at(1)), lag.of(new Map())]).toEqual([0, 10_000]);
  lag.note(at(2));
  now = 13_000;
  lag.note(at(3));
  now = 15_000;
  expect([lag.of(at(3)), lag.of(at(2)), lag.of(at(1))]).toEqual([0, 2_000, 5_000]);
  now = 100_000;
  lag.note(at(4));
  expect([lag.of(at(4)), lag.of(at(3)) <= 1, lag.of(at(1))]).toEqual([0, true, 87_000]);
  lag.note(at(2)); // a failover lost two revisions
  expect([lag.of(at(2)), lag.of(at(1))]).toEqual([0, 0]);
});

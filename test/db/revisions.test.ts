import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openRevisions } from '../../src/db/changes/revisions.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { lossyWay } from '../support/proxy.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

slow(
  'revisions are read on after a reading that is never answered, and are not trusted meanwhile',
  async () => {
    let hangs = false;
    const db: Queryable = {
      query: (statement) => (hangs ? new Promise(() => undefined) : database.pool.query(statement)),
    };
    const revisions = await openRevisions({ url: database.url, db, log: pino({ level: 'silent' }) });
    onTestFinished(() => revisions.stop());
    await eventually(() => expect(revisions.trusted()).toBe(true));
    hangs = true;
    await eventually(() => expect(revisions.trusted()).toBe(false), 60_000); // read every five seconds, with as long a deadline
    hangs = false;
    await database.pool.query({ text: `select raise_revision('slashings')`, values: [] });
    await eventually(() => expect(revisions.current.get('slashings')?.revision).toBe(1), 60_000);
    expect(revisions.trusted()).toBe(true);
  },
);

slow('revisions are not trusted when their connection is lost again while they are read', async () => {
  const way = await lossyWay(database.url);
  let waiting: (() => void)[] | undefined;
  const db: Queryable = {
    async query(statement) {
      await new Promise<void>((go) => (waiting ? waiting.push(go) : go()));
      return database.pool.query(statement);
    },
  };
  const revisions = await openRevisions({ url: way.url, db, log: pino({ level: 'silent' }) });
  onTestFinished(() => revisions.stop());
  await eventually(() => expect(revisions.trusted()).toBe(true));
  const held: (() => void)[] = (waiting = []);
  const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
  way.cut();
  await eventually(() => expect(way.made()).toBe(2)); // it is connected again, and reads
  await pause(300);
  expect([held.length > 0, revisions.trusted()]).toEqual([true, false]);
  way.cut();
  await pause(100);
  waiting = undefined;
  for (const go of held) go();
  await pause(300); // before it is connected once more
  expect(revisions.trusted()).toBe(false);
  await eventually(() => expect(revisions.trusted()).toBe(true));
});

slow('revisions that are stopped ask the database nothing more, whatever was told before', async () => {
  let asked = 0;
  let answering = 0;
  const db: Queryable = {
    async query(statement) {
      asked += 1;
      answering += 1;
      await new Promise((done) => setTimeout(done, 50));
      return database.pool.query(statement).finally(() => (answering -= 1));
    },
  };
  const revisions = await openRevisions({ url: database.url, db, log: pino({ level: 'silent' }) });
  await eventually(() => expect(asked).toBe(2)); // it reads again once it listens
  await revisions.stop();
  expect({ asked, answering }).toEqual({ asked: 2, answering: 0 });
  await new Promise((done) => setTimeout(done, 700)); // in this time it reads twice what a replica may have lacked
  expect(asked).toBe(2);
});

it('revisions are read before a result is returned that has a change of which nothing was told', async () => {
  const elsewhere = await createDatabase('empty'); // whose notifications are listened to
  onTestFinished(() => elsewhere.drop());
  let asked = 0;
  const db: Queryable = {
    query(statement) {
      asked += 1;
      return database.pool.query(statement);
    },
  };
  const revisions = await openRevisions({ url: elsewhere.url, db, log: pino({ level: 'silent' }) });
  onTestFinished(() => revisions.stop());
  const { rows } = await database.pool.query({
    text: `select raise_revision('blocks') as revision`,
    values: [],
  });
  const reached = new Map([['blocks', rows[0]?.revision as number]]);
  await revisions.reach(reached);
  expect(revisions.current.get('blocks')?.revision).toBe(rows[0]?.revision);
  const before = asked;
  await revisions.reach(reached);
  expect(asked).toBe(before);
});

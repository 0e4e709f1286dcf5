import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Queryable } from '../../src/db/pool.ts';
import { openRevisions } from '../../src/db/revisions.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

it('revisions are read on after a reading that is never answered, and are not trusted meanwhile', async () => {
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
  await eventually(() => expect(revisions.current().get('slashings')?.revision).toBe(1), 60_000);
  expect(revisions.trusted()).toBe(true);
});

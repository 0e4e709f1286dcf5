import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { type Database, openDatabase } from '../../src/db/open/index.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { createReplica } from '../support/replica.ts';
import { runs, slow } from '../support/thorough.ts';

const WAIT_MS = 60_000;

/** Databases of one server stand for the primary and its replicas, which replay a change when a test says so. */
let primary: TestDatabase;
let one: TestDatabase;
let other: TestDatabase;
beforeAll(async () => {
  primary = await createDatabase('empty');
  one = await createReplica();
  other = await createReplica();
});
afterAll(() => Promise.all([primary, one, other].map((database) => database.drop())));

const change = ({ pool }: TestDatabase) =>
  pool.query({ text: 'select raise_revision($1)', values: ['blocks'] });
const revisionOf = async (db: Queryable): Promise<number> => {
  const text = `select revision, current_database() as name from datasets where name = 'blocks'`;
  return ((await db.query({ text, values: [] })).rows[0]?.revision as number | undefined) ?? 0;
};
const catchUp = async (replica: TestDatabase) => {
  while ((await revisionOf(replica.pool)) < (await revisionOf(primary.pool))) await change(replica);
};
/** What a gateway does when it is notified of a change. */
const notified = ({ revisions }: Database) =>
  revisions.query({ text: 'select name, revision from datasets', values: [] });

async function gateway(urls: string[]): Promise<Database> {
  const settings = readSettings({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: urls.join(' '),
    WAIT_TIMEOUT_MS: '60000',
    STATEMENT_TIMEOUT_MS: '60000',
  });
  const database = await openDatabase(settings, () => undefined, { serves: true });
  onTestFinished(database.close);
  await notified(database);
  return database;
}

/** The revisions that requests read one after another, each at the next gateway. */
async function walk(gateways: Database[], requests: number): Promise<number[]> {
  const read: number[] = [];
  for (let n = 0; n < requests; n += 1)
    read.push(await revisionOf((gateways[n % gateways.length] as Database).read.choose?.() as Queryable));
  return read;
}
const increasing = (numbers: number[]) =>
  numbers.every((each, n) => n === 0 || each >= (numbers[n - 1] ?? 0));

/**
 * Tries `work` again if the machine stalled, or a gateway left a replica or the primary for another reason than the test's:
 * probes have a second.
 */
async function undisturbed<T>(gateways: Database[], work: () => Promise<T>): Promise<T | undefined> {
  let faults = 0;
  for (const { replicas } of gateways) replicas?.onUse((_, fault) => (faults += fault ? 1 : 0));
  for (let attempt = 0; attempt < 10; attempt += 1) {
    faults = 0;
    for (const replica of [one, other]) await catchUp(replica);
    await Promise.all(gateways.map(notified));
    const began = performance.now();
    const found = await work();
    if (faults === 0 && performance.now() - began < 900) return found;
  }
  return undefined;
}

slow(
  'a walk over two gateways never sees less than before, whichever replica has a change first',
  async () => {
    const gateways = [await gateway([one.url, other.url]), await gateway([one.url, other.url])];
    for (let round = 0; round < runs(12).numRuns; round += 1) {
      const read = await undisturbed(gateways, async () => {
        const read = await walk(gateways, 4);
        await change(primary);
        await Promise.all(gateways.map(notified));
        for (const replica of round % 2 === 0 ? [other, one] : [one, other]) {
          await catchUp(replica);
          read.push(...(await walk(gateways, 4)));
          await notified(gateways[round % 3 === 0 ? 0 : 1] as Database);
          read.push(...(await walk(gateways, 4)));
        }
        return read;
      });
      if (read) expect(increasing(read), read.join()).toBe(true);
    }
    const newest = await revisionOf(primary.pool);
    await eventually(async () => {
      await Promise.all(gateways.map(notified));
      expect(await walk(gateways, 4)).toEqual(Array(4).fill(newest));
    }, WAIT_MS);
  },
);

it('a walk over one gateway never sees less than before, even if it is not notified of a change', async () => {
  const gateways = [await gateway([one.url, other.url])];
  for (let round = 0; round < runs(12).numRuns; round += 1) {
    const read = await undisturbed(gateways, async () => {
      const read = await walk(gateways, 4);
      await change(primary);
      for (const replica of round % 2 === 0 ? [other, one] : [one, other]) {
        await catchUp(replica);
        read.push(...(await walk(gateways, 4)));
      }
      return read;
    });
    if (read) expect(increasing(read), read.join()).toBe(true);
  }
});

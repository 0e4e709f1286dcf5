import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Read, sharedReads } from '../../src/db/batch/shared-reads.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { sql } from '../../src/db/rows.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

// What requests ask for at the same time goes into one statement, and each has what it would have had alone.

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

/** Reads on the database, and the keys of each statement that was run. */
function readsForTest(run: Queryable['query'] = (statement) => database.pool.query(statement)) {
  const statements: number[][] = [];
  const faults: unknown[] = [];
  const db: Queryable = {
    query(statement) {
      statements.push(statement.values[0] as number[]);
      return run(statement);
    },
  };
  return { statements, faults, shared: sharedReads(db, (fault) => faults.push(fault)) };
}

/** 1,000 divided by each key, of `rows` rows a key as it says; a key of 0 fails the statement. */
const quotients = (keys: readonly number[], rows = 1): Read<number, number> => ({
  name: `quotients of ${rows}`,
  keys,
  keyOf: String,
  rows,
  async load(db, asked) {
    const found = await db.query(
      sql`/* quotients */ select k as key, 1000 / k as value from unnest(${[...asked]}::int[]) k`,
    );
    return new Map(found.rows.map(({ key, value }) => [String(key), Number(value)]));
  },
});
const silent = () => undefined;

describe('reads at the same time', () => {
  it('are one statement, and what several ask for is read once', async () => {
    const { statements, shared } = readsForTest();
    const asked = [[1, 2], [2], [4]];
    const found = await Promise.all(asked.map((keys) => shared(quotients(keys), silent)));
    expect(statements).toEqual([[1, 2, 4]]);
    asked.forEach((keys, index) => {
      expect(keys.map((key) => found[index]?.get(String(key)))).toEqual(keys.map((key) => 1_000 / key));
    });
  });

  it('are one statement each where more than their keys differs', async () => {
    const { statements, shared } = readsForTest();
    await Promise.all([shared(quotients([1], 1), silent), shared(quotients([2], 2), silent)]);
    expect(statements).toEqual([[1], [2]]);
  });

  it.each([
    ['8 keys', 1, 8],
    ['128 rows', 30, 4],
    ['one key of many rows', 200, 1],
    ['one key of who knows how many rows', Number.POSITIVE_INFINITY, 1],
    ['one key, where the bound is none,', Number.NaN, 1],
  ])('have at most %s in a statement', async (_most, rows, keys) => {
    const { statements, shared } = readsForTest();
    const asked = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(asked.map((key) => shared(quotients([key], rows), silent)));
    expect(Math.max(...statements.map((some) => some.length))).toBe(keys);
    expect(statements.flat().toSorted((a, b) => a - b)).toEqual(asked);
  });

  it('leave a request that asks for much on its own, in one statement', async () => {
    const { statements, shared } = readsForTest();
    const many = Array.from({ length: 100 }, (_, index) => index + 10);
    await Promise.all([[1], many, [2]].map((keys) => shared(quotients(keys), silent)));
    expect(statements).toEqual([many, [1, 2]]);
  });

  it('tell each request the statements that its own rows came of', async () => {
    const { shared } = readsForTest();
    const noted: string[][] = [[], [], []];
    const reads = [quotients([1]), quotients([2]), quotients([3], 2)];
    await Promise.all(reads.map((read, index) => shared(read, (text) => noted[index]?.push(text))));
    expect(noted.map((texts) => texts.length)).toEqual([1, 1, 1]);
    expect(noted.flat().every((text) => text.includes('/* quotients */'))).toBe(true);
  });

  it('do not fail for the rows of another', async () => {
    const { shared, faults } = readsForTest();
    const [good, bad, other] = await Promise.allSettled(
      [[5], [0], [10]].map((keys) => shared(quotients(keys), silent)),
    );
    expect(good).toMatchObject({ status: 'fulfilled', value: new Map([['5', 200]]) });
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } });
    expect(other).toMatchObject({ status: 'fulfilled', value: new Map([['10', 100]]) });
    expect(faults).toMatchObject([{ message: 'division by zero' }]);
  });

  it('are refused to whom a load fails before it asks anything', async () => {
    const { shared } = readsForTest();
    const broken = (key: number): Read<number, number> => ({
      ...quotients([key]),
      load: () => {
        throw new Error('no statement');
      },
    });
    const answers = await Promise.allSettled([1, 2].map((key) => shared(broken(key), silent)));
    for (const answer of answers) expect(answer).toMatchObject({ reason: { message: 'no statement' } });
  });

  it('are refused together where the database is away, and not asked again', async () => {
    const { statements, shared } = readsForTest((statement) =>
      database.pool.query({
        ...statement,
        text: `${statement.text}, pg_terminate_backend(pg_backend_pid())`,
      }),
    );
    const answers = await Promise.allSettled([[5], [10]].map((keys) => shared(quotients(keys), silent)));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    expect(statements).toEqual([[5, 10]]);
  });

  it('give every request what it asks for, whatever others ask', async () => {
    const request = fc.record({
      keys: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }),
      rows: fc.constantFrom(1, 16, 200),
      turn: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 30 }), async (requests) => {
        const { statements, faults, shared } = readsForTest();
        await Promise.all(
          requests.map(async ({ keys, rows, turn }) => {
            for (let left = turn; left > 0; left -= 1) await new Promise(setImmediate);
            const found = await shared(quotients(keys, rows), silent);
            for (const key of keys) expect(found.get(String(key))).toBe(Math.trunc(1_000 / key));
          }),
        );
        expect(statements.length).toBeLessThanOrEqual(requests.length);
        expect(faults).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

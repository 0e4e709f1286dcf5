import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Read, sharedReads } from '../../src/db/batch/readers.ts';
import type { Trace } from '../../src/db/changes/datasets.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { raw, sql } from '../../src/db/rows.ts';
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
  const shared = sharedReads(db, (fault) => faults.push(fault));
  /** What a request finds that asks for these keys. */
  const ask = async <Value>(keys: readonly number[], read: Read<number, Value>, trace = newTrace()) => {
    const request = { loaders: new Map(), trace };
    return new Map(
      await Promise.all(keys.map(async (key) => [key, await shared(request, read, key)] as const)),
    );
  };
  return { statements, faults, ask };
}

const newTrace = (): Trace => ({ datasets: new Set(), isPrivate: false });

/** Selects 1,000 divided by each key, and reports `rows` rows for each key; a key of 0 fails the statement. */
const quotients = (rows = 1, table = 'slashings'): Read<number, number> => ({
  name: `quotients of ${rows}`,
  args: [],
  keyOf: String,
  rows,
  async load(db, asked) {
    const found = await db.query(
      sql`/* quotients */ select k as key, 1000 / k as value from unnest(${[...asked]}::int[]) k
        where not exists (select from ${raw(table)})`,
    );
    return new Map(found.rows.map(({ key, value }) => [String(key), Number(value)]));
  },
});

describe('reads at the same time', () => {
  it('are one statement, and what several ask for is read once', async () => {
    const { statements, ask } = readsForTest();
    const asked = [[1, 2, 1], [2], [4]];
    const found = await Promise.all(asked.map((keys) => ask(keys, quotients())));
    expect(statements).toEqual([[1, 2, 4]]);
    asked.forEach((keys, index) => {
      expect(found[index]).toEqual(new Map(keys.map((key) => [key, 1_000 / key])));
    });
  });

  it('are one statement each where more than their keys differs', async () => {
    const { statements, ask } = readsForTest();
    await Promise.all([ask([1], quotients(1)), ask([2], quotients(2))]);
    expect(statements).toEqual([[1], [2]]);
  });

  it.each([
    ['8 keys', 1, 8],
    ['128 rows', 30, 4],
    ['one key of many rows', 200, 1],
    ['one key of who knows how many rows', Number.POSITIVE_INFINITY, 1],
    ['one key, where the bound is none,', Number.NaN, 1],
  ])('have at most %s in a statement', async (_most, rows, keys) => {
    const { statements, ask } = readsForTest();
    const asked = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(asked.map((key) => ask([key], quotients(rows))));
    expect(Math.max(...statements.map((some) => some.length))).toBe(keys);
    expect(statements.flat().toSorted((a, b) => a - b)).toEqual(asked);
  });

  it('leave a request that asks for much on its own, in one statement', async () => {
    const { statements, ask } = readsForTest();
    const many = Array.from({ length: 100 }, (_, index) => index + 10);
    await Promise.all([[1], many, [2]].map((keys) => ask(keys, quotients())));
    expect(statements).toEqual([many, [1, 2]]);
  });

  it('have at most 1,000 keys in a statement of one request', async () => {
    const { statements, ask } = readsForTest();
    const many = Array.from({ length: 2_500 }, (_, index) => index + 1);
    expect((await ask(many, quotients())).get(2_500)).toBe(0);
    expect(statements).toEqual([many.slice(0, 1_000), many.slice(1_000, 2_000), many.slice(2_000)]);
  });

  it('read a key once for each request', async () => {
    const { statements, ask } = readsForTest();
    const reads = quotients();
    const trace = newTrace();
    await Promise.all([ask([7, 7], reads, trace), ask([7], reads)]);
    expect(statements).toEqual([[7]]);
  });

  it('tell each request the statements that its own rows came of', async () => {
    const { ask } = readsForTest();
    const traces = [newTrace(), newTrace(), newTrace()];
    const reads = [quotients(), quotients(), quotients(2, 'blocks')];
    await Promise.all(reads.map((read, index) => ask([index + 1], read, traces[index])));
    expect(traces.map(({ datasets }) => [...datasets])).toEqual([['slashings'], ['slashings'], ['blocks']]);
  });

  it('do not fail for the rows of another', async () => {
    const { ask, faults } = readsForTest();
    const [good, bad, other] = await Promise.allSettled(
      [[5], [0], [10]].map((keys) => ask(keys, quotients())),
    );
    expect(good).toMatchObject({ status: 'fulfilled', value: new Map([[5, 200]]) });
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } });
    expect(other).toMatchObject({ status: 'fulfilled', value: new Map([[10, 100]]) });
    expect(faults).toMatchObject([{ message: 'division by zero' }]);
  });

  it('are refused to whom a load fails before it asks anything', async () => {
    const { ask } = readsForTest();
    const broken: Read<number, number> = {
      ...quotients(),
      load: () => {
        throw new Error('no statement');
      },
    };
    const answers = await Promise.allSettled([1, 2].map((key) => ask([key], broken)));
    for (const answer of answers) expect(answer).toMatchObject({ reason: { message: 'no statement' } });
  });

  it('are refused together where the database is away, and not asked again', async () => {
    const { statements, ask } = readsForTest((statement) =>
      database.pool.query({
        ...statement,
        text: `${statement.text} and pg_terminate_backend(pg_backend_pid())`,
      }),
    );
    const answers = await Promise.allSettled([[5], [10]].map((keys) => ask(keys, quotients())));
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
        const { statements, faults, ask } = readsForTest();
        await Promise.all(
          requests.map(async ({ keys, rows, turn }) => {
            for (let left = turn; left > 0; left -= 1) await new Promise(setImmediate);
            const found = await ask(keys, quotients(rows));
            for (const key of keys) expect(found.get(key)).toBe(Math.trunc(1_000 / key));
          }),
        );
        expect(statements.length).toBeLessThanOrEqual(requests.length);
        expect(faults).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

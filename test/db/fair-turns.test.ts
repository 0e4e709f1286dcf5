import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { waitTimeoutMs } from '../support/deadlines.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// An account runs only so many statements at a time. Its other statements wait, and no other account waits for them.

async function poolForTest(options: Partial<Parameters<typeof createPool>[0]> = {}): Promise<Pool> {
  const database = await createDatabase('empty');
  const pool = createPool({
    url: database.url,
    readOnly: true,
    max: 6,
    ofAccount: 2,
    waitTimeoutMs,
    ...options,
  });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  return pool;
}

/** Statements that take a connection of the pool until they are let go. */
function holder(pool: Pool) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const hold = (account: string, name = account) =>
    pool.withClient(async () => {
      begun.push(name);
      await new Promise<void>((done) => ends.push(done));
    }, account);
  onTestFinished(async () => {
    while (ends.length > 0) {
      ends.shift()?.();
      await turn();
    }
  });
  return { begun, ends, hold };
}
const ask = (pool: Pool, account?: string) =>
  pool.query({ text: 'select 1 as n', values: [], ...(account !== undefined && { account }) });

it('of an account, so many statements run at once, and the next begins when one ends or fails', async () => {
  const pool = await poolForTest();
  const { begun, ends, hold } = holder(pool);
  const held = ['1', '2', '3', '4'].map((name) => hold('a', name));
  const failing = expect(
    pool.query({ text: 'select 1 / 0', values: [], account: 'a' }),
  ).rejects.toMatchObject({ code: '22012' });
  await eventually(() => expect(begun.toSorted()).toEqual(['1', '2'])); // either may connect first
  ends.shift()?.();
  await eventually(() => expect(begun.slice(2)).toEqual(['3']));
  ends.shift()?.();
  ends.shift()?.();
  await failing;
  await eventually(() => expect(begun.slice(2)).toEqual(['3', '4']));
  ends.shift()?.();
  await Promise.all(held);
  expect((await ask(pool, 'a')).rows).toEqual([{ n: 1 }]);
});

it('a statement of another account, or of the gateway, waits for none of them', async () => {
  const pool = await poolForTest();
  const { begun, hold } = holder(pool);
  for (let n = 0; n < 500; n += 1) void hold('a');
  await eventually(() => expect(begun).toEqual(['a', 'a']));
  expect((await ask(pool, 'b')).rows).toEqual([{ n: 1 }]);
  expect((await ask(pool)).rows).toEqual([{ n: 1 }]);
  expect(pool.stats().waiting).toBe(0);
  expect(begun).toEqual(['a', 'a']);
});

slow(
  'a statement that waits too long in its line, or beyond 2,000 others, is 503, as where no connection is free',
  async () => {
    const pool = await poolForTest({ waitTimeoutMs: 3_000 });
    const { begun, hold } = holder(pool);
    void hold('a');
    void hold('a');
    await eventually(() => expect(begun).toEqual(['a', 'a']));
    const refusal = { name: 'Refusal', code: 'UNAVAILABLE', headers: { 'retry-after': '5' } };
    const waiting = Array.from({ length: 2_000 }, () => ask(pool, 'a').catch((error) => error));
    await expect(ask(pool, 'a')).rejects.toMatchObject(refusal);
    expect(await Promise.race(waiting)).toMatchObject(refusal);
    expect(await Promise.all(waiting)).toEqual(
      Array(2_000).fill(expect.objectContaining({ code: 'UNAVAILABLE' })),
    );
  },
);

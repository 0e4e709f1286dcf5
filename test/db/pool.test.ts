import { mkdtemp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
  await database.pool.query({ text: 'create table numbers (n int)', values: [] });
});
afterAll(() => database.drop());

function poolForTest(options: Partial<Parameters<typeof createPool>[0]> = {}): Pool {
  const pool = createPool({ url: database.url, readOnly: true, max: 1, ...options });
  onTestFinished(() => pool.end());
  return pool;
}
const query = (pool: Pool, text: string) => pool.query({ text, values: [] });
/** Takes a connection of the pool until the answer is called. */
const hold = (pool: Pool) =>
  new Promise<() => Promise<void>>((taken) => {
    const held: Promise<void> = pool.withClient(async () => {
      await new Promise<void>((done) => {
        taken(() => {
          done();
          return held;
        });
      });
    });
  });
const refusal = { name: 'Refusal', code: 'UNAVAILABLE', headers: { 'retry-after': '5' } };

describe('the read pool', () => {
  it.each([
    'insert into numbers values (1)',
    'create table more ()',
    'truncate numbers',
    'drop table numbers',
  ])('refuses %s', async (text) => {
    await expect(query(poolForTest(), text)).rejects.toMatchObject({ code: '25006' });
  });

  it('is of the time zone UTC', async () => {
    const { rows } = await query(poolForTest(), `select current_setting('timezone') as zone`);
    expect(rows).toEqual([{ zone: 'UTC' }]);
  });

  it.each([true, false])(
    'compiles no statement, whatever the database sets: readOnly %s',
    async (readOnly) => {
      const name = new URL(database.url).pathname.slice(1);
      await query(database.pool, `alter database ${name} set jit = on`);
      onTestFinished(() => query(database.pool, `alter database ${name} reset all`).then(() => undefined));
      expect((await query(poolForTest({ readOnly }), 'show jit')).rows).toEqual([{ jit: 'off' }]);
    },
  );

  it('of requests uses no parallel workers, whatever the database sets; that of a command may', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(database.pool, `alter database ${name} set max_parallel_workers_per_gather = 2`);
    onTestFinished(() => query(database.pool, `alter database ${name} reset all`).then(() => undefined));
    const workers = async (options: Parameters<typeof poolForTest>[0]) =>
      (await query(poolForTest(options), 'show max_parallel_workers_per_gather')).rows[0];
    for (const readOnly of [true, false])
      expect(await workers({ readOnly, statementTimeoutMs: 10_000 })).toEqual({
        max_parallel_workers_per_gather: '0',
      });
    expect(await workers({ readOnly: false })).toEqual({ max_parallel_workers_per_gather: '2' });
  });

  it('writes values as ever, whatever the database sets', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const set = (to: string) => query(database.pool, `alter database ${name} ${to}`);
    await set(`set datestyle = 'SQL, DMY'`);
    await set(`set extra_float_digits = -3`);
    onTestFinished(() => set('reset all').then(() => undefined));
    const text = `select date '2024-03-31'::text as day, (0.1::float8 + 0.2::float8)::text as sum`;
    expect((await query(poolForTest(), text)).rows).toEqual([
      { day: '2024-03-31', sum: '0.30000000000000004' },
    ]);
  });

  it('of a command has no time limits of the role, and transactions that see what others commit', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const set = (text: string) => query(database.pool, `alter database ${name} ${text}`);
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await set(`set ${limit} = '1s'`);
    await set(`set default_transaction_isolation = 'repeatable read'`);
    onTestFinished(() => set('reset all').then(() => undefined));
    const { rows } = await query(
      poolForTest({ readOnly: false }),
      `select name, setting from pg_settings
        where name ~ '^(statement|lock|idle_in_transaction_session)_timeout$|^transaction_isolation$' order by name`,
    );
    expect(rows.map(({ name, setting }) => `${name} ${setting}`)).toEqual([
      'idle_in_transaction_session_timeout 0',
      'lock_timeout 0',
      'statement_timeout 0',
      'transaction_isolation read committed',
    ]);
  });

  it('answers 503 to a statement that takes longer than it may, and the next one as ever', async () => {
    const pool = poolForTest({ statementTimeoutMs: 100 });
    await expect(query(pool, 'select pg_sleep(5)')).rejects.toMatchObject(refusal);
    expect((await query(pool, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  it('answers 503 to a statement that stands in the way of what a replica replays', async () => {
    // The error of a replica in this case; to get it from a real one, vacuum would have to race with readers.
    const conflict = `do $$ begin raise 'canceling statement due to conflict with recovery' using errcode = '40001'; end $$`;
    await expect(query(poolForTest(), conflict)).rejects.toMatchObject(refusal);
  });

  /** Makes the database raise the error of a full disk, since a test cannot fill a disk. */
  const raising = (state: string) =>
    `do $$ begin raise 'could not extend file "base/1/2"' using errcode = '${state}'; end $$`;

  it.each([
    ['53100', 'a full disk'],
    ['53200', 'no memory left'],
    ['53400', 'no room for temporary files'],
    ['58030', 'an I/O error'],
    ['58000', 'an error of its system'],
    ['40P01', 'a deadlock'],
    ['55P03', 'a lock not had in time'],
  ])('answers 503 to SQLSTATE %s, %s, with what the database said for the log alone', async (state) => {
    const errors: string[] = [];
    const pool = poolForTest({ onError: (error) => errors.push(error.message) });
    await expect(query(pool, raising(state))).rejects.toMatchObject({ ...refusal, cause: { code: state } });
    expect(errors).toEqual(['could not extend file "base/1/2"']);
    expect((await query(pool, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  it('answers 503 when the room for temporary files is used up', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const set = (to: string) => query(database.pool, `alter database ${name} ${to}`);
    await set(`set temp_file_limit = 0`);
    await set(`set work_mem = '64kB'`);
    onTestFinished(() => set('reset all').then(() => undefined));
    const spilling = 'select count(*) from (select g from generate_series(1, 100000) g order by random()) s';
    await expect(query(poolForTest(), spilling)).rejects.toMatchObject({
      ...refusal,
      cause: { code: '53400' },
    });
  });

  it('of a command hands on what the database said', async () => {
    const pool = poolForTest({ reportsErrors: true });
    await expect(query(pool, raising('53100'))).rejects.toMatchObject({ code: '53100' });
  });

  it('hands on what fails of other things while a connection is held', async () => {
    const folder = poolForTest().withClient(() => mkdtemp('/no/such/folder/x-'));
    await expect(folder).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('hands on what is wrong with a statement', async () => {
    await expect(query(poolForTest(), 'select * from nowhere')).rejects.toMatchObject({ code: '42P01' });
  });
});

describe('a pool for writing', () => {
  it('answers 503 to a write where the database has become a standby', async () => {
    const pool = poolForTest({ readOnly: false });
    const standby = 'begin read only; insert into numbers values (1); commit'; // refused as a standby refuses it
    await expect(query(pool, standby)).rejects.toMatchObject({ ...refusal, cause: { code: '25006' } });
    const writing = transaction(pool, async (client) => {
      await client.query('set transaction read only');
      await client.query('insert into numbers values (1)');
    });
    await expect(writing).rejects.toMatchObject(refusal);
    await query(pool, 'delete from numbers');
  });
});

describe('a pool without a free connection', () => {
  it('answers 503 after the time that it may wait, and serves again once one is free', async () => {
    const pool = poolForTest({ waitTimeoutMs: 500 });
    const release = await hold(pool);
    const began = performance.now();
    await expect(query(pool, 'select 1')).rejects.toMatchObject(refusal);
    expect(performance.now() - began).toBeGreaterThan(490);
    await release();
    expect((await query(pool, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
    expect(pool.stats()).toEqual({ total: 1, idle: 1, waiting: 0, inLine: 0 });
  });

  it('answers 503 at once when 2,000 others wait', async () => {
    const pool = poolForTest({ waitTimeoutMs: 120_000 });
    const release = await hold(pool);
    const waiting = Array.from({ length: 2_000 }, () => query(pool, 'select 1'));
    const began = performance.now();
    await expect(query(pool, 'select 1')).rejects.toMatchObject(refusal);
    expect(performance.now() - began).toBeLessThan(10_000); // others may wait for a minute
    await release();
    await Promise.all(waiting);
  });
});

describe('a pool that keeps plans', () => {
  const kept = (pool: Pool) =>
    query(pool, `select count(*)::int as n, min(name) as name from pg_prepared_statements`).then(
      ({ rows }) => rows[0] as { n: number; name: string },
    );

  it('keeps that of a statement from its second time on', async () => {
    const pool = poolForTest({ prepared: true });
    await query(pool, 'select 1 as n');
    expect((await kept(pool)).n).toBe(0);
    for (let time = 0; time < 3; time += 1)
      expect((await query(pool, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
    expect((await kept(pool)).n).toBeGreaterThanOrEqual(1);
  });

  it('keeps none unless it is told to', async () => {
    const pool = poolForTest();
    for (let time = 0; time < 3; time += 1) await query(pool, 'select 1 as n');
    expect((await kept(pool)).n).toBe(0);
  });

  it('keeps at most 200 on a connection, and then begins a new one', async () => {
    const pool = poolForTest({ prepared: true });
    const most: number[] = [];
    for (let round = 0; round < 450; round += 1) {
      for (let time = 0; time < 2; time += 1) await query(pool, `select ${round} as n`);
      if (round % 10 === 0) most.push((await kept(pool)).n);
    }
    expect(Math.max(...most)).toBeGreaterThan(150);
    expect(Math.max(...most)).toBeLessThanOrEqual(200);
  });

  it('answers on after a migration has changed what a statement gives', async () => {
    const pool = poolForTest({ prepared: true });
    await query(database.pool, 'create table changing (n int); insert into changing values (1)');
    for (let time = 0; time < 3; time += 1) await query(pool, 'select * from changing');
    await query(database.pool, 'alter table changing add column more text');
    expect((await query(pool, 'select * from changing')).rows).toEqual([{ n: 1, more: null }]);
    expect((await query(pool, 'select * from changing')).rows).toEqual([{ n: 1, more: null }]);
  });
});

describe('a pool whose database is away', () => {
  it('answers 503 when the connection is cut, tells it, and connects again', async () => {
    const errors: string[] = [];
    const pool = poolForTest({ onError: (error) => errors.push(error.message) });
    const asleep = expect(query(pool, 'select pg_sleep(20)')).rejects.toMatchObject(refusal);
    const cut = `select pg_terminate_backend(pid) as cut from pg_stat_activity where query = 'select pg_sleep(20)'`;
    while ((await query(database.pool, cut)).rows.length === 0) await sleep(20);
    await asleep;
    expect(errors.join()).toMatch(/terminating connection/);
    expect((await query(pool, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  it('answers 503 when nobody listens at its address', async () => {
    await expect(
      query(poolForTest({ url: 'postgres://me@127.0.0.1:1/none' }), 'select 1'),
    ).rejects.toMatchObject(refusal);
  });
});

describe('a transaction', () => {
  it('that throws leaves nothing', async () => {
    const failing = transaction(database.pool, async (client) => {
      await client.query('insert into numbers values (7)');
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect((await query(database.pool, 'select n from numbers')).rows).toEqual([]);
  });
});

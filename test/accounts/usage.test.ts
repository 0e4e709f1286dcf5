import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { openMeter } from '../../src/accounts/meter.ts';
import { openUsage, type Usage } from '../../src/accounts/usage.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { callerOf } from '../support/caller.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const log = pino({ level: 'silent' });
const october = new Date('2026-10-31T23:59:59Z');
const november = new Date('2026-11-01T00:00:00Z');
let made = 0;

async function account(): Promise<string> {
  const name = `usage ${made++}`;
  await createAccount(database.pool, { name, tier: 'build' });
  const { rows } = await database.pool.query({
    text: 'select account_id::text as id from accounts where name = $1',
    values: [name],
  });
  return rows[0]?.id as string;
}

async function open(db: Queryable = database.pool, now = () => october): Promise<Usage> {
  const usage = await openUsage({ db, log, now });
  onTestFinished(() => usage.stop());
  return usage;
}

const stored = async (id: string) =>
  (
    await database.pool.query({
      text: `select coalesce(sum(units), 0)::int as units, coalesce(sum(requests), 0)::int as requests
        from usage where account_id::text = $1`,
      values: [id],
    })
  ).rows[0];

/** A database whose next write of usage loses its connection before or after the write, as `fate` says. */
function failing(fate: { next?: 'before' | 'after' | undefined }): Queryable {
  return {
    async query(statement) {
      if (!statement.text.includes('addUsage') || !fate.next) return database.pool.query(statement);
      const { next } = fate;
      fate.next = undefined;
      if (next === 'after') await database.pool.query(statement);
      throw new Error('Connection terminated unexpectedly');
    },
  };
}

describe('usage', () => {
  it('is known at once, and stored at the flush', async () => {
    const [id, usage] = [await account(), await open()];
    usage.add(id, 5, october);
    usage.add(id, 7, october);
    expect(usage.used(id, 'month', october)).toEqual({ units: 12, requests: 2 });
    expect(await stored(id)).toEqual({ units: 0, requests: 0 });
    await usage.flush();
    expect(await stored(id)).toEqual({ units: 12, requests: 2 });
    expect(usage.used(id, 'month', october)).toEqual({ units: 12, requests: 2 });
  });

  it.each([
    ['was not stored', 'before'],
    ['was stored, which nobody knows', 'after'],
  ] as const)('of a batch that %s is counted once', async (_what, next) => {
    const id = await account();
    const fate: Parameters<typeof failing>[0] = { next };
    const usage = await open(failing(fate));
    usage.add(id, 10, october);
    await usage.flush();
    usage.add(id, 3, october); // while it is not known whether the batch was written
    expect(usage.used(id, 'month', october)).toEqual({ units: 13, requests: 2 });
    await usage.flush();
    await usage.flush();
    expect(await stored(id)).toEqual({ units: 13, requests: 2 });
    expect(usage.used(id, 'month', october)).toEqual({ units: 13, requests: 2 });
  });

  it('is stored at the stop, also what came after a batch that failed', async () => {
    const id = await account();
    const fate: Parameters<typeof failing>[0] = { next: 'after' };
    const usage = await open(failing(fate));
    usage.add(id, 10, october);
    await usage.flush();
    usage.add(id, 3, october);
    await usage.stop();
    expect(await stored(id)).toEqual({ units: 13, requests: 2 });
  });

  it('that is charged later is charged at the latest when the meter stops', async () => {
    const id = await account();
    const meter = await openMeter({ db: database.pool, log, now: () => october });
    const { metering, later } = { metering: await meter.admit(callerOf(id)), later: { units: 2 } };
    metering.charge(10);
    metering.addLater(() => later.units, 3_600_000);
    later.units = 5;
    await meter.stop();
    expect(await stored(id)).toEqual({ units: 15, requests: 1 });
  });

  it('of all replicas is known after their flushes, and at the start of another', async () => {
    const [id, first, second] = [await account(), await open(), await open()];
    first.add(id, 100, october);
    second.add(id, 20, october);
    await first.flush();
    await second.flush();
    expect(second.used(id, 'month', october).units).toBe(120);
    expect(first.used(id, 'month', october).units).toBe(100);
    await first.flush();
    expect(first.used(id, 'month', october).units).toBe(120);
    expect((await open()).used(id, 'month', october)).toEqual({ units: 120, requests: 2 });
  });

  it('begins anew with the month, and goes on for life', async () => {
    let now = october;
    const [id, usage] = [await account(), await open(database.pool, () => now)];
    usage.add(id, 40, october);
    usage.add(id, 2, november);
    const check = () => {
      expect(usage.used(id, 'month', november).units).toBe(2);
      expect(usage.used(id, 'life', november).units).toBe(42);
    };
    expect(usage.used(id, 'month', october).units).toBe(40);
    check();
    now = november;
    await usage.flush();
    check();
    await usage.flush();
    check();
    expect(await stored(id)).toEqual({ units: 42, requests: 2 });
  });

  it('is kept by two flushes at once, and by a hundred accounts', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, account));
    const usage = await open();
    for (const id of ids) usage.add(id, 3, october);
    await Promise.all([usage.flush(), usage.flush(), usage.flush()]);
    for (const id of ids) expect(usage.used(id, 'month', october)).toEqual({ units: 3, requests: 1 });
    for (const id of ids) expect(await stored(id)).toEqual({ units: 3, requests: 1 });
  });

  it('of an account that is gone does not keep that of others', async () => {
    const [id, usage] = [await account(), await open()];
    usage.add(randomUUID(), 3, october);
    usage.add(id, 4, october);
    await usage.flush();
    expect(await stored(id)).toEqual({ units: 4, requests: 1 });
  });
});

import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readinessOf } from '../../src/gateway/readiness.ts';
import { createDatabase } from '../support/gateway.ts';

it('/ready is asked anew once a second, whatever becomes of the time of day', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool } = database;
  const ready = readinessOf({ read: pool, primary: pool }, pino({ level: 'silent' }));
  expect(await ready()).toEqual({ ready: true });
  await pool.query({ text: 'alter table datasets rename to data_sets', values: [] });

  vi.setSystemTime(Date.now() + 3_600_000); // if the clock is set forward, the last result is kept for its second
  expect(await ready()).toEqual({ ready: true });
  vi.setSystemTime(Date.now() - 7_200_000); // if the clock is set back, the database is still asked
  await vi.waitFor(async () => expect(await ready()).toMatchObject({ ready: false }), { timeout: 10_000 });
  await pool.query({ text: 'alter table data_sets rename to datasets', values: [] });
  await vi.waitFor(async () => expect(await ready()).toEqual({ ready: true }), { timeout: 10_000 });
});

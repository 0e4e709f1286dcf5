import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Network, networks } from '../../chain/networks.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { type Ages, type Retainable, retainables } from './ages.ts';
import { dropPart, type PartedTable, partedTables, partsOf, RefusedPart } from './parts.ts';
import { dropSlots, newestDate, type SlotTable, slotsBefore, slotTables } from './slots.ts';

export type RetainOptions = {
  ages: Ages;
  dryRun: boolean;
  now?: Date;
  /** Readers wait at most `lockTimeoutMs` for each attempt to drop a part. */
  lockTimeoutMs?: number;
  pauseMs?: number;
  attempts?: number;
};

/** `from` and `before` are dates; `rows` of a part is an estimate of PostgreSQL. */
export type RetainReport = {
  dataset: Retainable;
  table: string;
  part?: string;
  network?: Network;
  from?: string | undefined;
  before: string;
  rows: number;
  bytes: number;
  state: 'dropped' | 'would drop' | 'nothing' | 'refused' | 'failed' | 'passed';
  error?: string;
  seconds: number;
};

type Told = Omit<RetainReport, 'seconds' | 'state' | 'error'>;
type Run = RetainOptions & {
  pool: Pool;
  tell: (report: RetainReport) => void;
  stop: AbortSignal;
};

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** `newest` is the newest stored date: old data is kept when nothing new comes. */
export function keptDate(days: number, now: Date, newest: string): string {
  const last = Math.min(Date.parse(dateOf(now.getTime())), Date.parse(newest));
  return dateOf(last - (days - 1) * DAY_MS);
}

class Passed extends Error {}

/** One process at a time. */
async function locked<T>(pool: Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query(
      `/* lockRetain */ select pg_try_advisory_xact_lock(hashtext('stakegraph retain')) as taken`,
    );
    if (!rows[0].taken) throw new Passed('another process is dropping data');
    return work(client);
  });
}

/** Lock not available, and deadlock. */
export const inUse = ['55P03', '40P01'];
class InUse extends Error {}

async function attempted(run: Run, drop: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  const { attempts = 120, pauseMs = 5_000 } = run;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await locked(run.pool, (client) =>
        drop(client).catch((error) => {
          throw inUse.includes(error.code) ? new InUse() : error;
        }),
      );
    } catch (error) {
      if (!(error instanceof InUse)) throw error;
      if (attempt >= attempts || run.stop.aborted)
        throw new Error(`it was in use at each of ${attempt} attempts: try again later.`);
    }
    await sleep(pauseMs, undefined, { signal: run.stop }).catch(() => undefined);
  }
}

async function told(run: Run, what: Told, drop: () => Promise<number | undefined>): Promise<void> {
  const began = performance.now();
  const tell = (more: Pick<RetainReport, 'state'> & Partial<RetainReport>) =>
    run.tell({ ...what, ...more, seconds: Math.round(performance.now() - began) / 1000 });
  if (what.rows === 0 && !what.part) return tell({ state: 'nothing' });
  if (run.dryRun) return tell({ state: 'would drop' });
  try {
    const rows = await drop();
    tell({ state: 'dropped', ...(rows !== undefined && { rows }) });
  } catch (error) {
    const state = error instanceof Passed ? 'passed' : error instanceof RefusedPart ? 'refused' : 'failed';
    tell({ state, error: (error as Error).message });
  }
}

async function retainParts(run: Run, parted: PartedTable, days: number): Promise<void> {
  const { table, dataset } = parted;
  const parts = await partsOf(run.pool, table);
  const newest = parts.at(-1);
  if (!newest) return;
  const kept = keptDate(days, run.now ?? new Date(), dateOf(Date.parse(newest.before) - DAY_MS));
  const old = parts.filter((part) => part.before <= kept);
  if (old.length === 0)
    return run.tell({ dataset, table, before: kept, rows: 0, bytes: 0, state: 'nothing', seconds: 0 });
  for (const part of old) {
    if (run.stop.aborted) return;
    await told(run, { dataset, table, ...part }, async () => {
      await attempted(run, (client) => dropPart(client, parted, part, run.lockTimeoutMs ?? 500));
      return undefined;
    });
  }
}

async function retainSlots(run: Run, slots: SlotTable, days: number): Promise<void> {
  for (const network of networks) {
    const newest = await newestDate(run.pool, slots, network);
    if (!newest || run.stop.aborted) continue;
    const before = keptDate(days, run.now ?? new Date(), newest);
    const found = await slotsBefore(run.pool, slots, network, before);
    const { table, dataset } = slots;
    await told(run, { dataset, table, network, before, ...found }, async () => {
      let rows = 0;
      for (let dropped = -1; dropped !== 0 && !run.stop.aborted; rows += dropped)
        dropped = await locked(run.pool, (client) => dropSlots(client, slots, network, before));
      return rows;
    });
  }
}

/** Drops the oldest parts first, each in its own transaction. Idempotent. */
export async function retain(
  pool: Pool,
  options: RetainOptions,
  tell: (report: RetainReport) => void,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  const run = { ...options, pool, tell, stop };
  for (const dataset of retainables) {
    const days = options.ages[dataset];
    if (days === undefined || stop.aborted) continue;
    const parted = partedTables.find((one) => one.dataset === dataset);
    if (parted) await retainParts(run, parted, days);
    const slots = slotTables.find((one) => one.dataset === dataset);
    if (slots) await retainSlots(run, slots, days);
  }
}

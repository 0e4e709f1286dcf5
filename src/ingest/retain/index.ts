import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Network, networks } from '../../chain/networks.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { lockWriters } from '../locks.ts';
import { type Ages, type Retainable, retainables } from './ages.ts';
import { whyNeeded } from './needed.ts';
import { dropPart, newestDates, type PartedTable, partedTables, partsOf, RefusedPart } from './parts.ts';
import { dropSlots, newestDate, type SlotTable, slotsBefore, slotTables } from './slots.ts';

export type RetainOptions = {
  ages: Ages;
  dryRun: boolean;
  now?: Date;
  /** Readers wait at most `lockTimeoutMs` for each attempt to drop a part. */
  lockTimeoutMs?: number;
  pauseMs?: number;
  attempts?: number;
  tellAfterMs?: number;
};

/** `from` and `before` are dates; `rows` of a part is an estimate of PostgreSQL. */
export type RetainReport = {
  dataset: Retainable;
  table: string;
  part?: string;
  network?: Network;
  from?: string | undefined;
  before?: string | undefined;
  rows: number;
  bytes: number;
  state: 'dropped' | 'would drop' | 'would refuse' | 'nothing' | 'held' | Unfinished | Undropped;
  error?: string;
  seconds: number;
};

type Unfinished = 'waiting' | 'dropping';
type Undropped = 'refused' | 'failed' | 'passed';

type Told = Omit<RetainReport, 'seconds' | 'state' | 'error'>;
type Run = RetainOptions & {
  pool: Pool;
  tell: (report: RetainReport) => void;
  stop: AbortSignal;
};

const DAY_MS = 86_400_000;
const TELL_AFTER_MS = 10_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** `newest` is the newest stored date: old data is kept when nothing new comes. */
export function keptDate(days: number, now: Date, newest: string): string {
  const last = Math.min(Date.parse(dateOf(now.getTime())), Date.parse(newest));
  return dateOf(last - (days - 1) * DAY_MS);
}

class Passed extends Error {}
class Stopped extends Error {}

type Locks = { datasets: readonly string[]; of: readonly Network[] };

/** One process at a time, and under the locks of writers. */
async function locked<T>(
  run: Run,
  what: Told,
  { datasets, of }: Locks,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  return transaction(run.pool, async (client) => {
    const { rows } = await client.query(
      `/* lockRetain */ select pg_try_advisory_xact_lock(hashtext('stakegraph retain')) as taken`,
    );
    if (!rows[0].taken) throw new Passed('another process is dropping data');
    const ms = run.tellAfterMs ?? TELL_AFTER_MS;
    const told = setTimeout(() => run.tell({ ...what, state: 'waiting', seconds: ms / 1000 }), ms);
    await lockWriters(client, datasets, of).finally(() => clearTimeout(told));
    if (run.stop.aborted) throw new Stopped();
    return work(client);
  });
}

/** Lock not available, and deadlock. */
export const inUse = ['55P03', '40P01'];
class InUse extends Error {}

async function attempted(
  run: Run,
  what: Told,
  locks: Locks,
  drop: (client: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const { attempts = 120, pauseMs = 5_000 } = run;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await locked(run, what, locks, (client) =>
        drop(client).catch((error) => {
          throw inUse.includes(error.code) ? new InUse() : error;
        }),
      );
    } catch (error) {
      if (!(error instanceof InUse)) throw error;
      if (run.stop.aborted) throw new Stopped();
      if (attempt >= attempts)
        throw new Error(`it was in use at each of ${attempt} attempts: try again later.`);
    }
    await sleep(pauseMs, undefined, { signal: run.stop }).catch(() => undefined);
  }
}

const messageOf = ({ message, detail }: Error & { detail?: string }) =>
  detail ? `${message}: ${detail.replaceAll('\n', '; ')}` : message;

/** Returns how it was not dropped. */
async function told(
  run: Run,
  what: Told,
  drop: () => Promise<number | undefined>,
): Promise<Undropped | undefined> {
  const began = performance.now();
  const tell = (more: Pick<RetainReport, 'state'> & Partial<RetainReport>) =>
    run.tell({ ...what, ...more, seconds: Math.round(performance.now() - began) / 1000 });
  try {
    const rows = await drop();
    tell({ state: 'dropped', ...(rows !== undefined && { rows }) });
    return undefined;
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    const state = error instanceof Passed ? 'passed' : error instanceof RefusedPart ? 'refused' : 'failed';
    tell({ state, error: messageOf(error as Error) });
    return state;
  }
}

async function retainParts(run: Run, parted: PartedTable, days: number): Promise<void> {
  const { table, dataset, revision } = parted;
  const { pool, tell, now = new Date(), lockTimeoutMs = 500 } = run;
  const about = { dataset, table, rows: 0, bytes: 0, seconds: 0 };
  const parts = await partsOf(pool, table);
  const end = parts.at(-1)?.before;
  if (!end) return tell({ ...about, state: 'nothing' });
  const latest = keptDate(days, now, dateOf(Date.parse(end) - DAY_MS));
  if (!parts.some((part) => part.before <= latest))
    return tell({ ...about, before: latest, state: 'nothing' });
  const newest = await newestDates(pool, parted, parts);
  const [first, last] = [newest[0], newest.at(-1)];
  if (!first || !last) return tell({ ...about, state: 'nothing' });
  const before = keptDate(days, now, first.date);
  const old = parts.filter((part) => part.before <= before);
  const held = parts.filter((part) => part.before <= keptDate(days, now, last.date)).length > old.length;
  if (held) {
    const error = `nothing is stored after ${first.date}, so months that do not end before ${before} are kept`;
    tell({ ...about, network: first.network, before, state: 'held', error });
  } else if (old.length === 0) tell({ ...about, before, state: 'nothing' });
  let stuck: { part: string; state: Undropped | 'would refuse' } | undefined;
  for (const part of old) {
    if (run.stop.aborted) return;
    const what = { dataset, table, ...part };
    if (stuck) {
      const { state } = stuck;
      const error = `${stuck.part} is older and ${run.dryRun ? 'would not be' : 'was not'} dropped`;
      tell({ ...what, state: state === 'failed' ? 'refused' : state, error, seconds: 0 });
    } else if (run.dryRun) {
      const error =
        dataset === 'validator-days'
          ? await transaction(pool, (client) => whyNeeded(client, part))
          : undefined;
      tell({ ...what, ...(error ? { state: 'would refuse', error } : { state: 'would drop' }), seconds: 0 });
      if (error) stuck = { part: part.part, state: 'would refuse' };
    } else {
      const state = await told(run, what, async () => {
        await attempted(run, what, { datasets: [revision], of: networks }, (client) =>
          dropPart(client, parted, part, lockTimeoutMs),
        );
        return undefined;
      });
      if (state) stuck = { part: part.part, state };
    }
  }
}

async function retainSlots(run: Run, slots: SlotTable, days: number): Promise<void> {
  const { table, dataset, locks } = slots;
  const about = { dataset, table, rows: 0, bytes: 0, seconds: 0 };
  let any = false;
  for (const network of networks) {
    const newest = await newestDate(run.pool, slots, network);
    if (!newest || run.stop.aborted) continue;
    any = true;
    const before = keptDate(days, run.now ?? new Date(), newest);
    const what = { ...about, network, before, ...(await slotsBefore(run.pool, slots, network, before)) };
    if (what.rows === 0) run.tell({ ...what, state: 'nothing' });
    else if (run.dryRun) run.tell({ ...what, state: 'would drop' });
    else await told(run, what, () => droppedSlots(run, slots, what, { datasets: locks, of: [network] }));
  }
  if (!any && !run.stop.aborted) run.tell({ ...about, state: 'nothing' });
}

async function droppedSlots(
  run: Run,
  slots: SlotTable,
  what: Told & { network: Network; before: string },
  locks: Locks,
): Promise<number> {
  const began = performance.now();
  let [rows, toldAt] = [0, began];
  for (let dropped = -1; dropped !== 0 && !run.stop.aborted; rows += dropped) {
    try {
      dropped = await locked(run, what, locks, (client) =>
        dropSlots(client, slots, what.network, what.before),
      );
    } catch (error) {
      if (error instanceof Stopped && rows > 0) return rows;
      const seconds = Math.round(performance.now() - began) / 1000;
      if (rows > 0) run.tell({ ...what, rows, state: 'dropped', seconds });
      throw error;
    }
    const now = performance.now();
    if (now - toldAt < (run.tellAfterMs ?? TELL_AFTER_MS)) continue;
    toldAt = now;
    run.tell({ ...what, rows: rows + dropped, state: 'dropping', seconds: Math.round(now - began) / 1000 });
  }
  return rows;
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

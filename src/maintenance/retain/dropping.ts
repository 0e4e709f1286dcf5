import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import type { Ages, Retainable } from '../../config/ages.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { DAY_MS } from '../../kernel/time.ts';
import type { StoredPart } from './needed.ts';
import { isGone, RefusedPart, type RetainedNetwork } from './parts.ts';
import { whyUndroppable } from './undroppable.ts';

export type RetainOptions = {
  ages: Ages;
  dryRun: boolean;
  now?: Date;
  /** Readers wait at most `lockTimeoutMs` for each attempt to drop a part. */
  lockTimeoutMs?: number;
  pauseMs?: number;
  attempts?: number;
  tellAfterMs?: number;
  /** A folder for months of days of validators, which are then not lost. */
  archive?: string;
  /** Drop days of validators even if older ones are archived; otherwise this is refused. */
  dropsDays?: boolean;
};

/** `from` and `before` are dates; `rows` of a part is an estimate of PostgreSQL. */
export type RetainReport = {
  dataset: Retainable;
  table: string;
  part?: string;
  network?: RetainedNetwork;
  from?: string | undefined;
  before?: string | undefined;
  rows: number;
  bytes: number;
  state: Done | 'would refuse' | 'nothing' | 'held' | 'gone' | Unfinished | Undropped;
  error?: string;
  /** The files of an archived month. */
  files?: { file: string; rows: number; bytes: number }[];
  /** What is done with a month that is being archived. */
  step?: string;
  seconds: number;
};

/** `waiting` for writers, `in use` by readers. */
type Unfinished = 'waiting' | 'in use' | 'dropping' | 'archiving';
type Done = 'dropped' | 'would drop' | 'archived' | 'would archive';
/** `passed`: skipped, because another process was dropping data. */
export type Undropped = 'refused' | 'failed' | 'passed';

export type ReportHead = Omit<RetainReport, 'seconds' | 'state' | 'error'>;
export type Run = RetainOptions & {
  pool: Pool;
  tell: (report: RetainReport) => void;
  stop: AbortSignal;
};

const TELL_AFTER_MS = 10_000;
export const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

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
  what: ReportHead,
  { datasets, of }: Locks,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  return transaction(run.pool, async (client) => {
    const { rows } = await client.query(
      `/* lockRetain */ select pg_try_advisory_xact_lock(hashtext('stakegraph retain')) as taken`,
    );
    if (!rows[0].taken) throw new Passed('another process is dropping data');
    const ms = run.tellAfterMs ?? TELL_AFTER_MS;
    const waiting = setTimeout(() => run.tell({ ...what, state: 'waiting', seconds: ms / 1000 }), ms);
    await lockWriters(client, datasets, of).finally(() => clearTimeout(waiting));
    if (run.stop.aborted) throw new Stopped();
    return work(client);
  });
}

/** Lock not available, and deadlock. */
export const inUse = ['55P03', '40P01'];
class InUse extends Error {}

export async function attempted(
  run: Run,
  what: ReportHead,
  locks: Locks,
  drop: (client: pg.ClientBase) => Promise<void>,
): Promise<Partial<RetainReport>> {
  const { attempts = 120, pauseMs = 5_000, tellAfterMs = TELL_AFTER_MS } = run;
  const began = performance.now();
  let isReported = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await locked(run, what, locks, (client) =>
        drop(client).catch((error) => {
          throw inUse.includes(error.code) ? new InUse() : error;
        }),
      );
      return {};
    } catch (error) {
      if (!(error instanceof InUse)) throw error;
      if (run.stop.aborted) throw new Stopped();
      if (attempt >= attempts)
        throw new Error(`it was in use at each of ${attempt} attempts: try again later.`);
    }
    const waited = performance.now() - began;
    if (!isReported && waited >= tellAfterMs) {
      isReported = true;
      run.tell({ ...what, state: 'in use', seconds: Math.round(waited / 1000) });
    }
    await sleep(pauseMs, undefined, { signal: run.stop }).catch(() => undefined);
  }
}

/**
 * Repeats `step`, each time in a transaction of its own, until it returns 0 rows. Returns the rows of all steps. Tells the
 * rows so far from time to time, and before it throws.
 */
export async function dropInSteps(
  run: Run,
  what: ReportHead,
  locks: Locks,
  step: (client: pg.ClientBase, isFirst: boolean) => Promise<number>,
): Promise<number> {
  const began = performance.now();
  const seconds = () => Math.round(performance.now() - began) / 1000;
  let [rows, reportedAt] = [0, began];
  for (let dropped = -1; dropped !== 0 && !run.stop.aborted; rows += dropped) {
    try {
      dropped = await locked(run, what, locks, (client) => step(client, dropped < 0));
    } catch (error) {
      if (error instanceof Stopped && rows > 0) return rows;
      if (rows > 0) run.tell({ ...what, rows, state: 'dropped', seconds: seconds() });
      throw error;
    }
    const now = performance.now();
    if (now - reportedAt < (run.tellAfterMs ?? TELL_AFTER_MS)) continue;
    reportedAt = now;
    run.tell({ ...what, rows: rows + dropped, state: 'dropping', seconds: seconds() });
  }
  return rows;
}

const messageOf = ({ message, detail }: Error & { detail?: string }) =>
  detail ? `${message}: ${detail.replaceAll('\n', '; ')}` : message;

/** Returns the state if not dropped. */
export async function reporting(
  run: Run,
  what: ReportHead,
  drop: () => Promise<Partial<RetainReport>>,
): Promise<Undropped | undefined> {
  const began = performance.now();
  const tell = (more: Pick<RetainReport, 'state'> & Partial<RetainReport>) =>
    run.tell({ ...what, ...more, seconds: Math.round(performance.now() - began) / 1000 });
  try {
    tell({ state: 'dropped', ...(await drop()) });
    return undefined;
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    if (isGone(error)) {
      tell({ state: 'gone' });
      return undefined;
    }
    const state = error instanceof Passed ? 'passed' : error instanceof RefusedPart ? 'refused' : 'failed';
    tell({ state, error: messageOf(error as Error) });
    return state;
  }
}

async function planned(
  run: Run,
  part: StoredPart,
  whyNeeded: WhyNeeded | undefined,
  would: RetainReport['state'],
): Promise<Pick<RetainReport, 'state' | 'error'>> {
  try {
    const error = await transaction(
      run.pool,
      async (client) => (await whyNeeded?.(client, part)) ?? whyUndroppable(client, part),
    );
    return error ? { state: 'would refuse', error } : { state: would };
  } catch (error) {
    if (isGone(error)) return { state: 'gone' };
    throw error;
  }
}

type WhyNeeded = (client: pg.ClientBase, part: StoredPart) => Promise<string | undefined>;

/** A part that is not dropped keeps the later ones. `old` is in order. */
export async function dropInOrder(
  run: Run,
  { dataset, table }: Pick<ReportHead, 'dataset' | 'table'>,
  old: readonly StoredPart[],
  {
    whyNeeded,
    would = 'would drop',
    drop,
  }: {
    whyNeeded?: WhyNeeded | undefined;
    would?: RetainReport['state'];
    drop(part: StoredPart, what: ReportHead): Promise<Partial<RetainReport>>;
  },
): Promise<void> {
  let stuck: { part: string; state: Undropped | 'would refuse' } | undefined;
  for (const part of old) {
    if (run.stop.aborted) return;
    const what = { dataset, table, ...part };
    if (stuck) {
      const { state } = stuck;
      const error = `${stuck.part} is older and ${run.dryRun ? 'would not be' : 'was not'} dropped`;
      run.tell({ ...what, state: state === 'failed' ? 'refused' : state, error, seconds: 0 });
    } else if (run.dryRun) {
      const plan = await planned(run, part, whyNeeded, would);
      run.tell({ ...what, ...plan, seconds: 0 });
      if (plan.error) stuck = { part: part.part, state: 'would refuse' };
    } else {
      const state = await reporting(run, what, () => drop(part, what));
      if (state) stuck = { part: part.part, state };
    }
  }
}

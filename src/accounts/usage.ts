import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { serialize } from '../kernel/serialize.ts';
import {
  addUsage,
  type Count,
  type Counts,
  forgetBatches,
  type Total,
  usageTotals,
} from './usage-queries.ts';

/** A UTC month with a name like `2026-11`. */
type Month = { name: string; from: number; to: number; next: string };
let last: Month = { name: '', from: 0, to: 0, next: '' };

export function monthAt(now: Date): Month {
  const at = now.getTime();
  if (at < last.from || at >= last.to) {
    const [from, to] = [0, 1].map((later) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)) as [
      number,
      number,
    ];
    const next = `${new Date(to).toISOString().slice(0, 19)}Z`;
    last = { name: now.toISOString().slice(0, 7), from, to, next };
  }
  return last;
}

type Known = { month: string; inMonth: Count; life: Count };

const nothing: Count = { units: 0, requests: 0 };
const sum = (...counts: (Count | undefined)[]): Count => {
  const total = { ...nothing };
  for (const count of counts) {
    total.units += count?.units ?? 0;
    total.requests += count?.requests ?? 0;
  }
  return total;
};

type Batch = { id: string; counts: Counts };

export type UsageCounts = {
  add(accountId: string, units: number, at: Date, requests?: number): void;
  used(accountId: string, period: 'month' | 'life', at: Date): Count;
  /** Returns the same batch until `written` is called, or undefined without new usage. */
  batch(): Batch | undefined;
  more(): boolean;
  written(): void;
  learn(month: string, totals: readonly Total[]): void;
};

export function usageCounts(): UsageCounts {
  const known = new Map<string, Known>();
  let pending: Counts = new Map();
  let sending: Batch | undefined;

  const unwritten = (accountId: string, month?: string): Count =>
    sum(
      ...[pending, ...(sending ? [sending.counts] : [])].flatMap((counts) =>
        month
          ? [counts.get(month)?.get(accountId)]
          : [...counts.values()].map((accounts) => accounts.get(accountId)),
      ),
    );

  /** Adds written counts to known totals, because totals may be reread much later. */
  function settle(counts: Counts) {
    for (const [month, accounts] of counts) {
      for (const [accountId, count] of accounts) {
        const before = known.get(accountId) ?? { month, inMonth: nothing, life: nothing };
        const later = month > before.month;
        const inMonth = later ? count : month === before.month ? sum(before.inMonth, count) : before.inMonth;
        known.set(accountId, {
          month: later ? month : before.month,
          inMonth,
          life: sum(before.life, count),
        });
      }
    }
  }

  return {
    add(accountId, units, at, requests = 1) {
      const month = monthAt(at).name;
      let accounts = pending.get(month);
      if (!accounts) pending.set(month, (accounts = new Map()));
      const count = accounts.get(accountId);
      if (count) {
        count.units += units;
        count.requests += requests;
      } else accounts.set(accountId, { units, requests });
    },
    used(accountId, period, at) {
      const stored = known.get(accountId);
      if (period === 'life') return sum(stored?.life, unwritten(accountId));
      const month = monthAt(at).name;
      return sum(stored?.month === month ? stored.inMonth : undefined, unwritten(accountId, month));
    },
    batch() {
      if (!sending && pending.size > 0) {
        sending = { id: randomUUID(), counts: pending };
        pending = new Map();
      }
      return sending;
    },
    more: () => pending.size > 0,
    written() {
      if (sending) settle(sending.counts);
      sending = undefined;
    },
    learn(month, totals) {
      for (const total of totals) {
        known.set(total.accountId, {
          month,
          inMonth: { units: total.monthUnits, requests: total.monthRequests },
          life: { units: total.lifeUnits, requests: total.lifeRequests },
        });
      }
    },
  };
}

/** A crash loses at most the usage of this time. */
const FLUSH_MS = 2_000;
/**
 * A read returns accounts that changed within this time. It returns all accounts if the previous read is older than
 * half of this time.
 */
const CHANGED_SECONDS = 60;
const FORGET_MS = 3_600_000;

export type Usage = Pick<UsageCounts, 'add' | 'used'> & {
  /** Also reads the usage of all gateways. Never throws; unwritten usage stays queued. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Resends a batch of unknown outcome under the same id, because the database counts each id once. */
export async function openUsage(options: {
  db: Queryable;
  log: Logger;
  now: () => Date;
  /** Receives the totals over all gateways, for the accounts in the written batch. */
  onTotals?: (month: string, totals: Total[]) => void;
}): Promise<Usage> {
  const { db, log, now } = options;
  const counts = usageCounts();
  let readAt = Number.NEGATIVE_INFINITY;
  let forgotAt = performance.now();

  async function write(): Promise<Counts | undefined> {
    const batch = counts.batch();
    if (!batch) return undefined;
    await withDeadline(addUsage(db, batch.id, batch.counts));
    counts.written();
    return batch.counts;
  }

  async function readTotals(written: Counts | undefined) {
    const month = monthAt(now()).name;
    const started = performance.now();
    const all = started - readAt > (CHANGED_SECONDS * 1000) / 2;
    const totals = await withDeadline(usageTotals(db, month, all ? null : CHANGED_SECONDS));
    counts.learn(month, totals);
    readAt = started;
    const mine = written?.get(month);
    if (mine)
      options.onTotals?.(
        month,
        totals.filter(({ accountId }) => mine.has(accountId)),
      );
  }

  async function run() {
    try {
      await readTotals(await write());
      if (performance.now() - forgotAt > FORGET_MS) {
        forgotAt = performance.now();
        await withDeadline(forgetBatches(db));
      }
    } catch (error) {
      log.warn({ err: error }, 'usage could not be written or read; unwritten usage stays queued');
    }
  }

  // Flushes run one at a time, so no batch gets two ids.
  const { run: flush } = serialize(run);
  await flush();
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    add: counts.add,
    used: counts.used,
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      if (counts.more()) await flush();
    },
  };
}

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { type Count, monthOf } from './allowance.ts';
import { addUsage, type Counts, forgetBatches, type Total, usageTotals } from './usage-queries.ts';

/** A crash loses no more than what was used in this time. */
const FLUSH_MS = 2_000;
/** Totals are read of accounts that changed lately; of all when the last reading is older than half of that. */
const CHANGED_SECONDS = 60;
const FORGET_MS = 3_600_000;

export type Usage = {
  /** Counts a request and what it cost. */
  add(accountId: string, units: number, now: Date): void;
  /** What the account used in this month or its life, as far as it is known here. */
  used(accountId: string, period: 'month' | 'life', now: Date): Count;
  /** Writes what was gathered and reads what all replicas wrote. Never throws: what could not be written is kept. */
  flush(): Promise<void>;
  /** Flushes for the last time. */
  stop(): Promise<void>;
};

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

/**
 * Usage in memory: a request adds to a number, and every two seconds what was added goes to the database in one
 * statement. A batch whose fate is not known is sent again under its own id, which the database counts once.
 */
export async function openUsage(options: {
  db: Queryable;
  log: Logger;
  now: () => Date;
  /** Told what all replicas wrote together, in that month, of the accounts in a batch, when it is known. */
  onTotals?: (month: string, totals: Total[]) => void;
}): Promise<Usage> {
  const { db, log, now } = options;
  const known = new Map<string, Known>();
  let pending: Counts = new Map();
  let sending: { id: string; counts: Counts } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let forgotAt = performance.now();

  /** What is not written yet, of one month or of all. */
  const unwritten = (accountId: string, month?: string): Count =>
    sum(
      ...[pending, sending?.counts ?? new Map<string, Map<string, Count>>()].flatMap((counts) =>
        month
          ? [counts.get(month)?.get(accountId)]
          : [...counts.values()].map((accounts) => accounts.get(accountId)),
      ),
    );

  /** What was written is known, even when the totals cannot be read. */
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

  async function write(): Promise<Counts | undefined> {
    if (!sending && pending.size > 0) {
      sending = { id: randomUUID(), counts: pending };
      pending = new Map();
    }
    if (!sending) return undefined;
    const { id, counts } = sending;
    await withDeadline(addUsage(db, id, counts));
    settle(counts);
    sending = undefined;
    return counts;
  }

  async function readTotals(written: Counts | undefined) {
    const month = monthOf(now());
    const started = performance.now();
    const all = started - readAt > (CHANGED_SECONDS * 1000) / 2;
    const totals = await withDeadline(usageTotals(db, month, all ? null : CHANGED_SECONDS));
    for (const total of totals) {
      known.set(total.accountId, {
        month,
        inMonth: { units: total.monthUnits, requests: total.monthRequests },
        life: { units: total.lifeUnits, requests: total.lifeRequests },
      });
    }
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
      log.warn({ err: error }, 'usage could not be written or read; it is kept and sent again');
    }
  }

  // One after the other: two at once would send a batch under two ids.
  let running = Promise.resolve();
  let busy = false;
  const flush = () =>
    (running = running.then(async () => {
      busy = true;
      await run();
      busy = false;
    }));
  await flush();
  const timer = setInterval(() => busy || void flush(), FLUSH_MS).unref();

  return {
    add(accountId, units, at) {
      const month = monthOf(at);
      let accounts = pending.get(month);
      if (!accounts) pending.set(month, (accounts = new Map()));
      const count = accounts.get(accountId);
      if (count) {
        count.units += units;
        count.requests += 1;
      } else accounts.set(accountId, { units, requests: 1 });
    },
    used(accountId, period, at) {
      const stored = known.get(accountId);
      if (period === 'life') return sum(stored?.life, unwritten(accountId));
      const month = monthOf(at);
      return sum(stored?.month === month ? stored.inMonth : undefined, unwritten(accountId, month));
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      // A batch whose fate was unknown was sent again; what came after it has not been sent yet.
      if (pending.size > 0) await flush();
    },
  };
}

import type { Logger } from 'pino';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { serialize } from '../kernel/serialize.ts';
import { monthOf } from './allowance.ts';
import { type UsageCounts, usageCounts } from './usage-counts.ts';
import { addUsage, type Counts, forgetBatches, type Total, usageTotals } from './usage-queries.ts';

/** A crash loses no more than what was used in this time. */
const FLUSH_MS = 2_000;
/** Totals are read of accounts that changed lately; of all when the last reading is older than half of that. */
const CHANGED_SECONDS = 60;
const FORGET_MS = 3_600_000;

export type Usage = Pick<UsageCounts, 'add' | 'used'> & {
  /** Writes what was gathered and reads what all replicas wrote. Never throws: what could not be written is kept. */
  flush(): Promise<void>;
  /** Flushes for the last time. */
  stop(): Promise<void>;
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
    const month = monthOf(now());
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
      log.warn({ err: error }, 'usage could not be written or read; it is kept and sent again');
    }
  }

  // Two at once would send a batch under two ids.
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
      // A batch whose fate was unknown was sent again; what came after it has not been sent yet.
      if (counts.more()) await flush();
    },
  };
}

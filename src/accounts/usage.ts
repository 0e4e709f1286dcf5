import type { Logger } from 'pino';
import type { Queryable } from '../db/pool.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { serialize } from '../kernel/serialize.ts';
import { monthOf } from './allowance.ts';
import { type UsageCounts, usageCounts } from './usage-counts.ts';
import { addUsage, type Counts, forgetBatches, type Total, usageTotals } from './usage-queries.ts';

/** A crash loses the usage of at most this time. */
const FLUSH_MS = 2_000;
/** Reads only totals that changed within this time, or all if the last read is older than half of it. */
const CHANGED_SECONDS = 60;
const FORGET_MS = 3_600_000;

export type Usage = Pick<UsageCounts, 'add' | 'used'> & {
  /** Writes this process's usage and reads that of all replicas. Never throws; unwritten usage stays queued. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Writes usage every two seconds in one statement. Resends a batch of unknown outcome under the same id, which the
 * database counts once.
 */
export async function openUsage(options: {
  db: Queryable;
  log: Logger;
  now: () => Date;
  /** Receives totals over all replicas, for the accounts of the written batch. */
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
      log.warn({ err: error }, 'usage could not be written or read; unwritten usage stays queued');
    }
  }

  // Runs one flush at a time, so no batch gets two ids.
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
      // The first flush may have resent an older batch.
      if (counts.more()) await flush();
    },
  };
}

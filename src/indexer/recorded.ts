import type { Network } from '../chain/networks.ts';
import { recordRun } from '../db/job-runs.ts';
import type { Pool } from '../db/pool.ts';

/** An index that catches up stores many epochs a second. */
const MIN_INTERVAL_MS = 60_000;

/** Records runs of the jobs `index` and `publish`. The rows of `index` are epochs. */
export function recordedJobs(pool: Pool, network: Network, onError: (error: Error) => void) {
  let startedAt = new Date();
  let epochs = 0;
  let recordedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<unknown> = Promise.resolve();
  const record = (run: Omit<Parameters<typeof recordRun>[1], 'network'>) => {
    last = last.then(() => recordRun(pool, { ...run, network }, onError));
  };
  const recordIndex = (outcome: 'success' | 'failure') => {
    record({ job: 'index', startedAt, outcome, rows: epochs });
    startedAt = new Date();
    epochs = 0;
    recordedAt = performance.now();
  };
  return {
    stored() {
      epochs += 1;
      if (performance.now() - recordedAt >= MIN_INTERVAL_MS) recordIndex('success');
    },
    failed: () => recordIndex('failure'),
    published(failures: readonly string[], ms: number) {
      const outcome = failures.length > 0 ? 'failure' : 'success';
      record({ job: 'publish', startedAt: new Date(Date.now() - ms), outcome, rows: 0 });
    },
    /** Waits for the records. */
    done: () => last,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../pool.ts';
import { isDistributed, LayoutError } from './layout.ts';

const preparedOnWorker = String.raw`select coalesce(string_agg(gid, ','), '') from pg_prepared_xacts
  where database = current_database() and gid like 'citus\_0\_%'`;

/**
 * Workers that have prepared a transaction which the coordinator has committed, and have not committed it yet. Usually
 * they do so within milliseconds; after a crash, within `citus.recover_2pc_interval`. Until then they lack its rows.
 */
async function uncommitted(db: Queryable): Promise<string[]> {
  const { rows } = await db.query({
    text: `/* preparedOnWorkers */ select nodename || ':' || nodeport as worker, success, result from run_command_on_workers($1)`,
    values: [preparedOnWorker],
  });
  const answers = rows as { worker: string; success: boolean; result: string }[];
  const broken = answers.find(({ success }) => !success);
  if (broken) throw new LayoutError(`The worker ${broken.worker} of Citus does not answer: ${broken.result}`);
  const prepared = answers.filter(({ result }) => result !== '');
  if (prepared.length === 0) return [];
  const { rows: committed } = await db.query({
    text: '/* committedHere */ select gid from pg_dist_transaction where gid = any($1::text[])',
    values: [prepared.flatMap(({ result }) => result.split(','))],
  });
  const gids = committed.map(({ gid }) => String(gid));
  return prepared
    .filter(({ result }) => result.split(',').some((gid) => gids.includes(gid)))
    .map(({ worker }) => worker);
}

/** Longer than `citus.recover_2pc_interval`, which is a minute by default. */
const RECOVERY_MS = 75_000;
const FIRST_WAIT_MS = 10;
const MOST_WAIT_MS = 1_000;

/**
 * Tries `attempt` with a function that tells whether all workers have committed, until one returns a value. `attempt`
 * may hold writers back meanwhile. Throws LayoutError if a worker does not answer or has not committed after 75 s.
 */
export async function onceCommitted<T>(
  attempt: (areCommitted: (db: Queryable) => Promise<boolean>) => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + RECOVERY_MS;
  let workers: string[] = [];
  const areCommitted = async (db: Queryable) => {
    workers = await uncommitted(db);
    return workers.length === 0;
  };
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MOST_WAIT_MS)) {
    const made = await attempt(areCommitted);
    if (made !== undefined) return made;
    if (performance.now() > deadline) break;
    await sleep(wait);
  }
  throw new LayoutError(
    `A transaction is prepared and not committed on ${workers.join(', ')}. Citus commits it within citus.recover_2pc_interval: try again then, or run "select recover_prepared_transactions()" on the coordinator as a superuser.`,
  );
}

/** Waits until the workers have the rows of all transactions that `db` sees. Throws as `onceCommitted`. */
export async function waitForCommitOnAllNodes(db: Queryable): Promise<void> {
  if (isDistributed()) await onceCommitted(async (areCommitted) => (await areCommitted(db)) || undefined);
}

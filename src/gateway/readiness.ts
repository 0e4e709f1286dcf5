import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { epochStart, SECONDS_PER_DAY } from '../chain/calendar.ts';
import { HistoryError, namesOf, pendingOf } from '../db/migrate/index.ts';
import type { Database } from '../db/open/index.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { ServerFault } from '../db/replicas/replica.ts';
import type { Indexed, Readiness } from '../http/metrics/health.ts';
import { forkText, isKnownFork, lastEpochBefore } from '../indexer/forks.ts';
import { behindSeconds, type IndexStatus } from '../indexer/status.ts';
import { indexedNetworks } from '../indexer/store/index.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { recent } from '../kernel/recent.ts';
import { Refusal } from '../kernel/refusal.ts';
import { timestampText } from '../kernel/time.ts';
import { type StorageWatch, storageWatch } from './storage.ts';

const READINESS_MS = 1_000;
const PATIENCE_MS = 500;
const FORK_DAYS = 7;

async function pendingRead(db: Queryable): Promise<string[]> {
  await db.query({ text: '/* readiness */ select 1 from datasets limit 1', values: [] });
  return pendingOf(db);
}

async function isStandby(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    text: '/* isStandby */ select pg_is_in_recovery() as standby',
    values: [],
  });
  return rows[0]?.standby === true;
}

/** `reason` is set if an index stops soon. */
async function indexOf(
  db: Queryable,
  own: IndexStatus | undefined,
): Promise<{ index: Indexed[]; reason: string | undefined }> {
  const now = new Date();
  let reason: string | undefined;
  const index = (await indexedNetworks(db)).map(({ network, epoch, forks, missing }): Indexed => {
    // `own.network` is undefined until a node responds.
    const ownProblem = own && (own.network ?? network) === network ? own.problem : undefined;
    const fork = forks.find(({ name }) => !isKnownFork(name));
    const isNear =
      fork && epochStart(network, fork.epoch) < now.getTime() / 1000 + FORK_DAYS * SECONDS_PER_DAY;
    if (isNear)
      reason ??= `figures end with epoch ${lastEpochBefore(fork)}, because this version does not know ${forkText(network, fork)}; update stakegraph`;
    const problem = ownProblem ?? (isNear ? 'unknown-fork' : undefined);
    return {
      ...{ network, indexedEpoch: epoch, behindSeconds: behindSeconds(network, epoch, now) },
      ...(fork && {
        unknownFork: {
          ...fork,
          time: timestampText(epochStart(network, fork.epoch)),
          lastEpoch: lastEpochBefore(fork),
        },
      }),
      ...(missing.length > 0 && { missing }),
      ...(problem !== undefined && { problem }),
    };
  });
  return { index, reason };
}

/** Omits details, which go to the log. */
function notReady(error: unknown): string {
  if (error instanceof HistoryError) return error.message;
  return (error as { code?: string }).code && !(error instanceof Refusal)
    ? 'the database cannot be read'
    : 'the database does not answer';
}

/** While a slow primary is asked, reports the last result, because load balancers wait only a second or two. */
function primaryFault(
  primary: Pool,
  storage: StorageWatch,
): () => Promise<{ fault: ServerFault | undefined; wasWritable: boolean }> {
  let fault: ServerFault | undefined;
  let wasWritable = false;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    const gone = (err: unknown) => ({ reason: 'the database of DATABASE_URL does not answer', err });
    fault = await withDeadline(isStandby(primary)).then(
      (standby) => (standby ? { reason: 'the database of DATABASE_URL is a standby' } : undefined),
      gone,
    );
    // Even on a full disk, the URL is right.
    wasWritable ||= fault === undefined;
    fault ??= await withDeadline(storage.fault(primary)).catch(gone);
  };
  return async () => {
    asking ??= ask().finally(() => (asking = undefined));
    await (wasWritable ? Promise.race([asking, sleep(PATIENCE_MS, undefined, { ref: false })]) : asking);
    return { fault, wasWritable };
  };
}

/** Logs only changes: load balancers ask all the time. */
function changeLog(log: Logger) {
  let last = '';
  return ({ ready, writes, reason }: Readiness, err: unknown) => {
    const state = `${ready} ${writes} ${reason}`;
    if (state === last) return;
    const isFirst = last === '';
    last = state;
    if (!ready) log.warn({ reason, err }, 'not ready');
    else if (writes === false) log.warn({ reason, err }, 'degraded: reads work, writes do not');
    else if (reason !== undefined) log.warn({ reason }, 'degraded: the index must be updated');
    else if (!isFirst) log.info('ready: reads and writes work');
  };
}

/**
 * Is ready as long as reads work. Until the primary could be written once, it is not: DATABASE_URL may be wrong, and a
 * rollout must stop then. `own` is the index in this process; `storage` knows of the errors of all pools.
 */
export function readinessOf(
  database: Pick<Database, 'read' | 'primary'>,
  log: Logger,
  own?: IndexStatus,
  storage = storageWatch(),
): () => Promise<Readiness> {
  const faultOfPrimary = primaryFault(database.primary, storage);
  const note = changeLog(log);
  const noted = (found: Readiness, err?: unknown) => {
    note(found, err);
    return found;
  };
  return recent(READINESS_MS, async () => {
    try {
      const [pending, { fault, wasWritable }] = await Promise.all([
        withDeadline(pendingRead(database.read)),
        faultOfPrimary(),
      ]);
      if (pending.length > 0)
        return noted({ ready: false, reason: `the database lacks ${namesOf(pending)}` });
      if (fault && !wasWritable) return noted({ ready: false, reason: fault.reason }, fault.err);
      const { index, reason } = await withDeadline(indexOf(database.read, own));
      const found = { ready: true, ...(index.length > 0 && { index }) };
      if (!fault) return noted({ ...found, ...(reason !== undefined && { reason }) });
      return noted({ ...found, writes: false, reason: fault.reason }, fault.err);
    } catch (err) {
      return noted({ ready: false, reason: notReady(err) }, err);
    }
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HistoryError, namesOf, pendingOf } from '../db/migrate.ts';
import type { Database } from '../db/open.ts';
import type { Queryable } from '../db/pool.ts';
import type { ServerFault } from '../db/replicas/replica.ts';
import type { Indexed, Readiness } from '../http/health.ts';
import { behindSeconds, type IndexStatus } from '../indexer/status.ts';
import { indexedEpochs } from '../indexer/store/index.ts';
import { withDeadline } from '../kernel/deadline.ts';
import { recent } from '../kernel/recent.ts';
import { Refusal } from '../kernel/refusal.ts';

const READINESS_MS = 1_000;
const PATIENCE_MS = 500;

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

async function indexOf(db: Queryable, own: IndexStatus | undefined): Promise<Indexed[]> {
  return (await indexedEpochs(db)).map(({ network, epoch }) => {
    // `own.network` is undefined until a node responds.
    const problem = own && (own.network ?? network) === network ? own.problem : undefined;
    return {
      ...{ network, indexedEpoch: epoch, behindSeconds: behindSeconds(network, epoch, new Date()) },
      ...(problem !== undefined && { problem }),
    };
  });
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
  primary: Queryable,
): () => Promise<{ fault: ServerFault | undefined; wasWritable: boolean }> {
  let fault: ServerFault | undefined;
  let wasWritable = false;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    fault = await withDeadline(isStandby(primary)).then(
      (standby) => (standby ? { reason: 'the database of DATABASE_URL is a standby' } : undefined),
      (err) => ({ reason: 'the database of DATABASE_URL does not answer', err }),
    );
    wasWritable ||= fault === undefined;
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
    else if (!isFirst) log.info('ready: reads and writes work');
  };
}

/**
 * Is ready as long as reads work. Until the primary could be written once, it is not: DATABASE_URL may be wrong, and a
 * rollout must stop then. `own` is the index in this process.
 */
export function readinessOf(
  database: Pick<Database, 'read' | 'primary'>,
  log: Logger,
  own?: IndexStatus,
): () => Promise<Readiness> {
  const faultOfPrimary = primaryFault(database.primary);
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
      const index = await withDeadline(indexOf(database.read, own));
      const found = { ready: true, ...(index.length > 0 && { index }) };
      if (!fault) return noted(found);
      return noted({ ...found, writes: false, reason: fault.reason }, fault.err);
    } catch (err) {
      return noted({ ready: false, reason: notReady(err) }, err);
    }
  });
}

import type { Logger } from 'pino';
import { HistoryError, pendingOf } from './db/migrate.ts';
import type { Database } from './db/open.ts';
import type { Queryable } from './db/pool.ts';
import type { Indexed, Readiness } from './http/health.ts';
import { behindSeconds, type IndexStatus } from './indexer/status.ts';
import { indexedEpochs } from './indexer/store/index.ts';
import { withDeadline } from './kernel/deadline.ts';
import { recent } from './kernel/recent.ts';
import { Refusal } from './kernel/refusal.ts';

const READINESS_MS = 1_000;

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

/** `own` is the index in this process. */
export function readinessOf(
  database: Pick<Database, 'read' | 'primary'>,
  log: Logger,
  own?: IndexStatus,
): () => Promise<Readiness> {
  return recent(READINESS_MS, async () => {
    try {
      const [pending, standby] = await withDeadline(
        Promise.all([pendingRead(database.read), isStandby(database.primary)]),
      );
      if (pending.length > 0) return { ready: false, reason: `the database lacks ${pending.join(', ')}` };
      if (standby) return { ready: false, reason: 'the database of DATABASE_URL is a standby' };
      const index = await withDeadline(indexOf(database.read, own));
      return { ready: true, ...(index.length > 0 && { index }) };
    } catch (error) {
      log.warn({ err: error }, 'not ready');
      return { ready: false, reason: notReady(error) };
    }
  });
}

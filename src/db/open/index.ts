import { setTimeout as sleep } from 'node:timers/promises';
import { type Settings, statementsOfAccount } from '../../config/index.ts';
import { isDisconnected, isTransient, READ_ONLY } from '../connection.ts';
import { openLayout, refuseDistributed, useLayout } from '../distributed/layout.ts';
import type { Embedded } from '../embedded/index.ts';
import { migrate, namesOf, pendingMigrations } from '../migrate/index.ts';
import { createPool, type Pool, type Queryable } from '../pool.ts';
import { type ReadServers, readServers } from '../replicas/read-servers.ts';
import { Replica } from '../replicas/replica.ts';
import { targetOf } from '../servers.ts';
import { checkPrimarySessions, checkReplicaSessions } from './serving.ts';

export type Database = {
  url: string;
  embedded: Embedded | undefined;
  read: Pool;
  revisions: Queryable;
  replicas: Omit<ReadServers, 'pool' | 'revisions'> | undefined;
  write: Pool;
  /** Like `write`, but with the timeout of reads. */
  primary: Pool;
  applied: string[];
  close(): Promise<void>;
};

/** For what the gateway writes about usage and tokens. Commands have no timeout. */
const OWN_TIMEOUT_MS = 10_000;

/** Connections to the primary for requests, and how many of them one account can use at a time. */
const PRIMARY_POOL = 5;
const PRIMARY_OF_ACCOUNT = 3;

type Options = {
  migrate?: boolean;
  writers?: number;
  serves?: boolean;
  /** See `migrate`. */
  say?: (message: string) => void;
  isStopped?: () => boolean;
};

/** If a connection was lost because the embedded server ended, the error that says so; it comes a moment later. */
export const causeOf = async (error: unknown, embedded: Embedded): Promise<unknown> =>
  isDisconnected(error) ? Promise.race([embedded.ended, sleep(5_000, error)]) : error;

export async function openDatabase(
  settings: Settings,
  onError: (error: Error) => void,
  options: Options = {},
): Promise<Database> {
  const embedded = settings.DATABASE_URL
    ? undefined
    : await (await import('../embedded/index.ts')).startEmbedded({ dataDir: settings.DATA_DIR });
  try {
    const url = (settings.DATABASE_URL ?? embedded?.url) as string;
    if (!embedded) await checkPrimarySessions(url);
    const applied = (options.migrate ?? settings.MIGRATE) ? await migrate(url, undefined, options) : [];
    const pending = await pendingMigrations(url);
    if (pending.length > 0) {
      throw new Error(
        `The database lacks ${namesOf(pending)}; run "stakegraph migrate"${options.migrate === undefined ? ' or set MIGRATE=on' : ''}.`,
      );
    }
    const { read, revisions, replicas } = await openReaders(settings, url, onError);
    const write = createPool({
      url,
      readOnly: false,
      max: options.writers ?? 3,
      // loading the sample data into the embedded database takes longer
      statementTimeoutMs: options.serves && !embedded ? OWN_TIMEOUT_MS : 0,
      waitTimeoutMs: settings.WAIT_TIMEOUT_MS,
      reportsErrors: !options.serves,
      onError,
    });
    const primary = createPool({
      url,
      readOnly: false,
      max: PRIMARY_POOL,
      statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
      waitTimeoutMs: settings.WAIT_TIMEOUT_MS,
      ofAccount: PRIMARY_OF_ACCOUNT,
      onError,
    });
    const close = async () => {
      await Promise.all([read.end(), write.end(), primary.end()]);
      await embedded?.stop();
    };
    if (embedded) useLayout('plain');
    else {
      const check = async () => {
        await openLayout(primary);
        if (replicas) refuseDistributed('DATABASE_READ_URL');
        await checkReplicaSessions(replicas?.pools ?? []);
      };
      await check().catch(async (error) => {
        await close();
        throw error;
      });
    }
    return { url, embedded, read, revisions, replicas, write, primary, applied, close };
  } catch (failure) {
    const error = embedded ? await causeOf(failure, embedded) : failure;
    await embedded?.stop();
    throw embedded ? error : explainOpenError(error as NodeJS.ErrnoException);
  }
}

const NO_RIGHT = '42501';
async function openReaders(settings: Settings, primary: string, onError: (error: Error) => void) {
  const reading = (url: string) =>
    createPool({
      url,
      readOnly: true,
      max: settings.DATABASE_POOL,
      statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
      waitTimeoutMs: settings.WAIT_TIMEOUT_MS,
      ofAccount: statementsOfAccount(settings),
      prepared: settings.PREPARED_STATEMENTS,
      onError,
    });
  const { DATABASE_READ_URL: urls } = settings;
  if (urls === undefined) {
    const read = reading(primary);
    return { read, revisions: read, replicas: undefined };
  }
  // A replica that is down may become available later.
  await Promise.allSettled(urls.map((url) => targetOf(url).choose()));
  const { pool, revisions, ...replicas } = readServers({
    make: (listeners) => urls.map((url) => new Replica(url, reading(url), listeners)),
    primary: reading(primary),
    primaryUrl: primary,
  });
  return { read: pool, revisions, replicas };
}

const unusable = /^(E[A-Z_]+$|28|3D|08|57P)/;

export function explainOpenError(error: NodeJS.ErrnoException): Error {
  return unusable.test(error.code ?? '')
    ? new Error(`The database of DATABASE_URL: ${error.message}`, { cause: error })
    : writeError(error);
}

export function writeError(error: NodeJS.ErrnoException): Error {
  if (error.code === READ_ONLY)
    return new Error('The database of DATABASE_URL cannot be written: it is a standby or read-only.', {
      cause: error,
    });
  if (error.code === NO_RIGHT)
    return new Error(
      `The role of DATABASE_URL lacks a right: ${error.message}; docs/database.md has the rights that roles need.`,
      { cause: error },
    );
  return isTransient(error)
    ? new Error(`The database of DATABASE_URL: ${error.message}`, { cause: error })
    : error;
}

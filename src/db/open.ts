import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config.ts';
import { isDisconnected, isTransient, READ_ONLY } from './connection.ts';
import type { Embedded } from './embedded/index.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { createPool, type Pool, type Queryable } from './pool.ts';
import { type Replica, replicaPool } from './replica.ts';
import { targetOf } from './servers.ts';
import { checkPooling } from './serving.ts';

/** The database that the settings name, migrated; `close` ends what was opened, the embedded server last. */
export type Database = {
  url: string;
  /** The embedded server, where it is that. */
  embedded: Embedded | undefined;
  read: Pool;
  /** Reads the revisions of datasets, on the server that rows are read from. */
  revisions: Queryable;
  /** The read replica, if there is one: reads go to it while it answers. */
  replica: Replica | undefined;
  write: Pool;
  /** Writes for callers: bounded in time, as their reads are. */
  primary: Pool;
  applied: string[];
  close(): Promise<void>;
};

/** Statement timeout for what a gateway writes for itself: usage, and the last use of tokens. Commands have none. */
const OWN_TIMEOUT_MS = 10_000;

type Options = {
  migrate?: boolean;
  /** How many writers work side by side in transactions of their own. */
  writers?: number;
  /** Whether a gateway uses the database, and not a command. */
  serves?: boolean;
};

/**
 * Opens the database: the one of `DATABASE_URL`, else the embedded one, which is not even loaded otherwise. Applies
 * missing migrations, or with `MIGRATE=off` refuses a database that lacks some, by name.
 */
export async function openDatabase(
  settings: Settings,
  onError: (error: Error) => void,
  options: Options = {},
): Promise<Database> {
  const embedded = settings.DATABASE_URL
    ? undefined
    : await (await import('./embedded/index.ts')).startEmbedded({ dataDir: settings.DATA_DIR });
  try {
    const url = (settings.DATABASE_URL ?? embedded?.url) as string;
    const applied = (options.migrate ?? settings.MIGRATE) ? await migrate(url) : [];
    const pending = await pendingMigrations(url);
    if (pending.length > 0) {
      throw new Error(
        `The database lacks ${pending.join(', ')}; run "stakegraph migrate"${options.migrate === undefined ? ' or set MIGRATE=on' : ''}.`,
      );
    }
    const { read, revisions, replica } = await openReaders(settings, url, onError);
    const write = createPool({
      url,
      readOnly: false,
      max: options.writers ?? 3,
      // This pool also loads the sample data into the embedded database, which may take longer; no network can fail there.
      statementTimeoutMs: options.serves && !embedded ? OWN_TIMEOUT_MS : 0,
      reportsErrors: !options.serves,
      onError,
    });
    const primary = createPool({
      url,
      readOnly: false,
      max: 5,
      statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
      onError,
    });
    const close = async () => {
      await Promise.all([read.end(), write.end(), primary.end()]);
      await embedded?.stop();
    };
    if (!embedded) {
      await checkPooling({ read, primary, readUrl: settings.DATABASE_READ_URL }).catch(async (error) => {
        await close();
        throw error;
      });
    }
    return { url, embedded, read, revisions, replica, write, primary, applied, close };
  } catch (failure) {
    // Connections are lost a moment before a server that stops has ended, which is the reason to report.
    const stopped = embedded && isDisconnected(failure) ? [embedded.ended, sleep(5_000, failure)] : [];
    const error = stopped.length > 0 ? await Promise.race(stopped) : failure;
    await embedded?.stop();
    throw embedded ? error : urlError(error as NodeJS.ErrnoException);
  }
}

const NO_RIGHT = '42501';
/** The pool for reads: on the replica if there is one, and on the primary while the replica does not answer. */
async function openReaders(settings: Settings, primary: string, onError: (error: Error) => void) {
  const reading = (url: string) =>
    createPool({
      url,
      readOnly: true,
      max: settings.DATABASE_POOL,
      statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
      prepared: settings.PREPARED_STATEMENTS,
      onError,
    });
  const { DATABASE_READ_URL: url } = settings;
  if (url === undefined) {
    const read = reading(primary);
    return { read, revisions: read, replica: undefined };
  }
  await targetOf(url)
    .choose()
    .catch(() => undefined); // the replica may become available later
  const { pool, revisions, replica } = replicaPool(url, reading(url), reading(primary));
  return { read: pool, revisions, replica };
}

/** SQLSTATEs and codes of a server that is not there, or does not let in: refused, timed out, a wrong password or name. */
const unusable = /^(E[A-Z_]+$|28|3D|08|57P)/;

/** The same error, with the setting that leads to it. */
function urlError(error: NodeJS.ErrnoException): Error {
  return unusable.test(error.code ?? '')
    ? new Error(`The database of DATABASE_URL: ${error.message}`)
    : writeError(error);
}

/** The same of an error that came while the database was worked on: those of a file or of a service are not of it. */
export function writeError(error: NodeJS.ErrnoException): Error {
  if (error.code === READ_ONLY)
    return new Error('The database of DATABASE_URL cannot be written: it is a standby or read-only.');
  if (error.code === NO_RIGHT) return new Error(`The role of DATABASE_URL lacks a right: ${error.message}.`);
  return isTransient(error) ? new Error(`The database of DATABASE_URL: ${error.message}`) : error;
}

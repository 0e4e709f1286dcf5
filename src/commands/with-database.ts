import { resolve } from 'node:path';
import { readSettings } from '../config.ts';
import { type Database, ofWriting, openDatabase } from '../db/open.ts';

type Options = {
  /** Whether a new embedded database is made where there is none. */
  creates?: boolean;
  migrate?: boolean;
  writers?: number;
  /** At a signal the work is asked to end by itself, and left only at a second one. */
  graceful?: boolean;
};

/** Runs the work of a command on the database of the settings, and closes it at the end, also at that of a signal. */
export async function withDatabase(
  work: (database: Database, stop: AbortSignal) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const settings = readSettings();
  // Reading or writing rows must not change the schema under the gateways that serve a shared database.
  const migrate = options.migrate ?? (settings.DATABASE_URL ? false : settings.MIGRATE);
  if (!settings.DATABASE_URL && !options.creates) await checkDatabase(settings.DATA_DIR);
  const onError = (error: Error) => process.stderr.write(`stakegraph: ${error.message}\n`);
  const opening = openDatabase(settings, onError, { ...options, migrate });
  const stop = new AbortController();
  // An exit, unlike a signal, stops an embedded PostgreSQL; what was not committed is rolled back.
  const leave = () => opening.catch(() => undefined).then(() => process.exit(1));
  const steps = options.graceful ? [() => stop.abort(), leave] : [leave];
  const onSignal = () => {
    const step = steps.shift();
    if (step) void step();
    else process.exit(1); // also while a database that says nothing is being opened
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  const database = await opening;
  try {
    await work(database, stop.signal);
  } catch (error) {
    throw settings.DATABASE_URL ? ofWriting(error as NodeJS.ErrnoException) : error;
  } finally {
    await database.close();
  }
}

async function checkDatabase(dataDir: string): Promise<void> {
  const { hasCluster } = await import('../db/embedded/cluster.ts'); // not loaded with DATABASE_URL
  if (await hasCluster(dataDir)) return;
  throw new Error(
    `There is no database in ${resolve(dataDir)}: start the gateway first, or set DATA_DIR or DATABASE_URL.`,
  );
}

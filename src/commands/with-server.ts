import { resolve } from 'node:path';
import { readSettings, type Settings, SettingsError } from '../config/index.ts';
import { causeOf, explainOpenError } from '../db/open/index.ts';
import { checkPrimarySessions, PoolerError } from '../db/open/serving.ts';
import { startTracing } from './with-database.ts';

type Options = {
  command: string;
  creates: boolean;
  /** Written to stderr when a signal ends the command, which then failed unless this is undefined. */
  stopped(): string | undefined;
};

/** Starts the embedded database server, or takes that of DATABASE_URL, and calls `work` with its URL. Does not check migrations. */
export async function withDatabaseServer(
  options: Options,
  work: (url: string, settings: Settings) => Promise<void>,
): Promise<void> {
  const settings = readSettings();
  const onSignal = () => {
    const stopped = options.stopped();
    if (stopped) process.stderr.write(`${stopped}\n`);
    process.exit(stopped ? 1 : 0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  const stopTracing = await startTracing(settings);
  try {
    await withDatabaseUrl(settings, options, work);
  } finally {
    await stopTracing?.();
  }
}

async function withDatabaseUrl(
  settings: Settings,
  options: Options,
  work: (url: string, settings: Settings) => Promise<void>,
): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = settings;
  if (DATABASE_URL) {
    if (options.creates)
      throw new SettingsError('--create makes an embedded database, and DATABASE_URL is set: leave one out.');
    try {
      await checkPrimarySessions(DATABASE_URL).catch((error) => {
        if (error instanceof PoolerError) throw error;
        // `work` reports a database that is away, and may try again.
      });
      return await work(DATABASE_URL, settings);
    } catch (error) {
      throw explainOpenError(error as NodeJS.ErrnoException);
    }
  }
  const { hasCluster } = await import('../db/embedded/cluster.ts');
  if (!options.creates && !(await hasCluster(DATA_DIR))) {
    const make = options.command === 'restore' ? 'make one with --create, or ' : '';
    throw new Error(`There is no database in ${resolve(DATA_DIR)}: ${make}set DATA_DIR or DATABASE_URL.`);
  }
  const embedded = await (await import('../db/embedded/index.ts')).startEmbedded({ dataDir: DATA_DIR });
  void embedded.ended.then((error) => {
    process.stderr.write(`stakegraph: ${error.message}\n`);
    process.exit(1);
  });
  try {
    await work(embedded.url, settings);
  } catch (error) {
    throw await causeOf(error, embedded); // if the embedded server has ended, the process exits during this wait
  } finally {
    await embedded.stop();
  }
}

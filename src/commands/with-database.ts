import { readSettings } from '../config.ts';
import { type Database, openDatabase } from '../db/open.ts';

/** Runs the work of a command on the database of the settings, and closes it at the end, also at that of a signal. */
export async function withDatabase(
  work: (database: Database) => Promise<void>,
  options: {
    migrate?: boolean;
    /** Called at a first signal to stop, in place of leaving at once; a second one leaves. */
    onStop?: () => void;
  } = {},
): Promise<void> {
  const settings = readSettings();
  // Reading or writing rows must not change the schema under the gateways that serve a shared database.
  const migrate = options.migrate ?? (settings.DATABASE_URL ? false : settings.MIGRATE);
  const onError = (error: Error) => process.stderr.write(`stakegraph: ${error.message}\n`);
  const opening = openDatabase(settings, onError, { migrate });
  // An exit, unlike a signal, stops an embedded PostgreSQL; what was not committed is rolled back.
  const leave = () => opening.catch(() => undefined).then(() => process.exit(1));
  let atSignal: () => void = leave;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => atSignal());
  const database = await opening;
  const { onStop } = options;
  if (onStop) {
    atSignal = () => {
      atSignal = leave;
      onStop();
    };
  }
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

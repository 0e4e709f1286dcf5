import { resolve } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { readSettings, type Settings, SettingsError, sendsTraces } from '../config/index.ts';
import { isDisconnected, isTransient, READ_ONLY } from '../db/connection.ts';
import { type Database, openDatabase, writeError } from '../db/open/index.ts';
import { errorText } from '../diagnostics/error-text.ts';

type Options = {
  creates?: boolean;
  loads?: boolean;
  migrate?: boolean;
  writers?: number;
  /** If true, the first signal only aborts `stop`, and the second one ends the command. */
  graceful?: boolean;
  traced?: boolean;
};

const MAX_SHUTDOWN_MS = 20_000;
/** A command ends at most this much later if the collector does not answer. */
const EXPORT_MS = 2_000;

export type Signals = {
  stop: AbortSignal;
  /** Aborts when nothing more can be committed. The command then reports unfinished work. */
  leave: AbortSignal;
};

export async function withDatabase(
  work: (database: Database, signals: Signals) => Promise<void>,
  options: Options = {},
): Promise<void> {
  const settings = readSettings();
  // With DATABASE_URL, migrations are off by default, because running gateways may share the database.
  const migrate = options.migrate ?? (settings.DATABASE_URL ? false : settings.MIGRATE);
  await checkDatabase(settings, options);
  const say = (error: Error) => process.stderr.write(`stakegraph: ${errorText(error)}\n`);
  const onError = (error: Error) => {
    // Lost idle connections are replaced. The failing statement or `ended` reports a lost server once.
    if (!isDisconnected(error)) say(error);
  };
  const stopTracing = options.traced ? await startTracing(settings) : undefined;
  const signals = { stop: new AbortController(), leave: new AbortController() };
  const opening = openDatabase(settings, onError, {
    ...{ ...options, migrate },
    say: (message) => process.stderr.write(`stakegraph: ${message}\n`),
    isStopped: () => signals.stop.signal.aborted,
  });
  const leave = async () => {
    const database = await opening.catch(() => undefined);
    await database?.write.abandon();
    await turn(); // lets the command report its commits
    signals.leave.abort();
    // `process.exit` also stops an embedded PostgreSQL, unlike death by a signal.
    process.exit(1);
  };
  const steps = options.graceful ? [() => signals.stop.abort(), leave] : [leave];
  const onSignal = () => {
    const step = steps.shift();
    if (step) void step();
    else process.exit(1); // even while the database does not answer
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  const database = await opening;
  void database.embedded?.ended.then((error) => {
    say(error);
    return leave();
  });
  try {
    await work(database, { stop: signals.stop.signal, leave: signals.leave.signal });
  } catch (error) {
    // If the embedded server stops, `leave` exits the process during this wait.
    if (database.embedded && isDisconnected(error)) await sleep(MAX_SHUTDOWN_MS);
    throw settings.DATABASE_URL ? writeError(error as NodeJS.ErrnoException) : error;
  } finally {
    await database.close();
    await stopTracing?.();
  }
}

export async function startTracing(settings: Settings): Promise<(() => Promise<void>) | undefined> {
  if (!sendsTraces(settings)) return undefined;
  let warned = false;
  const warn = (reason: string) => {
    if (!warned) process.stderr.write(`stakegraph: OpenTelemetry: ${reason}\n`);
    warned = true;
  };
  return (await import('../diagnostics/otlp.ts')).startTracing(settings, { warn, exportMs: EXPORT_MS });
}

async function checkDatabase({ DATABASE_URL, DATA_DIR }: Settings, { creates, loads }: Options) {
  if (DATABASE_URL) {
    if (!loads || !creates) return;
    throw new SettingsError('--create makes an embedded database, and DATABASE_URL is set: leave one out.');
  }
  const { hasCluster } = await import('../db/embedded/cluster.ts');
  const folder = resolve(DATA_DIR);
  if (!creates && !(await hasCluster(DATA_DIR))) {
    const make = loads ? ', make one with --create' : '';
    const advice = `start the gateway first${make}, or set DATA_DIR or DATABASE_URL`;
    throw new Error(`There is no database in ${folder}: ${advice}.`);
  }
  if (loads) process.stderr.write(`The database is the embedded one in ${folder}.\n`);
}

export function sayNotRecorded(error: Error): void {
  // The command itself reports a lost or read-only database.
  if (isDisconnected(error) || isTransient(error) || (error as { code?: string }).code === READ_ONLY) return;
  process.stderr.write(`stakegraph: the run could not be recorded for /metrics: ${errorText(error)}\n`);
}

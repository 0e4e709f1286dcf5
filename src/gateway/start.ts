import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { developmentToken } from '../accounts/development-token.ts';
import { type Meter, openMeter } from '../accounts/meter.ts';
import { newPageCode, takePageCode } from '../accounts/page-codes.ts';
import { tierLimits } from '../accounts/tiers.ts';
import { openDirectory } from '../accounts/token-directory.ts';
import { limitScans } from '../archive/duckdb.ts';
import { readAllMonths } from '../archive/read.ts';
import { type Settings, sendsTraces } from '../config/index.ts';
import { openRevisions, type Revisions } from '../db/changes/revisions.ts';
import { citusVersion, isDistributed, untestedCitus } from '../db/distributed/layout.ts';
import { type Database, openDatabase } from '../db/open/index.ts';
import { checkRoles } from '../db/open/serving.ts';
import { shareShown } from '../db/replicas/shown-elsewhere.ts';
import { targetOf } from '../db/servers.ts';
import { buildServer } from '../http/server.ts';
import { loadSampleData } from '../sample/load.ts';
import { beginWithoutSample } from '../sample/present.ts';
import { banner } from './banner.ts';
import { noteGateway } from './gateway-file.ts';
import { indexBeside } from './index-beside.ts';
import { sumOlderDaysOfSets } from './older-days-of-sets.ts';
import { readinessOf } from './readiness.ts';
import { type Steps, Stopped } from './steps.ts';
import { type StorageWatch, storageWatch } from './storage.ts';

/** Returns false if `draining` was aborted before the port was open. */
export async function start(
  settings: Settings,
  log: Logger,
  steps: Steps,
  draining: AbortSignal,
): Promise<boolean> {
  try {
    await takeSteps(settings, log, steps, draining);
    return true;
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  }
}

async function takeSteps(settings: Settings, log: Logger, steps: Steps, draining: AbortSignal) {
  if (sendsTraces(settings))
    await steps.take(
      () => traceWith(settings, log),
      (stop) => stop(),
    );
  const storage = storageWatch();
  const database = await steps.take(
    () => open(settings, log, storage, draining),
    ({ close }) => close(),
  );
  await steps.take(() => checkDatabase(database, log));
  await steps.take(() => fill(database, settings, log, draining));
  const token = await steps.take(() =>
    database.embedded ? developmentToken(settings.DATA_DIR, database.write) : undefined,
  );
  const { url, write, primary } = database;
  const tokens = await steps.take(
    () => openDirectory({ url, db: write, log, limits: tierLimits(settings) }),
    ({ stop }) => stop(),
  );
  const redis = await steps.take(
    async () =>
      settings.REDIS_URL
        ? (await import('../accounts/redis.ts')).openRedis(settings.REDIS_URL, log)
        : undefined,
    async (opened) => opened?.stop(),
  );
  const meter = await steps.take(
    () => openMeter({ db: write, log, redis }),
    ({ stop }) => stop(),
  );
  const revisions = await steps.take(
    () => openRevisions({ url, db: database.revisions, log }),
    ({ stop }) => stop(),
  );
  await readAllMonths(write);
  limitScans(settings.STATEMENT_TIMEOUT_MS);
  watchServers(database, revisions, settings, log);
  const catchUp = redis && database.replicas && shareShown(redis.shown, database.replicas, revisions);
  await steps.take(
    () => sumOlderDaysOfSets(write, log),
    ({ stop }) => stop(),
  );
  const index = await steps.take(
    () => (settings.INDEX ? indexBeside(settings, database, log) : undefined),
    async (running) => running?.stop(),
  );
  const ready = readinessOf(database, log, index?.status, storage);
  // Ends the process when the embedded PostgreSQL ends. A supervisor may restart both.
  void database.embedded?.ended.then((error) => draining.aborted || Promise.reject(error));
  const app = await steps.take(
    () =>
      buildServer({
        ...{ settings, log, pool: database.read, primary, tokens, revisions },
        meter: catchUp ? afterCatchingUp(meter, catchUp) : meter,
        replicas: database.replicas?.states,
        index: index?.status,
        dataDir: database.embedded && settings.DATA_DIR,
        exchangeCode:
          token === undefined
            ? undefined
            : async (code) => ((await takePageCode(primary, code)) ? token : undefined),
        readiness: async () => (draining.aborted ? { ready: false, reason: 'draining' } : ready()),
      }),
    close,
  );
  draining.addEventListener('abort', () =>
    app.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close')),
  );
  const { address } = await steps.take(
    () => listen(app, database, settings),
    async ({ forget }) => forget?.(),
  );
  const access = token && {
    token,
    codes: { explorer: await newPageCode(write), graphiql: await newPageCode(write) },
  };
  process.stdout.write(banner(address, database, access || undefined, settings));
}

async function traceWith(settings: Settings, log: Logger) {
  const warn = (reason: string) => log.warn({ reason }, 'OpenTelemetry');
  return (await import('../diagnostics/otlp.ts')).startTracing(settings, { warn });
}

async function open(settings: Settings, log: Logger, storage: StorageWatch, draining: AbortSignal) {
  const onError = (error: Error) => {
    storage.note(error);
    log.warn({ err: error }, 'database error');
  };
  const database = await openDatabase(settings, onError, {
    serves: true,
    say: (message) => log.info(message),
    isStopped: () => draining.aborted,
  });
  if (database.applied.length > 0) log.info({ migrations: database.applied }, 'migrated');
  return database;
}

async function checkDatabase({ embedded, primary, replicas }: Database, log: Logger) {
  const untested = isDistributed() && untestedCitus(await citusVersion(primary));
  if (untested) log.warn(untested);
  if (!embedded) await checkRoles({ primary, replicas: replicas?.pools });
}

async function fill({ embedded, write }: Database, settings: Settings, log: Logger, draining: AbortSignal) {
  if (!embedded) return;
  if (settings.INDEX) await beginWithoutSample(write);
  else if (settings.SAMPLE_DATA)
    await loadSampleData(write, log, { lastDate: settings.SAMPLE_DATE, isStopped: () => draining.aborted });
}

/** Cached responses are compared with the revisions of whichever servers are read. */
function watchServers({ url, replicas }: Database, revisions: Revisions, settings: Settings, log: Logger) {
  replicas?.onUse((replica, fault) => {
    if (fault) log.warn({ replica, ...fault }, 'a read replica is not used');
    else log.info({ replica }, 'a read replica is used again');
  });
  replicas?.onMove(revisions.moved);
  replicas?.onRead(revisions.reach);
  for (const read of settings.DATABASE_READ_URL ?? [url]) targetOf(read).onChange(revisions.moved);
}

const afterCatchingUp = (meter: Meter, catchUp: () => Promise<unknown>): Meter => ({
  ...meter,
  admit: async (caller) => (await Promise.all([meter.admit(caller), catchUp()]))[0],
});

async function listen(app: FastifyInstance, { embedded }: Database, settings: Settings) {
  const { HOST, PORT, PUBLIC_URL, DATA_DIR } = settings;
  await app.listen({ port: PORT, host: HOST });
  const { port } = app.server.address() as { port: number };
  const address = PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  return { address, forget: embedded && (await noteGateway(DATA_DIR, address)) };
}

async function close(app: FastifyInstance) {
  // Idle connections would hold the port for minutes.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  await app.close().finally(() => clearInterval(sweep));
}

import { lookup } from 'node:dns/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { developmentToken } from '../accounts/development-token.ts';
import { openMeter } from '../accounts/meter.ts';
import { CODE_MINUTES, newPageCode, takePageCode } from '../accounts/page-codes.ts';
import { tierLimits } from '../accounts/tiers.ts';
import { openDirectory } from '../accounts/token-directory.ts';
import { type Settings, SettingsError, sendsTraces } from '../config/index.ts';
import { openRevisions } from '../db/changes/revisions.ts';
import { citusVersion, isDistributed, untestedCitus } from '../db/distributed/layout.ts';
import { type Database, openDatabase } from '../db/open/index.ts';
import { checkRoles } from '../db/open/serving.ts';
import { shareShown } from '../db/replicas/shown-elsewhere.ts';
import { targetOf } from '../db/servers.ts';
import { makeLog } from '../diagnostics/log.ts';
import { buildServer } from '../http/server.ts';
import { loadSampleData } from '../sample/load.ts';
import { beginWithoutSample } from '../sample/present.ts';
import { noteGateway } from './gateway-file.ts';
import { indexBeside } from './index-beside.ts';
import { readinessOf } from './readiness.ts';
import { storageWatch } from './storage.ts';

type Access = { token: string; codes: { explorer: string; graphiql: string } };

function banner(address: string, database: Database, access: Access | undefined, settings: Settings): string {
  const link = (path: string, code: string | undefined) => `${address}${path}${code ? `#${code}` : ''}`;
  const lines = [
    `stakegraph is serving at ${address}`,
    '',
    ...(settings.EXPLORER ? [`  Explorer        ${link('/', access?.codes.explorer)}`] : []),
    `  GraphiQL        ${link('/graphql', access?.codes.graphiql)}`,
    `  REST reference  ${address}/docs`,
    `  Database        ${database.embedded ? 'embedded PostgreSQL' : 'that of DATABASE_URL'}`,
  ];
  if (access) {
    lines.push(
      `  Token           ${access.token}`,
      '',
      `  Each link works once, within ${CODE_MINUTES} minutes; "npx stakegraph open" prints another.`,
      '',
      `  curl -H "Authorization: Bearer ${access.token}" "${address}/v0/eth/operators?window=7d&idType=pool&size=3"`,
    );
  }
  return `${lines.join('\n')}\n`;
}

export async function serve(settings: Settings): Promise<void> {
  await checkHost(settings);
  const log = makeLog(settings);
  const serving: Serving = { draining: false, undo: [] };
  const unwind = async () => {
    const failures: unknown[] = [];
    for (const step of serving.undo.splice(0).reverse()) await step().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  const starting = start(settings, log, serving);
  // Installed early, because a signal during startup must not leave PostgreSQL running.
  const signals = onSignal((signal) => {
    log.info({ signal }, 'draining');
    void grace.close();
  });
  const grace = closeWithGrace(
    { delay: 30_000 + settings.DRAIN_DELAY_MS, logger: false, skip: [...SIGNALS] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error');
      serving.draining = true;
      serving.onDrain?.();
      const listening = await starting.catch(() => false);
      if (listening) await new Promise((done) => setTimeout(done, settings.DRAIN_DELAY_MS));
      await unwind();
      log.info('stopped');
    },
  );
  try {
    await starting;
  } catch (error) {
    await unwind().catch(() => undefined);
    grace.uninstall();
    signals.remove();
    throw listenError(error as NodeJS.ErrnoException, settings);
  }
}

export function listenError(
  error: NodeJS.ErrnoException & { port?: number },
  settings: Settings,
  only?: 'METRICS_PORT',
): Error {
  if (error.syscall !== 'listen') return error;
  const { HOST } = settings;
  const isMetrics = error.port !== settings.PORT && error.port === settings.METRICS_PORT;
  const name = only ?? (isMetrics ? 'METRICS_PORT' : 'PORT');
  if (error.code === 'EADDRINUSE')
    return new Error(
      `Port ${settings[name]} on ${HOST} is taken; set ${name} to another, or 0 for a free one.`,
    );
  if (error.code === 'EACCES')
    return new Error(`${name} is ${settings[name]}, which this user may not listen on; set another.`);
  return new Error(`HOST is ${JSON.stringify(HOST)}, on which this machine cannot listen: ${error.message}`);
}

async function checkHost({ HOST }: Settings): Promise<void> {
  await lookup(HOST).catch(() => {
    throw new SettingsError(`HOST is ${JSON.stringify(HOST)}; an address of this machine is needed.`);
  });
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A second signal ends the process, except within 1 s, because npm repeats signals. */
function onSignal(callback: (signal: NodeJS.Signals) => void): { remove(): void } {
  let first: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    if (first === undefined) callback(signal);
    else if (performance.now() - first > 1_000) process.exit(1);
    first ??= performance.now();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    remove() {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}

type Serving = { draining: boolean; onDrain?: () => void; undo: (() => Promise<unknown>)[] };

/** Returns false if a signal came before the port was open. */
async function start(settings: Settings, log: Logger, serving: Serving): Promise<boolean> {
  if (sendsTraces(settings)) {
    const warn = (reason: string) => log.warn({ reason }, 'OpenTelemetry');
    serving.undo.push(await (await import('../diagnostics/otlp.ts')).startTracing(settings, { warn }));
  }
  const storage = storageWatch();
  const onError = (error: Error) => {
    storage.note(error);
    log.warn({ err: error }, 'database error');
  };
  const database = await openDatabase(settings, onError, {
    serves: true,
    say: (message) => log.info(message),
    isStopped: () => serving.draining,
  });
  serving.undo.push(database.close);
  if (database.applied.length > 0) log.info({ migrations: database.applied }, 'migrated');
  if (serving.draining) return false;
  const untested = isDistributed() && untestedCitus(await citusVersion(database.primary));
  if (untested) log.warn(untested);
  if (!database.embedded) await checkRoles({ primary: database.primary, replicas: database.replicas?.pools });
  if (database.embedded && settings.INDEX) await beginWithoutSample(database.write);
  else if (database.embedded && settings.SAMPLE_DATA)
    await loadSampleData(database.write, log, {
      lastDate: settings.SAMPLE_DATE,
      isStopped: () => serving.draining,
    });
  if (serving.draining) return false;
  const token = database.embedded ? await developmentToken(settings.DATA_DIR, database.write) : undefined;
  const tokens = await openDirectory({
    url: database.url,
    db: database.write,
    log,
    limits: tierLimits(settings),
  });
  serving.undo.push(tokens.stop);
  const redis = settings.REDIS_URL
    ? await (await import('../accounts/redis.ts')).openRedis(settings.REDIS_URL, log)
    : undefined;
  if (redis) serving.undo.push(async () => redis.stop());
  const meter = await openMeter({ db: database.write, log, redis });
  serving.undo.push(meter.stop);
  const revisions = await openRevisions({ url: database.url, db: database.revisions, log });
  serving.undo.push(revisions.stop);
  database.replicas?.onUse((replica, fault) => {
    if (fault) log.warn({ replica, ...fault }, 'a read replica is not used');
    else log.info({ replica }, 'a read replica is used again');
  });
  database.replicas?.onMove(revisions.moved);
  database.replicas?.onRead(revisions.reach);
  const catchUp = redis && database.replicas && shareShown(redis.shown, database.replicas, revisions);
  for (const url of settings.DATABASE_READ_URL ?? [database.url]) targetOf(url).onChange(revisions.moved);
  const index = settings.INDEX ? indexBeside(settings, database, log) : undefined;
  if (index) serving.undo.push(index.stop);
  const ready = readinessOf(database, log, index?.status, storage);
  // Ends the process when the embedded PostgreSQL ends. A supervisor may restart both.
  void database.embedded?.ended.then((error) => serving.draining || Promise.reject(error));
  const app = await buildServer({
    settings,
    log,
    pool: database.read,
    primary: database.primary,
    tokens,
    meter: catchUp
      ? { ...meter, admit: async (caller) => (await Promise.all([meter.admit(caller), catchUp()]))[0] }
      : meter,
    revisions,
    replicas: database.replicas?.states,
    index: index?.status,
    dataDir: database.embedded && settings.DATA_DIR,
    exchangeCode:
      token === undefined
        ? undefined
        : async (code) => ((await takePageCode(database.primary, code)) ? token : undefined),
    readiness: async () => (serving.draining ? { ready: false, reason: 'draining' } : ready()),
  });
  serving.onDrain = () =>
    app.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  if (serving.draining) return false;
  serving.undo.push(async () => {
    // Idle connections would hold the port for minutes.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    await app.close().finally(() => clearInterval(sweep));
  });
  await app.listen({ port: settings.PORT, host: settings.HOST });
  const { port } = app.server.address() as { port: number };
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
  const address = settings.PUBLIC_URL ?? `http://${host}:${port}`;
  if (database.embedded) serving.undo.push(await noteGateway(settings.DATA_DIR, address));
  const access = token && {
    token,
    codes: { explorer: await newPageCode(database.write), graphiql: await newPageCode(database.write) },
  };
  process.stdout.write(banner(address, database, access || undefined, settings));
  return true;
}

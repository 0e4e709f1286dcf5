import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { destination, type Logger, pino } from 'pino';
import sql from 'sql-template-tag';
import { openDirectory } from './accounts/directory.ts';
import { isWellFormed, tokenHash } from './accounts/token-format.ts';
import { createToken } from './accounts/tokens.ts';
import type { Settings } from './config.ts';
import { pendingMigrations } from './db/migrate.ts';
import { type Database, openDatabase } from './db/open.ts';
import type { Pool } from './db/pool.ts';
import { buildServer } from './http/server.ts';
import { loadSampleData } from './ingest/sample.ts';

/** JSON lines on standard error; standard output is for people. */
export const makeLog = (settings: Settings): Logger =>
  pino(
    { level: settings.LOG_LEVEL, redact: ['req.headers.authorization', 'headers.authorization'] },
    destination(2),
  );

/** The development token of the embedded database: kept in `DATA_DIR/token`, made when there is none that works. */
async function developmentToken(dataDir: string, pool: Pool): Promise<string> {
  const path = join(dataDir, 'token');
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (isWellFormed(kept)) {
    const { text, values } = sql`/* knownToken */ select 1 from tokens
      where hash = ${tokenHash(kept)} and revoked_at is null and (expires_at is null or expires_at > now())`;
    if ((await pool.query({ text, values })).rows.length > 0) return kept;
  }
  const { token } = await createToken(pool, 'development');
  await mkdir(dataDir, { recursive: true });
  await writeFile(path, `${token}\n`, { mode: 0o600 });
  return token;
}

function banner(address: string, database: Database, token: string | undefined): string {
  const lines = [
    `stakegraph is serving at ${address}`,
    '',
    `  GraphiQL        ${address}/graphql`,
    `  REST reference  ${address}/docs`,
    `  Database        ${database.embedded ? 'embedded PostgreSQL, sample data' : 'DATABASE_URL'}`,
  ];
  if (token) {
    lines.push(
      `  Token           ${token}`,
      '',
      `  curl -H "Authorization: Bearer ${token}" "${address}/v0/eth/operators?window=7d&idType=pool&size=3"`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Serves until a signal: opens the database, loads the sample data where it belongs, listens, and drains at the end. */
export async function serve(settings: Settings): Promise<void> {
  const log = makeLog(settings);
  const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
  const database = await openDatabase(settings, onError);
  const undo: (() => Promise<unknown>)[] = [database.close];
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (database.applied.length > 0) log.info({ migrations: database.applied }, 'migrated');
    if (database.embedded && settings.SAMPLE_DATA) await loadSampleData(database.write, log);
    const token = database.embedded ? await developmentToken(settings.DATA_DIR, database.write) : undefined;
    const tokens = await openDirectory({ url: database.url, db: database.write, log });
    undo.push(tokens.stop);

    let draining = false;
    const app = await buildServer({
      settings,
      log,
      pool: database.read,
      tokens,
      developmentToken: token,
      readiness: async () => (draining ? { ready: false, reason: 'draining' } : readiness(database)),
    });
    await app.listen({ port: settings.PORT, host: settings.HOST });
    undo.push(() => app.close());
    const { port } = app.server.address() as { port: number };
    const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
    process.stdout.write(banner(settings.PUBLIC_URL ?? `http://${host}:${port}`, database, token));

    closeWithGrace({ delay: 30_000, logger: false }, async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'stopping after an error');
      else log.info({ signal }, 'draining');
      draining = true;
      await new Promise((done) => setTimeout(done, settings.DRAIN_DELAY_MS));
      await unwind();
      log.info('stopped');
    });
  } catch (error) {
    await unwind().catch(() => undefined);
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new Error(
        `Port ${settings.PORT} on ${settings.HOST} is taken; set PORT to another, or 0 for a free one.`,
      );
    }
    throw error;
  }
}

/** Ready is: the database answers, and has every migration of this version. */
async function readiness(database: Database) {
  try {
    await database.read.query({ text: '/* readiness */ select 1', values: [] });
    const pending = await pendingMigrations(database.url);
    return pending.length === 0 ? { ready: true } : { ready: false, reason: `lacks ${pending.join(', ')}` };
  } catch {
    return { ready: false, reason: 'the database does not answer' };
  }
}

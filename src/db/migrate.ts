import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Queryable } from './pool.ts';

const folder = fileURLToPath(new URL('./migrations', import.meta.url));
const TABLE = 'stakegraph_migrations';

/** The names of the committed migrations, in order. */
export async function committedMigrations(dir = folder): Promise<string[]> {
  const files = await readdir(dir);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .sort();
}

async function appliedMigrations(db: Queryable): Promise<string[]> {
  const exists = await db.query({ text: `select to_regclass($1) is not null as yes`, values: [TABLE] });
  if (!exists.rows[0]?.yes) return [];
  const applied = await db.query({ text: `select name from ${TABLE} order by name`, values: [] });
  return applied.rows.map((row) => row.name as string);
}

/** A database that another version has migrated. */
export class HistoryError extends Error {}

/**
 * Refuses a database that this version cannot serve: one with a migration that is not ours (a newer version's, or
 * another program's), or with a gap before its last one (a migration was slipped in under one already applied).
 */
function checkHistory(applied: string[], committed: string[]) {
  const unknown = applied.filter((name) => !committed.includes(name));
  if (unknown.length > 0) {
    throw new HistoryError(
      `The database has a migration that this version does not know: ${unknown.join(', ')}.`,
    );
  }
  const gap = committed.find((name, index) => index < applied.length && applied[index] !== name);
  if (gap) throw new HistoryError(`Migration ${gap} is out of order: a later one is already applied.`);
}

const LEAST_VERSION = 15;

/**
 * Refuses a server that is too old, a new database whose texts cannot be any name of a pool, and a role that cannot make tables,
 * in words: of the tool that makes them it would be a stack.
 */
async function checkDatabase(client: pg.Client, isNew: boolean) {
  const { rows } = await client.query(
    `select current_user as role, current_schema() as schema, has_schema_privilege(current_schema(), 'create') as may,
      current_setting('server_encoding') as encoding, current_setting('server_version_num')::int / 10000 as version`,
  );
  const { role, schema, may, encoding, version } = rows[0];
  if (version < LEAST_VERSION)
    throw new Error(`The database is PostgreSQL ${version}, and ${LEAST_VERSION} or later is needed.`);
  if (isNew && encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${encoding}, and UTF8 is needed: create it with template template0 encoding 'UTF8'.`,
    );
  if (may) return;
  throw new Error(
    `The role ${role} may not make tables in the schema ${schema ?? 'public'}: grant create on schema ${schema ?? 'public'} to it, or make it the owner of the database.`,
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'stakegraph migrate' });
  client.on('error', () => undefined); // the statement at work is told; unheard, it would end the process without a word
  await client.connect();
  try {
    await client.query('/* settings */ set jit = off');
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Applies what is missing, one migration a transaction, under an advisory lock: replicas may start at once. */
export const migrate = (url: string, dir = folder): Promise<string[]> =>
  withClient(url, async (client) => {
    const committed = await committedMigrations(dir);
    const applied = await appliedMigrations(client);
    checkHistory(applied, committed);
    if (applied.length === committed.length) return []; // a role that owns nothing may serve
    await checkDatabase(client, applied.length === 0);
    const run = await runner({
      dbClient: client,
      dir,
      direction: 'up',
      migrationsTable: TABLE,
      singleTransaction: false,
      advisoryLockMode: 'wait',
      log: () => undefined,
    });
    return run.map((migration) => migration.name);
  });

/** The migrations that are committed and not applied yet; throws like `migrate` on a history it cannot serve. */
export async function pendingOf(db: Queryable, dir = folder): Promise<string[]> {
  const committed = await committedMigrations(dir);
  const applied = await appliedMigrations(db);
  checkHistory(applied, committed);
  return committed.slice(applied.length);
}

/** The same of a database that is not open yet. */
export const pendingMigrations = (url: string, dir = folder): Promise<string[]> =>
  withClient(url, (client) => pendingOf(client, dir));

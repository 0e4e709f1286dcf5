import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { audit } from '../audit.ts';
import { Connection, jobSettings } from '../connection.ts';
import { foundTables } from '../distributed/layout.ts';
import { oneByOne } from '../distributed/statements.ts';
import type { Queryable } from '../pool.ts';
import { targetOf } from '../servers.ts';
import { adoption, BASELINE, isLastBeforeBaseline, refusalBeforeBaseline } from './baseline.ts';
import { applyRoutines, changedRoutines, type Routines, readRoutines } from './routines.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));
const TABLE = 'stakegraph_migrations';
const COMPATIBLE = 'compatible_migrations';

export async function committedMigrations(dir = folder): Promise<string[]> {
  const files = await readdir(dir);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .sort();
}

async function hasTable(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await db.query({ text: 'select to_regclass($1) is not null as yes', values: [name] });
  return rows[0]?.yes === true;
}

async function appliedMigrations(db: Queryable): Promise<string[]> {
  if (!(await hasTable(db, TABLE))) return [];
  const applied = await db.query({ text: `select name from ${TABLE} order by name`, values: [] });
  return applied.rows.map((row) => row.name as string);
}

export class HistoryError extends Error {}

/** Maps a migration to the newest migration that a gateway must know to keep running after it. */
async function compatibleFrom(db: Queryable, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0 || !(await hasTable(db, COMPATIBLE))) return new Map();
  const text = `select name, least from ${COMPATIBLE} where name = any($1)`;
  const declared = await db.query({ text, values: [names] });
  return new Map(declared.rows.map(({ name, least }) => [name as string, least as string]));
}

type History = {
  pending: string[];
  isNew: boolean;
  /** Whether it has all migrations before the baseline and no later one. */
  isAdopted: boolean;
  /** Whether it has migrations of a newer version, which may have changed the routines too. */
  isNewer: boolean;
};

async function historyIn(db: Queryable, dir: string): Promise<History> {
  const committed = await committedMigrations(dir);
  const all = await appliedMigrations(db);
  if (committed[0] === BASELINE && all.some((name) => name < BASELINE)) {
    if (isLastBeforeBaseline(all))
      return { pending: committed, isNew: false, isAdopted: true, isNewer: false };
    throw new HistoryError(refusalBeforeBaseline);
  }
  const others = all.filter((name) => !committed.includes(name));
  const least = await compatibleFrom(db, others);
  const newest = committed.at(-1) ?? '';
  const unknown = others.filter((name) => !(name > newest && (least.get(name) ?? name) <= newest));
  if (unknown.length > 0) {
    throw new HistoryError(
      `The database has a migration that this version does not know: ${unknown.join(', ')}.`,
    );
  }
  const applied = all.filter((name) => committed.includes(name));
  // `others` were applied by a newer version, which applied all of `committed` first.
  const isNewer = others.length > 0;
  const most = isNewer ? committed.length : applied.length;
  const gap = committed.find((name, index) => index < most && applied[index] !== name);
  if (gap) throw new HistoryError(`Migration ${gap} is out of order: a later one is already applied.`);
  return { pending: committed.slice(applied.length), isNew: all.length === 0, isAdopted: false, isNewer };
}

const MIN_VERSION = 15;

async function checkDatabase(client: pg.Client, isNew: boolean) {
  const { rows } = await client.query(
    `select current_user as role, current_schema() as schema, has_schema_privilege(current_schema(), 'create') as may,
      current_setting('server_encoding') as encoding, current_setting('server_version_num')::int / 10000 as version,
      current_setting('transaction_read_only') = 'on' as readonly, pg_is_in_recovery() as standby,
      to_regnamespace('public') is not null as "hasPublic"`,
  );
  const { role, schema, may, encoding, version, readonly, standby, hasPublic } = rows[0];
  if (standby) throw new Error('The database is a standby, which cannot be migrated: name its primary.');
  if (readonly)
    throw new Error(
      `The database takes no writes from the role ${role}: turn default_transaction_read_only off for it.`,
    );
  if (version < MIN_VERSION)
    throw new Error(`The database is PostgreSQL ${version}; ${MIN_VERSION} or later is needed.`);
  if (isNew && encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${encoding}; UTF8 is needed: create it with template template0 encoding 'UTF8'.`,
    );
  if (may) return;
  if (schema === null && !hasPublic)
    throw new Error('The database has no schema of search_path: create the schema public.');
  throw new Error(
    `The role ${role} may not create tables in the schema ${schema ?? 'public'}: grant create on schema ${schema ?? 'public'} to it, or make it the owner of the database.`,
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const target = targetOf(url);
  await target.choose();
  const client = new Connection({ target, application_name: 'stakegraph migrate' });
  await client.connect();
  try {
    await client.query(`/* settings */ set jit = off; ${jobSettings}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Waits for a migration in progress, and makes others wait until the transaction of `client` ends. */
export async function lockMigrations(client: pg.ClientBase) {
  // Loaded lazily, because loading takes a quarter of the start of a command.
  const { PG_MIGRATE_LOCK_ID } = await import('node-pg-migrate');
  await client.query('/* lockMigrations */ select pg_advisory_xact_lock($1)', [PG_MIGRATE_LOCK_ID]);
}

/** The schema of the table of migrations, or that in which it will be created. */
async function schemaOf(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(
    `select coalesce(
      (select nspname from pg_class c join pg_namespace n on n.oid = relnamespace where c.oid = to_regclass($1)),
      current_schema()
    ) as schema`,
    [TABLE],
  );
  return rows[0].schema;
}

const RETRY_MS = 250;
const WAITS_UNSAID = 8;

/** Waits while another process migrates. The lock ends with the connection. */
async function waitForLock(client: pg.ClientBase, { say, isStopped }: Pick<Options, 'say' | 'isStopped'>) {
  const { PG_MIGRATE_LOCK_ID } = await import('node-pg-migrate');
  for (let waits = 0; ; waits += 1) {
    const text = '/* lockMigrations */ select pg_try_advisory_lock($1) as free';
    const { rows } = await client.query(text, [PG_MIGRATE_LOCK_ID]);
    if (rows[0].free) return;
    if (isStopped?.()) throw new Error('Stopped while another process migrated the database.');
    if (waits === WAITS_UNSAID) say?.('waiting for another process that migrates the database');
    await sleep(RETRY_MS);
  }
}

type Options = {
  last?: string | undefined;
  /** Called with each migration before it runs, except in a new database, where all of them take a second. */
  say?: ((message: string) => void) | undefined;
  /** If true, no further migration begins. */
  isStopped?: (() => boolean) | undefined;
};

let shipped: Promise<Routines[]> | undefined;
/** Routines of the program itself are read only once, because a gateway compares them every second. */
function routinesBeside(dir: string): Promise<Routines[]> {
  const read = () => readRoutines(join(dir, '../routines'));
  return dir === folder ? (shipped ??= read()) : read();
}

type Missing = History & {
  names: string[];
  routines: Routines[];
};

async function missingIn(db: Queryable, dir: string, last: string | undefined): Promise<Missing> {
  const history = await historyIn(db, dir);
  const { pending, isNewer } = history;
  const names = last === undefined ? pending : pending.slice(0, pending.indexOf(last) + 1);
  // Routines fit the tables of the newest migration.
  const fit = names.length === pending.length && !isNewer;
  const routines = fit ? await changedRoutines(db, await routinesBeside(dir)) : [];
  return { ...history, names, routines };
}

/** Applies the missing migrations up to `last`, then the routines that changed. Returns the names of the migrations. */
export const migrate = (url: string, dir = folder, options: Options = {}): Promise<string[]> =>
  withClient(url, async (client) => {
    const { last, say, isStopped } = options;
    const isDone = ({ names, routines }: Missing) => names.length === 0 && routines.length === 0;
    const plain = (await foundTables(client)).length === 0;
    if (isDone(await missingIn(client, dir, last))) return [];
    await waitForLock(client, options);
    const { runner } = await import('node-pg-migrate');
    const missing = await missingIn(client, dir, last);
    if (isDone(missing)) return [];
    const { names, routines, isNew, isAdopted } = missing;
    await checkDatabase(client, isNew);
    const applying = plain ? client : oneByOne(client);
    const namesOfRoutines = routines.map(({ name }) => name);
    const noteApplied = async (changed: string[]) => {
      const left = (await missingIn(client, dir, last)).names;
      const migrations = names.filter((name) => !left.includes(name));
      const subject =
        migrations.at(-1) ?? (changed.length > 0 ? `routines of ${changed.join(', ')}` : undefined);
      const details = { migrations, ...(changed.length > 0 && !isNew && { routines: changed }) };
      if (subject && (await hasTable(client, 'audit_log')))
        await audit(client, { action: 'migrate', subject, details });
    };
    const inTransaction = async (work: () => Promise<unknown>) => {
      await client.query('begin');
      await work();
      await client.query('commit');
    };
    const migrationsSchema = await schemaOf(client);
    const apply = (count: number) =>
      runner({
        dbClient: applying,
        dir,
        direction: 'up',
        count,
        migrationsTable: TABLE,
        migrationsSchema,
        singleTransaction: false,
        noLock: true,
        log: () => undefined,
      });
    try {
      if (isNew && names.length > 0) await apply(names.length);
      else
        for (const [index, name] of names.entries()) {
          if (isStopped?.()) throw new Error(`Stopped before ${namesOf(names.slice(index))}.`);
          say?.(`applying ${name}`);
          if (isAdopted && name === BASELINE) await inTransaction(() => applying.query(adoption));
          else await apply(1);
        }
      if (routines.length > 0) {
        if (!isNew) say?.(`applying the routines of ${namesOfRoutines.join(', ')}`);
        await inTransaction(() => applyRoutines(applying, routines));
      }
    } catch (error) {
      // Those before the one that failed stay applied.
      await client
        .query('/* failed */ rollback')
        .then(() => noteApplied([]))
        .catch(() => undefined);
      throw error;
    }
    await noteApplied(namesOfRoutines);
    return names.length > 0 ? names : namesOfRoutines.map((name) => `the routines of ${name}`);
  });

/** Names the routines as a whole. */
export async function pendingOf(db: Queryable, dir = folder): Promise<string[]> {
  const { names, routines } = await missingIn(db, dir, undefined);
  return names.length > 0 || routines.length === 0 ? names : ['its functions'];
}

/** Names a few, and of many the first and the last. */
export const namesOf = (migrations: readonly string[]): string =>
  migrations.length <= 5
    ? migrations.join(', ')
    : `${migrations[0]} to ${migrations.at(-1)} (${migrations.length} migrations)`;

export const pendingMigrations = (url: string, dir = folder): Promise<string[]> =>
  withClient(url, (client) => pendingOf(client, dir));

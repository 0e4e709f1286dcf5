import type pg from 'pg';
import { Refusal } from '../kernel/refusal.ts';
import { datasetTables } from './changes/datasets.ts';
import type { Pool } from './pool.ts';

type Pools = { read: Pool; primary: Pool; readUrl: string | undefined };

/** Throws when a database is behind a pooler that pools transactions; the message names the setting. */
export async function checkPooling({ read, primary, readUrl }: Pools): Promise<void> {
  await checkSessions(primary, 'DATABASE_URL');
  if (readUrl) await checkSessions(read, 'DATABASE_READ_URL').catch(unlessAway);
}

/** Throws when a role lacks a privilege that serving needs; the message says what to grant. */
export async function checkRoles({ read, primary, readUrl }: Pools): Promise<void> {
  if (readUrl) await checkRights(read, 'DATABASE_READ_URL', ['select'], publicTables).catch(unlessAway);
  await checkRights(primary, 'DATABASE_URL', ['select'], publicTables);
  await checkRights(primary, 'DATABASE_URL', ['select', 'insert', 'update', 'delete'], accountTables);
}

/** Ignores a replica that is unavailable at startup: it may become available later. */
function unlessAway(error: unknown) {
  if (!(error instanceof Refusal)) throw error;
}

type Client = pg.PoolClient & { processID: number };

/**
 * Throws for a pooler that may give a client another session for each transaction: settings, prepared statements and LISTEN
 * belong to a session. Behind a pooler the process id of the connection is not that of the backend.
 */
async function checkSessions(pool: Pool, setting: string): Promise<void> {
  const isPooled = await pool.withClient(async (one) => {
    const first = await backendOf(one);
    if (first === (one as Client).processID) return false;
    return await pool.withClient(async (other) => {
      // The transaction of another client takes the session that was freed last, so that this client gets a different one.
      await other.query('begin');
      try {
        await backendOf(other);
        for (let asked = 0; asked < 3; asked += 1) if ((await backendOf(one)) !== first) return true;
        return false;
      } finally {
        await other.query('rollback');
      }
    });
  });
  if (!isPooled) return;
  throw new Error(
    `${setting} leads to a pooler that pools transactions, and sessions are needed: set pool_mode = session for this database (PgBouncer), or name the PostgreSQL behind it.`,
  );
}

async function backendOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query('/* backend */ select pg_backend_pid() as pid');
  return rows[0].pid;
}

const publicTables = [
  'datasets',
  'stakegraph_migrations',
  'compatible_migrations',
  ...Object.values(datasetTables).flat(),
];
/** Tables of accounts, to which the gateway writes while it serves. */
const accountTables = [
  ...['accounts', 'tokens', 'usage', 'usage_batches', 'idempotency_keys'],
  ...['private_sets', 'private_set_members', 'private_set_days'],
];

async function checkRights(pool: Pool, setting: string, rights: string[], tables: string[]): Promise<void> {
  const { rows } = await pool.query({
    text: `/* rights */ select current_user as role, current_schema() as schema,
        array_agg(relname::text order by relname) filter (where not may) as lacking
      from (
        select relname, (select bool_and(has_table_privilege(c.oid, r)) from unnest($2::text[]) r) as may
        from pg_class c
        where relnamespace = current_schema()::regnamespace and relname = any($1) and relkind in ('r', 'p', 'v')
      ) c`,
    values: [tables, rights],
  });
  const { role, schema, lacking } = rows[0] as { role: string; schema: string; lacking: string[] | null };
  if (!lacking) return;
  const more = lacking.length > 3 ? ` and ${lacking.length - 3} more` : '';
  throw new Error(
    `The role ${role} of ${setting} lacks rights on ${lacking.slice(0, 3).join(', ')}${more}: grant ${rights.join(', ')} on all tables in schema ${schema} to ${role}.`,
  );
}

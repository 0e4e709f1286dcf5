import type pg from 'pg';
import { Refusal } from '../../kernel/refusal.ts';
import { datasetTables, privateTables } from '../changes/datasets.ts';
import { createPool, type Pool } from '../pool.ts';
import { targetOf } from '../servers.ts';

type Pools = { primary: Pool; replicas: readonly Pool[] | undefined };

export async function checkRoles({ primary, replicas = [] }: Pools): Promise<void> {
  for (const pool of replicas)
    await checkRights(pool, 'DATABASE_READ_URL', ['select'], publicTables).catch(unlessAway);
  await checkRights(primary, 'DATABASE_URL', ['select'], publicTables);
  await checkRights(primary, 'DATABASE_URL', ['select', 'insert', 'update', 'delete'], [...privateTables]);
}

function unlessAway(error: unknown) {
  if (!(error instanceof Refusal)) throw error;
}

export class PoolerError extends Error {}

/** Throws a PoolerError if DATABASE_URL, which is `url`, leads to a pooler that cannot be used. */
export async function checkPrimarySessions(url: string): Promise<void> {
  await targetOf(url).choose();
  const pool = createPool({ url, readOnly: true, max: 2, reportsErrors: true });
  try {
    await checkSessions(pool, 'DATABASE_URL');
  } finally {
    await pool.end();
  }
}

/** Like `checkPrimarySessions`, for replicas. Those that are away pass. */
export async function checkReplicaSessions(pools: readonly Pool[]): Promise<void> {
  for (const pool of pools) await checkSessions(pool, 'DATABASE_READ_URL').catch(unlessAway);
}

type Client = pg.PoolClient & { processID: number };

/**
 * Settings, prepared statements and LISTEN need a session per client. Behind a pooler, a connection's process id
 * differs from the backend's.
 */
async function checkSessions(pool: Pool, setting: string): Promise<void> {
  const isPooled = await pool.withClient(async (one) => {
    const first = await backendOf(one);
    if (first === (one as Client).processID) return false;
    return await pool.withClient(async (other) => {
      // In transaction mode, a pooler now gives the session of `one` to `other`, so `one` gets another session.
      await other.query('begin');
      try {
        await backendOf(other);
        for (let attempt = 0; attempt < 3; attempt += 1) if ((await backendOf(one)) !== first) return true;
        return false;
      } finally {
        await other.query('rollback');
      }
    });
  });
  if (!isPooled) return;
  throw new PoolerError(
    `${setting} leads to a pooler in transaction mode; sessions are needed: set pool_mode = session for this database (PgBouncer), or connect to PostgreSQL directly.`,
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
async function checkRights(pool: Pool, setting: string, rights: string[], tables: string[]): Promise<void> {
  const { rows } = await pool.query({
    text: `/* rights */ select current_user as role, current_schema() as schema,
        array_agg(relname::text order by relname) filter (where not may) as lacking
      from (
        select relname, (select bool_and(has_table_privilege(c.oid, r)) from unnest($2::text[]) r) as may
        from pg_class c
        where relnamespace = quote_ident(current_schema())::regnamespace and relname = any($1) and relkind in ('r', 'p', 'v')
      ) c`,
    values: [tables, rights],
  });
  const { role, schema, lacking } = rows[0] as { role: string; schema: string; lacking: string[] | null };
  if (!lacking) return;
  const more = lacking.length > 3 ? ` and ${lacking.length - 3} more` : '';
  const on = rights.includes('insert') ? lacking.join(', ') : `all tables in schema ${schema}`;
  throw new Error(
    `The role ${role} of ${setting} lacks rights on ${lacking.slice(0, 3).join(', ')}${more}: grant ${rights.join(', ')} on ${on} to ${role}.`,
  );
}

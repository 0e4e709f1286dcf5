import type pg from 'pg';
import { LayoutError } from '../../db/distributed/layout.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Catalog, catalogOf, listed, type Table } from './catalog.ts';

/**
 * Citus begins transactions on workers with the isolation level of the coordinator's transaction. With one connection to each worker,
 * which Citus keeps until the end of the transaction, all statements read the same snapshots. LOCK would begin these
 * transactions too early; locks on the coordinator suffice, because all changes of the tables go through it.
 */
export const oneSnapshotPerNode = (client: pg.ClientBase) =>
  client.query(
    '/* oneConnectionPerNode */ set citus.max_adaptive_executor_pool_size = 1; set citus.enable_ddl_propagation = off',
  );

/**
 * Takes the snapshots of all nodes while nothing writes `tables`, in a transaction that is `repeatable read` and has read
 * nothing. Waits for writers in progress. Returns undefined if a worker has changes to commit.
 */
export async function catalogOfNodes(
  client: pg.ClientBase,
  tables: readonly string[],
  areCommitted: (db: Queryable) => Promise<boolean>,
): Promise<Catalog | undefined> {
  await client.query('savepoint with_writers');
  await client.query(`/* holdWriters */ lock table ${listed(tables)} in share mode`);
  if (!(await areCommitted(client))) return undefined;
  const catalog = await catalogOf(client);
  for (const table of tables) await takeSnapshots(client, table);
  await client.query('rollback to savepoint with_writers');
  return catalog;
}

async function takeSnapshots(client: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await client.query<{ isolation: string }>(
    `/* nodeSnapshots */ select current_setting('transaction_isolation') as isolation from ${listed([table])} limit 1`,
  );
  const [row] = rows;
  if (row && row.isolation !== 'repeatable read')
    throw new LayoutError(
      `Citus reads ${table} with the isolation "${row.isolation}" instead of "repeatable read", so its rows would not be of one moment: use pg_dump while nothing writes.`,
    );
}

/** Tables with rows on other nodes, their months and detached months included. */
export async function tablesOnNodes(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `/* tablesOnNodes */
    select c.relname::text as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = quote_ident(current_schema())::regnamespace`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Columns of dates, which nodes may write as text in different ways. */
export async function datesOf(client: pg.ClientBase, { name }: Table): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `/* dateColumns */ select attname::text as name from pg_attribute
    where attrelid = to_regclass(quote_ident($1)) and atttypid = 'date'::regtype and attnum > 0 and not attisdropped`,
    [name],
  );
  return rows.map(({ name: column }) => column);
}

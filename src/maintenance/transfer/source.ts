import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { distributedTables, foundTables } from '../../db/distributed/layout.ts';
import { onceCommitted } from '../../db/distributed/prepared.ts';
import { hasSampleData } from '../../db/sample-data.ts';
import {
  type Catalog,
  type Check,
  catalogOf,
  checkOf,
  identifier,
  listed,
  migrationsOf,
  type Sequence,
  sequencesOf,
  type Table,
} from './catalog.ts';
import { databaseOf, withConnection } from './connect.ts';
import { catalogOfNodes, datesOf, oneSnapshotPerNode, tablesOnNodes } from './nodes.ts';

/** A snapshot of a database, or a backup. */
export type CopySource = Catalog & {
  takenAt: string;
  /** The result of `databaseOf`. */
  database: string | undefined;
  migrations: string[];
  hasSample: boolean;
  /** In bytes. */
  sizes: Map<string, number>;
  /** Rows in PostgreSQL's binary format of COPY, without generated columns. */
  read(table: Table): Readable;
  check(table: Table): Promise<Check>;
  sequences(): Promise<Sequence[]>;
};

export const copied = ({ columns, generated }: Table): string =>
  listed(columns.filter((name) => !generated.includes(name)));

const ATTEMPTS = 5;

/**
 * Locks all tables, as pg_dump does, so that none can be dropped or truncated, and then takes the snapshot. Returns
 * undefined, without a transaction, if `read` does.
 */
async function snapshot(
  client: pg.ClientBase,
  read: () => Promise<Catalog | undefined>,
): Promise<Catalog | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { tables } = await catalogOf(client);
    await client.query('begin isolation level repeatable read, read only');
    try {
      if (tables.length > 0)
        await client.query(`lock table ${listed(tables.map(({ name }) => name))} in access share mode`);
      const locked = await read();
      if (locked?.tables.map(({ name }) => name).join() === tables.map(({ name }) => name).join())
        return locked;
      if (!locked) {
        await client.query('rollback');
        return undefined;
      }
    } catch (error) {
      // A table was dropped between the two statements.
      if ((error as { code?: string }).code !== '42P01') throw error;
    }
    await client.query('rollback');
  }
  throw new Error(
    'The tables of the database keep changing; try again when no partitions are made or dropped.',
  );
}

/** The catalog at one moment of all nodes, whose snapshots the client then reads. */
async function snapshotOfNodes(client: pg.ClientBase, distributed: readonly string[]): Promise<Catalog> {
  if (distributed.length === 0) return (await snapshot(client, () => catalogOf(client))) as Catalog;
  await oneSnapshotPerNode(client);
  return onceCommitted((areCommitted) =>
    snapshot(client, () => catalogOfNodes(client, distributed, areCommitted)),
  );
}

async function sizesOf(
  client: pg.ClientBase,
  { tables }: Catalog,
  onNodes: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const [where, size] of [
    [false, 'pg_relation_size(quote_ident(t)::regclass)'],
    [true, 'citus_relation_size(quote_ident(t)::regclass)'],
  ] as const) {
    const names = tables.filter(({ name }) => onNodes.has(name) === where).map(({ name }) => name);
    if (names.length === 0) continue;
    const { rows } = await client.query(
      `/* tableSizes */ select t as name, ${size}::float8 as size from unnest($1::text[]) t`,
      [names],
    );
    for (const row of rows) sizes.set(row.name, row.size);
  }
  return sizes;
}

/** Reads one snapshot, while others write. */
export const withSource = <T>(
  url: string,
  work: (source: CopySource, client: pg.ClientBase) => Promise<T>,
): Promise<T> =>
  withConnection(url, true, async (client) => {
    const found = await foundTables(client);
    // In the order in which an index writes them, so that neither waits for the other.
    const distributed = Object.keys(distributedTables).filter((name) => found.includes(name));
    const catalog = await snapshotOfNodes(client, distributed);
    const onNodes = found.length > 0 ? await tablesOnNodes(client) : new Set<string>();
    const migrations = await migrationsOf(client);
    if (migrations.length === 0)
      throw new Error('The database has no tables of stakegraph: there is nothing to copy or back up.');
    const source: CopySource = {
      ...catalog,
      migrations,
      takenAt: (await client.query('/* takenAt */ select now() as at')).rows[0].at.toISOString(),
      database: await databaseOf(client),
      hasSample: await hasSampleData(
        client,
        catalog.tables.map(({ name }) => name),
      ),
      sizes: await sizesOf(client, catalog, onNodes),
      read: (table) =>
        client.query(
          copyTo(
            `/* readTable */ copy ${identifier(table.name)} (${copied(table)}) to stdout (format binary)`,
          ),
        ),
      check: async (table) =>
        checkOf(client, table, onNodes.has(table.name) ? await datesOf(client, table) : []),
      sequences: () => sequencesOf(client),
    };
    return await work(source, client);
  });

import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { foundTables, LayoutError } from '../../db/distributed/layout.ts';
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

/** A snapshot of a database, or a backup. */
export type CopySource = Catalog & {
  takenAt: string;
  /** As `databaseOf`. */
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

/** Locks all tables, as pg_dump does, so that none can be dropped or truncated, and then takes the snapshot. */
async function snapshot(client: pg.ClientBase): Promise<Catalog> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { tables } = await catalogOf(client);
    await client.query('begin isolation level repeatable read, read only');
    try {
      if (tables.length > 0)
        await client.query(`lock table ${listed(tables.map(({ name }) => name))} in access share mode`);
      const locked = await catalogOf(client);
      if (locked.tables.map(({ name }) => name).join() === tables.map(({ name }) => name).join())
        return locked;
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

async function sizesOf(client: pg.ClientBase, { tables }: Catalog): Promise<Map<string, number>> {
  const { rows } = await client.query(
    `/* tableSizes */ select t as name, pg_relation_size(quote_ident(t)::regclass)::float8 as size
    from unnest($1::text[]) t`,
    [tables.map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, size }) => [name, size]));
}

/** Reads one snapshot, while others write. */
export const withSource = <T>(
  url: string,
  work: (source: CopySource, client: pg.ClientBase) => Promise<T>,
): Promise<T> =>
  withConnection(url, true, async (client) => {
    if ((await foundTables(client)).length > 0)
      throw new LayoutError(
        'A database in which Citus distributes validator_days cannot be copied: use pg_dump, or run "stakegraph distribute --undo" first.',
      );
    const catalog = await snapshot(client);
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
      sizes: await sizesOf(client, catalog),
      read: (table) =>
        client.query(
          copyTo(
            `/* readTable */ copy ${identifier(table.name)} (${copied(table)}) to stdout (format binary)`,
          ),
        ),
      check: (table) => checkOf(client, table),
      sequences: () => sequencesOf(client),
    };
    return await work(source, client);
  });

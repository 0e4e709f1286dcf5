import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Audited, audit } from '../../db/audit.ts';
import { isDisconnected } from '../../db/connection.ts';
import { BASELINE } from '../../db/migrate/baseline.ts';
import { committedMigrations, migrate } from '../../db/migrate/index.ts';
import { traced } from '../../kernel/tracing.ts';
import { type Check, checkOf, identifier, listed, rootOf, type Table } from './catalog.ts';
import { withConnection } from './connect.ts';
import type { Token } from './replaced.ts';
import { type CopySource, copied } from './source.ts';
import { checkTarget, type Prepared, prepareTarget, RefusedTarget } from './target.ts';

export type CopyProgress = {
  /** Undefined during the final VACUUM. */
  table?: string;
  bytes: number;
  rows: number;
  done: number;
  of: number;
  checking?: boolean;
};

export type LoadOptions = {
  replace: boolean;
  /** Applies the migrations that the source lacks after its rows are written. */
  migrate: boolean;
  onProgress(progress: CopyProgress): void;
  /** Called before the commit. */
  onCommit(): void;
  /** Called after the commit. */
  onWritten(loaded: Loaded): void;
  audited: Pick<Audited, 'action' | 'subject'>;
};

export type Loaded = Pick<Prepared, 'leftOut' | 'outdated' | 'detached'> & {
  tables: number;
  rows: number;
  applied: string[];
  /** Tokens that were not valid in the replaced database. */
  revivedTokens: Token[];
};

/** Throws unless both sides have the same rows, in any order. */
function compare(table: Table, given: Check, written: Check): void {
  if (given.rows === written.rows && given.hash === written.hash) return;
  const difference =
    given.rows === written.rows
      ? `its ${given.rows} rows have other contents`
      : `${written.rows} of ${given.rows} rows arrived`;
  throw new Error(`The table ${table.name} was not copied whole: ${difference}; nothing was written.`);
}

export const counting = (note: (bytes: number) => void) =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      note(chunk.length);
      done(null, chunk);
    },
  });

async function writeTable(
  client: pg.ClientBase,
  source: CopySource,
  table: Table,
  note: (bytes: number, checking?: boolean) => void,
) {
  // FREEZE needs a table that this transaction truncated. It spares the first VACUUM from writing all pages again.
  const into = `/* writeTable */ copy ${identifier(table.name)} (${copied(table)}) from stdin (format binary, freeze)`;
  await pipeline(source.read(table), counting(note), client.query(copyFrom(into)));
  note(0, true);
  const [given, written] = await Promise.all([source.check(table), checkOf(client, table)]);
  compare(table, given, written);
  return Number(written.rows);
}

async function loadTables(client: pg.ClientBase, source: CopySource, options: LoadOptions): Promise<Loaded> {
  await client.query('begin');
  const { tables, finish, ...months } = await prepareTarget(client, source, options.replace);
  let rows = 0;
  for (const [index, table] of tables.entries()) {
    let bytes = 0;
    const note = (count: number, checking = false) => {
      bytes += count;
      options.onProgress({ table: table.name, bytes, rows, done: index, of: tables.length, checking });
    };
    note(0);
    rows += await traced('load table', { 'stakegraph.table': table.name }, () =>
      writeTable(client, source, table, note),
    );
  }
  const revivedTokens = await finish();
  if (tables.some(({ name }) => name === 'audit_log')) {
    const revived = revivedTokens.map(({ id }) => id);
    const details = {
      rows,
      replaced: options.replace,
      ...(revived.length > 0 && { revivedTokens: revived }),
    };
    await audit(client, { ...options.audited, details });
  }
  options.onCommit();
  await client.query('commit').catch((error: Error) => {
    if (!isDisconnected(error)) throw error;
    throw new Error(
      `The connection was lost during the commit, so either all data was written or none: ${error.message}`,
    );
  });
  return { ...months, tables: tables.length, rows, applied: [], revivedTokens };
}

export async function checkMigrations(migrations: string[]): Promise<void> {
  if (migrations.some((name) => name < BASELINE))
    throw new RefusedTarget(
      `The data is of a version before ${BASELINE}: load it with the version that wrote it, then run "stakegraph migrate" of this one.`,
    );
  const committed = await committedMigrations();
  const unknown = migrations.filter((name, index) => committed[index] !== name);
  if (unknown.length === 0) return;
  throw new RefusedTarget(
    `The data is of a version with migrations that this one does not know: ${unknown.slice(0, 5).join(', ')}; use that version.`,
  );
}

/**
 * Copies a source in one transaction, and compares each table before the commit. Throws unless the database has no data
 * or `replace` is set.
 */
export async function load(url: string, source: CopySource, options: LoadOptions): Promise<Loaded> {
  await checkMigrations(source.migrations);
  await withConnection(url, false, (client) => checkTarget(client, source, options.replace));
  await migrate(url, undefined, { last: source.migrations.at(-1) });
  const loaded = await withConnection(url, false, (client) => loadTables(client, source, options));
  options.onWritten(loaded);
  options.onProgress({ bytes: 0, rows: loaded.rows, done: loaded.tables, of: loaded.tables });
  try {
    const roots = new Set(source.tables.filter(({ name }) => !loaded.leftOut.includes(name)).map(rootOf));
    await withConnection(url, false, (client) => client.query(`vacuum (analyze) ${listed([...roots])}`));
    return { ...loaded, applied: options.migrate ? await migrate(url) : [] };
  } catch (error) {
    throw new Error(
      `All data was written, but the database could not be vacuumed and migrated: ${(error as Error).message}`,
    );
  }
}

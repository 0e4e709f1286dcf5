import type pg from 'pg';
import { foundTables } from '../../db/distributed/layout.ts';
import { named, otherClients } from '../../db/sessions.ts';
import {
  type Catalog,
  catalogOf,
  derivedTables,
  identifier,
  listed,
  migrationsOf,
  rootOf,
  type Sequence,
  sameColumns,
  type Table,
  type TablePart,
} from './catalog.ts';
import { detachedOf, makeDetached } from './detached.ts';
import { replacedOf, type Token } from './replaced.ts';
import type { CopySource } from './source.ts';

/** Rows that migrations write into a new database. */
const ofMigrations: Record<string, string> = {
  accounts: `name = 'default'`,
  audit_log: `action = 'migrate'`,
};

export class RefusedTarget extends Error {}

async function refuseSessions(client: pg.ClientBase): Promise<void> {
  const others = await otherClients(client);
  if (others)
    throw new RefusedTarget(
      `A gateway or another program is connected to the database to be written: stop it first. Connected: ${others}.`,
    );
}

/** Returns partitions under the name of their table. */
async function filledTables(client: pg.ClientBase, tables: Table[]): Promise<string[]> {
  const filled = new Set<string>();
  for (const table of tables) {
    const own = ofMigrations[table.name];
    const { rows } = await client.query(
      `/* hasRows */ select exists (select from only ${identifier(table.name)}${own ? ` where not (${own})` : ''}) as yes`,
    );
    if (rows[0].yes) filled.add(rootOf(table));
  }
  return [...filled].sort();
}

async function checkEmpty(client: pg.ClientBase, tables: Table[]): Promise<void> {
  const filled = await filledTables(client, tables);
  if (filled.length === 0) return;
  throw new RefusedTarget(
    `The database has data in ${named(filled)}; choose an empty database, or replace all of its data with --replace.`,
  );
}

/** Tables that are not written must not refer to those that are emptied. */
async function checkReferences(client: pg.ClientBase, tables: Table[]): Promise<void> {
  const { rows } = await client.query<{ name: string; key: string }>(
    `/* outsideReferences */
    select c.conrelid::regclass::text as name, c.conname::text as key
    from pg_constraint c join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and c.conparentid = 0 and t.relnamespace = quote_ident(current_schema())::regnamespace and t.relname = any($1)
      and not exists (select from pg_class r where r.oid = c.conrelid
        and r.relnamespace = quote_ident(current_schema())::regnamespace and r.relname = any($1))
    order by 1, 2`,
    [tables.map(({ name }) => name)],
  );
  if (rows.length === 0) return;
  const keys = rows.map(({ name, key }) => `${key} of ${name}`);
  throw new RefusedTarget(
    `Tables of yours refer to tables that are replaced: drop the foreign keys ${named(keys)} first, and add them again afterwards.`,
  );
}

/** Leaves tables of the user's own alone. */
function written(source: CopySource, { tables, parts }: Catalog): Catalog {
  const roots = new Set([
    ...source.tables.flatMap((table) => [table.name, rootOf(table)]), // the name, because it may be detached here
    ...source.parts.map(({ parent }) => parent),
  ]);
  return {
    tables: tables.filter((table) => roots.has(rootOf(table))),
    parts: parts.filter(({ parent }) => roots.has(parent)),
  };
}

export async function checkTarget(
  client: pg.ClientBase,
  source: CopySource,
  replace: boolean,
): Promise<void> {
  const { rows } = await client.query('/* isReadOnly */ show transaction_read_only');
  if (rows[0].transaction_read_only === 'on')
    throw new RefusedTarget('The database to be written is a standby or read-only: choose its primary.');
  if ((await foundTables(client)).length > 0)
    throw new RefusedTarget(
      'Citus distributes validator_days of the database to be written: choose another one, and distribute it afterwards.',
    );
  const applied = await migrationsOf(client);
  const catalog = await catalogOf(client);
  if (applied.length === 0 && catalog.tables.length > 0) {
    throw new RefusedTarget(
      `The database has tables of another program: ${named([...new Set(catalog.tables.map(rootOf))])}; choose an empty database.`,
    );
  }
  const later = applied.filter((name) => !source.migrations.includes(name));
  if (later.length > 0) {
    throw new RefusedTarget(
      `The database has migrations that the copied one lacks: ${named(later)}; choose a new, empty database.`,
    );
  }
  const { tables } = written(source, catalog);
  if (!replace) await checkEmpty(client, tables);
  const missing = source.migrations.filter((name) => !applied.includes(name));
  if (missing.length > 0 && (await filledTables(client, tables)).length > 0) {
    throw new RefusedTarget(
      `The database has data, and lacks migrations of the copied one: ${named(missing)}; choose an empty database, or migrate this one first, with the version of the copied one.`,
    );
  }
  await checkReferences(client, tables);
  await refuseSessions(client);
}

const literal = String.raw`(?:'[^'\\]*'|-?\d+|MINVALUE|MAXVALUE)`;
const list = String.raw`\(${literal}(?:, ${literal})*\)`;
const isBound = new RegExp(`^(?:DEFAULT|FOR VALUES (?:FROM ${list} TO ${list}|IN ${list}))$`);

/** A part of `wanted` may be detached here: one of the `emptied` tables then has its name. */
async function makeParts(
  client: pg.ClientBase,
  wanted: TablePart[],
  { parts: there, tables: emptied }: Catalog,
): Promise<void> {
  const same = (one: TablePart, other: TablePart) =>
    one.name === other.name && one.parent === other.parent && one.bound === other.bound;
  for (const part of there) {
    if (wanted.some((each) => same(each, part))) continue;
    await client.query(`drop table ${identifier(part.name)}`);
  }
  for (const part of wanted) {
    if (there.some((each) => same(each, part))) continue;
    if (!isBound.test(part.bound))
      throw new Error(`The partition ${part.name} has the unknown bound ${part.bound}.`);
    if (emptied.some(({ name, parent }) => name === part.name && parent === null))
      await client.query(`drop table ${identifier(part.name)}`);
    await client.query(
      `create table ${identifier(part.name)} partition of ${identifier(part.parent)} ${part.bound}`,
    );
  }
}

async function present(client: pg.ClientBase, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    '/* presentTables */ select name from unnest($1::text[]) as name where to_regclass(quote_ident(name)) is not null',
    [names],
  );
  return rows.map(({ name }) => name);
}

async function partitionedTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `/* partitionedTables */ select relname::text as name from pg_class
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'p'`,
  );
  return rows.map(({ name }) => name);
}

const triggersOf = `/* userTriggers */
  select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = quote_ident(current_schema())::regnamespace and not t.tgisinternal and t.tgenabled <> 'D'
    and not c.relispartition and c.relname = any($1)`;

async function setSequence(client: pg.ClientBase, { name, value, called }: Sequence): Promise<void> {
  const { rows } = await client.query('/* hasSequence */ select to_regclass($1) is not null as yes', [
    identifier(name),
  ]);
  if (!rows[0].yes) return;
  // Unlike setval alone, a restart is undone by a rollback, and so is a setval after it.
  await client.query(`alter sequence ${identifier(name)} restart`);
  await client.query('/* setSequence */ select setval($1::regclass, $2, $3)', [
    identifier(name),
    value,
    called,
  ]);
}

export type Prepared = {
  /** In write order. */
  tables: Table[];
  /** Tables of the source that are not written. */
  leftOut: string[];
  /** The detached months among `leftOut`. */
  outdated: string[];
  /** Detached months that are written. */
  detached: string[];
  /** Returns the tokens that became valid. */
  finish(): Promise<Token[]>;
};

/** Empties the tables. Triggers are off until `finish`, because the tables that they fill are copied too. */
export async function prepareTarget(
  client: pg.ClientBase,
  source: CopySource,
  replace: boolean,
): Promise<Prepared> {
  const before = written(source, await catalogOf(client));
  await client.query(`lock table ${listed(before.tables.map(({ name }) => name))} in access exclusive mode`);
  await refuseSessions(client);
  if (!replace) await checkEmpty(client, before.tables);
  const replaced = replace ? await replacedOf(client, before.tables) : undefined;
  const partitioned = await partitionedTables(client);
  const { rows } = await client.query(triggersOf, [before.tables.map(rootOf)]);
  const triggers = rows.map(({ name }) => name as string);
  for (const name of triggers) await client.query(`alter table ${identifier(name)} disable trigger user`);
  const derived = await present(client, derivedTables);
  await client.query(`truncate ${listed([...before.tables.map(({ name }) => name), ...derived])}`);
  // Rows of a default partition could forbid new ones.
  await makeParts(
    client,
    source.parts.filter(({ parent }) => partitioned.includes(parent)),
    before,
  );
  const { current, outdated } = await detachedOf(client, source.tables);
  await makeDetached(client, current);
  const names = new Map((await catalogOf(client)).tables.map((table) => [table.name, table]));
  const tables = source.tables.filter((table) => {
    const own = names.get(table.name);
    if (!own) return false;
    if (sameColumns(own.columns, table.columns)) return true;
    throw new Error(`The table ${table.name} has other columns than the copied one.`);
  });
  const leftOut = source.tables.filter((table) => !tables.includes(table)).map(({ name }) => name);
  const months = [...current, ...outdated].map(({ name }) => name);
  return {
    tables,
    leftOut,
    outdated: months.filter((name) => leftOut.includes(name)),
    detached: months.filter((name) => !leftOut.includes(name)),
    async finish() {
      for (const sequence of await source.sequences()) await setSequence(client, sequence);
      await replaced?.keepEntries();
      for (const name of triggers) await client.query(`alter table ${identifier(name)} enable trigger user`);
      return (await replaced?.revivedTokens()) ?? [];
    },
  };
}

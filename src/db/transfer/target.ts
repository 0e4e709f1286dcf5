import type pg from 'pg';
import { foundTables } from '../distributed/layout.ts';
import {
  type Catalog,
  catalogOf,
  listed,
  migrationsOf,
  type Part,
  quoted,
  rootOf,
  type Table,
} from './catalog.ts';
import type { Source } from './source.ts';

/** Rows that migrations write into a new database. */
const ofMigrations: Record<string, string> = {
  accounts: `name = 'default'`,
  audit_log: `action = 'migrate'`,
};

export class RefusedTarget extends Error {}

const MAX_NAMED = 5;
const named = (names: string[]) =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');

/** Returns partitions under the name of their table. */
async function filledTables(client: pg.ClientBase, tables: Table[]): Promise<string[]> {
  const filled = new Set<string>();
  for (const table of tables) {
    const own = ofMigrations[table.name];
    const { rows } = await client.query(
      `/* hasRows */ select exists (select from only ${quoted(table.name)}${own ? ` where not (${own})` : ''}) as yes`,
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

/** Throws if the database must not be written. */
export async function checkTarget(client: pg.ClientBase, source: Source, replace: boolean): Promise<void> {
  if ((await foundTables(client)).length > 0)
    throw new RefusedTarget(
      'Citus distributes validator_days of the database to be written: choose another one, and distribute it afterwards.',
    );
  const applied = await migrationsOf(client);
  const { tables } = await catalogOf(client);
  if (applied.length === 0 && tables.length > 0) {
    throw new RefusedTarget(
      `The database has tables of another program: ${named([...new Set(tables.map(rootOf))])}; choose an empty database.`,
    );
  }
  const later = applied.filter((name) => !source.migrations.includes(name));
  if (later.length > 0) {
    throw new RefusedTarget(
      `The database has migrations that the copied one has not: ${named(later)}; choose a new, empty database.`,
    );
  }
  if (!replace) await checkEmpty(client, tables);
  const { rows } = await client.query(
    `/* otherSessions */ select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'stakegraph'`,
  );
  if (rows[0].count === 0) return;
  throw new RefusedTarget(
    'A gateway or another command of stakegraph is connected to the database to be written: stop it first.',
  );
}

const literal = String.raw`(?:'[^'\\]*'|-?\d+|MINVALUE|MAXVALUE)`;
const list = String.raw`\(${literal}(?:, ${literal})*\)`;
const isBound = new RegExp(`^(?:DEFAULT|FOR VALUES (?:FROM ${list} TO ${list}|IN ${list}))$`);

async function makeParts(client: pg.ClientBase, wanted: Part[], there: Catalog): Promise<void> {
  const same = (one: Part, other: Part) =>
    one.name === other.name && one.parent === other.parent && one.bound === other.bound;
  for (const part of there.parts) {
    if (wanted.some((each) => same(each, part))) continue;
    await client.query(`drop table ${quoted(part.name)}`);
  }
  for (const part of wanted) {
    if (there.parts.some((each) => same(each, part))) continue;
    if (!isBound.test(part.bound))
      throw new Error(`The partition ${part.name} has the unknown bound ${part.bound}.`);
    await client.query(`create table ${quoted(part.name)} partition of ${quoted(part.parent)} ${part.bound}`);
  }
}

async function partitionedTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `/* partitionedTables */ select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'p'`,
  );
  return rows.map(({ name }) => name);
}

const triggersOf = `/* userTriggers */
  select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgenabled <> 'D'
    and not c.relispartition and c.relname = any($1)`;

export type Prepared = {
  /** In write order. */
  tables: Table[];
  /** Tables of the source that no migration makes. */
  leftOut: string[];
  finish(): Promise<void>;
};

/** Empties the tables. Triggers are off until `finish`, because the tables that they fill are copied too. */
export async function prepareTarget(
  client: pg.ClientBase,
  source: Source,
  replace: boolean,
): Promise<Prepared> {
  const before = await catalogOf(client);
  await client.query(`lock table ${listed(before.tables.map(({ name }) => name))} in access exclusive mode`);
  if (!replace) await checkEmpty(client, before.tables);
  const partitioned = await partitionedTables(client);
  await makeParts(
    client,
    source.parts.filter(({ parent }) => partitioned.includes(parent)),
    before,
  );
  const { tables: all } = await catalogOf(client);
  const names = new Map(all.map((table) => [table.name, table]));
  const tables = source.tables.filter((table) => {
    const own = names.get(table.name);
    if (!own) return false;
    if ([...own.columns].sort().join() === [...table.columns].sort().join()) return true;
    throw new Error(`The table ${table.name} has other columns than the copied one.`);
  });
  const { rows } = await client.query(triggersOf, [all.map(({ name }) => name).concat(partitioned)]);
  const triggers = rows.map(({ name }) => name as string);
  for (const name of triggers) await client.query(`alter table ${quoted(name)} disable trigger user`);
  await client.query(`truncate ${listed(all.map(({ name }) => name))}`);
  return {
    tables,
    leftOut: source.tables.filter((table) => !tables.includes(table)).map(({ name }) => name),
    async finish() {
      for (const { name, value, called } of await source.sequences())
        await client.query('/* setSequence */ select setval($1::regclass, $2, $3)', [
          quoted(name),
          value,
          called,
        ]);
      for (const name of triggers) await client.query(`alter table ${quoted(name)} enable trigger user`);
    },
  };
}

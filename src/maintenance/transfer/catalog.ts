import pg from 'pg';

export type Table = {
  name: string;
  /** The partitioned table of a partition. */
  parent: string | null;
  columns: string[];
  /** Those of the columns whose values PostgreSQL computes. */
  generated: string[];
};

export type TablePart = { name: string; parent: string; bound: string };

export type Sequence = { name: string; value: string; called: boolean };

export type Catalog = {
  /** Tables with rows, each after those that its foreign keys refer to. */
  tables: Table[];
  parts: TablePart[];
};

export type Check = { rows: string; hash: string };

/** Written only by migrations. */
const bookkeeping: readonly string[] = [
  'stakegraph_migrations',
  'compatible_migrations',
  'stakegraph_routines',
];

/** Unlogged, so that no standby can read them. A refresh computes their rows again. */
export const derivedTables: readonly string[] = ['kept_sums', 'window_sums'];

export const identifier = (name: string): string => pg.escapeIdentifier(name);
export const listed = (names: readonly string[]): string => names.map(identifier).join(', ');

const tablesOf = `/* tablesToCopy */
  select c.relname::text as name, p.relname::text as parent,
    array_agg(a.attname::text order by a.attnum) as columns,
    coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated <> ''), '{}') as generated
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_inherits i on i.inhrelid = c.oid
  left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind = 'r' and c.relname <> all($1)
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  group by c.oid, p.oid
  order by coalesce(p.relname, c.relname), c.relname`;

const partsOf = `/* partsToCopy */
  select c.relname::text as name, p.relname::text as parent, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_class c
  join pg_inherits i on i.inhrelid = c.oid
  join pg_class p on p.oid = i.inhparent
  where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relispartition and c.relkind = 'r'
  order by p.relname, c.relname`;

const referencesOf = `/* foreignKeys */
  select f.relname::text as "from", t.relname::text as "to"
  from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.conparentid = 0 and f.relnamespace = quote_ident(current_schema())::regnamespace
    and f.oid <> t.oid`;

export async function catalogOf(client: pg.ClientBase): Promise<Catalog> {
  const tables = (await client.query(tablesOf, [[...bookkeeping, ...derivedTables]])).rows as Table[];
  const parts = (await client.query(partsOf)).rows as TablePart[];
  const references = (await client.query(referencesOf)).rows as { from: string; to: string }[];
  return { tables: inOrder(tables, references), parts };
}

export const rootOf = ({ name, parent }: Table): string => parent ?? name;

export const sameColumns = (one: readonly string[], other: readonly string[]): boolean =>
  [...one].sort().join() === [...other].sort().join();

function inOrder(tables: Table[], references: { from: string; to: string }[]): Table[] {
  const byRoot = new Map<string, Table[]>();
  for (const table of tables) byRoot.set(rootOf(table), [...(byRoot.get(rootOf(table)) ?? []), table]);
  const ordered: Table[] = [];
  const seen = new Set<string>();
  const add = (root: string, path: string[]) => {
    if (path.includes(root)) throw new Error(`The foreign keys of ${path.join(', ')} form a circle.`);
    if (seen.has(root)) return;
    for (const { from, to } of references) if (from === root) add(to, [...path, root]);
    seen.add(root);
    ordered.push(...(byRoot.get(root) ?? []));
  };
  for (const table of tables) add(rootOf(table), []);
  return ordered;
}

/**
 * PostgreSQL 15 and 18 write the same text of a row, so the hashes of equal tables are equal. `dates` are columns that are
 * written in the style ISO whatever the setting of the server that reads them.
 */
export async function checkOf(
  client: pg.ClientBase,
  { name, columns }: Table,
  dates: readonly string[] = [],
): Promise<Check> {
  const values = columns.map((column) =>
    dates.includes(column) ? `to_char(${identifier(column)}, 'YYYY-MM-DD')` : identifier(column),
  );
  const { rows } = await client.query(
    `/* checkTable */ select count(*)::text as rows,
      coalesce(sum(hashtextextended(row(${values.join(', ')})::text, 0)), 0)::text as hash
    from only ${identifier(name)}`,
  );
  return rows[0];
}

export async function sequencesOf(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query(
    `/* sequencesToCopy */ select relname::text as name from pg_class c
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'S'
      and not exists (
        select from pg_depend d join pg_class t on t.oid = d.refobjid
        where d.objid = c.oid and d.deptype in ('a', 'i') and t.relname = any($1)
      )
    order by relname`,
    [bookkeeping],
  );
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const found = await client.query(
      `/* sequence */ select last_value::text as value, is_called as called from ${identifier(name)}`,
    );
    sequences.push({ name, ...found.rows[0] });
  }
  return sequences;
}

export async function migrationsOf(client: pg.ClientBase): Promise<string[]> {
  const found = await client.query(
    `/* migrationsTable */ select to_regclass('stakegraph_migrations') is not null as yes`,
  );
  if (!found.rows[0].yes) return [];
  const { rows } = await client.query(
    '/* migrations */ select name from stakegraph_migrations order by name',
  );
  return rows.map(({ name }) => name);
}

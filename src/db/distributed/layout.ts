import type { Pool, Queryable } from '../pool.ts';

/** Maps tables to their distribution column or `reference`. All other tables must be local. */
export const distributedTables: Readonly<Record<string, string>> = {
  validators: 'reference',
  validator_clients: 'reference',
  validator_days: 'validator_index',
};

const testedVersions: readonly string[] = ['13.0.3'];

export const DAYS_FUNCTION = 'days_of_validator';

export const DISTRIBUTE_LOCK = `hashtext('stakegraph distribute')`;

export class LayoutError extends Error {}

let distributed = false;

/** Set when the database of this process is opened. */
export const isDistributed = (): boolean => distributed;

export function useLayout(layout: Layout): void {
  distributed = layout === 'distributed';
}

/** `unfinished`: only some tables are distributed. `restored`: from a dump of a distributed database. */
export type Layout = 'plain' | 'distributed' | 'unfinished' | 'restored';

type Found = { name: string; by: string };

const run = (db: Queryable, text: string) => db.query({ text, values: [] });

async function catalogueOf(db: Queryable): Promise<{ citus: boolean; untriggered: boolean; made: boolean }> {
  const { rows } = await run(
    db,
    `/* layoutCatalogue */
    select to_regclass('pg_dist_partition') is not null as citus, to_regproc('${DAYS_FUNCTION}') is not null as made,
      to_regproc('keep_block_operators') is not null and not exists (
        select from pg_trigger where tgrelid = to_regclass('validators') and tgname = 'validators_operators_inserted'
      ) as untriggered`,
  );
  return rows[0] as { citus: boolean; untriggered: boolean; made: boolean };
}

/** Throws LayoutError. */
export async function foundTables(db: Queryable): Promise<string[]> {
  if (!(await catalogueOf(db)).citus) return [];
  const { rows } = await run(
    db,
    `/* distributedTables */
    select c.relname::text as name, case
        when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey)
        when p.partmethod = 'n' and p.repmodel = 't' then 'reference' else 'managed' end as "by"
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = quote_ident(current_schema())::regnamespace and not c.relispartition
      and c.relname !~ '^validator_days_\\d{4}(_\\d\\d)?$' -- detached
    order by c.relname`,
  );
  const found = rows as Found[];
  refuseOthers(found);
  return found.map(({ name }) => name);
}

export async function layoutOf(db: Queryable): Promise<Layout> {
  const found = await foundTables(db);
  const { untriggered, made } = await catalogueOf(db);
  if (found.length === 0) return untriggered ? 'restored' : 'plain';
  const whole = found.length === Object.keys(distributedTables).length && untriggered && made;
  return whole ? 'distributed' : 'unfinished';
}

const described = (name: string, by: string) => {
  if (by === 'reference') return `${name} is a reference table`;
  return by === 'managed' ? `${name} is managed` : `${name} is distributed by ${by}`;
};

function refuseOthers(found: readonly Found[]): void {
  const wrong = found.filter(({ name, by }) => by !== distributedTables[name]);
  if (wrong.length === 0) return;
  const kinds = wrong.map(({ name, by }) => described(name, by));
  const undo = wrong.map(({ name }) => `select undistribute_table('${name}');`).join(' ');
  throw new LayoutError(
    `Citus distributes tables in a way that could make totals wrong: ${kinds.join(', ')}. The only layout that stakegraph supports is that of "stakegraph distribute". Run ${undo} in the database.`,
  );
}

const repairs: Partial<Record<Layout, string>> = {
  unfinished:
    'Citus distributes only a part of the tables that it should: run "stakegraph distribute" again, which completes the layout.',
  restored:
    'The database was restored from a dump of a distributed one: run "stakegraph distribute" again, or "select keep_block_operators(true)" in the database to keep it local.',
};

/** Keeps a connection open, so that `stakegraph distribute` refuses to run. */
export async function openLayout(db: Pool): Promise<void> {
  if ((await catalogueOf(db)).citus) {
    db.keepOne?.();
    if (!(await isUnlocked(db)))
      throw new LayoutError('"stakegraph distribute" is running: try again when it has ended.');
  }
  const layout = await layoutOf(db);
  const repair = repairs[layout];
  if (repair) throw new LayoutError(repair);
  useLayout(layout);
}

async function isUnlocked(db: Queryable): Promise<boolean> {
  const { rows } = await run(
    db,
    `/* layoutLock */ select pg_try_advisory_xact_lock_shared(${DISTRIBUTE_LOCK}) as free`,
  );
  return rows[0]?.free === true;
}

export async function citusVersion(db: Queryable): Promise<string> {
  const { rows } = await run(db, '/* citusVersion */ select citus_version() as version');
  return /\d+\.\d+\.\d+/.exec(rows[0]?.version as string)?.[0] ?? String(rows[0]?.version);
}

export const untestedCitus = (version: string): string | undefined =>
  testedVersions.includes(version)
    ? undefined
    : `This is Citus ${version}; stakegraph was tried with ${testedVersions.join(', ')} only.`;

export function refuseDistributed(what: string): void {
  if (!isDistributed()) return;
  throw new LayoutError(
    `${what} does not support a database in which Citus distributes validator_days: run "stakegraph distribute --undo" first.`,
  );
}

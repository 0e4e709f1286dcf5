import type { Queryable } from '../pool.ts';

/** Distribution columns; all other tables must be local. */
export const distributedTables: Readonly<Record<string, string>> = { validator_days: 'validator_index' };

export const DAYS_FUNCTION = 'days_of_validator';

export const DISTRIBUTE_LOCK = `hashtext('stakegraph distribute')`;

export class LayoutError extends Error {}

let distributed = false;

/** Set when the database of this process is opened. */
export const isDistributed = (): boolean => distributed;

export function useLayout(layout: Layout): void {
  distributed = layout === 'distributed';
}

/** `unfinished`: distributed, but without DAYS_FUNCTION. */
export type Layout = 'plain' | 'distributed' | 'unfinished';

type Found = { name: string; method: string; replication: string; column: string | null };

const run = (db: Queryable, text: string) => db.query({ text, values: [] });

async function hasCitus(db: Queryable): Promise<boolean> {
  const { rows } = await run(db, `/* hasCitus */ select to_regclass('pg_dist_partition') is not null as yes`);
  return rows[0]?.yes === true;
}

export async function layoutOf(db: Queryable): Promise<Layout> {
  if (!(await hasCitus(db))) return 'plain';
  const { rows } = await run(
    db,
    `/* distributedTables */
    select c.relname::text as name, p.partmethod::text as method, p.repmodel::text as replication,
      column_to_column_name(p.logicalrelid, p.partkey) as "column"
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and not c.relispartition
      and c.relname !~ '^validator_days_\\d{4}(_\\d\\d)?$' -- detached
    order by c.relname`,
  );
  const found = rows as Found[];
  refuseOthers(found);
  if (found.length === 0) return 'plain';
  const made = await run(db, `/* daysFunction */ select to_regproc('${DAYS_FUNCTION}') is not null as yes`);
  return made.rows[0]?.yes ? 'distributed' : 'unfinished';
}

function refuseOthers(found: readonly Found[]): void {
  const wrong = found.filter(
    ({ name, method, column }) => method !== 'h' || column !== distributedTables[name],
  );
  if (wrong.length === 0) return;
  const kinds = wrong.map(({ name, method, replication, column }) => {
    if (method === 'h') return `${name} is distributed by ${column}`;
    return `${name} is ${method === 'n' && replication === 't' ? 'a reference table' : 'managed'}`;
  });
  const undo = wrong.map(({ name }) => `select undistribute_table('${name}');`).join(' ');
  const allowed = Object.entries(distributedTables).map(([name, column]) => `${name} by ${column}`);
  throw new LayoutError(
    `Citus distributes tables in a way in which totals could be wrong: ${kinds.join(', ')}. Only ${allowed.join(', ')} may be distributed. Run ${undo} in the database.`,
  );
}

export async function openLayout(db: Queryable): Promise<void> {
  if ((await hasCitus(db)) && !(await isUnlocked(db)))
    throw new LayoutError('"stakegraph distribute" is running: try again when it has ended.');
  const layout = await layoutOf(db);
  if (layout === 'unfinished')
    throw new LayoutError(
      'validator_days is distributed, but the rest of the layout is missing: run "stakegraph distribute".',
    );
  useLayout(layout);
}

async function isUnlocked(db: Queryable): Promise<boolean> {
  const { rows } = await run(
    db,
    `/* layoutLock */ select pg_try_advisory_xact_lock_shared(${DISTRIBUTE_LOCK}) as free`,
  );
  return rows[0]?.free === true;
}

export function refuseDistributed(what: string): void {
  if (!isDistributed()) return;
  throw new LayoutError(
    `${what} does not support a database in which Citus distributes validator_days: run "stakegraph distribute --undo" first.`,
  );
}

import type pg from 'pg';
import { networks } from '../../chain/networks.ts';
import { audit } from '../../db/audit.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import {
  DAYS_FUNCTION,
  DISTRIBUTE_LOCK,
  distributedTables,
  foundTables,
  layoutOf,
} from '../../db/distributed/layout.ts';
import { lockMigrations } from '../../db/migrate/index.ts';
import { withConnection } from '../transfer/connect.ts';
import { type Cluster, checkCluster, checkSessions, checkTables, DistributeError } from './checks.ts';

const DAYS = 'validator_days';
const TABLES = Object.keys(distributedTables);

export type DistributeOptions = {
  url: string;
  shards: number;
  undo: boolean;
  dryRun: boolean;
  tell: (step: string) => void;
};

type Print = { rows: number; hash: string };
type Move = Pick<DistributeOptions, 'undo' | 'shards' | 'tell'>;

export type DistributeReport = Cluster & {
  table: string;
  column: string;
  state: 'distributed' | 'made local' | 'would distribute' | 'would make local' | 'unchanged';
  shards?: number;
  months: number;
  rows: number;
  bytes: number;
  hash?: string;
  references: Record<string, Print | { rows: number }>;
  seconds: { moving: number; comparing: number; cleaning: number };
};

/** Nodes may write dates as text in different ways, so dates are compared as numbers. */
async function printOf(client: pg.ClientBase, table: string): Promise<Print> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `/* printedColumns */ select attname::text as name, atttypid::regtype::text as type from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attname`,
    [table],
  );
  const values = columns.map(({ name, type }) =>
    type === 'date' ? `(${name} - date '2000-01-01')::text` : `${name}::text`,
  );
  const text = values.map((value) => `coalesce(${value}, '-')`).join(', ');
  const { rows } = await client.query<Print>(
    `/* tablePrint */ select count(*)::float8 as rows,
      coalesce(sum(hashtextextended(concat_ws(',', ${text}) collate "C", 0)::numeric), 0)::text as hash from ${table}`,
  );
  return rows[0] as Print;
}

/** Reads reference tables last, because Citus may refuse other statements afterwards. */
async function printsOf(client: pg.ClientBase, tables: readonly string[], tell: Move['tell']) {
  const prints: Record<string, Print> = {};
  for (const table of tables.toReversed()) {
    tell(`hashing ${table}`);
    prints[table] = await printOf(client, table);
  }
  return prints;
}

async function sizeOf(client: pg.ClientBase) {
  const distributed = (await foundTables(client)).includes(DAYS);
  const size = distributed ? 'citus_total_relation_size(c.oid, false)' : 'pg_total_relation_size(c.oid)';
  const { rows } = await client.query<{ months: number; bytes: number }>(
    `/* daySize */ select count(*)::int as months, coalesce(sum(${size}), 0)::float8 as bytes
    from pg_partition_tree('${DAYS}') t join pg_class c on c.oid = t.relid where t.isleaf`,
  );
  return rows[0] as { months: number; bytes: number };
}

const makeFunction = `/* makeDaysFunction */
create or replace function ${DAYS_FUNCTION}(of_network text, of_validator integer, of_utc boolean)
returns setof ${DAYS} language plpgsql stable as $$
begin
  return query execute format('select * from ${DAYS} where network = %L and utc = %L and validator_index = %L::integer',
    of_network, of_utc, of_validator);
end $$`;
const dropFunction = `/* dropDaysFunction */ drop function if exists ${DAYS_FUNCTION}(text, integer, boolean)`;
const keepOperators = (by: boolean) => `/* keepBlockOperators */ select keep_block_operators(${by})`;

async function moveTable(client: pg.ClientBase, table: string, { undo, shards, tell }: Move): Promise<void> {
  const by = distributedTables[table];
  tell(undo ? `making ${table} local` : `distributing ${table}`);
  if (undo) await client.query('/* undistribute */ select undistribute_table($1)', [table]);
  else if (by === 'reference')
    await client.query('/* makeReference */ select create_reference_table($1)', [table]);
  else
    await client.query(
      `/* distribute */ select create_distributed_table($1, $2, colocate_with => 'none', shard_count => $3)`,
      [table, by, shards],
    );
}

export const distribute = (options: DistributeOptions): Promise<DistributeReport> =>
  withConnection(options.url, false, async (client) => {
    const cluster = await checkCluster(client);
    await checkTables(client, options.undo);
    await checkSessions(client);
    if (options.dryRun) return await inform(client, options, cluster);
    options.tell('waiting for migrations and imports to end');
    await client.query('begin');
    // Otherwise Citus refuses to make the function after all days were read on several connections.
    await client.query(`/* oneConnection */ set local citus.multi_shard_modify_mode to 'sequential'`);
    await lockMigrations(client);
    await client.query(`/* lockDistribute */ select pg_advisory_xact_lock(${DISTRIBUTE_LOCK})`);
    await lockWriters(client, ['blocks', 'validators', 'validator-clients', 'validator-days'], networks);
    await checkSessions(client);
    await checkTables(client, options.undo);
    const { moved, tables, seconds } = await move(client, options, cluster);
    await client.query('commit');
    const began = performance.now();
    await clean(client, options);
    return {
      ...cluster,
      ...(await reported(client, tables)),
      state: stateOf(options.undo, moved !== undefined),
      ...(!options.undo && moved?.includes(DAYS) && { shards: options.shards }),
      seconds: { ...seconds, cleaning: secondsSince(began) },
    };
  });

const stateOf = (undo: boolean, changed: boolean) => {
  if (!changed) return 'unchanged';
  return undo ? 'made local' : 'distributed';
};

type Counts = Record<string, Print | { rows: number }>;

async function reported(client: pg.ClientBase, { [DAYS]: days, ...references }: Counts) {
  const { months, bytes } = await sizeOf(client);
  const column = distributedTables[DAYS] as string;
  return { ...{ table: DAYS, column, rows: 0 }, ...days, ...{ months, bytes, references } };
}

const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
const secondsSince = (began: number) => rounded((performance.now() - began) / 1000);

/** Undefined if nothing is left to do. */
async function toMove(client: pg.ClientBase, undo: boolean): Promise<string[] | undefined> {
  if ((await layoutOf(client)) === (undo ? 'plain' : 'distributed')) return undefined;
  const found = await foundTables(client);
  return TABLES.filter((table) => found.includes(table) === undo);
}

async function move(client: pg.ClientBase, { undo, shards, tell }: Move, { citus }: Cluster) {
  const moved = await toMove(client, undo);
  const seconds = { moving: 0, comparing: 0 };
  const timed = async <T>(what: keyof typeof seconds, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const done = await work();
    seconds[what] = rounded(seconds[what] + (performance.now() - began) / 1000);
    return done;
  };
  if (moved) await client.query(undo ? dropFunction : keepOperators(false));
  const tables = await countsOf(
    client,
    moved ? TABLES.filter((table) => !moved.includes(table)) : TABLES,
    tell,
  );
  const printed = () => timed('comparing', () => printsOf(client, moved ?? [], tell));
  const before = await printed();
  for (const table of moved ?? [])
    await timed('moving', () => moveTable(client, table, { undo, shards, tell }));
  for (const [table, after] of Object.entries(await printed())) {
    const { rows, hash } = before[table] as Print;
    if (after.rows !== rows || after.hash !== hash)
      throw new DistributeError(
        `${table} had ${rows} rows with the hash ${hash}, and then ${after.rows} with ${after.hash}: nothing was changed.`,
      );
    tables[table] = after;
    const details = { rows, citus, ...(!undo && table === DAYS && { shards }) };
    await audit(client, { action: undo ? 'distribute.undo' : 'distribute', subject: table, details });
  }
  if (moved) await client.query(undo ? keepOperators(true) : makeFunction);
  return { moved, tables, seconds };
}

async function countsOf(client: pg.ClientBase, tables: readonly string[], tell: Move['tell']) {
  const counts: Counts = {};
  for (const table of tables) {
    tell(`counting ${table}`);
    const { rows } = await client.query(`/* countRows */ select count(*)::float8 as rows from ${table}`);
    counts[table] = { rows: rows[0].rows };
  }
  return counts;
}

async function clean(client: pg.ClientBase, { undo, tell }: Move): Promise<void> {
  for (const table of TABLES) {
    tell(`cleaning up ${table}`);
    if (!undo)
      await client.query('/* dropLocalRows */ select truncate_local_data_after_distributing_table($1)', [
        table,
      ]);
    await client.query(`/* analyzeMoved */ analyze ${table}`);
  }
}

async function inform(
  client: pg.ClientBase,
  { undo, shards, tell }: Move,
  cluster: Cluster,
): Promise<DistributeReport> {
  const moved = await toMove(client, undo);
  const would = undo ? 'would make local' : 'would distribute';
  return {
    ...cluster,
    ...(await reported(client, await countsOf(client, TABLES, tell))),
    state: moved ? would : 'unchanged',
    ...(!undo && moved?.includes(DAYS) && { shards }),
    seconds: { moving: 0, comparing: 0, cleaning: 0 },
  };
}

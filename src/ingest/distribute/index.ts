import { PG_MIGRATE_LOCK_ID } from 'node-pg-migrate';
import type pg from 'pg';
import { networks } from '../../chain/networks.ts';
import { audit } from '../../db/audit.ts';
import { DAYS_FUNCTION, DISTRIBUTE_LOCK, distributedTables, layoutOf } from '../../db/distributed/layout.ts';
import { withConnection } from '../../db/transfer/connect.ts';
import { lockWriters } from '../locks.ts';
import { type Cluster, checkCluster, checkSessions, checkTables, DistributeError } from './checks.ts';

const TABLE = 'validator_days';

export type DistributeOptions = { url: string; shards: number; undo: boolean; dryRun: boolean };

export type DistributeReport = Cluster & {
  table: string;
  column: string;
  state: 'distributed' | 'made local' | 'would distribute' | 'would make local' | 'unchanged';
  shards?: number;
  months: number;
  rows: number;
  bytes: number;
  hash?: string;
  seconds: { moving: number; comparing: number; cleaning: number };
};

type Print = { rows: string; hash: string };

/** Nodes may write dates as text in different ways, so dates are compared as numbers. */
async function printOf(client: pg.ClientBase): Promise<Print> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `/* dayColumns */ select attname::text as name, atttypid::regtype::text as type from pg_attribute
    where attrelid = '${TABLE}'::regclass and attnum > 0 and not attisdropped order by attname`,
  );
  const values = columns.map(({ name, type }) =>
    type === 'date' ? `(${name} - date '2000-01-01')::text` : `${name}::text`,
  );
  const text = values.map((value) => `coalesce(${value}, '-')`).join(', ');
  const { rows } = await client.query<Print>(
    `/* dayPrint */ select count(*)::text as rows,
      coalesce(sum(hashtextextended(concat_ws(',', ${text}) collate "C", 0)::numeric), 0)::text as hash from ${TABLE}`,
  );
  return rows[0] as Print;
}

async function sizeOf(client: pg.ClientBase, distributed: boolean) {
  const size = distributed ? 'citus_total_relation_size(c.oid, false)' : 'pg_total_relation_size(c.oid)';
  const { rows } = await client.query<{ months: number; bytes: number }>(
    `/* daySize */ select count(*)::int as months, coalesce(sum(${size}), 0)::float8 as bytes
    from pg_partition_tree('${TABLE}') t join pg_class c on c.oid = t.relid where t.isleaf`,
  );
  return rows[0] as { months: number; bytes: number };
}

const makeFunction = `/* makeDaysFunction */
create or replace function ${DAYS_FUNCTION}(of_network text, of_validator integer, of_utc boolean)
returns setof ${TABLE} language plpgsql stable as $$
begin
  return query execute format('select * from ${TABLE} where network = %L and utc = %L and validator_index = %L::integer',
    of_network, of_utc, of_validator);
end $$`;

async function moveTo(client: pg.ClientBase, { undo, shards }: DistributeOptions): Promise<void> {
  if (undo) {
    await client.query(
      `/* dropDaysFunction */ drop function if exists ${DAYS_FUNCTION}(text, integer, boolean)`,
    );
    await client.query(`/* undistribute */ select undistribute_table('${TABLE}')`);
    return;
  }
  await client.query(
    `/* distribute */ select create_distributed_table('${TABLE}', $1, colocate_with => 'none', shard_count => $2)`,
    [distributedTables[TABLE], shards],
  );
  await client.query(makeFunction);
}

export const distribute = (options: DistributeOptions): Promise<DistributeReport> =>
  withConnection(options.url, false, async (client) => {
    const cluster = await checkCluster(client);
    await checkTables(client, options.undo);
    if (options.dryRun) return await inform(client, options, cluster);
    await client.query('begin');
    await client.query(
      `/* lockDistribute */ select pg_advisory_xact_lock(${PG_MIGRATE_LOCK_ID}), pg_advisory_xact_lock(${DISTRIBUTE_LOCK})`,
    );
    await lockWriters(client, ['validator-days'], networks);
    await checkSessions(client);
    await checkTables(client, options.undo);
    const before = await layoutOf(client);
    const unchanged = options.undo ? before === 'plain' : before !== 'plain';
    const report = await (unchanged
      ? finish(client, before === 'unfinished')
      : move(client, options, cluster));
    await client.query('commit');
    const began = performance.now();
    await clean(client, options.undo);
    const cleaning = seconds(began);
    return {
      ...cluster,
      ...{ table: TABLE, column: distributedTables[TABLE] as string },
      ...(!options.undo && !unchanged && { shards: options.shards }),
      ...(await sizeOf(client, (await layoutOf(client)) !== 'plain')),
      ...report,
      seconds: { ...report.seconds, cleaning },
    };
  });

const seconds = (began: number) => Math.round((performance.now() - began) / 100) / 10;

type Moved = Pick<DistributeReport, 'state' | 'rows' | 'hash'> & {
  seconds: { moving: number; comparing: number };
};

async function move(client: pg.ClientBase, options: DistributeOptions, { citus }: Cluster): Promise<Moved> {
  const began = performance.now();
  const before = await printOf(client);
  const compared = seconds(began);
  const moved = performance.now();
  await moveTo(client, options);
  const moving = seconds(moved);
  const again = performance.now();
  const after = await printOf(client);
  if (after.rows !== before.rows || after.hash !== before.hash)
    throw new DistributeError(
      `${TABLE} had ${before.rows} rows with the hash ${before.hash}, and then ${after.rows} with ${after.hash}: nothing was changed.`,
    );
  const rows = Number(after.rows);
  await audit(client, {
    action: options.undo ? 'distribute.undo' : 'distribute',
    subject: TABLE,
    details: { rows, citus, ...(!options.undo && { shards: options.shards }) },
  });
  const comparing = Math.round((compared + seconds(again)) * 10) / 10;
  return {
    state: options.undo ? 'made local' : 'distributed',
    ...{ rows, hash: after.hash, seconds: { moving, comparing } },
  };
}

async function finish(client: pg.ClientBase, unfinished: boolean): Promise<Moved> {
  if (unfinished) await client.query(makeFunction);
  const { rows } = await client.query(`/* countDays */ select count(*)::float8 as rows from ${TABLE}`);
  return {
    ...{ state: unfinished ? 'distributed' : 'unchanged', rows: rows[0].rows },
    seconds: { moving: 0, comparing: 0 },
  };
}

async function clean(client: pg.ClientBase, undo: boolean): Promise<void> {
  const layout = await layoutOf(client);
  if (!undo && layout === 'distributed')
    await client.query(`/* dropLocalRows */ select truncate_local_data_after_distributing_table('${TABLE}')`);
  await client.query(`/* analyzeDays */ analyze ${TABLE}`);
}

async function inform(
  client: pg.ClientBase,
  { undo, shards }: DistributeOptions,
  cluster: Cluster,
): Promise<DistributeReport> {
  const plain = (await layoutOf(client)) === 'plain';
  const { rows } = await client.query(`/* countDays */ select count(*)::float8 as rows from ${TABLE}`);
  const would = undo ? 'would make local' : 'would distribute';
  return {
    ...cluster,
    ...{ table: TABLE, column: distributedTables[TABLE] as string },
    state: undo === plain ? 'unchanged' : would,
    ...(!undo && plain && { shards }),
    ...{ rows: rows[0].rows, ...(await sizeOf(client, !plain)) },
    seconds: { moving: 0, comparing: 0, cleaning: 0 },
  };
}

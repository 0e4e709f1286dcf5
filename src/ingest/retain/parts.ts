import type pg from 'pg';
import { networks } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { distributedTables, isDistributed } from '../../db/distributed/layout.ts';
import type { Queryable } from '../../db/pool.ts';
import { lockWriters } from '../locks.ts';
import type { Retainable } from './ages.ts';

export type PartedTable = { table: string; dataset: Retainable; revision: string };

export const partedTables: readonly PartedTable[] = [
  { table: 'validator_days', dataset: 'validator-days', revision: 'validator-days' },
  { table: 'attestation_days', dataset: 'attestation-days', revision: 'attestations' },
  { table: 'attestation_hours', dataset: 'attestation-hours', revision: 'attestations' },
  { table: 'operator_history', dataset: 'operator-history', revision: 'operators' },
];

export type Part = { part: string; from: string; before: string; rows: number; bytes: number };

/** Ascending. `rows` is PostgreSQL's estimate, or the count if the part was never analyzed. */
export async function partsOf(db: Queryable, table: string): Promise<Part[]> {
  const onWorkers = isDistributed() && table in distributedTables;
  const size = onWorkers ? 'citus_total_relation_size(c.oid, false)' : 'pg_total_relation_size(c.oid)';
  const { rows } = await db.query({
    text: `/* partsOf */
      select c.relname as part, b.bounds[1] as "from", b.bounds[2] as before,
        c.reltuples::float8 as rows, ${size}::float8 as bytes
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      cross join lateral regexp_matches(pg_get_expr(c.relpartbound, c.oid), '''([\\d-]+)''.*''([\\d-]+)''') as b (bounds)
      where i.inhparent = $1::regclass and c.relispartition order by b.bounds[1]`,
    values: [table],
  });
  const parts = rows as Part[];
  for (const part of parts) {
    if (part.rows >= 0 && !onWorkers) continue;
    const counted = await db.query({
      text: `/* countPart */ select count(*)::float8 as rows from "${part.part}"`,
      values: [],
    });
    part.rows = (counted.rows[0] as { rows: number }).rows;
  }
  return parts;
}

/** The part cannot be dropped now; the message says what to do. */
export class RefusedPart extends Error {}

/** Window `all` reads the sums of a month once its days are gone. */
async function checkSums(client: pg.ClientBase, part: Part): Promise<void> {
  const { rows } = await client.query<{ network: string }>(
    `/* monthsWithoutSums */ select n.network from unnest($1::text[]) as n (network)
    where not validator_sums_cover(n.network, $2::date) order by 1`,
    [networks, part.from],
  );
  if (rows.length === 0) return;
  throw new RefusedPart(
    `the window all of ${rows.map((row) => row.network).join(', ')} does not have the sums of this month yet: run stakegraph refresh --windows all first.`,
  );
}

/**
 * Takes the locks of writers first, because waiting for the lock of the table makes readers wait too: at most
 * `lockTimeoutMs`, after which this throws with code 55P03.
 */
export async function dropPart(
  client: pg.ClientBase,
  { table, dataset, revision }: PartedTable,
  part: Part,
  lockTimeoutMs: number,
): Promise<void> {
  await lockWriters(client, [revision], networks);
  if (dataset === 'validator-days') await checkSums(client, part);
  await client.query(`/* lockTimeout */ select set_config('lock_timeout', $1, true)`, [`${lockTimeoutMs}ms`]);
  await client.query(`/* dropPart */ drop table "${part.part}"`);
  if (table === 'validator_days')
    await client.query(`/* dropDates */ delete from validator_day_dates where date < $1::date`, [
      part.before,
    ]);
  if (table === 'operator_history')
    await client.query(`/* dropHistoryDays */ delete from operator_history_days where date < $1::date`, [
      part.before,
    ]);
  await noteKept(client, dataset, networks, part.before);
  await raisedRevision(client, revision)();
}

export async function noteKept(
  client: pg.ClientBase,
  dataset: Retainable,
  of: readonly string[],
  date: string,
): Promise<void> {
  await client.query(
    `/* noteKept */ insert into kept_from as k (dataset, network, date)
    select $1, n.network, $3::date from unnest($2::text[]) as n (network) order by n.network
    on conflict (dataset, network) do update set date = excluded.date where k.date < excluded.date`,
    [dataset, of, date],
  );
}

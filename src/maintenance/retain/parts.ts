import type pg from 'pg';
import { networks } from '../../chain/networks.ts';
import type { Retainable } from '../../config/ages.ts';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { distributedTables, isDistributed } from '../../db/distributed/layout.ts';
import type { Queryable } from '../../db/pool.ts';
import type { RewardsNetwork } from '../../resources/network-rewards/record.ts';
import { type StoredPart, whyNeeded } from './needed.ts';

const retainedNetworks = [...networks, 'solana'] as const;
export type RetainedNetwork = (typeof retainedNetworks)[number] | RewardsNetwork;

/**
 * `dates`: a table with the stored dates, by network unless `solana` is true. Without it, rows belong to
 * `attestation_entities`.
 */
export type PartedTable = {
  table: string;
  dataset: Retainable;
  revision: string;
  dates?: string;
  solana?: boolean;
};

export const partedTables: readonly PartedTable[] = [
  {
    ...{ table: 'validator_days', dataset: 'validator-days', revision: 'validator-days' },
    dates: 'validator_day_dates',
  },
  { table: 'attestation_days', dataset: 'attestation-days', revision: 'attestations' },
  { table: 'attestation_hours', dataset: 'attestation-hours', revision: 'attestations' },
  {
    ...{ table: 'operator_history', dataset: 'operator-history', revision: 'operators' },
    dates: 'operator_history_days',
  },
  {
    ...{ table: 'stake_authority_history', dataset: 'stake-authority-history' },
    ...{ revision: 'stake-authorities', dates: 'stake_authority_history_days', solana: true },
  },
];

/** True if another process has dropped the table. */
export const isGone = (error: unknown): boolean => (error as { code?: string }).code === '42P01';

const unlessGone = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error) => {
    if (isGone(error)) return undefined;
    throw error;
  });

/** Ascending. `rows` is PostgreSQL's estimate, or the count if the part was never analyzed. */
export async function partsOf(db: Queryable, table: string): Promise<StoredPart[]> {
  const onWorkers = isDistributed() && table in distributedTables;
  const size = onWorkers ? 'citus_total_relation_size(c.oid, false)' : 'pg_total_relation_size(c.oid)';
  const { rows } = await db.query({
    text: `/* partsOf */
      select c.relname as part, b.bounds[1] as "from", b.bounds[2] as before,
        c.reltuples::float8 as rows, ${size}::float8 as bytes
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      cross join lateral regexp_matches(pg_get_expr(c.relpartbound, c.oid), '''([0-9-]+)''.*''([0-9-]+)''') as b (bounds)
      where i.inhparent = $1::regclass and c.relispartition order by b.bounds[1]`,
    values: [table],
  });
  const parts: StoredPart[] = [];
  for (const part of rows as StoredPart[]) {
    const counted =
      part.rows >= 0 && !onWorkers
        ? part.rows
        : await unlessGone(async () => {
            const text = `/* countPart */ select count(*)::float8 as rows from "${part.part}"`;
            return ((await db.query({ text, values: [] })).rows[0] as { rows: number }).rows;
          });
    if (counted !== undefined) parts.push({ ...part, rows: counted });
  }
  return parts;
}

type Newest = { network: RetainedNetwork; date: string };

const storedDates = ({ dates, solana }: PartedTable) =>
  solana ? `(select 'solana' as network, date from ${dates}) as of_solana` : dates;

/** The newest stored date of each network with rows, earliest first. */
export async function newestDates(
  db: Queryable,
  parted: PartedTable,
  parts: readonly StoredPart[],
): Promise<Newest[]> {
  const found: Newest[] = [];
  const read = async (from: string) => {
    const missing = retainedNetworks.filter((network) => !found.some((one) => one.network === network));
    const { rows } = await db.query({
      text: `/* newestDates */ select network, max(date)::text as date from ${from}
        where network = any($1::text[]) group by network`,
      values: [missing],
    });
    found.push(...(rows as Newest[]));
  };
  const dates = storedDates(parted);
  if (dates) await read(dates);
  else
    for (const { part } of parts.toReversed())
      if (found.length < networks.length)
        await unlessGone(() => read(`"${part}" join attestation_entities using (entity_key)`));
  return found.sort((a, b) => (a.date < b.date ? -1 : 1));
}

export async function networksOf(
  client: pg.ClientBase,
  parted: PartedTable,
  part: StoredPart,
): Promise<RetainedNetwork[]> {
  const dates = storedDates(parted);
  const { rows } = await client.query<{ network: RetainedNetwork }>(
    `/* networksOfPart */ select n.network from unnest($1::text[]) as n (network) where exists (
      ${
        dates
          ? `select from ${dates} where network = n.network and date >= $2::date and date < $3::date`
          : `select from attestation_entities e where e.network = n.network and $2::date < $3::date
        and exists (select from "${part.part}" t where t.entity_key = e.entity_key)`
      }
    )`,
    [retainedNetworks, part.from, part.before],
  );
  return rows.map(({ network }) => network);
}

export class RefusedPart extends Error {}

/** Where the rows of a part are now. */
type Archived = { folder: string; files: string[] };

/**
 * Call under the locks of its writers. Readers that come meanwhile wait at most `lockTimeoutMs`, after which this throws
 * with code 55P03.
 */
export async function dropPart(
  client: pg.ClientBase,
  parted: PartedTable,
  part: StoredPart,
  lockTimeoutMs: number,
  archived?: Archived,
): Promise<void> {
  const { dataset, dates, revision } = parted;
  const needed = dataset === 'validator-days' && (await whyNeeded(client, part));
  if (needed) throw new RefusedPart(needed);
  const of = await networksOf(client, parted, part);
  await client.query(`/* lockTimeout */ select set_config('lock_timeout', $1, true)`, [`${lockTimeoutMs}ms`]);
  if (dates)
    await client.query(`/* dropDates */ delete from ${dates} where date >= $1::date and date < $2::date`, [
      part.from,
      part.before,
    ]);
  if (dataset === 'attestation-days') await keepNetworkDays(client, part);
  await dropTable(client, { dataset, revision, of, ...(archived && { archived }) }, part);
}

async function keepNetworkDays(client: pg.ClientBase, { from, before }: StoredPart): Promise<void> {
  const ofNetworks = `attestation_days a join attestation_entities e using (entity_key)
    where e.id_type = 'network' and a.date >= $1::date and a.date < $2::date`;
  // kept before, if `kept_from` was deleted and the days were imported again
  await client.query(
    `/* forgetNetworkDays */ delete from kept_network_days where (entity_key, utc, date, day) in (
      select a.entity_key, a.utc, a.date, a.day from ${ofNetworks})`,
    [from, before],
  );
  await client.query(`/* keepNetworkDays */ insert into kept_network_days select a.* from ${ofNetworks}`, [
    from,
    before,
  ]);
}

export async function dropTable(
  client: pg.ClientBase,
  {
    dataset,
    revision,
    of,
    archived,
  }: { dataset: Retainable; revision: string; of: readonly RetainedNetwork[]; archived?: Archived },
  part: StoredPart,
): Promise<void> {
  await client.query(`/* dropPart */ drop table "${part.part}"`);
  if (!archived) await noteKept(client, dataset, of, part.before);
  await raisedRevision(client, revision)();
  const details = { before: part.before, rows: Math.round(part.rows), ...archived };
  await audit(client, { action: archived ? 'archive' : 'retain', subject: part.part, details });
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

import type pg from 'pg';
import { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { text } from '../kernel/leaves.ts';
import { idTypes, normaliseId, OperatorSummary, OperatorTag } from '../resources/operators/record.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';

/** A tag may say what it leads to; of a pool share, its pool and its node operator. */
const ImportedTag = OperatorTag.extend({ idType: text().nullable().optional() });

/** An operator summary as it comes in: the published record, and what only an import can say. */
const ImportedOperator = OperatorSummary.extend({
  idType: z.enum(idTypes.filter((name) => name !== 'privateSet')),
  operatorTags: z.array(ImportedTag),
  network: Network,
  poolId: text(256).nullable(),
  nodeOperatorId: text(256).nullable(),
});
export type ImportedOperator = z.infer<typeof ImportedOperator>;

type Parents = { poolId: string | null; nodeOperatorId: string | null };

function parentsOf(row: ImportedOperator): Parents {
  if (row.idType !== 'poolShare') return { poolId: null, nodeOperatorId: null };
  const tagged = (idType: string) => row.operatorTags.find((tag) => tag.idType === idType)?.name ?? null;
  return {
    poolId: row.poolId ?? tagged('pool'),
    nodeOperatorId: row.nodeOperatorId ?? tagged('nodeOperator'),
  };
}

/** `cex` are pools tagged as exchanges, `lst` those tagged as liquid staking (decisions on operators). */
function poolTypeOf(row: ImportedOperator): 'cex' | 'lst' | null {
  if (row.idType !== 'pool') return null;
  const tags = row.operatorTags.map((tag) => tag.name.toLowerCase().replace(/[\s_-]+/g, ' '));
  if (tags.includes('exchange') || tags.includes('cex')) return 'cex';
  return tags.includes('liquid staking') || tags.includes('lst') ? 'lst' : null;
}

const columns = [
  ['network', 'text'],
  ['id_type', 'text'],
  ['time_window', 'text'],
  ['operator_id', 'text'],
  ['validator_count', 'integer'],
  ['avg_correctness', 'double precision'],
  ['avg_inclusion_delay', 'double precision'],
  ['avg_uptime', 'double precision'],
  ['avg_validator_effectiveness', 'double precision'],
  ['client_percentages', 'jsonb'],
  ['network_penetration', 'double precision'],
  ['relayer_percentages', 'jsonb'],
  ['node_operator_count', 'integer'],
  ['operator_tags', 'jsonb'],
  ['display_name', 'text'],
  ['apr_percentage', 'double precision'],
  ['sum_end_epoch_balance', 'bigint'],
  ['sum_end_epoch_effective_balance', 'bigint'],
  ['pool_id', 'text'],
  ['node_operator_id', 'text'],
  ['pool_type', 'text'],
] as const;
const names = columns.map(([name]) => name).join(', ');

const upsert = `/* importOperators */
  with written as (
    insert into operator_summaries (${names})
    select ${names} from jsonb_to_recordset($1::jsonb) as r (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})
    on conflict (network, operator_id, id_type, time_window) do update
      set ${columns
        .slice(4)
        .map(([name]) => `${name} = excluded.${name}`)
        .join(', ')}
    returning (xmax = 0) as fresh
  )
  select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
  from written`;

function stored(row: ImportedOperator) {
  const parents = parentsOf(row);
  return {
    network: row.network,
    id_type: row.idType,
    time_window: row.timeWindow,
    operator_id: normaliseId(row.id),
    validator_count: row.validatorCount,
    avg_correctness: row.avgCorrectness,
    avg_inclusion_delay: row.avgInclusionDelay,
    avg_uptime: row.avgUptime,
    avg_validator_effectiveness: row.avgValidatorEffectiveness,
    client_percentages: row.clientPercentages,
    network_penetration: row.networkPenetration,
    relayer_percentages: row.relayerPercentages,
    node_operator_count: row.nodeOperatorCount,
    operator_tags: row.operatorTags,
    display_name: row.displayName,
    apr_percentage: row.aprPercentage,
    sum_end_epoch_balance: row.sumEndEpochBalance,
    sum_end_epoch_effective_balance: row.sumEndEpochEffectiveBalance,
    pool_id: parents.poolId,
    node_operator_id: parents.nodeOperatorId,
    pool_type: poolTypeOf(row),
  };
}

type ListOf = { network: string; idType: string; timeWindow: string };

/** The lists that rows belong to, each once. */
function listsOf(rows: readonly ImportedOperator[]): ListOf[] {
  const found = new Map<string, ListOf>();
  for (const { network, idType, timeWindow } of rows) {
    found.set(`${network}/${idType}/${timeWindow}`, { network, idType, timeWindow });
  }
  return [...found.values()];
}

const listArrays = (lists: readonly ListOf[]) => [
  lists.map((list) => list.network),
  lists.map((list) => list.idType),
  lists.map((list) => list.timeWindow),
];

async function removeAbsent(client: pg.ClientBase, rows: readonly ImportedOperator[]): Promise<number> {
  const removed = await client.query(
    `/* removeAbsentOperators */
    delete from operator_summaries s
    using unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
    where (s.network, s.id_type, s.time_window) = (l.network, l.id_type, l.time_window)
      and not exists (
        select from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as k (network, id_type, time_window, operator_id)
        where (s.network, s.id_type, s.time_window, s.operator_id) = (k.network, k.id_type, k.time_window, k.operator_id)
      )`,
    [...listArrays(listsOf(rows)), ...listArrays(rows), rows.map((row) => normaliseId(row.id))],
  );
  return removed.rowCount ?? 0;
}

/**
 * Writes the ranks of these lists anew: network penetration descending with nulls last, then validator count
 * descending, then id; for the whole list, for each pool type, and for the shares of each parent.
 */
async function rankLists(client: pg.ClientBase, lists: readonly ListOf[]) {
  // The pool type of a share is that of its pool, so new pools change the lists of shares too.
  const shares = lists
    .filter((list) => list.idType === 'pool')
    .map((list) => ({ ...list, idType: 'poolShare' }));
  const all = listsOf([...lists, ...shares] as never);
  const arrays = listArrays(all);
  await client.query(
    `/* poolTypeOfShares */
    update operator_summaries s set pool_type = now.pool_type
    from (
      select s.summary_id, p.pool_type
      from unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
      join operator_summaries s using (network, id_type, time_window)
      left join operator_summaries p on p.id_type = 'pool'
        and (p.network, p.operator_id, p.time_window) = (s.network, s.pool_id, s.time_window)
      where s.id_type = 'poolShare'
    ) as now
    where s.summary_id = now.summary_id and s.pool_type is distinct from now.pool_type`,
    arrays,
  );
  await client.query(
    `/* dropOperatorLists */
    delete from operator_lists o using unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
    where (o.network, o.id_type, o.time_window) = (l.network, l.id_type, l.time_window)`,
    arrays,
  );
  await client.query(
    `/* rankOperators */
    with member as (
      select s.*, t.list_type, p.parent_type, p.parent_id
      from unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
      join operator_summaries s using (network, id_type, time_window)
      cross join lateral (select 'all' union select s.pool_type where s.pool_type is not null) as t (list_type)
      cross join lateral (
        select '', ''
        union select t, s.pool_id from unnest(array['pool', 'any']) t where s.pool_id is not null
        union select t, s.node_operator_id from unnest(array['nodeOperator', 'any']) t
          where s.node_operator_id is not null
      ) as p (parent_type, parent_id)
    ), ranked as (
      select network, id_type, time_window, list_type, parent_type, parent_id, summary_id, row_number() over (
        partition by network, id_type, time_window, list_type, parent_type, parent_id
        order by network_penetration desc nulls last, validator_count desc, operator_id
      ) - 1 as rank
      from member
    ), list as (
      insert into operator_lists (network, id_type, time_window, pool_type, parent_type, parent_id, total)
      select network, id_type, time_window, list_type, parent_type, parent_id, count(*) from ranked group by 1, 2, 3, 4, 5, 6
      returning list_id, network, id_type, time_window, pool_type as list_type, parent_type, parent_id
    )
    insert into operator_ranks (list_id, rank, summary_id)
    select list_id, rank, summary_id
    from ranked join list using (network, id_type, time_window, list_type, parent_type, parent_id)`,
    arrays,
  );
}

const BATCH = 1_000;

/** Writes operator summaries and the ranks of every list they touch, in the client's transaction. */
export async function writeOperators(
  client: pg.ClientBase,
  rows: readonly ImportedOperator[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph operators'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH).map(stored);
    const { rows: written } = await client.query(upsert, [JSON.stringify(batch)]);
    counts.inserted += written[0]?.inserted ?? 0;
    counts.updated += written[0]?.updated ?? 0;
    options.onProgress?.(Math.min(rows.length, start + BATCH));
  }
  if (options.replace) counts.removed = await removeAbsent(client, rows);
  await rankLists(client, listsOf(rows));
  return counts;
}

export const operatorImporter: Importer<ImportedOperator> = {
  resource: 'operators',
  check: (raw, { network }) => {
    const value = decode(ImportedOperator, raw);
    return ImportedOperator.safeParse(isObject(value) ? { network, ...value } : value);
  },
  key: (row) => JSON.stringify([row.network, row.idType, row.timeWindow, normaliseId(row.id)]),
  write: writeOperators,
  // A body of shares is that of one parent, and one of pools may have been narrowed by poolType: neither is all.
  replacesBy: (rows) => {
    const types = new Set(rows.map(poolTypeOf));
    const narrowed = rows[0]?.idType === 'pool' && types.size === 1 && !types.has(null);
    return !narrowed && rows.every((row) => row.idType !== 'poolShare');
  },
};

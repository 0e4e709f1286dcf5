import type pg from 'pg';
import { firstEpochOfChainDay } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import { isLiquidStakingColumn } from '../ingest/importers/liquid-staking.ts';
import type { computedTypes } from '../ingest/importers/operator-profiles.ts';
import { operatorImporter } from '../ingest/importers/operators.ts';
import { anyJoins } from '../ingest/merge/staging.ts';
import { APR_FACTOR } from '../periods/effectiveness.ts';
import { chainDays } from './known.ts';
import { localDays } from './local-days.ts';
import { type Days, daysOfWindow, gatherRelays, gatherValidators } from './validators.ts';
import { run, shownObjects, shownShare, type Written, writeSelected } from './write.ts';

export type ComputedType = (typeof computedTypes)[number];

/** An `idType` without known validators keeps its summaries. */
export async function refreshOperators(
  client: pg.ClientBase,
  network: Network,
  window: TimeWindow,
  types: readonly ComputedType[],
): Promise<(Written & { facts: number }) | undefined> {
  const days = await daysOfWindow(client, network, window);
  if (!days) return undefined;
  const validators = await gatherValidators(client, network, days);
  await gatherRelays(client, network, days);
  const importer: typeof operatorImporter = {
    ...operatorImporter,
    merge: async (_, options) => {
      const counts = await operatorImporter.merge(client, options);
      if (await writeClients(client, network)) await options.revision();
      return counts;
    },
  };
  const newest = await localDays(client, { network, utc: false }, [days.last]);
  const written = await writeSelected(client, importer, summaries(network, window, days, types, newest), {
    replace: true,
    check: async () => {
      await anyJoins(client);
      await checkShareNames(client);
    },
  });
  return { ...written, facts: validators };
}

async function writeClients(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rows } = await run(
    client,
    sql`/* writeClients */
    with found as (
      select client, count(*)::int as validator_count from window_validators
      where client is not null and balance is not null group by client
    ), removed as (
      delete from network_clients c
      where network = ${network} and not exists (select from found f where f.client = c.client)
      returning 1
    ), written as (
      insert into network_clients as c (network, client, validator_count)
      select ${network}, client, validator_count from found
      on conflict (network, client) do update set validator_count = excluded.validator_count
        where c.validator_count <> excluded.validator_count
      returning 1
    )
    select exists (select from removed) or exists (select from written) as changed`,
  );
  return rows[0].changed;
}

/** Rules: docs/data-model.md, spec §2.2, decisions on operators. */
const summaries = (
  network: Network,
  window: TimeWindow,
  days: Days,
  types: readonly ComputedType[],
  newest: Sql,
) => ({
  with: sql`
  with chain as (
    select case when c.balance is not null or (select complete from (${chainDays(network, sql`array[${days.last}::date]`, newest)}) d)
      then greatest(c.balance, (select sum(effective) from window_validators)) end as effective,
      (select max(end_epoch) from window_validators) as epoch
    from (select (
      select total_active_balance from chain_balances
      where network = ${network} and epoch < ${firstEpochOfChainDay(days.lastDay + 1)}
      order by epoch desc limit 1
    ) as balance) c
  ), client as (
    select ${key}, ${shownObjects(sql`shown`, sql`part desc, c.client`)} as percentages
    from (
      select ${key}, client, n / sum(n) over (partition by ${key}) as part
      from (${inClasses(types, sql`w.client, count(*) as n`, {
        from: sql`window_validators w where w.client is not null`,
        by: sql`, w.client`,
      })}) m
    ) c cross join lateral (select client, ${shownShare(sql`part`)} as percentage) shown group by ${key}
  ), relayer as (
    select ${key}, ${shownObjects(sql`shown`, sql`part desc, r.relayer`)} as percentages
    from (
      select ${key}, relayer, n / sum(n) over (partition by ${key}) as part
      from (${inClasses(types, sql`w.relayer, sum(w.blocks) as n`, {
        from: sql`window_relays w where true`,
        by: sql`, w.relayer`,
      })}) m
    ) r cross join lateral (select relayer, ${shownShare(sql`part`)} as percentage) shown group by ${key}
  ), figures as (
    ${inClasses(
      types,
      sql`count(w.balance)::int as validator_count,
        coalesce(${meanOf('correctness')}, 0) as correctness, ${meanOf('delay')} as delay,
        ${meanOf('uptime')} as uptime, ${meanOf('effectiveness')} as effectiveness,
        coalesce(sum(w.effective), 0) as effective, coalesce(sum(w.balance), 0) as balance,
        (${raw(String(APR_FACTOR))} * sum(w.apr_rewards) / nullif(sum(w.apr_stake), 0))::float8 as apr`,
      { from: sql`window_validators w where true` },
    )}
  ), runner as (
    select 'pool' as id_type, pool as operator_id, '' as pool_id, '' as node_operator_id, count(*)::int as node_operators
    from (
      select distinct pool, node_operator from window_validators where pool is not null and node_operator is not null
    ) n
    group by pool
  ), known as (
    ${knownOperators(network, window)}
  )`,
  columns: {
    network: sql`${network}`,
    as_of_epoch: sql`chain.epoch`,
    id_type: sql`f.id_type`,
    time_window: sql`${window}`,
    operator_id: sql`coalesce(k.name, nullif(f.operator_id, ''),
      f.pool_id || ' - ' || f.node_operator_id)`,
    validator_count: sql`f.validator_count`,
    avg_correctness: sql`f.correctness`,
    avg_inclusion_delay: sql`f.delay`,
    avg_uptime: sql`f.uptime`,
    avg_validator_effectiveness: sql`f.effectiveness`,
    client_percentages: sql`coalesce(c.percentages, '[]')`,
    network_penetration: sql`(f.effective / nullif(chain.effective, 0))::float8`,
    relayer_percentages: sql`coalesce(r.percentages, '[]')`,
    node_operator_count: sql`n.node_operators`,
    operator_tags: sql`coalesce(k.operator_tags, '[]')`,
    display_name: sql`k.display_name`,
    apr_percentage: sql`f.apr`,
    sum_end_epoch_balance: sql`f.balance`,
    sum_end_epoch_effective_balance: sql`f.effective`,
    pool_id: sql`nullif(f.pool_id, '')`,
    node_operator_id: sql`nullif(f.node_operator_id, '')`,
    pool_type: sql`case f.id_type
      when 'pool' then coalesce(nullif(k.pool_type, 'none'), case when ${isLiquidStakingColumn(sql`f.operator_id`)} then 'lst' end)
      when 'poolShare' then case when ${isLiquidStakingColumn(sql`f.pool_id`)} then 'lst' end
    end`,
  },
  from: sql`
  from figures f
  cross join chain
  left join client c using (${key})
  left join relayer r using (${key})
  left join runner n using (${key})
  left join known k using (${key})`,
});

/** Columns of `window_validators`. */
const classColumns: Record<ComputedType, readonly string[]> = {
  depositAddress: ['deposit_address'],
  withdrawalAddress: ['withdrawal_address'],
  nodeOperator: ['node_operator'],
  pool: ['pool'],
  poolShare: ['pool', 'node_operator'],
  validator: ['validator_index'],
};

/** Groups each class by its own columns. Grouping by the columns of all classes first takes three times as long. */
const inClasses = (
  types: readonly ComputedType[],
  figures: Sql,
  { from, by = sql`` }: { from: Sql; by?: Sql },
): Sql =>
  join(
    types.map((type) => {
      const columns = classColumns[type].map((name) => `w.${name}`);
      const texts = columns.map((name) => `${name}::text collate "C"`).join(', ');
      const ids =
        columns.length === 1
          ? `${texts} as operator_id, '' as pool_id, '' as node_operator_id`
          : `'' as operator_id, ${texts}`;
      const known = columns.map((name) => `${name} is not null`).join(' and ');
      return sql`
      select ${type}::text as id_type, ${raw(ids)}, ${figures} from ${from} and ${raw(known)} group by ${raw(columns.join(', '))}${by}`;
    }),
    ' union all ',
  );

const meanOf = (name: string): Sql => raw(`(sum(w.${name}) / nullif(count(w.${name}), 0) / 1e15)::float8`);

const key = sql`id_type, operator_id, pool_id, node_operator_id`;

/**
 * Prefers profiles, then summaries of the same window. Shares match by parents, because their names vary. Leaves out
 * operators known only by their key: nearly all.
 */
export const knownOperators = (network: Network, window: TimeWindow): Sql => {
  const stored = sql`(
    select id_type, case when id_type = 'poolShare' then '' else operator_id end as operator_id,
      coalesce(pool_id, '') as pool_id, coalesce(node_operator_id, '') as node_operator_id,
      operator_id as name, operator_tags, display_name, pool_type, place
    from (
      select id_type, operator_id, pool_id, node_operator_id, operator_tags, display_name, pool_type, '' as place
      from operator_profiles where network = ${network}
      union all
      select id_type, operator_id, pool_id, node_operator_id, operator_tags, display_name, pool_type,
        case when time_window = ${window} then '0' else time_window end
      from operator_summaries where network = ${network} and not superseded
    ) k
  ) k`;
  return sql`
  select distinct on (${key}) ${key}, name, operator_tags, display_name, pool_type
  from ${stored}
  where (${key}) in (
    select ${key} from ${stored}
    where operator_tags::text <> '[]' or display_name is not null or pool_type is not null
      or id_type = 'poolShare' and name <> pool_id || ' - ' || node_operator_id
  )
  order by ${key}, place, name`;
};

/** Throws if the name of a share, which combines two names, is too long or not unique. */
export async function checkShareNames(client: pg.ClientBase, table = 'staged'): Promise<void> {
  const { rows } = await run(
    client,
    sql`/* checkShareNames */
    select operator_id as id, min(pool_id) as pool, min(node_operator_id) as operator, count(*)::int as shares
    from ${raw(table)} where id_type = 'poolShare'
    group by operator_id having count(*) > 1 or length(operator_id) > 256 order by operator_id limit 1`,
  );
  const [bad] = rows;
  if (!bad) return;
  const why = bad.shares > 1 ? `is that of ${bad.shares} pool shares` : 'is longer than 256 characters';
  throw new Error(
    `The name ${JSON.stringify(bad.id)}, of the share of pool ${bad.pool} and node operator ${bad.operator}, ${why}: import operator-profiles with another name.`,
  );
}

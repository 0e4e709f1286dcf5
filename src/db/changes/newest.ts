import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryOf, raw, sql } from '../rows.ts';
import { rewardsNetworks } from './datasets.ts';

const Newest = z.object({
  dataset: z.string(),
  network: z.string(),
  /** `day` counts chain days, `date` is in Unix seconds. */
  unit: z.enum(['slot', 'epoch', 'day', 'date']),
  position: z.number(),
});
export type Newest = z.infer<typeof Newest>;

const rewards = raw(
  rewardsNetworks
    .map(
      (network) =>
        `union all select '${network}-rewards', '${network}', 'date', extract(epoch from max(day)) from ${network}_network_rewards`,
    )
    .join('\n      '),
);

/** Reads only 20 entities of attestations, because no index has the newest day of all entities. */
export const newestPositions = queryOf(
  Newest,
  (networks: readonly string[]) => sql`/* newestPositions */
    with n as (select unnest(${[...networks]}::text[]) as network),
    class as (
      select t.name as id_type, w.name as time_window
      from unnest('{depositAddress,nodeOperator,pool,poolShare,withdrawalAddress}'::text[]) as t (name)
      cross join unnest('{1d,7d,30d}'::text[]) as w (name)
    ), found (dataset, network, unit, position) as (
      select 'blocks', network, 'slot',
        (select slot from blocks t where t.network = n.network order by slot desc limit 1)::float8 from n
      union all select 'sync-committee-rewards', network, 'slot',
        (select slot from sync_committee_slots t where t.network = n.network order by slot desc limit 1) from n
      union all select 'slashings', network, 'epoch',
        (select slashing_epoch from slashings t where t.network = n.network order by slashing_epoch desc limit 1) from n
      union all select 'consolidations', network, 'epoch',
        (select epoch from consolidations t where t.network = n.network order by epoch desc limit 1) from n
      union all select 'chain-balances', network, 'epoch',
        (select epoch from chain_balances t where t.network = n.network order by epoch desc limit 1) from n
      union all select 'chain-daily-rewards', network, 'day',
        (select day from chain_daily_rewards t where t.network = n.network order by day desc limit 1) from n
      union all select 'validator-days', network, 'day',
        (select day from validator_day_dates t where t.network = n.network and not utc order by day desc limit 1) from n
      union all select 'attestations', network, 'epoch', (
        select max(d.end_epoch) from (
          select entity_key from attestation_entities t where t.network = n.network order by entity_id limit 20
        ) e cross join lateral (
          select end_epoch from attestation_days t where t.entity_key = e.entity_key and not utc
          order by date desc limit 1
        ) d
      ) from n
      union all select 'operators', network, 'date', (
        select max(extract(epoch from d.date)) from class cross join lateral (
          select date from operator_history_days t
          where t.network = n.network and t.id_type = class.id_type and t.time_window = class.time_window
          order by date desc limit 1
        ) d
      ) from n
      union all select 'stake-authorities', 'solana', 'date', max(extract(epoch from d.date))
        from (select distinct time_window from class) c cross join lateral (
          select date from stake_authority_history_days t where t.time_window = c.time_window order by date desc limit 1
        ) d
      union all select 'solana-overview', 'solana', 'date', extract(epoch from max(date)) from solana_overview_history
      union all select 'solana-epochs', 'solana', 'epoch', max(epoch) from solana_epochs
      union all select 'solana-validator-epochs', 'solana', 'epoch', max(epoch) from solana_validator_epochs
      union all select 'solana-stake-authority-epochs', 'solana', 'epoch', max(epoch) from solana_stake_authority_epochs
      ${rewards}
    )
    select dataset, network, unit, position::float8 as position from found where position is not null`,
);

const KeptFrom = z.object({ dataset: z.string(), network: z.string(), seconds: z.number() });

/** In Unix seconds, the date before which `stakegraph retain` has dropped a dataset. */
export const keptFrom = queryOf(
  KeptFrom,
  () => sql`/* keptDates */
    select dataset, network, extract(epoch from date)::float8 as seconds from kept_from order by dataset, network`,
);

/** In bytes. */
export async function databaseSize(db: Queryable): Promise<number[]> {
  const text = '/* databaseSize */ select pg_database_size(current_database())::float8 as bytes';
  return (await db.query({ text, values: [] })).rows.map(({ bytes }) => bytes as number);
}

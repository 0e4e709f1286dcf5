import type pg from 'pg';
import { firstEpochOfChainDay, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import { raw, type Sql, sql } from '../../db/rows.ts';
import * as figure from '../../periods/effectiveness.ts';
import { run } from './write.ts';

/** The APR of `all` covers the last 90 days. */
const MAX_APR_DAYS = 90;

export type Days = {
  first: string;
  last: string;
  firstDay: number;
  lastDay: number;
  aprFirst: string;
  aprFirstDay: number;
  aprDays: number;
};

export async function daysOfWindow(
  client: pg.ClientBase,
  network: Network,
  window: TimeWindow,
): Promise<Days | undefined> {
  const { rows } = await run(
    client,
    sql`/* refreshDays */
    select min(date)::text as first, max(date)::text as last, min(day) as "firstDay", max(day) as "lastDay",
      (min(date) filter (where place <= ${MAX_APR_DAYS}))::text as "aprFirst",
      min(day) filter (where place <= ${MAX_APR_DAYS}) as "aprFirstDay",
      (count(*) filter (where place <= ${MAX_APR_DAYS}))::int as "aprDays"
    from (
      select day, date, row_number() over (order by day desc) as place from validator_day_dates
      where network = ${network} and not utc order by day desc limit ${windowDays[window]}
    ) d`,
  );
  return rows[0]?.first === null ? undefined : (rows[0] as Days);
}

/**
 * Figures are summed as integers of 1e-15, because a sum of doubles depends on the order of rows. 100 % has 18 digits,
 * which fit 64 bits.
 */
const SCALE = sql`1e15::float8`;
export const scaled = (value: Sql) => sql`round(${SCALE} * ${value})::bigint`;

const sums = [
  'total_unique_attestations',
  'sum_missed_attestations',
  'sum_correct_head',
  'sum_correct_target',
  'sum_correct_source',
  'sum_inclusion_delay',
  'proposed_count',
  'missed_proposal_count',
];

export async function gatherValidators(client: pg.ClientBase, network: Network, days: Days): Promise<number> {
  const inApr = sql`a.date >= ${days.aprFirst}::date`;
  const atEnd = sql`a.date = ${days.last}::date`;
  const gathered = await run(
    client,
    sql`/* gatherValidators */
    create temp table window_validators on commit drop as
    select a.validator_index, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool, c.client,
      ${scaled(figure.correctness)} as correctness, ${scaled(figure.inclusionDelay)} as delay,
      ${scaled(figure.uptime)} as uptime, ${scaled(figure.effectiveness)} as effectiveness,
      a.balance, a.effective, a.end_epoch,
      case when w.whole then a.rewards end as rewards, case when w.whole then a.earning end as earning
    from (
      select a.validator_index, ${raw(sums.map((name) => `sum(a.${name}) as ${name}`).join(', '))},
        max(a.end_epoch) as end_epoch, sum(a.end_epoch_balance) filter (where ${atEnd}) as balance,
        sum(a.end_epoch_effective_balance) filter (where ${atEnd}) as effective,
        sum(${figure.rewards}) filter (where ${inApr}) as rewards,
        sum(a.end_epoch_effective_balance) filter (where ${inApr}) as earning,
        count(*) filter (where ${inApr}) as apr_days
      from validator_days a
      where a.network = ${network} and not a.utc and a.date between ${days.first}::date and ${days.last}::date
        and ${figure.duties} > 0 -- not those of sync duty alone, after an exit
      group by a.validator_index
    ) a
    left join validators v on v.network = ${network} and v.validator_index = a.validator_index
    left join validator_clients c on c.network = ${network} and c.validator_index = a.validator_index
    cross join lateral (
      select a.apr_days = ${days.aprDays}
        and coalesce(v.activation_epoch <= ${firstEpochOfChainDay(days.aprFirstDay)}, true)
        and coalesce(v.exit_epoch >= ${firstEpochOfChainDay(days.lastDay + 1)}, true) as whole
    ) w`,
  );
  await client.query('/* analyzeValidators */ analyze window_validators');
  return gathered.rowCount ?? 0;
}

export async function gatherRelays(client: pg.ClientBase, network: Network, days: Days): Promise<void> {
  const slot = (day: number) => firstEpochOfChainDay(day) * SLOTS_PER_EPOCH;
  await run(
    client,
    sql`/* gatherRelays */
    create temp table window_relays on commit drop as
    select b.validator_index, r.relayer, sum(1::numeric / greatest(cardinality(b.relays), 1)) as blocks
    from blocks b
    cross join lateral unnest(case when b.relays = '{}' then '{no_mev_boost}' else b.relays end) as r (relayer)
    where b.network = ${network} and b.consensus_proposer_duty = 'proposed' and b.relays is not null
      and b.slot >= ${slot(days.firstDay)} and b.slot < ${slot(days.lastDay + 1)}
    group by b.validator_index, r.relayer`,
  );
  await client.query('/* analyzeRelays */ analyze window_relays');
}

import { z } from 'zod';
import { EPOCHS_PER_DAY } from '../../chain/calendar.ts';
import { genesisTime, type Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { keyTable, queryOf, raw, type Sql, sql } from '../../db/rows.ts';
import type { Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { withinBounds } from '../../periods/bounds.ts';
import * as figure from '../../periods/effectiveness.ts';
import { summed } from '../../periods/expressions.ts';
import { type PeriodRow, periodPages } from '../../periods/pages.ts';
import type { PeriodQuery, Series } from '../../periods/read-plan.ts';
import { NetworkRecord, type NetworkRecordField, networkFields } from './record.ts';

export type NetworkKey = { network: Network };
export type NetworkQuery = PeriodQuery<NetworkRecordField>;
export type NetworkRow = PeriodRow<NetworkRecord>;

const newest = (column: string) => ({
  stored: raw(`a.${column}`),
  gathered: raw(`(array_agg(a.${column} order by a.day desc) filter (where a.${column} is not null))[1]`),
});
const quotient = (part: string, whole: string, factor = '1') => ({
  stored: raw(`${factor}::float8 * (a.${part})::float8 / nullif(a.${whole}, 0)::float8`),
  gathered: raw(
    `${factor}::float8 * (sum(a.${part}) filter (where a.${whole} is not null))::float8 / nullif(sum(a.${whole}) filter (where a.${part} is not null), 0)::float8`,
  ),
});

const series: Omit<Series<NetworkRecordField>, 'statement'> = {
  record: NetworkRecord,
  fields: {
    id: sql`k.network`,
    validatorCount: newest('validator_count'),
    sumEndEpochBalance: newest('balance'),
    sumEndEpochEffectiveBalance: newest('effective'),
    avgValidatorEffectiveness: quotient('sum_validator_effectiveness', 'active_count'),
    participationRatio: quotient('attested', 'due'),
    targetParticipationRatio: quotient('sum_correct_target', 'due'),
    proposedCount: summed('proposed_count'),
    missedProposalCount: summed('missed_proposal_count'),
    missedProposalRatio: quotient('missed_proposal_count', 'due_blocks'),
    sumConsensusRewards: summed('consensus'),
    sumExecutionRewards: summed('execution'),
    aprPercentage: quotient('apr_rewards', 'apr_stake', String(figure.APR_FACTOR)),
  },
};

/**
 * The chain's daily rewards take precedence over the validators' figures. `retain` keeps the network's days of the months
 * that it drops; those that were imported again take precedence.
 */
const daysOf = (utc: boolean): Sql => sql`(
  select d.*, d.total_unique_attestations as attested, d.total_unique_attestations + d.sum_missed_attestations as due,
    d.proposed_count + d.missed_proposal_count as due_blocks,
    case when d.rewarded then d.consensus + d.execution else d.day_rewards end as apr_rewards
  from (
    select coalesce(d.day, c.day) as day,
      coalesce(d.date, (to_timestamp(k.genesis) at time zone 'UTC')::date + c.day) as date,
      coalesce(d.start_epoch, c.day * ${raw(String(EPOCHS_PER_DAY))}) as start_epoch,
      coalesce(d.end_epoch, c.day * ${raw(String(EPOCHS_PER_DAY))} + ${raw(String(EPOCHS_PER_DAY - 1))}) as end_epoch,
      d.validator_count, d.active_count, d.sum_end_epoch_balance as balance, d.sum_validator_effectiveness,
      d.total_unique_attestations, d.sum_missed_attestations, d.sum_correct_target,
      d.proposed_count, d.missed_proposal_count,
      coalesce(c.sum_effective_balance, d.sum_end_epoch_effective_balance) as effective,
      c.day is not null as rewarded, d.apr_rewards as day_rewards,
      coalesce(c.effective_balance_epochs, c.mean_balance * ${raw(String(EPOCHS_PER_DAY))}, d.apr_stake) as apr_stake,
      coalesce(c.sum_consensus_rewards,
        d.sum_attestation_rewards + d.sum_sync_committee_rewards + d.sum_proposer_rewards) as consensus,
      coalesce(c.sum_execution_rewards, d.sum_priority_fees + d.sum_baseline_mev) as execution
    from (
      select * from attestation_days
      where entity_key = e.entity_key and utc = ${raw(String(utc))} and sum_uptime is not null
      union all
      select n.* from kept_network_days n
      where n.entity_key = e.entity_key and n.utc = ${raw(String(utc))} and n.sum_uptime is not null and not exists (
        select from attestation_days a
        where a.entity_key = n.entity_key and a.utc = n.utc and a.date = n.date and a.day = n.day)
    ) d
    full join (
      select c.*, trunc((c.sum_effective_balance + coalesce(p.sum_effective_balance, c.sum_effective_balance)::numeric) / 2) as mean_balance
      from chain_daily_rewards c left join chain_daily_rewards p on p.network = c.network and p.day = c.day - 1
      where c.network = k.network and not ${raw(String(utc))}
    ) c on c.day = d.day
  ) d
)`;

export const keysOf = (keys: readonly NetworkKey[]): Sql => sql`${keyTable(keys, {
  network: ['text', 'network'],
  genesis: ['bigint', ({ network }: NetworkKey) => genesisTime[network]],
})}
    left join attestation_entities e on e.network = k.network and e.id_type = 'network' and e.entity_id = k.network`;

const source = (keys: readonly NetworkKey[], query: NetworkQuery) => ({
  keys: keysOf(keys),
  days: daysOf(query.calendar === 'utc'),
  parted: false,
  own: sql`true ${withinBounds(query, false)}`,
});

export const storedDates = (utc: boolean): Sql =>
  sql`select min(a.date)::text as first, max(a.date)::text as last from ${daysOf(utc)} a`;

export const networkHistoryPages = (
  db: Queryable,
  keys: readonly NetworkKey[],
  query: NetworkQuery,
  range: Range<number>,
  selection: Selection<NetworkRecordField>,
): Promise<NetworkRow[]> =>
  periodPages(db, { ...series, statement: 'networkHistory' }, source(keys, query), query, range, selection);

const whole: NetworkQuery = {
  granularity: 'all',
  calendar: 'chain',
  sortBy: 'day',
  sortOrder: 'asc',
  fromDate: null,
  toDate: null,
  fromDay: null,
  toDay: null,
};

/** A window of n days covers the newest n stored chain days. */
export const networkOverviews = (
  db: Queryable,
  keys: readonly NetworkKey[],
  window: TimeWindow,
): Promise<NetworkRow[]> =>
  periodPages(
    db,
    { ...series, statement: 'networkOverviews' },
    {
      ...source(keys, whole),
      days: sql`(select * from ${daysOf(false)} w order by w.day desc limit ${windowDays[window]}::int)`,
    },
    whole,
    { limit: 1, rowsOnly: true },
    networkFields,
  );

const ClientRow = z.object({ list: Leaf.count(), client: Leaf.text(), validatorCount: Leaf.count() });

export const networkClients = queryOf(
  ClientRow,
  (keys: readonly NetworkKey[]) => sql`/* networkClients */
    select k.list::int - 1 as list, c.client, c.validator_count as "validatorCount"
    from ${keyTable(keys, { network: ['text', 'network'] })}
    join network_clients c using (network)
    order by k.list, c.validator_count desc, c.client`,
);

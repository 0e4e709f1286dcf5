import { z } from 'zod';
import { dateOfDay, EPOCHS_PER_DAY, SLOTS_PER_DAY } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import { queryOf, raw, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import * as figure from '../../periods/effectiveness.ts';
import { relayNames, relayPart } from '../../periods/relays.ts';
import {
  ClientPercentage,
  type OperatorProposals,
  type OperatorSummary,
  RelayerPercentage,
} from '../operators/record.ts';
import { fromUnits } from './set-days.ts';

const Summary = z.object({
  network: Network,
  id: z.string(),
  displayName: z.string(),
  validatorCount: Leaf.count(),
  avgCorrectness: Leaf.number(),
  avgInclusionDelay: Leaf.number().nullable(),
  avgUptime: Leaf.number(),
  avgValidatorEffectiveness: Leaf.number(),
  clientPercentages: z.array(ClientPercentage),
  networkPenetration: Leaf.ratio().nullable(),
  relayerPercentages: z.array(RelayerPercentage),
  aprPercentage: Leaf.number().nullable(),
  sumEndEpochBalance: Leaf.gwei().nullable(),
  sumEndEpochEffectiveBalance: Leaf.gwei().nullable(),
  proposerDutyCount: Leaf.storedCount(),
  missedProposalCount: Leaf.storedCount(),
});
export type SetSummary = z.infer<typeof Summary>;

/**
 * A window of n days covers the newest n stored chain days, `all` every stored day of the set. Without ids, sets with
 * more validators come first. Without `hasShares`, clients and relays are left out, which are looked up for each validator.
 */
export const setSummaries = queryOf(
  Summary,
  (
    accountId: string,
    key: { network: Network; timeWindow: TimeWindow; hasShares: boolean },
    which: { ids: readonly string[] } | { from: number; size: number },
  ) => {
    const chosen =
      'ids' in which
        ? sql`and s.set_id = any(${[...which.ids]}::uuid[])`
        : sql`order by "validatorCount" desc, s.set_id limit ${which.size} offset ${which.from}`;
    return sql`/* setSummaries */
    with sets as (
      select s.set_id, s.name, (
        select count(*)::int from private_set_members m where m.set_id = s.set_id and m.removed_at is null
      ) as "validatorCount"
      from private_sets s where s.account_id = ${accountId} and s.network = ${key.network} ${chosen}
    ), dates as materialized (${datesOf(key)}),
    ${key.hasShares ? sql`client as (${clients(key.network)}), relayer as (${relayers(key.network)}),` : sql``}
    chain as (${chainBalance(key.network)})
    select ${key.network} as network, s.set_id::text as id, s.name as "displayName", s."validatorCount",
      coalesce(f.correctness, 0) as "avgCorrectness", f.delay as "avgInclusionDelay",
      coalesce(f.uptime, 0) as "avgUptime", coalesce(f.effectiveness, 0) as "avgValidatorEffectiveness",
      ${key.hasShares ? sql`coalesce(c.percentages, '[]')` : sql`'[]'::json`} as "clientPercentages",
      case when chain.balance > 0 then f.effective / greatest(chain.balance, f.effective) end as "networkPenetration",
      ${key.hasShares ? sql`coalesce(r.percentages, '[]')` : sql`'[]'::json`} as "relayerPercentages",
      f.apr as "aprPercentage", f.balance::text as "sumEndEpochBalance", f.effective::text as "sumEndEpochEffectiveBalance",
      f.proposals::text as "proposerDutyCount", f.missed::text as "missedProposalCount"
    from sets s cross join dates cross join chain
    ${key.hasShares ? sql`left join client c using (set_id) left join relayer r using (set_id)` : sql``}
    cross join lateral (
      select ${mean('sum_correctness', 'attested_count')} as correctness,
        ${mean('sum_inclusion_delays', 'attested_count')} as delay, ${mean('sum_uptime', 'validator_count')} as uptime,
        ${mean('sum_validator_effectiveness', 'validator_count')} as effectiveness,
        (${raw(String(figure.APR_FACTOR))} * sum(a.apr_rewards) / nullif(sum(a.apr_stake), 0))::float8 as apr,
        (array_agg(a.sum_end_epoch_balance order by a.day desc))[1] as balance,
        (array_agg(a.sum_end_epoch_effective_balance order by a.day desc))[1] as effective,
        coalesce(sum(a.proposed_count + a.missed_proposal_count), 0) as proposals,
        coalesce(sum(a.missed_proposal_count), 0) as missed
      from private_set_days a where a.set_id = s.set_id and not a.utc and a.date >= dates.first
    ) f
    order by s."validatorCount" desc, s.set_id`;
  },
);

const mean = (sum: string, of: string) =>
  sql`${fromUnits(raw(`sum(a.${sum})`))} / nullif(sum(a.${raw(of)}), 0)`;

/** The days of the window. Without a stored day, no day of a set counts. */
const datesOf = ({ network, timeWindow }: { network: Network; timeWindow: TimeWindow }) => sql`
      select ${timeWindow === 'all' ? sql`date '-infinity'` : sql`coalesce(min(date), 'infinity')`} as first,
        max(date) as last, min(day) as first_day, max(day) as last_day
      from (
        select date, day from validator_day_dates where network = ${network} and not utc
        ${timeWindow === 'all' ? sql`union all select date, day from archived_day_dates where network = ${network} and not utc` : sql``}
        order by day desc limit ${windowDays[timeWindow]}
      ) d`;

// Each "offset 0" makes the planner look up one validator after the other, instead of reading whole tables for a set.

const clients = (network: Network) => sql`
      select set_id, ${shares('client')} from (
        select m.set_id, c.client, count(*) as n, sum(count(*)) over of_set as total
        from sets join private_set_members m using (set_id)
        cross join lateral (
          select client from validator_clients c
          where c.network = ${network} and c.validator_index = m.validator_index offset 0
        ) c
        where m.removed_at is null group by m.set_id, c.client window of_set as (partition by m.set_id)
      ) n group by set_id`;

const relayers = (network: Network) => sql`
      select set_id, ${shares('relayer')} from (
        select b.set_id, r.relayer, sum(part) as n, sum(sum(part)) over of_set as total
        from (
          select m.set_id, b.relays, ${relayPart} as part
          from dates cross join sets join private_set_members m using (set_id)
          cross join lateral (
            select b.relays, ${dateOfDay(network, 0)}::date + b.slot / ${SLOTS_PER_DAY} as date from blocks b
            where b.network = ${network} and b.validator_index = m.validator_index and b.consensus_proposer_duty = 'proposed'
              and b.slot >= first_day * ${SLOTS_PER_DAY} and b.slot < (last_day + 1) * ${SLOTS_PER_DAY} offset 0
          ) b
          where b.date >= m.counts_from and b.date < m.counts_until
        ) b
        cross join lateral unnest(${relayNames}) as r (relayer)
        group by b.set_id, r.relayer window of_set as (partition by b.set_id)
      ) n group by set_id`;

const shares = (name: 'client' | 'relayer') => sql`
        json_agg(json_build_object(${name}::text, ${raw(name)}, 'percentage', (n / total)::float8) order by n desc, ${raw(name)}) as percentages`;

/** The active effective balance of the network at the end of the window. */
const chainBalance = (network: Network) => sql`
      select greatest((
        select total_active_balance from chain_balances
        where network = ${network} and epoch < ((select last_day from dates) + 1) * ${EPOCHS_PER_DAY}
        order by epoch desc limit 1
      ), (
        select a.sum_end_epoch_effective_balance
        from attestation_entities e cross join dates join attestation_days a on a.entity_key = e.entity_key and a.date = dates.last
        where e.network = ${network} and e.id_type = 'network' and not a.utc and a.sum_uptime is not null
      ))::float8 as balance`;

type Named = { name: string; tags: OperatorSummary['operatorTags'] };

export const summaryOf = (
  row: SetSummary,
  timeWindow: TimeWindow,
): OperatorSummary & OperatorProposals & Named & { network: Network } => ({
  ...row,
  name: row.displayName,
  tags: [],
  idType: 'privateSet',
  timeWindow,
  nodeOperatorCount: null,
  operatorTags: [],
});

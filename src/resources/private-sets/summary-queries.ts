import { z } from 'zod';
import { dateOfDay, EPOCHS_PER_DAY, SLOTS_PER_DAY } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { StoredRow } from '../../db/batch/stored.ts';
import { queryOf, raw, type Sql, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { keysOfPage, rowsToRead } from '../../kernel/page.ts';
import { type Dates, type HistoryRange, withinDates } from '../../periods/dates.ts';
import * as figure from '../../periods/effectiveness.ts';
import { relayNames, relayPart } from '../../periods/relays.ts';
import {
  ClientPercentage,
  type OperatorProposals,
  type OperatorSummary,
  RelayerPercentage,
} from '../operators/record.ts';
import { fromUnits, type SetKey } from './set-days.ts';

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
    chain as (select ${activeBalance(sql`${key.network}`, sql`(select last_day from dates)`, sql`(select last from dates)`)} as balance)
    select ${key.network} as network, s.set_id::text as id, s.name as "displayName", s."validatorCount",
      coalesce(f.correctness, 0) as "avgCorrectness", f.delay as "avgInclusionDelay",
      coalesce(f.uptime, 0) as "avgUptime", coalesce(f.effectiveness, 0) as "avgValidatorEffectiveness",
      ${key.hasShares ? sql`coalesce(c.percentages, '[]')` : sql`'[]'::json`} as "clientPercentages",
      ${share(sql`f.effective`, sql`chain.balance`)} as "networkPenetration",
      ${key.hasShares ? sql`coalesce(r.percentages, '[]')` : sql`'[]'::json`} as "relayerPercentages",
      f.apr as "aprPercentage", f.balance::text as "sumEndEpochBalance", f.effective::text as "sumEndEpochEffectiveBalance",
      f.proposals::text as "proposerDutyCount", f.missed::text as "missedProposalCount"
    from sets s cross join dates cross join chain
    ${key.hasShares ? sql`left join client c using (set_id) left join relayer r using (set_id)` : sql``}
    cross join lateral (
      select ${mean('sum_correctness', 'attested_count')} as correctness,
        ${mean('sum_inclusion_delays', 'attested_count')} as delay, ${mean('sum_uptime', 'validator_count')} as uptime,
        ${mean('sum_validator_effectiveness', 'validator_count')} as effectiveness,
        ${apr()} as apr,
        (array_agg(a.sum_end_epoch_balance order by a.day desc))[1] as balance,
        (array_agg(a.sum_end_epoch_effective_balance order by a.day desc))[1] as effective,
        coalesce(sum(a.proposed_count + a.missed_proposal_count), 0) as proposals,
        coalesce(sum(a.missed_proposal_count), 0) as missed
      from private_set_days a where a.set_id = s.set_id and not a.utc and a.date >= dates.first
    ) f
    order by s."validatorCount" desc, s.set_id`;
  },
);

// A mean over several days `a` of a set, for its summary and its history.
const mean = (sum: string, of: string, over = sql``) =>
  sql`${fromUnits(sql`sum(a.${raw(sum)}) ${over}`)} / nullif(sum(a.${raw(of)}) ${over}, 0)`;
const apr = (over = sql``) =>
  sql`(${raw(String(figure.APR_FACTOR))} * sum(a.apr_rewards) ${over} / nullif(sum(a.apr_stake) ${over}, 0))::float8`;
const share = (effective: Sql, active: Sql) =>
  sql`case when ${active} > 0 then ${effective} / greatest(${active}, ${effective}) end`;

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

/** The active effective balance of a network at the end of a chain day; null if it is not known. */
const activeBalance = (network: Sql, day: Sql, date: Sql) => sql`greatest((
        select total_active_balance from chain_balances
        where network = ${network} and epoch < (${day} + 1) * ${EPOCHS_PER_DAY}
        order by epoch desc limit 1
      ), (
        select coalesce((${networkStake(sql`attestation_days`, date)}), (${networkStake(sql`kept_network_days`, date)}))
        from attestation_entities e
        where e.network = ${network} and e.id_type = 'network' and e.entity_id = ${network}
      ))::float8`;

const networkStake = (days: Sql, date: Sql) => sql`
          select a.sum_end_epoch_effective_balance from ${days} a
          where a.entity_key = e.entity_key and not a.utc and a.date = ${date} and a.sum_uptime is not null`;

/** The days of which any window covers so many: stored or archived days of the network, and days that only the set still has. */
const chainDays = (among: Sql) => sql`
        (select day, date from validator_day_dates d where d.network = k.network and not d.utc ${among})
        union (select day, date from archived_day_dates d where d.network = k.network and not d.utc ${among})
        union (select day, date from private_set_days d where d.set_id = k.set_id and not d.utc ${among})`;

/** Sets, each with the first date from which on every day of its window counts all validators. */
const setsFrom = (sets: readonly SetKey[], days: number) => sql`(
      select k.*, case when k.complete_from = '-infinity' then k.complete_from else coalesce((
        select date from (${chainDays(sql`and d.date >= k.complete_from order by d.day limit ${days}`)}) d
        order by day limit 1 offset ${days - 1}
      ), 'infinity') end as shown_from
      from (
        select set_id, network, complete_from, list
        from unnest(${sets.map((set) => set.id)}::uuid[]) with ordinality as given (set_id, list)
        join private_sets using (set_id)
      ) k
    ) k`;

const shownDays = sql`from private_set_days d where d.set_id = k.set_id and not d.utc and d.date >= k.shown_from`;

const HistoryRow = z.object({
  list: Leaf.count(),
  date: z.iso.date(),
  validatorCount: Leaf.count(),
  avgValidatorEffectiveness: Leaf.number(),
  aprPercentage: Leaf.number().nullable(),
  networkPenetration: Leaf.ratio().nullable(),
  sumEndEpochEffectiveBalance: Leaf.gwei().nullable(),
  asOf: Leaf.count(),
});

/**
 * The figures of the window as they were at the end of each stored chain day of a set, by the rules of its summary. Reads
 * the days of the page, and those that the windows of its oldest day cover, once.
 */
export const setHistoryPages = queryOf(
  HistoryRow,
  (sets: readonly SetKey[], window: TimeWindow, range: HistoryRange) => {
    const days = windowDays[window] as number;
    const order = raw(keysOfPage(range).direction);
    return sql`/* setHistory */
    select k.list::int - 1 as list, d.date::text as date, d.validator_count as "validatorCount",
      coalesce(d.effectiveness, 0) as "avgValidatorEffectiveness", d.apr as "aprPercentage", d.end_epoch as "asOf",
      ${share(sql`d.effective`, sql`c.balance`)} as "networkPenetration",
      d.effective::text as "sumEndEpochEffectiveBalance"
    from ${setsFrom(sets, days)}
    cross join lateral (
      with page as materialized (
        select d.* ${shownDays} ${withinDates(sql`d`, range)}
        order by d.day ${order} limit ${rowsToRead(range)}
      ), span as materialized (select min(day) as first, max(day) as last from page),
      covered as (
        select day from (${chainDays(sql`and d.day between (select first from span) and (select last from span)`)}) d
        union all (
          select day from (${chainDays(sql`and d.day < (select first from span) order by d.day desc limit ${days - 1}`)}) d
          order by day desc limit ${days - 1}
        )
      )
      select p.day, p.date, p.end_epoch, p.validator_count, p.sum_end_epoch_effective_balance as effective, f.effectiveness, f.apr
      from page p join (
        select day, ${mean('sum_validator_effectiveness', 'validator_count', sql`over w`)} as effectiveness, ${apr(sql`over w`)} as apr
        from covered left join (
          select * from private_set_days where set_id = k.set_id and not utc
        ) a using (day)
        window w as (order by day rows between ${days - 1} preceding and current row)
      ) f using (day)
    ) d
    cross join lateral (select ${activeBalance(sql`k.network`, sql`d.day`, sql`d.date`)} as balance) c
    order by k.list, d.day ${order}`;
  },
);

export const setHistoryTotals = queryOf(
  ListedTotal,
  (sets: readonly SetKey[], window: TimeWindow, dates: Dates) => sql`/* setHistoryTotals */
    select k.list::int - 1 as list, t.total
    from ${setsFrom(sets, windowDays[window] as number)}
    cross join lateral (select count(*)::int as total ${shownDays} ${withinDates(sql`d`, dates)}) t`,
);

export const storedSetHistory = queryOf(
  StoredRow,
  (sets: readonly SetKey[], window: TimeWindow) => sql`/* storedSetHistory */
    select k.list::int - 1 as list,
      case when k.shown_from <= d.last then greatest(d.first, k.shown_from)::text end as "from",
      case when k.shown_from <= d.last then d.last::text end as "to"
    from ${setsFrom(sets, windowDays[window] as number)}
    cross join lateral (select min(date) as first, max(date) as last from (${chainDays(sql``)}) d) d`,
);

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

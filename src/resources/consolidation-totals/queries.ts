import { z } from 'zod';
import type { Calendar } from '../../chain/calendar.ts';
import * as churn from '../../chain/churn.ts';
import { genesisTime, Network } from '../../chain/networks.ts';
import { namedOperators, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { keyTable, queryOf, raw, type Sql, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import type { Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type Ends, type Range, rowsToRead } from '../../kernel/page.ts';
import { epochDays } from '../../periods/epoch-days.ts';
import { summed } from '../../periods/expressions.ts';
import { type PeriodRow, periodPages } from '../../periods/pages.ts';
import type { PeriodQuery, Series } from '../../periods/read-plan.ts';
import type { EntityClass } from '../consolidations/record.ts';
import {
  ChainBalance,
  ConsolidationRecord,
  type ConsolidationRecordField,
  EntityConsolidation,
  type EntitySortField,
} from './record.ts';

export type EntityList = { network: Network; idType: EntityClass; epochs: Ends };

export type EntityOrder = { calendar: Calendar; sortBy: EntitySortField; sortOrder: 'asc' | 'desc' };

const EntityRow = EntityConsolidation.omit({ idType: true, startDate: true, endDate: true }).extend({
  startDay: Leaf.int(),
  endDay: Leaf.int(),
  position: Leaf.count(),
});

const wholeNetwork = (network: Sql): Sql =>
  sql`e.network = ${network} and e.id_type = 'network' and e.operator_id = '' and e.share_of = ''`;

const named = ({ network, idType }: Omit<EntityList, 'epochs'>, columns: Sql): Sql => sql`
  select ${columns} from named_consolidation_entities e
  where e.network = ${network} and e.id_type = ${idType} and e.consolidation_count > 0`;

/**
 * Makes the table `list`. Stored totals are valid if the range covers all consolidations and no two pool shares have the
 * same name.
 */
const withList = ({ network, idType, epochs }: EntityList): Sql => sql`
  with list as materialized (
    select not exists (
      select from consolidation_entities e where ${wholeNetwork(sql`${network}`)}
        and (e.first_epoch < ${epochs.first}::int or e.last_epoch > ${epochs.last}::int)
    ) ${idType === 'poolShare' ? sql`and not exists (${named({ network, idType }, sql``)} group by e.entity_id having count(*) > 1)` : sql``} as stored
  )`;

/** Entities that may have a consolidation in the range. */
const within = (list: EntityList, columns: Sql): Sql => sql`
  ${named(list, columns)} and not (select stored from list)
    and e.first_epoch <= ${list.epochs.last}::int and e.last_epoch >= ${list.epochs.first}::int`;

const inRange = ({ epochs }: EntityList, entity = sql`e.entity`): Sql =>
  sql`c.entity = ${entity} and c.epoch between ${epochs.first}::int and ${epochs.last}::int and c.as_source`;

const sums = (list: EntityList): Sql => sql`
  ${named(
    list,
    sql`e.entity_id as id, e.consolidation_count as "consolidationCount",
    e.consolidation_count as "sourceValidatorCount", e.target_count as "targetValidatorCount",
    e.consolidated_balance as balance, e.first_epoch, e.last_epoch`,
  )} and (select stored from list)
  union all
  select e.entity_id, sum(e.count)::int, sum(e.count)::int,
    case when count(*) = 1 then sum(e.targets) else (
      select count(distinct c.target_index) from unnest(array_agg(e.entity)) as same (entity)
      join entity_consolidations c on ${inRange(list, sql`same.entity`)}
    ) end::int,
    sum(e.balance)::bigint, min(e.first_epoch), max(e.last_epoch)
  from (
    select e.entity, e.entity_id, count(*) as count, sum(c.consolidated_balance) as balance, min(c.epoch) as first_epoch,
      max(c.epoch) as last_epoch, count(*) filter (where c.earlier_epoch < ${list.epochs.first}::int) as targets
    from (${within(list, sql`e.entity, e.entity_id`)}) e join entity_consolidations c on ${inRange(list)}
    group by e.entity, e.entity_id
  ) e
  group by e.entity_id`;

const sortColumns: Record<EntitySortField, Sql> = {
  id: sql`g.id`,
  consolidationCount: sql`g."consolidationCount"`,
  sourceValidatorCount: sql`g."sourceValidatorCount"`,
  targetValidatorCount: sql`g."targetValidatorCount"`,
  consolidatedBalance: sql`g.balance`,
  startDate: sql`g."startDay"`,
  endDate: sql`g."endDay"`,
};

/** A position is a 0-based rank; ties sort by id. */
export const entityConsolidationPage = queryOf(
  EntityRow,
  (list: EntityList, order: EntityOrder, range: Range<number>) => {
    const { dayOf } = epochDays(list.network, order.calendar);
    const direction = order.sortOrder === 'desc' ? sql`desc` : sql`asc`;
    return sql`/* entityConsolidationPage */
    ${withList(list)}
    select p.id, p."consolidationCount", p."sourceValidatorCount", p."targetValidatorCount",
      p.balance::text as "consolidatedBalance", p."startDay", p."endDay", p.position::int
    from (
      select g.*, row_number() over (order by ${sortColumns[order.sortBy]} ${direction}, g.id) - 1 as position
      from (
        select s.*, ${dayOf(sql`s.first_epoch`)} as "startDay", ${dayOf(sql`s.last_epoch`)} as "endDay"
        from (${sums(list)}) s
      ) g
    ) p
    where p.position > ${range.after ?? -1} and p.position < ${range.before ?? 2 ** 31 - 1}
    order by p.position ${range.backward ? sql`desc` : sql``}
    limit ${rowsToRead(range)}`;
  },
);

const EntityTotal = EntityRow.pick({ id: true, consolidationCount: true, consolidatedBalance: true });

export const entityTotals = queryOf(
  EntityTotal,
  (ids: readonly string[], list: EntityList) => sql`/* entityTotals */
    ${withList(list)}
    select s.id, s."consolidationCount", s.balance::text as "consolidatedBalance"
    from (${sums(list)}) s
    where s.id = any(${ids}::text[])`,
);

export const entityConsolidationTotal = totalBy(
  (list: EntityList) => sql`/* entityConsolidationTotal */
    ${withList(list)}
    select case when stored then (${named(list, sql`count(*)::int`)}) else (
      select count(distinct e.entity_id)::int from (${within(list, sql`e.entity, e.entity_id`)}) e
      where exists (select from entity_consolidations c where ${inRange(list)})
    ) end as total
    from list`,
);

const BalanceRow = ChainBalance.extend({ network: Network, gloasEpoch: Leaf.int().nullable() });

/** The fork epoch that an index stored; null if no node schedules the fork. */
const scheduledGloas = (network: Sql): Sql =>
  sql`(select f.epoch from network_forks f where f.network = ${network} and f.name = 'gloas')`;

export const latestChainBalances = queryOf(
  BalanceRow,
  (networks: readonly Network[]) => sql`/* latestChainBalances */
    select k.network, b.epoch, b.total_active_balance::text as "totalActiveBalance",
      ${scheduledGloas(sql`k.network`)} as "gloasEpoch"
    from ${keyTable(networks, { network: ['text', (network) => network] })}
    cross join lateral (
      select * from chain_balances b where b.network = k.network order by b.epoch desc limit 1
    ) b`,
);

export type EpochsKey = { network: Network; epochs: Ends };

const ConsolidatedRow = z.object({
  list: Leaf.count(),
  consolidationCount: Leaf.count(),
  consolidatedBalance: Leaf.gwei(),
});

export const consolidatedIn = queryOf(
  ConsolidatedRow,
  (periods: readonly EpochsKey[]) => sql`/* consolidatedIn */
    select k.list::int - 1 as list, t.*
    from ${keyTable(periods, {
      network: ['text', (period) => period.network],
      first: ['int', (period) => period.epochs.first],
      last: ['int', (period) => period.epochs.last],
    })}
    cross join lateral (
      select coalesce(sum(c.consolidation_count), 0)::int as "consolidationCount",
        coalesce(sum(c.consolidated_balance), 0)::text as "consolidatedBalance"
      from consolidation_entities e join consolidation_epochs c using (entity)
      where ${wholeNetwork(sql`k.network`)} and c.epoch between k.first and k.last
    ) t`,
);

const series: Series<ConsolidationRecordField> = {
  statement: 'consolidationHistory',
  record: ConsolidationRecord,
  fields: {
    id: sql`k.network`,
    consolidationCount: {
      stored: sql`a.consolidation_count`,
      gathered: sql`sum(a.consolidation_count)::int`,
    },
    consolidatedBalance: summed('balance'),
    capacity: summed('capacity'),
    capacityFilled: {
      stored: sql`a.balance::float8 / nullif(a.capacity, 0)::float8`,
      gathered: sql`sum(a.balance)::float8 / nullif(sum(a.capacity), 0)::float8`,
    },
  },
};

/** `churnCapacity` in SQL; null without an active balance. */
function capacityOf(total: Sql, first: Sql, last: Sql, gloas: Sql): Sql {
  const whole = (quotient: bigint) => {
    const share = sql`(${total} / ${raw(String(quotient))})`;
    return sql`(${share} - ${share} % ${raw(String(churn.EFFECTIVE_BALANCE_INCREMENT))})`;
  };
  const exits = raw(String(churn.MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT));
  const before = sql`greatest(0, least(${last}, ${gloas} - 1) - ${first} + 1)`;
  const since = sql`greatest(0, ${last} - greatest(${first}, ${gloas}) + 1)`;
  return sql`case when ${total} is not null then greatest(0, ${whole(churn.CHURN_LIMIT_QUOTIENT)} - ${exits}) * ${before}
    + ${whole(churn.CONSOLIDATION_CHURN_LIMIT_QUOTIENT)} * ${since} end`;
}

const NEVER = 2 ** 31 - 1;

/** The newest active balance up to an epoch; before the first stored one, that one. */
const balanceAt = (epoch: Sql): Sql => sql`coalesce(
        (select b.total_active_balance from chain_balances b
        where b.network = k.network and b.epoch <= ${epoch} order by b.epoch desc limit 1),
        (select b.total_active_balance from chain_balances b where b.network = k.network order by b.epoch limit 1)
      )`;

export type ConsolidationSelection = { network: Network; operator: OperatorScope | null; epochs: Ends };

/** Each day since Electra has a row, up to the newest stored balance or consolidation. */
export function consolidationHistoryPage(
  db: Queryable,
  selected: ConsolidationSelection,
  query: PeriodQuery<ConsolidationRecordField>,
  range: Range<number>,
  selection: Selection<ConsolidationRecordField>,
): Promise<PeriodRow<ConsolidationRecord>[]> {
  const { network, operator, epochs } = selected;
  const { dayOf, dateOf, firstEpoch, lastEpoch } = epochDays(network, query.calendar);
  const keys = sql`(
    select ${network}::text as network, ${genesisTime[network]}::bigint as genesis, 1 as list,
      coalesce(${churn.gloasEpoch[network] ?? null}::int, ${scheduledGloas(sql`${network}`)}, ${NEVER}::int) as gloas,
      greatest(${epochs.first}::int, ${churn.electraEpoch[network]}::int) as first,
      (select least(${epochs.last}::int, newest.epoch) from (select greatest(
        (select max(epoch) from chain_balances where network = ${network}),
        (select max(epoch) from consolidations where network = ${network})
      ) as epoch) newest where newest.epoch is not null) as last
  ) k`;
  const days = sql`(
    select d.*, ${capacityOf(sql`b.total`, sql`d.start_epoch`, sql`d.end_epoch`, sql`k.gloas`)} as capacity,
      coalesce(t.consolidation_count, 0) as consolidation_count, coalesce(t.balance, 0) as balance
    from (
      select day, ${dateOf(sql`day`)} as date, greatest(${firstEpoch(sql`day`)}, k.first) as start_epoch,
        least(${lastEpoch(sql`day`)}, k.last) as end_epoch
      from generate_series(${dayOf(sql`k.first`)}, ${dayOf(sql`k.last`)}) day where k.first <= k.last
    ) d
    cross join lateral (select ${balanceAt(sql`d.end_epoch`)} as total offset 0) b
    left join (
      select ${dayOf(sql`c.epoch`)} as day, sum(c.consolidation_count)::int as consolidation_count,
        sum(c.consolidated_balance) as balance
      from ${namedOperators([{ network, ...(operator ?? { idType: 'network', id: '' }) }])} a
      join consolidation_entities e using (network, id_type, operator_id, share_of)
      join consolidation_epochs c using (entity)
      where c.epoch between ${epochs.first}::int and ${epochs.last}::int
      group by 1
    ) t using (day)
  )`;
  return periodPages(db, series, { keys, days, parted: false, own: sql`true` }, query, range, selection);
}

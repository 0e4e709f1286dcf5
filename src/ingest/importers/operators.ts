import type pg from 'pg';
import { z } from 'zod';
import { dateOfDay, EPOCHS_PER_DAY } from '../../chain/calendar.ts';
import { Network, networks } from '../../chain/networks.ts';
import { jsonWriter } from '../../kernel/json.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  ClientPercentage,
  idTypes,
  normaliseId,
  OperatorProposals,
  OperatorSummary,
  OperatorTrend,
  RelayerPercentage,
} from '../../resources/operators/record.ts';
import { percentFaults } from '../importer/fault-messages.ts';
import {
  type ColumnName,
  columnsOf,
  type Derived,
  type Faults,
  type Importer,
  rowChecker,
} from '../importer/importer.ts';
import { HAS_HISTORY, type HistoryTables, IMPORT_DATE } from '../merge/history.ts';
import { finishLists, mergeRanked, type RankedTables, storeNames } from '../merge/ranked-lists.ts';
import {
  ImportedPoolType,
  parentFaults,
  parentsOf,
  poolTypeFaults,
  poolTypeOf,
  tagShown,
} from './operator-tags.ts';

const ImportedOperator = OperatorSummary.extend({
  idType: z.enum(idTypes.filter((name) => name !== 'privateSet')),
  network: Network,
  poolId: Leaf.text(256).nullable(),
  nodeOperatorId: Leaf.text(256).nullable(),
  poolType: ImportedPoolType,
});
export type ImportedOperator = z.infer<typeof ImportedOperator>;

function* faultsOf(row: ImportedOperator): Faults {
  yield* percentFaults('avgValidatorEffectiveness', row.avgValidatorEffectiveness);
  yield* parentFaults(row);
  yield* poolTypeFaults(row);
}

const Stored = ImportedOperator.omit({ id: true }).extend({
  operatorId: ImportedOperator.shape.id,
  // set only by a refresh
  asOfEpoch: Leaf.count().nullable(),
  ...OperatorProposals.shape,
});
const columns = columnsOf(Stored);
const key = ['network', 'operator_id', 'id_type', 'time_window'] as const;
const scope = ['network', 'id_type', 'time_window'] as const;
const genesisDates = networks.map((network) => `when '${network}' then date '${dateOfDay(network, 0)}'`);
const history: HistoryTables = {
  name: 'operator',
  key,
  scope,
  figures: columnsOf(OperatorTrend),
  asOf: [{ name: 'as_of_epoch', type: 'integer' }],
  date: `coalesce(case g.network ${genesisDates.join(' ')} end + g.as_of_epoch / ${EPOCHS_PER_DAY}, ${IMPORT_DATE})`,
  // Single validators have no history, because their days are stored.
  where: `g.id_type <> 'validator' and ${HAS_HISTORY}`,
  order: 'g.network_penetration desc nulls last, g.operator_id',
};
const tables: RankedTables = {
  summaries: 'operator_summaries',
  lists: 'operator_lists',
  ranks: 'operator_ranks',
  storeOrders: 'store_operator_orders',
  key,
  scope,
  listKey: ['network', 'id_type', 'time_window', 'pool_type', 'parent_type', 'parent_id'],
  columns,
  history,
  naming: {
    key: ['network', 'operator_id', 'id_type'],
    names: ['display_name', 'operator_tags::text'],
    isNamed: `display_name is not null or operator_tags::text <> '[]'`,
  },
};

const shownList = (item: z.ZodObject) => {
  const write = jsonWriter(z.array(item));
  return (list: readonly object[]): string => write(list).join('');
};
const storedClients = shownList(ClientPercentage);
const storedRelayers = shownList(RelayerPercentage);

const derived: Derived<ImportedOperator> = {
  operatorId: (row) => normaliseId(row.id),
  clientPercentages: (row) => storedClients(row.clientPercentages),
  relayerPercentages: (row) => storedRelayers(row.relayerPercentages),
  operatorTags: (row) => row.operatorTags.map(tagShown),
  poolId: (row) => parentsOf(row).poolId,
  nodeOperatorId: (row) => parentsOf(row).nodeOperatorId,
  poolType: poolTypeOf,
};

export type ListOf = { network: string; id_type: string; time_window: string };

const listArrays = (lists: readonly ListOf[]) => [
  lists.map((list) => list.network),
  lists.map((list) => list.id_type),
  lists.map((list) => list.time_window),
];

export async function rankLists(client: pg.ClientBase, lists: readonly ListOf[], revision: number) {
  // A pool share has the type of its pool, so lists of pool shares change too.
  const shares = lists
    .filter((list) => list.id_type === 'pool')
    .map((list) => ({ ...list, id_type: 'poolShare' }));
  const named = new Map([...lists, ...shares].map((list) => [Object.values(list).join(), list]));
  const arrays = listArrays([...named.values()]);
  await client.query(
    `/* supersedeOperatorLists */
    update operator_lists o set superseded_at = now()
    from unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
    where o.superseded_at is null and (o.network, o.id_type, o.time_window) = (l.network, l.id_type, l.time_window)`,
    arrays,
  );
  await client.query(
    `/* rankOperators */
    with member as (
      select s.*, t.list_type, p.parent_type, p.parent_id
      from unnest($1::text[], $2::text[], $3::text[]) as l (network, id_type, time_window)
      join operator_summaries s using (network, id_type, time_window)
      left join operator_summaries o on s.id_type = 'poolShare' and o.id_type = 'pool' and not o.superseded
        and (o.network, o.operator_id, o.time_window) = (s.network, s.pool_id, s.time_window)
      left join operator_profiles f on f.id_type = 'pool' and f.network = s.network
        and f.operator_id = case s.id_type when 'pool' then s.operator_id when 'poolShare' then s.pool_id end
      cross join lateral (
        select 'all' union all select type from (
          select coalesce(f.pool_type, case when o.summary_id is null then s.pool_type else o.pool_type end) as type
        ) as typed where type in ('cex', 'lst')
      ) as t (list_type)
      cross join lateral (
        select '', ''
        union all select t, s.pool_id from unnest(array['pool', 'any']) t where s.pool_id is not null
        union all select t, s.node_operator_id from unnest(array['nodeOperator', 'any']) t
          where s.node_operator_id is not null and (t = 'nodeOperator' or s.node_operator_id is distinct from s.pool_id)
      ) as p (parent_type, parent_id)
      where not s.superseded
    ), list as materialized (
      select nextval(pg_get_serial_sequence('operator_lists', 'list_id')) as list_id,
        network, id_type, time_window, list_type, parent_type, parent_id,
        array_agg(summary_id order by network_penetration desc nulls last, validator_count desc, operator_id) as members
      from member group by network, id_type, time_window, list_type, parent_type, parent_id
    ), made as (
      insert into operator_lists
        (list_id, network, id_type, time_window, pool_type, parent_type, parent_id, total, revision)
      overriding system value
      select list_id, network, id_type, time_window, list_type, parent_type, parent_id, cardinality(members), $4
      from list
    )
    insert into operator_ranks (list_id, rank, summary_id)
    select list_id, place - 1, summary_id from list cross join unnest(members) with ordinality as m (summary_id, place)`,
    [...arrays, revision],
  );
  await finishLists(client, tables);
}

async function rankAndName(client: pg.ClientBase, lists: readonly ListOf[], revision: number) {
  await rankLists(client, lists, revision);
  await storeNames(client, "store_operator_names('staged', $1, $2)", [
    lists.map((list) => list.network),
    lists.map((list) => list.id_type),
  ]);
}

const checks = { faults: faultsOf };

export const operatorImporter: Importer<ImportedOperator, ColumnName<z.infer<typeof Stored>>> = {
  resource: 'operators',
  shape: ImportedOperator,
  check: rowChecker(ImportedOperator, checks),
  checks,
  columns,
  derived,
  key,
  merge: mergeRanked(tables, rankAndName),
  // False if the source could be several lists, or part of one: pool shares could be filtered by parent, and pools of a
  // single type by type.
  replacesWhen: `count(distinct (network, id_type, time_window)) = 1 and bool_and(id_type <> 'poolShare')
    and not (bool_and(id_type = 'pool') and count(distinct pool_type) = 1 and count(pool_type) = count(*))`,
};

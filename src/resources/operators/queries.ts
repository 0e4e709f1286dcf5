import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Changes } from '../../db/change-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import { summaryStatements } from '../../db/ranked/summaries.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { keyTable, queryOf, raw, rows, sql } from '../../db/rows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { IdType, type OperatorField, OperatorProposals, OperatorSummary, OperatorTrend } from './record.ts';

export type OperatorId = { network: Network; idType: IdType; id: string };
export type OperatorKey = OperatorId & { timeWindow: TimeWindow };

/** Without a parent, `parentType` and `parentId` are ''. */
export type ListKey = {
  network: Network;
  idType: IdType;
  timeWindow: TimeWindow;
  poolType: string;
  parentType: '' | 'any' | 'pool' | 'nodeOperator';
  parentId: string;
};

/** Name and tags are the same for all windows of an operator: those of its shortest stored window. */
type Named = { name?: OperatorSummary['displayName']; tags?: OperatorSummary['operatorTags'] };
export type OperatorRow = Partial<OperatorSummary & OperatorProposals> &
  Named &
  OperatorKey & { change?: Changes; asOf?: number | null };
/** With the columns of a summary if `timeWindow` is set. */
export type OperatorNode = Partial<OperatorRow> & OperatorId & { withoutSummary?: TimeWindow };

const record = OperatorSummary.extend({
  ...OperatorProposals.shape,
  network: Network,
  name: OperatorSummary.shape.displayName,
  tags: OperatorSummary.shape.operatorTags,
  asOf: Leaf.count().nullable(),
});

const shortestWindow = raw(`array_position('{${TimeWindow.options.join()}}'::text[], n.time_window)`);

/** In the shortest stored window, which nearly always has the names of this row. */
const current = (column: 'display_name' | 'operator_tags') => sql`case when s.superseded or s.renamed
  then current_operator_${raw(column === 'display_name' ? 'name' : 'tags')}(s.network, s.operator_id, s.id_type, s.${raw(column)})
  else s.${raw(column)} end`;

/** Stored by the database function `store_operator_orders`. */
export const operatorOrders = [
  'networkPenetration',
  'validatorCount',
  'avgValidatorEffectiveness',
  'aprPercentage',
  'operatorId',
  'networkPenetrationChange',
  'validatorCountChange',
  'avgValidatorEffectivenessChange',
  'aprPercentageChange',
  'missedProposalCount',
  'sumEndEpochEffectiveBalanceChange',
] as const;
export type OperatorOrderField = (typeof operatorOrders)[number];

const bounds = {
  minValidators: { column: 'validator_count', type: 'int', at: 'least' },
  maxValidators: { column: 'validator_count', type: 'int', at: 'most' },
  minStake: { column: 'sum_end_epoch_effective_balance', type: 'numeric', at: 'least' },
  maxStake: { column: 'sum_end_epoch_effective_balance', type: 'numeric', at: 'most' },
  minApr: { column: 'apr_percentage', type: 'float8', at: 'least' },
  maxApr: { column: 'apr_percentage', type: 'float8', at: 'most' },
  minEffectiveness: { column: 'avg_validator_effectiveness', type: 'float8', at: 'least' },
  maxEffectiveness: { column: 'avg_validator_effectiveness', type: 'float8', at: 'most' },
} as const;

export const summaries = summaryStatements<ListKey, OperatorKey, OperatorField, OperatorRow>({
  name: 'operator',
  dataset: 'operators',
  statements: { byKey: 'operatorsByKey', pages: 'operatorPages', byOrder: 'operatorsByOrder' },
  list: {
    network: ['text', 'network'],
    parent_id: ['text', 'parentId'],
    parent_type: ['text', 'parentType'],
    id_type: ['text', 'idType'],
    time_window: ['text', 'timeWindow'],
    pool_type: ['text', 'poolType'],
  },
  key: {
    network: ['text', 'network'],
    operator_id: ['text', 'id'],
    id_type: ['text', 'idType'],
    time_window: ['text', 'timeWindow'],
  },
  record,
  fields: {
    ...recordColumns(record, 's'),
    id: sql`s.operator_id`,
    name: current('display_name'),
    tags: current('operator_tags'),
    asOf: sql`s.as_of_epoch`,
  },
  trend: OperatorTrend,
  keys: ['network', 'id', 'idType', 'timeWindow'],
  bounds,
  /** `tags` is JSON text, because one statement may read several lists. */
  others: {
    columns: {
      name: ['text', ({ where }) => where.name ?? null],
      tags: ['text', ({ where }) => where.tags ?? null],
    },
    compared: ['operator_id', 'display_name', 'operator_tags'],
    joins: sql`cross join lateral (
    select case when k.tags is not null then array(select json_array_elements_text(k.tags::json)) end as tags
  ) f`,
    parts: sql` and (f.tags is null or c.tags && f.tags)`,
    rows: sql` and (f.tags is null or exists (
      select from json_array_elements(s.operator_tags) t where t ->> 'name' = any(f.tags)
    ))
    and (k.name is null or strpos(lower(s.operator_id), lower(k.name collate "C")) > 0
      or strpos(lower(s.display_name collate "C"), lower(k.name collate "C")) > 0)`,
  },
});

const NamedOperator = z.object({
  network: Network,
  idType: IdType,
  id: z.string(),
  name: OperatorSummary.shape.displayName,
  tags: OperatorSummary.shape.operatorTags,
});

/** Returns rows in no order. */
export const operatorsById = queryOf(
  NamedOperator,
  (keys: readonly OperatorId[]) => sql`/* operatorsById */
    select k.network, k.id_type as "idType", k.operator_id as id, n.display_name as name,
      coalesce(n.operator_tags, '[]') as tags
    from ${keyTable(keys, {
      network: ['text', 'network'],
      operator_id: ['text', 'id'],
      id_type: ['text', 'idType'],
    })}
    left join lateral (
      select true as found, n.display_name, n.operator_tags
      from operator_summaries n
      where (n.network, n.operator_id, n.id_type) = (k.network, k.operator_id, k.id_type) and not n.superseded
      order by ${shortestWindow}
      limit 1
    ) n on true
    where n.found
      or exists (
        select from operator_validators v
        where v.network = k.network and v.id_type = k.id_type and v.operator_id = k.operator_id and v.share_of = ''
      )
      or exists (
        select from attestation_entities e
        where e.network = k.network and e.id_type = k.id_type and e.entity_id = k.operator_id
      )`,
);

export async function entityExists(
  db: Queryable,
  network: Network,
  id: string,
  classes: readonly IdType[],
): Promise<boolean> {
  const isOne = sql`network = ${network} and id_type = any(${[...classes]}::text[])`;
  const found = await rows(
    db,
    z.object({ yes: z.boolean() }),
    sql`/* entityExists */
    select exists (select from operator_summaries where ${isOne} and operator_id = ${id} and not superseded)
      or exists (select from operator_validators where ${isOne} and operator_id = ${id} and share_of = '')
      or exists (select from attestation_entities where ${isOne} and entity_id = ${id}) as yes`,
  );
  return found[0]?.yes === true;
}

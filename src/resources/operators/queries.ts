import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { rowSelections, summariesByKey } from '../../db/row-selection.ts';
import { type Fields, inOrder, type KeyColumns, keyTable, rows, sql } from '../../db/rows.ts';
import { templates } from '../../db/templates.ts';
import { count } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import type { Asked } from '../../kernel/row-form.ts';
import { type IdType, type OperatorField, OperatorSummary } from './record.ts';

/** What finds one summary. */
export type OperatorKey = { network: Network; idType: IdType; timeWindow: TimeWindow; id: string };

/** What names one stored list; the parent's are '' and `poolType` is 'all' where the list is not narrowed. */
export type ListKey = {
  network: Network;
  idType: IdType;
  timeWindow: TimeWindow;
  poolType: string;
  parentType: '' | 'any' | 'pool' | 'nodeOperator';
  parentId: string;
  /** Of the list to read; undefined: the current one. */
  revision?: number | undefined;
};

/** A summary with the fields that were asked for, and always what finds it again. */
export type OperatorRow = Partial<OperatorSummary> & OperatorKey;
export type RankedOperatorRow = OperatorRow & {
  list: number;
  rank: number;
  total: number;
  revision: number;
};

const fields: Fields<OperatorField> = {
  id: sql`s.operator_id`,
  idType: sql`s.id_type`,
  timeWindow: sql`s.time_window`,
  validatorCount: sql`s.validator_count`,
  avgCorrectness: sql`s.avg_correctness`,
  avgInclusionDelay: sql`s.avg_inclusion_delay`,
  avgUptime: sql`s.avg_uptime`,
  avgValidatorEffectiveness: sql`s.avg_validator_effectiveness`,
  clientPercentages: sql`s.client_percentages`,
  networkPenetration: sql`s.network_penetration`,
  relayerPercentages: sql`s.relayer_percentages`,
  nodeOperatorCount: sql`s.node_operator_count`,
  operatorTags: sql`s.operator_tags`,
  displayName: sql`s.display_name`,
  aprPercentage: sql`s.apr_percentage`,
  sumEndEpochBalance: sql`s.sum_end_epoch_balance::text`,
  sumEndEpochEffectiveBalance: sql`s.sum_end_epoch_effective_balance::text`,
};

const ListSize = z.object({ total: count(), revision: count() });

const selection = rowSelections<OperatorField, OperatorRow, RankedOperatorRow>({
  record: OperatorSummary,
  fields,
  keyFields: ['id', 'idType', 'timeWindow'],
  keyColumns: { network: sql`s.network` },
  key: { network: Network },
  place: ListSize.extend({ list: count(), rank: count() }),
});

const listColumns: KeyColumns<ListKey> = {
  network: ['text', (list) => list.network],
  parent_id: ['text', (list) => list.parentId],
  parent_type: ['text', (list) => list.parentType],
  id_type: ['text', (list) => list.idType],
  time_window: ['text', (list) => list.timeWindow],
  pool_type: ['text', (list) => list.poolType],
  asked: ['int', (list) => list.revision ?? null],
};
const pageStatements = templates<{ lists: readonly ListKey[]; range: Range<number> }>();

/**
 * A page of each of several lists, by stored rank: the cost is that of the rows returned, wherever the page lies.
 * `list` in a row is the position of its list in `lists`. One row more than the limit is read.
 */
export async function operatorPages(
  db: Queryable,
  lists: readonly ListKey[],
  range: Range<number>,
  asked: Asked<OperatorField>,
): Promise<RankedOperatorRow[]> {
  const read = selection(asked).ranked;
  const shape = `${lists.length === 1} ${range.backward}`;
  const statement = pageStatements(
    read,
    shape,
    { lists, range },
    (value) => sql`/* operatorPages */
    select k.list::int - 1 as "list", page.*, l.total, l.revision
    from ${keyTable(lists, listColumns, (of) => value((call) => of(call.lists)))}
    join operator_lists l using (network, parent_id, parent_type, id_type, time_window, pool_type)
    cross join lateral (
      select r.rank, ${read.columns}
      from operator_ranks r join operator_summaries s using (summary_id)
      where r.list_id = l.list_id
        and r.rank > ${value((call) => call.range.after ?? -1)}
        and r.rank < ${value((call) => call.range.before ?? 2 ** 31 - 1)}
      order by r.rank ${range.backward ? sql`desc` : sql``}
      limit ${value((call) => call.range.limit + 1)}
    ) page
    where l.revision = k.asked or (k.asked is null and l.superseded_at is null)`,
  );
  return inOrder(await rows(db, read.row, statement), range.backward);
}

/** How many rows a list has, and its revision; undefined when there is no such list. */
export async function operatorListSize(
  db: Queryable,
  list: ListKey,
): Promise<z.infer<typeof ListSize> | undefined> {
  const revision = list.revision ?? null;
  const [row] = await rows(
    db,
    ListSize,
    sql`/* operatorListSize */
    select total, revision from operator_lists
    where network = ${list.network} and parent_id = ${list.parentId} and parent_type = ${list.parentType}
      and id_type = ${list.idType} and time_window = ${list.timeWindow} and pool_type = ${list.poolType}
      and (revision = ${revision}::int or (${revision}::int is null and superseded_at is null))`,
  );
  return row;
}

/** The summaries of these keys, in no particular order; keys without a row are absent. */
export const operatorsByKey = summariesByKey<OperatorKey, OperatorField, OperatorRow>({
  statement: 'operatorsByKey',
  table: 'operator_summaries',
  columns: {
    network: ['text', (key) => key.network],
    operator_id: ['text', (key) => key.id],
    id_type: ['text', (key) => key.idType],
    time_window: ['text', (key) => key.timeWindow],
  },
  selection,
});

/** Whether an entity of one of these classes is known in any window. */
export async function operatorExists(
  db: Queryable,
  network: Network,
  id: string,
  classes: readonly IdType[],
): Promise<boolean> {
  const found = await rows(
    db,
    z.object({ yes: z.literal(1) }),
    sql`/* operatorExists */
    select 1 as yes from operator_summaries
    where network = ${network} and operator_id = ${id} and id_type = any(${[...classes]}::text[])
      and not superseded
    limit 1`,
  );
  return found.length > 0;
}

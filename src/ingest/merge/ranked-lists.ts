import type pg from 'pg';
import {
  type Column,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  stagedScopes,
} from '../importer/importer.ts';
import { changeColumns, type HistoryTables, stageChanges, writeHistory } from './history.ts';
import {
  analyzeGrown,
  anyColumnDiffers,
  anyJoins,
  columnList,
  hashedIfGrowing,
  sameColumns,
} from './staging.ts';

/**
 * Changed rows are superseded, not overwritten, because clients that page through an old list must still get its
 * figures.
 */
export type RankedTables = {
  summaries: string;
  lists: string;
  ranks: string;
  storeOrders: string;
  key: readonly string[];
  scope: readonly string[];
  listKey: readonly string[];
  columns: readonly Column[];
  history: HistoryTables;
  /** Rows of an entity whose `names` differ between windows are marked. `isNamed` is true of a row that has any. */
  naming: { key: readonly string[]; names: readonly string[]; isNamed: string };
};

const KEPT_FOR = '1 hour';
const MAX_KEPT = 8;

async function mergeSummaries(
  client: pg.ClientBase,
  { summaries, key, scope, columns: own, history }: RankedTables,
  options: Pick<MergeOptions, 'replace' | 'whole'>,
): Promise<ImportCounts> {
  const columns = [...own, ...changeColumns(history.figures)];
  const names = columns.map(({ name }) => name);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) {
    const scopes = stagedScopes(scope, options);
    const removed = await client.query(
      `/* removeAbsentSummaries */
      with of_lists as materialized (${scopes.text})
      update ${summaries} s set superseded = true
      where not s.superseded and (${columnList(scope, 's')}) in (select * from of_lists)
        and not exists (select from staged g where ${sameColumns('s', 'g', key)})`,
      scopes.values,
    );
    counts.removed = removed.rowCount ?? 0;
  }
  const updated = await client.query(
    `/* supersedeSummaries */
    update ${summaries} s set superseded = true from staged g
    where not s.superseded and ${sameColumns('s', 'g', key)} and (${anyColumnDiffers('s', 'g', columns)})`,
  );
  await hashedIfGrowing(client, [summaries]);
  const written = await client.query(
    `/* insertSummaries */
    insert into ${summaries} (${columnList(names)}) select ${columnList(names, 'g')} from staged g
    where not exists (select from ${summaries} s where not s.superseded and ${sameColumns('s', 'g', key)})`,
  );
  await anyJoins(client);
  counts.updated = updated.rowCount ?? 0;
  counts.inserted = (written.rowCount ?? 0) - counts.updated;
  await analyzeGrown(client, summaries, counts.inserted); // replaced rows are much like the new ones
  return counts;
}

export const mergeRanked =
  <List extends object>(
    tables: RankedTables,
    rank: (client: pg.ClientBase, lists: List[], revision: number) => Promise<void>,
  ): Importer<unknown>['merge'] =>
  async (client, options) => {
    const published = await stageChanges(client, tables.history);
    const counts = await mergeSummaries(client, tables, options);
    if ((await writeHistory(client, tables.history, published, options)) > 0) await options.revision();
    if (counts.inserted + counts.updated + counts.removed === 0) return counts;
    await markRenamed(client, tables);
    const { text, values } = stagedScopes(tables.scope, options);
    const { rows } = await client.query<List>(`/* stagedLists */ ${text}`, values);
    await rank(client, rows, await options.revision());
    return counts;
  };

async function markRenamed(client: pg.ClientBase, { summaries, naming }: RankedTables): Promise<void> {
  const { key, names, isNamed } = naming;
  const columns = columnList(key);
  await client.query(
    `/* markRenamed */
    with found as materialized (
      select ${columns} from ${summaries}
      where not superseded and (${columns}) in (select ${columns} from ${summaries} where not superseded and (${isNamed}))
      group by ${columns} having count(distinct array[${names.join(', ')}]) > 1
    ), same as (
      update ${summaries} s set renamed = false
      where renamed and not superseded and not exists (select from found f where ${sameColumns('f', 's', key)})
    )
    update ${summaries} s set renamed = true from found f
    where not s.superseded and not s.renamed and ${sameColumns('f', 's', key)}`,
  );
}

/** Stores the names of staged rows for searches. */
export async function storeNames(client: pg.ClientBase, call: string, values: unknown[] = []): Promise<void> {
  await hashedIfGrowing(client, ['search_names']);
  await client.query(`/* storeNames */ select ${call}`, values);
  await anyJoins(client);
}

export async function finishLists(
  client: pg.ClientBase,
  { summaries, lists, ranks, listKey, storeOrders }: RankedTables,
): Promise<void> {
  await client.query(`/* storeOrders */ select ${storeOrders}()`);
  await client.query(
    `/* forgetLists */
    delete from ${lists} l using (
      select list_id, row_number() over (partition by ${columnList(listKey)} order by revision desc) as age
      from ${lists} where superseded_at is not null
    ) as old
    where l.list_id = old.list_id
      and (l.superseded_at < now() - interval '${KEPT_FOR}' or old.age > ${MAX_KEPT})`,
  );
  await client.query(
    `/* forgetSummaries */
    delete from ${summaries} s
    where s.superseded and not exists (select from ${ranks} r where r.summary_id = s.summary_id)`,
  );
}

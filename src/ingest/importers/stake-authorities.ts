import type pg from 'pg';
import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { StakeAuthoritySummary, StakeAuthorityTrend } from '../../resources/stake-authorities/record.ts';
import {
  type ColumnName,
  columnsOf,
  type Importer,
  type RowOptions,
  rowChecker,
} from '../importer/importer.ts';
import { HAS_HISTORY, IMPORT_DATE } from '../merge/history.ts';
import { finishLists, mergeRanked, type RankedTables, storeNames } from '../merge/ranked-lists.ts';

const ImportedStakeAuthority = StakeAuthoritySummary.extend({
  timeWindow: z.enum(TimeWindow.options, {
    error: `must be one of ${TimeWindow.options.join(', ')}: in the row or as --window`,
  }),
});
export type ImportedStakeAuthority = z.infer<typeof ImportedStakeAuthority>;

/** Only a refresh sets these fields. */
export const AsOfSolana = z.object({
  asOfEpoch: Leaf.count().nullable(),
  asOfTime: Leaf.timestamp().nullable(),
});
const Stored = ImportedStakeAuthority.extend(AsOfSolana.shape);
const columns = columnsOf(Stored);
const tables: RankedTables = {
  summaries: 'stake_authority_summaries',
  lists: 'stake_authority_lists',
  ranks: 'stake_authority_ranks',
  storeOrders: 'store_stake_authority_orders',
  key: ['stake_authority', 'time_window'],
  scope: ['time_window'],
  listKey: ['time_window', 'list_type'],
  columns,
  history: {
    name: 'stake_authority',
    key: ['stake_authority', 'time_window'],
    scope: ['time_window'],
    figures: columnsOf(StakeAuthorityTrend),
    asOf: columnsOf(AsOfSolana),
    date: `coalesce((g.as_of_time at time zone 'UTC')::date, ${IMPORT_DATE})`,
    where: HAS_HISTORY,
    order: 'g.network_penetration desc, g.stake_authority',
  },
  naming: { key: ['stake_authority'], names: ['pool_name'], isNamed: 'pool_name is not null' },
};

async function rankWindows(
  client: pg.ClientBase,
  lists: readonly { time_window: string }[],
  revision: number,
) {
  const windows = lists.map((list) => list.time_window);
  await client.query(
    `/* supersedeStakeAuthorityLists */
    update stake_authority_lists set superseded_at = now()
    where superseded_at is null and time_window = any($1::text[])`,
    [windows],
  );
  await client.query(
    `/* rankStakeAuthorities */
    with placed as (
      select summary_id, time_window, pool_name is not null as is_pool, row_number() over places as place,
        count(pool_name) over places as pools
      from stake_authority_summaries
      where not superseded and time_window = any($1::text[])
      window places as (
        partition by time_window order by network_penetration desc, stake_authority rows unbounded preceding
      )
    ), ranked as (
      select time_window, 'all' as list_type, place - 1 as rank, summary_id from placed
      union all select time_window, 'pool', pools - 1, summary_id from placed where is_pool
      union all select time_window, 'individual', place - pools - 1, summary_id from placed where not is_pool
    ), list as (
      insert into stake_authority_lists (time_window, list_type, total, revision)
      select time_window, list_type, count(*), $2 from ranked group by 1, 2
      returning list_id, time_window, list_type
    )
    insert into stake_authority_ranks (list_id, rank, summary_id)
    select list_id, rank, summary_id from ranked join list using (time_window, list_type)`,
    [windows, revision],
  );
  await finishLists(client, tables);
  await storeNames(client, "store_authority_names('staged')");
}

const checks = { defaults: ({ window }: RowOptions) => ({ timeWindow: window }) };

export const stakeAuthorityImporter: Importer<ImportedStakeAuthority, ColumnName<z.infer<typeof Stored>>> = {
  resource: 'stake-authorities',
  shape: ImportedStakeAuthority,
  check: rowChecker(ImportedStakeAuthority, checks),
  checks,
  columns,
  key: tables.key,
  merge: mergeRanked(tables, rankWindows),
  // False if all rows are pools or all are individuals, because the list could be filtered by type.
  replacesWhen: 'count(distinct time_window) = 1 and count(pool_name) between 1 and count(*) - 1',
};

import type pg from 'pg';
import { z } from 'zod';
import { timeWindows } from '../chain/windows.ts';
import { count, timestamp } from '../kernel/leaves.ts';
import { StakeAuthoritySummary, StakeAuthorityTrend } from '../resources/stake-authorities/record.ts';
import { HAS_HISTORY, IMPORT_DATE } from './history.ts';
import { type ColumnName, columnsOf, type Importer, type RowOptions, rowChecker } from './importer.ts';
import { finishLists, mergeRanked, type RankedTables, storeNames } from './ranked-lists.ts';

const ImportedStakeAuthority = StakeAuthoritySummary.extend({
  timeWindow: z.enum(timeWindows, {
    error: `must be one of ${timeWindows.join(', ')}: in the row or as --window`,
  }),
});
export type ImportedStakeAuthority = z.infer<typeof ImportedStakeAuthority>;

/** Only a refresh sets these fields. */
export const AsOfSolana = z.object({ asOfEpoch: count().nullable(), asOfTime: timestamp().nullable() });
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
    with ranked as (
      select s.summary_id, s.time_window, t.list_type, row_number() over (
        partition by s.time_window, t.list_type order by s.network_penetration desc, s.stake_authority
      ) - 1 as rank
      from stake_authority_summaries s
      cross join lateral (
        values ('all'), (case when s.pool_name is null then 'individual' else 'pool' end)
      ) as t (list_type)
      where not s.superseded and s.time_window = any($1::text[])
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

import type pg from 'pg';
import { type ImportCounts, type MergeOptions, stagedScopes } from '../importer/importer.ts';
import { mergePlain } from '../merge/plain-table.ts';
import { anyColumnDiffers, columnList, type PlainTable, sameColumns } from '../merge/staging.ts';

/** `keys` is the parameter of `store_consolidation_totals` that takes the keys of rows in which any of `columns` changed. */
export const mergeWithTotals =
  (keys: 'sources' | 'owned', columns: readonly string[]) =>
  async (client: pg.ClientBase, table: PlainTable, options: MergeOptions): Promise<ImportCounts> => {
    const { name, key } = table;
    const compared = table.columns.filter((column) => columns.includes(column.name));
    await client.query(
      `/* changedKeys */
      create temp table changed_keys on commit drop as
      select ${columnList(key, 's')} from staged s left join ${name} t on ${sameColumns('t', 's', key)}
      where t.network is null or ${anyColumnDiffers('t', 's', compared)}`,
    );
    const counts = await mergePlain(client, table, options);
    if (counts.removed > 0) {
      const { text, values } = stagedScopes(['network'], options);
      await client.query(
        `/* storeConsolidationTotals */ select store_consolidation_totals(network) from (${text}) of_networks`,
        values,
      );
    } else
      await client.query(
        `/* addConsolidationTotals */
        select store_consolidation_totals(network, ${keys} => array_agg(${key[1]})) from changed_keys group by network`,
      );
    await client.query('/* dropKeys */ drop table changed_keys');
    return counts;
  };

import type pg from 'pg';
import { type ImportCounts, type MergeOptions, stagedScopes } from '../importer/importer.ts';
import { mergePlain } from '../merge/plain-table.ts';
import type { PlainTable } from '../merge/staging.ts';

export async function mergeWithTotals(
  client: pg.ClientBase,
  table: PlainTable,
  options: MergeOptions,
): Promise<ImportCounts> {
  const counts = await mergePlain(client, table, options);
  if (counts.inserted + counts.updated + counts.removed === 0) return counts;
  const { text, values } = stagedScopes(['network'], options);
  await client.query(
    `/* storeConsolidationTotals */
    select store_consolidation_totals(array(select network from (${text}) as of_networks))`,
    values,
  );
  return counts;
}

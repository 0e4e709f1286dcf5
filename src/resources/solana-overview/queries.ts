import { type TimeWindow, timeWindows } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { rows, selectList, sql } from '../../db/rows.ts';
import { SolanaNetworkOverview, solanaOverviewFields } from './record.ts';

const fields = recordColumns(SolanaNetworkOverview, 'o');
// Selects all columns: of four rows at most, fewer columns would save nothing.
const select = selectList(fields, solanaOverviewFields);

/** Shortest window first. */
export function solanaOverviewsOf(
  db: Queryable,
  windows: readonly TimeWindow[],
): Promise<SolanaNetworkOverview[]> {
  return rows(
    db,
    SolanaNetworkOverview,
    sql`/* solanaOverviewsOf */
    select ${select} from solana_overviews o
    where o.time_window = any(${[...windows]}::text[])
    order by array_position(${[...timeWindows]}::text[], o.time_window)`,
  );
}

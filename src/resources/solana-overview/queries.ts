import type { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { queryOf, selectList, sql } from '../../db/rows.ts';
import { SolanaAsOf, solanaAsOf } from '../../db/solana-as-of.ts';
import { SolanaNetworkOverview, solanaOverviewFields } from './record.ts';

const Row = SolanaNetworkOverview.extend({ asOf: SolanaAsOf });
export type SolanaOverviewRow = z.infer<typeof Row>;

const fields = { ...recordColumns(SolanaNetworkOverview, 'o'), asOf: solanaAsOf('o') };
const select = selectList(fields, [...solanaOverviewFields, 'asOf']);

export const solanaOverviewsOf = queryOf(
  Row,
  (windows: readonly TimeWindow[]) => sql`/* solanaOverviewsOf */
    select ${select} from solana_overviews o
    where o.time_window = any(${[...windows]}::text[])
    order by array_position(${[...TimeWindow.options]}::text[], o.time_window)`,
);

import { SolanaNetworkOverview } from '../../resources/solana-overview/record.ts';
import { IMPORT_DATE } from '../merge/history.ts';
import { mergePlain, plainImporter } from '../merge/plain-table.ts';
import type { PlainTable } from '../merge/staging.ts';
import { AsOfSolana } from './stake-authorities.ts';

/** The history's `date` is the last day that the figures cover, or the day of the import. */
const historyOf = (table: PlainTable): PlainTable => ({
  ...table,
  name: 'solana_overview_history',
  key: [...table.key, 'date'],
  columns: [...table.columns, { name: 'date', type: 'date' }],
  from: `(select g.*, coalesce((g.as_of_time at time zone 'UTC')::date, ${IMPORT_DATE}) as date from staged g)`,
});

export const solanaOverviewImporter = plainImporter({
  resource: 'solana-overview',
  table: 'solana_overviews',
  shape: SolanaNetworkOverview,
  columns: SolanaNetworkOverview.extend(AsOfSolana.shape),
  key: ['time_window'],
  scope: [],
  defaults: ({ window }) => ({ timeWindow: window }),
  async merge(client, table, options) {
    const counts = await mergePlain(client, table, options);
    const { inserted, updated } = await mergePlain(client, historyOf(table), { replace: false });
    if (inserted + updated > 0) await options.revision();
    return counts;
  },
});

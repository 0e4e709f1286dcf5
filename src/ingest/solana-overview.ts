import { decode } from '../kernel/decode.ts';
import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { type ColumnName, columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const columns = columnsOf(SolanaNetworkOverview);
const table: PlainTable = {
  name: 'solana_overviews',
  key: ['time_window'],
  columns,
  scope: [],
};

// No `replacesWhen`: a response may hold only one window.
export const solanaOverviewImporter: Importer<SolanaNetworkOverview, ColumnName<SolanaNetworkOverview>> = {
  resource: 'solana-overview',
  shape: SolanaNetworkOverview,
  check: (raw, { window }) => {
    const value = decode(SolanaNetworkOverview, raw);
    const named = window ? { timeWindow: window } : {};
    return SolanaNetworkOverview.safeParse(isObject(value) ? { ...named, ...value } : value);
  },
  columns,
  stored: snakeCased,
  key: table.key,
  merge: (client, options) => mergePlain(client, table, options),
};

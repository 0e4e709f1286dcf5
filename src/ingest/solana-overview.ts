import { decode } from '../kernel/decode.ts';
import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const table: PlainTable = {
  name: 'solana_overviews',
  key: ['time_window'],
  columns: columnsOf(SolanaNetworkOverview),
  scope: [],
};

// No `replacesWhen`: a response may hold one window.
export const solanaOverviewImporter: Importer<SolanaNetworkOverview> = {
  resource: 'solana-overview',
  shape: SolanaNetworkOverview,
  check: (raw, { window }) => {
    const value = decode(SolanaNetworkOverview, raw);
    const named = window ? { timeWindow: window } : {};
    return SolanaNetworkOverview.safeParse(isObject(value) ? { ...named, ...value } : value);
  },
  columns: table.columns,
  stored: snakeCased,
  key: table.key,
  merge: (client, options) => mergePlain(client, table, options),
};

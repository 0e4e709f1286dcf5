import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { plainImporter } from './plain-table.ts';

export const solanaOverviewImporter = plainImporter({
  resource: 'solana-overview',
  table: 'solana_overviews',
  shape: SolanaNetworkOverview,
  key: ['time_window'],
  scope: [],
  defaults: ({ window }) => ({ timeWindow: window }),
});

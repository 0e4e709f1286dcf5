import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { plainImporter } from './plain-table.ts';
import { AsOfSolana } from './stake-authorities.ts';

export const solanaOverviewImporter = plainImporter({
  resource: 'solana-overview',
  table: 'solana_overviews',
  shape: SolanaNetworkOverview,
  columns: SolanaNetworkOverview.extend(AsOfSolana.shape),
  key: ['time_window'],
  scope: [],
  defaults: ({ window }) => ({ timeWindow: window }),
});

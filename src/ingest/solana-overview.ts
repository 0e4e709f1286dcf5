import { decode } from '../kernel/decode.ts';
import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const table: PlainTable = {
  name: 'solana_overviews',
  key: ['time_window'],
  columns: [
    { name: 'time_window', type: 'text' },
    { name: 'network_effectiveness', type: 'double precision' },
    { name: 'network_vote_success_rate', type: 'double precision' },
    { name: 'network_missed_blocks_rate', type: 'double precision' },
    { name: 'network_voting_latency', type: 'double precision' },
    { name: 'validator_apy', type: 'double precision' },
    { name: 'net_validator_apy', type: 'double precision' },
    { name: 'delegator_apy', type: 'double precision' },
    { name: 'rewards_solana_voting', type: 'numeric' },
    { name: 'rewards_solana_proposals', type: 'numeric' },
    { name: 'rewards_solana_mev', type: 'numeric' },
    { name: 'rewards_solana_rent', type: 'numeric' },
    { name: 'active_validator_count', type: 'integer' },
    { name: 'active_validator_diff', type: 'integer' },
    { name: 'total_delegated_stake', type: 'numeric' },
    { name: 'active_delegator_stake_account_count', type: 'integer' },
    { name: 'active_delegator_stake_account_count_diff', type: 'integer' },
    { name: 'active_delegator_withdraw_authority_count', type: 'integer' },
    { name: 'active_delegator_withdraw_authority_count_diff', type: 'integer' },
    { name: 'stake_account_withdraw_authority_ratio', type: 'numeric' },
    { name: 'active_delegator_stake_authority_count', type: 'integer' },
    { name: 'active_delegator_stake_authority_count_diff', type: 'integer' },
    { name: 'stake_account_stake_authority_ratio', type: 'numeric' },
    { name: 'network_effectiveness_diff', type: 'numeric' },
    { name: 'gini_coefficient', type: 'numeric' },
    { name: 'deactivating_stake_accounts', type: 'integer' },
  ],
  scope: [],
};

// A body may have been narrowed to one window: it removes nothing by itself.
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

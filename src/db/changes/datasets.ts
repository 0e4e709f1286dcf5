import { boundedMap } from '../../kernel/bounded.ts';

/** Networks whose daily rewards are datasets of their own. */
export const rewardsNetworks = [
  'avalanche',
  'babylon',
  'cardano',
  'celestia',
  'polkadot',
  'polygon',
  'solana',
];

/** Lists each dataset's tables, and the tables, views and functions that depend on them. */
export const datasetTables: Record<string, readonly string[]> = {
  operators: [
    'operator_summaries',
    'operator_lists',
    'operator_ranks',
    'operator_orders',
    'network_clients',
    'refreshed_windows',
    'operator_series',
    'operator_history',
    'operator_history_days',
    'named_operators',
    'validator_entities',
    'named_consolidation_entities',
    'search_names',
    'similar_names',
  ],
  slashings: ['slashings', 'added_rows'],
  attestations: ['attestation_entities', 'attestation_hours', 'attestation_days', 'kept_network_days'],
  blocks: [
    'blocks',
    'block_counts',
    'block_operators',
    'operator_blocks',
    'chain_heads',
    'added_rows',
    'dropped_relays',
  ],
  builders: ['builders'],
  'chain-daily-rewards': ['chain_daily_rewards'],
  'chain-balances': ['chain_balances', 'index_ranges', 'network_forks'],
  consolidations: [
    'consolidations',
    'pending_consolidations',
    'consolidation_entities',
    'entity_consolidations',
    'consolidation_epochs',
    'named_consolidation_entities',
  ],
  'solana-overview': ['solana_overviews', 'solana_overview_history'],
  'stake-authorities': [
    'stake_authority_summaries',
    'stake_authority_lists',
    'stake_authority_ranks',
    'stake_authority_orders',
    'search_names',
    'similar_names',
    'stake_authority_series',
    'stake_authority_history',
    'stake_authority_history_days',
  ],
  'sync-committee-rewards': [
    'sync_committee_slots',
    'sync_committees',
    'sync_committee_seats',
    'sync_committee_rewards',
    'chain_heads',
  ],
  validators: [
    'validators',
    'validator_counts',
    'operator_validators',
    'block_operators',
    'operator_blocks',
    'validator_entities',
    'consolidation_entities',
    'entity_consolidations',
    'consolidation_epochs',
    'named_consolidation_entities',
  ],
  'validator-days': [
    'validator_days',
    'validator_day_dates',
    'validator_months',
    'validator_month_sums',
    'window_sums',
    'kept_sums',
    'days_of_validator',
    'archived_months',
    'archived_day_dates',
  ],
  'validator-clients': ['validator_clients'],
  'operator-profiles': ['operator_profiles'],
  'solana-epochs': ['solana_epochs'],
  'solana-validator-epochs': ['solana_validator_epochs'],
  'solana-stake-authority-epochs': [
    'solana_stake_authority_epochs',
    'solana_epoch_spans',
    'stake_authority_span_sums',
  ],
  ...Object.fromEntries(
    rewardsNetworks.map((network) => [
      `${network}-rewards`,
      [`${network}_validator_rewards`, `${network}_network_rewards`],
    ]),
  ),
};

export const privateTables: readonly string[] = [
  ...['accounts', 'tokens', 'page_codes', 'usage', 'usage_batches', 'idempotency_keys'],
  'job_runs',
  'audit_log',
  ...['private_sets', 'private_set_members', 'private_set_days', 'saved_views'],
];

/** Changes of these tables raise no revision, so responses that read them are not cached. */
export const untrackedTables: readonly string[] = ['datasets', 'dataset_origins', 'kept_from'];

/** Decides whether a response is cached, and which datasets invalidate it. */
export type Trace = {
  datasets: Set<string>;
  /** Whether the response depends on the caller, the time, or tables of no dataset. */
  isPrivate: boolean;
};

type Reads = {
  datasets: readonly string[];
  /** Also true for a statement without a known table, which may read anything. */
  isPrivate: boolean;
};

const naming = (tables: readonly string[]) => new RegExp(`\\b(${tables.join('|')})\\b`);
const patterns = Object.entries(datasetTables).map(([name, tables]) => [name, naming(tables)] as const);
const privatePattern = naming([...privateTables, ...untrackedTables]);

export function readsOf(text: string): Reads {
  const code = text.replace(/'[^']*'/g, ''); // literals may contain table names
  const datasets = patterns.filter(([, pattern]) => pattern.test(code)).map(([name]) => name);
  return { datasets, isPrivate: datasets.length === 0 || privatePattern.test(code) };
}

const known = boundedMap<Reads>(2_000);

export function noteStatement(trace: Trace, text: string): void {
  let reads = known.get(text);
  if (!reads) known.set(text, (reads = readsOf(text)));
  for (const name of reads.datasets) trace.datasets.add(name);
  trace.isPrivate ||= reads.isPrivate;
}

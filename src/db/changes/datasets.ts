import { boundedMap } from '../../kernel/bounded.ts';

/** What is published and the facts it is computed from, by the names of the import, and the tables, views and functions that hold it. */
export const datasetTables: Record<string, readonly string[]> = {
  operators: [
    'operator_summaries',
    'operator_lists',
    'operator_ranks',
    'asked_operators',
    'validator_entities',
    'named_consolidation_entities',
  ],
  slashings: ['slashings'],
  attestations: ['attestation_entities', 'attestation_hours', 'attestation_days'],
  blocks: ['blocks', 'block_counts', 'chain_heads'],
  'chain-daily-rewards': ['chain_daily_rewards'],
  'chain-balances': ['chain_balances'],
  consolidations: [
    'consolidations',
    'consolidation_places',
    'consolidation_entities',
    'named_consolidation_entities',
  ],
  'solana-overview': ['solana_overviews'],
  'stake-authorities': ['stake_authority_summaries', 'stake_authority_lists', 'stake_authority_ranks'],
  'sync-committee-rewards': ['sync_committee_rewards', 'chain_heads'],
  validators: [
    'validators',
    'operator_validators',
    'validator_entities',
    'consolidation_entities',
    'named_consolidation_entities',
  ],
  'validator-days': ['validator_days', 'validator_day_dates', 'private_set_days'],
  'validator-clients': ['validator_clients'],
  'operator-profiles': ['operator_profiles'],
  'solana-epochs': ['solana_epochs'],
  'solana-validator-epochs': ['solana_validator_epochs'],
  'solana-stake-authority-epochs': ['solana_stake_authority_epochs'],
  ...Object.fromEntries(
    ['avalanche', 'babylon', 'cardano', 'celestia', 'polkadot', 'polygon', 'solana'].map((network) => [
      `${network}-rewards`,
      [`${network}_validator_rewards`, `${network}_network_rewards`],
    ]),
  ),
};

const patterns = Object.entries(datasetTables).map(
  ([name, tables]) => [name, new RegExp(`\\b(${tables.join('|')})\\b`)] as const,
);

// A statement's text is one of finitely many: its values travel beside it.
const known = boundedMap<readonly string[]>(2_000);
const NONE: readonly string[] = [];

/** The datasets that a statement reads; undefined when it names none, and may read anything. */
export function datasetsOf(text: string): readonly string[] | undefined {
  let found = known.get(text);
  if (found === undefined) {
    const own = text.replace(/'[^']*'/g, ''); // names that a caller gives are no tables
    found = patterns.filter(([, pattern]) => pattern.test(own)).map(([name]) => name);
    known.set(text, found.length > 0 ? found : NONE);
  }
  return found.length > 0 ? found : undefined;
}

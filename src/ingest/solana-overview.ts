import type pg from 'pg';
import { decode } from '../kernel/decode.ts';
import { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import type { ImportCounts, Importer, WriteOptions } from './importer.ts';

const columns = [
  ['time_window', 'timeWindow', 'text'],
  ['network_effectiveness', 'networkEffectiveness', 'double precision'],
  ['network_vote_success_rate', 'networkVoteSuccessRate', 'double precision'],
  ['network_missed_blocks_rate', 'networkMissedBlocksRate', 'double precision'],
  ['network_voting_latency', 'networkVotingLatency', 'double precision'],
  ['validator_apy', 'validatorApy', 'double precision'],
  ['net_validator_apy', 'netValidatorApy', 'double precision'],
  ['delegator_apy', 'delegatorApy', 'double precision'],
  ['rewards_solana_voting', 'rewardsSolanaVoting', 'numeric'],
  ['rewards_solana_proposals', 'rewardsSolanaProposals', 'numeric'],
  ['rewards_solana_mev', 'rewardsSolanaMev', 'numeric'],
  ['rewards_solana_rent', 'rewardsSolanaRent', 'numeric'],
  ['active_validator_count', 'activeValidatorCount', 'integer'],
  ['active_validator_diff', 'activeValidatorDiff', 'integer'],
  ['total_delegated_stake', 'totalDelegatedStake', 'numeric'],
  ['active_delegator_stake_account_count', 'activeDelegatorStakeAccountCount', 'integer'],
  ['active_delegator_stake_account_count_diff', 'activeDelegatorStakeAccountCountDiff', 'integer'],
  ['active_delegator_withdraw_authority_count', 'activeDelegatorWithdrawAuthorityCount', 'integer'],
  ['active_delegator_withdraw_authority_count_diff', 'activeDelegatorWithdrawAuthorityCountDiff', 'integer'],
  ['stake_account_withdraw_authority_ratio', 'stakeAccountWithdrawAuthorityRatio', 'numeric'],
  ['active_delegator_stake_authority_count', 'activeDelegatorStakeAuthorityCount', 'integer'],
  ['active_delegator_stake_authority_count_diff', 'activeDelegatorStakeAuthorityCountDiff', 'integer'],
  ['stake_account_stake_authority_ratio', 'stakeAccountStakeAuthorityRatio', 'numeric'],
  ['network_effectiveness_diff', 'networkEffectivenessDiff', 'numeric'],
  ['gini_coefficient', 'giniCoefficient', 'numeric'],
  ['deactivating_stake_accounts', 'deactivatingStakeAccounts', 'integer'],
] as const satisfies (readonly [string, keyof SolanaNetworkOverview, string])[];

const upsert = `/* importSolanaOverviews */
  with written as (
    insert into solana_overviews (${columns.map(([column]) => column).join(', ')})
    select ${columns.map(([, key]) => `"${key}"`).join(', ')}
    from jsonb_to_recordset($1::jsonb) as r (${columns.map(([, key, type]) => `"${key}" ${type}`).join(', ')})
    on conflict (time_window) do update
      set ${columns
        .slice(1)
        .map(([column]) => `${column} = excluded.${column}`)
        .join(', ')}
    returning (xmax = 0) as fresh
  )
  select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
  from written`;

/** Writes overviews, one a window at the most, in the client's transaction. */
export async function writeSolanaOverviews(
  client: pg.ClientBase,
  rows: readonly SolanaNetworkOverview[],
  options: WriteOptions,
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph solana overview'))`);
  let removed = 0;
  if (options.replace) {
    const absent = await client.query(
      `/* removeAbsentSolanaOverviews */ delete from solana_overviews where time_window <> all($1::text[])`,
      [rows.map((row) => row.timeWindow)],
    );
    removed = absent.rowCount ?? 0;
  }
  const { rows: written } = await client.query(upsert, [JSON.stringify(rows)]);
  options.onProgress?.(rows.length);
  return { inserted: written[0]?.inserted ?? 0, updated: written[0]?.updated ?? 0, removed };
}

export const solanaOverviewImporter: Importer<SolanaNetworkOverview> = {
  resource: 'solana-overview',
  check: (raw, { window }) => {
    const value = decode(SolanaNetworkOverview, raw) as Record<string, unknown>;
    const named = window ? { timeWindow: window } : {};
    return SolanaNetworkOverview.safeParse(
      typeof value === 'object' && value ? { ...named, ...value } : value,
    );
  },
  key: (row) => row.timeWindow,
  write: writeSolanaOverviews,
  // A body may have been narrowed to one window: it removes nothing by itself.
  replacesBy: () => false,
};

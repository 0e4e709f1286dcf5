const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const keyOf = (index: number) => `Stake${digits[index]}`.padEnd(43, '1');
const BEGAN = Date.parse('2025-01-01T00:00:00Z');
const SECONDS = 2 * 86_400;
const iso = (epoch: number) => new Date(BEGAN + epoch * SECONDS * 1000).toISOString().replace('.000Z', 'Z');

/** Two days long; the first begins with 2025. */
export const epochRow = (epoch: number) => ({
  ...{ epoch, startedAt: iso(epoch), endedAt: iso(epoch + 1), stakeAccountCount: 100 },
  ...{ withdrawAuthorityCount: 50, stakeAuthorityCount: 40, deactivatingStakeAccountCount: null },
});

export const validatorEpoch = (epoch: number, vote: number, change: object = {}) => ({
  ...{ epoch, voteAccount: keyOf(vote), validatorName: `V${vote}`, activeStake: '1000000.000000001' },
  ...{ effectiveness: '0.97', voteCommissionRate: '0.05', mevCommissionRate: '0.1', votesDue: 100 },
  ...{ votesLanded: 90, sumVotingLatency: 120, leaderSlots: 4, producedBlocks: 4, votingRewards: '300.1' },
  ...{ votingCommission: '15', mevRewards: '9', mevCommission: '1', proposalRewards: '2', rentRewards: '0' },
  ...{ votingCosts: '1.5', ...change },
});

export const authorityEpoch = (epoch: number, authority: number, vote: number, change: object = {}) => ({
  ...{ epoch, stakeAuthority: keyOf(authority), voteAccount: keyOf(vote), poolName: null as string | null },
  ...{ delegatedStake: `${1_000 + epoch}.5`, stakingRewards: '0.4', mevRewards: '0.03' },
  ...{ stakingCommissionPaid: '0.02', mevCommissionPaid: '0.001', ...change },
});

export const clearSolana = `truncate solana_epochs, solana_validator_epochs, solana_stake_authority_epochs, solana_epoch_spans,
  stake_authority_span_sums, solana_overviews, solana_overview_history, stake_authority_summaries, stake_authority_lists,
  stake_authority_series, stake_authority_history, stake_authority_history_days, datasets cascade`;

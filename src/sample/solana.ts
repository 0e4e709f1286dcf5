import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import type { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import { between, stream, whole } from './random.ts';
import {
  authorities,
  rewards,
  type SampleStakeAuthority,
  STAKE_AUTHORITIES,
  stakeAuthoritiesOf,
  totalStake,
} from './solana-authorities.ts';
import { decimalText, quotient } from './solana-decimals.ts';
import { solanaValidators } from './solana-validators.ts';

export type { SampleStakeAuthority };

/** The stake authorities of the sample data in each window; the same seed gives the same rows. */
export function* sampleStakeAuthorities(seed = 1): Generator<SampleStakeAuthority> {
  for (const window of timeWindows) yield* stakeAuthoritiesOf(window, seed);
}

/** The overviews of the sample data, which add up the stake authorities; the same seed gives the same rows. */
export function* sampleSolanaOverviews(seed = 1): Generator<SolanaNetworkOverview> {
  for (const window of timeWindows) yield overview(window, seed);
}

/** The stake of each validator in a window, in lamports, smallest first. */
function validatorStakes(window: TimeWindow, seed: number): bigint[] {
  const stakes = new Map(solanaValidators(seed).map((validator) => [validator.voteAccount, 0n]));
  for (const { parts, stake } of authorities(seed)) {
    for (const { validator, share } of parts) {
      const before = stakes.get(validator.voteAccount) ?? 0n;
      stakes.set(validator.voteAccount, before + (stake[window] * share) / 10n ** 12n);
    }
  }
  return [...stakes.values()].sort((a, b) => (a < b ? -1 : 1));
}

/** The Gini coefficient of amounts sorted from the smallest on, in units of 20 places. */
function gini(amounts: readonly bigint[]): bigint {
  const n = BigInt(amounts.length);
  const sum = amounts.reduce((all, amount) => all + amount, 0n);
  const ranked = amounts.reduce((all, amount, index) => all + BigInt(index + 1) * amount, 0n);
  return quotient(2n * ranked - (n + 1n) * sum, n * sum, 20);
}

function overview(window: TimeWindow, seed: number): SolanaNetworkOverview {
  const random = stream(seed, 'solana', 'overview', window);
  const all = authorities(seed).map((authority) => rewards(authority, window));
  const sum = (of: (row: ReturnType<typeof rewards>) => bigint) =>
    all.reduce((total, row) => total + of(row), 0n);
  const sol = (lamports: bigint) => decimalText(lamports, 9);
  const voting = sum((row) => row.staking + row.stakingPaid);
  const stakes = validatorStakes(window, seed);
  const accounts = STAKE_AUTHORITIES * 3 + whole(random, 0, 2_000);
  const withdrawers = STAKE_AUTHORITIES - whole(random, 20, 200);
  const delegatorApy = between(random, 0.069, 0.073);
  const validatorApy = between(random, 0.0041, 0.0049);
  return {
    timeWindow: window,
    networkEffectiveness: Number(voting) / Number(voting + sum((row) => row.missed)),
    networkVoteSuccessRate: between(random, 0.981, 0.995),
    networkMissedBlocksRate: between(random, 0.01, 0.03),
    networkVotingLatency: between(random, 1.02, 1.4),
    validatorApy,
    netValidatorApy: validatorApy * between(random, 0.6, 0.8),
    delegatorApy,
    rewardsSolanaVoting: sol(voting),
    rewardsSolanaProposals: sol((voting * BigInt(whole(random, 80, 130))) / 1_000n),
    rewardsSolanaMev: sol(sum((row) => row.mev + row.mevPaid)),
    rewardsSolanaRent: sol((voting * BigInt(whole(random, 3, 9))) / 100_000n),
    activeValidatorCount: stakes.filter((stake) => stake > 0n).length,
    activeValidatorDiff: whole(random, -6, 3),
    totalDelegatedStake: sol(totalStake(seed, window)),
    activeDelegatorStakeAccountCount: accounts,
    activeDelegatorStakeAccountCountDiff: whole(random, -300, 500),
    activeDelegatorWithdrawAuthorityCount: withdrawers,
    activeDelegatorWithdrawAuthorityCountDiff: whole(random, -80, 120),
    stakeAccountWithdrawAuthorityRatio: decimalText(quotient(BigInt(accounts), BigInt(withdrawers), 20), 20),
    activeDelegatorStakeAuthorityCount: STAKE_AUTHORITIES,
    activeDelegatorStakeAuthorityCountDiff: whole(random, -80, 120),
    stakeAccountStakeAuthorityRatio: decimalText(
      quotient(BigInt(accounts), BigInt(STAKE_AUTHORITIES), 20),
      20,
    ),
    networkEffectivenessDiff: decimalText(BigInt(whole(random, -4_000_000, 4_000_000)) * 10n ** 8n + 37n, 18),
    giniCoefficient: decimalText(gini(stakes), 20),
    deactivatingStakeAccounts: window === 'all' ? null : whole(random, 40, 400),
  };
}

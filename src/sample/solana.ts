import { type TimeWindow, timeWindows, windowDays } from '../chain/windows.ts';
import { definitions } from '../resources/network-rewards/record.ts';
import type { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import type { StakeAuthoritySummary } from '../resources/stake-authorities/record.ts';
import {
  base58,
  between,
  bigDecimal,
  decimalText,
  pick,
  powerLaw,
  type Random,
  stream,
  whole,
} from './random.ts';

const asOf = { asOfEpoch: 873, asOfTime: '2025-10-31T21:40:00Z' };

export type SampleStakeAuthority = StakeAuthoritySummary & { timeWindow: TimeWindow } & typeof asOf;

const VALIDATORS = 400;
const STAKE_AUTHORITIES = 5_000;
const STAKED_SOL = 402_000_000;

const names = 'Summit Ridge Harbour Meadow Glacier Orchard Canyon Island Ποταμός 島'.split(' ');
const poolNames = 'Aurora Bivouac Comet Delta Équinoxe Fathom Gyre Halo Isthmus Joule'.split(' ');

/** Commissions are in percent. */
export function solanaValidators(seed: number) {
  const random = stream(seed, 'solana', 'validators');
  return Array.from({ length: VALIDATORS }, (_, index) => ({
    voteAccount: index === 0 ? definitions.solana.exampleId : base58(random),
    name: index % 8 === 4 ? null : `Sample Validator ${names[index % 10]} ${1 + Math.floor(index / 10)}`,
    voteCommission: pick(random, [0, 3, 5, 7, 10]),
    mevCommission: pick(random, [0, 5, 8, 10]),
  }));
}

type Validators = ReturnType<typeof solanaValidators>;

function delegationsOf(random: Random, validators: Validators, size: number) {
  const start = whole(random, 0, VALIDATORS - 1);
  const shares = powerLaw(size, 0.5, 1e12).map((share) => BigInt(Math.floor(share)));
  const rest = 10n ** 12n - shares.reduce((all, share) => all + share, 0n);
  return shares.map((share, index) => {
    const { voteAccount, name } = validators[(start + index * 7) % VALIDATORS] as Validators[number];
    const percentage = decimalText(index === 0 ? share + rest : share, 12);
    return { validatorVoteAccount: voteAccount, validatorName: name, percentage };
  });
}

const lamports = (random: Random, sol: number): bigint => bigDecimal(random, sol, 9);
/** In units of 10^-24. */
const ratio = (random: Random, low: number, high: number): bigint =>
  bigDecimal(random, between(random, low, high), 24);
const sol = (units: bigint): string => decimalText(units, 9);
const daysOf = (window: TimeWindow): number => windowDays[window] ?? 1_200;

function summary(random: Random, stake: number, window: TimeWindow) {
  const staked = stake * between(random, 0.98, 1);
  const earned = (staked * daysOf(window)) / 365;
  const staking = lamports(random, earned * 0.06);
  const mev = lamports(random, earned * 0.009);
  const stakingPaid = lamports(random, earned * 0.004);
  const mevPaid = lamports(random, earned * 0.001);
  const [apy, apr] = [ratio(random, 0.061, 0.066), ratio(random, 0.006, 0.014)];
  return {
    stakingRewardsApy: decimalText(apy, 24),
    mevRewardsApr: decimalText(apr, 24),
    delegatorApy: decimalText(apy + apr, 24),
    sumMissedStakingRewards: sol(lamports(random, earned * 0.001)),
    delegatedStake: sol(lamports(random, staked)),
    networkPenetration: (staked / STAKED_SOL).toFixed(20),
    aggregateValidatorEffectiveness: decimalText(ratio(random, 0.93, 0.999), 24),
    blendedVoteCommissionRate: decimalText(ratio(random, 0, 0.1), 24),
    blendedMevCommissionRate: decimalText(ratio(random, 0, 0.1), 24),
    sumStakingRewards: sol(staking),
    sumMevRewards: sol(mev),
    sumRewards: sol(staking + mev),
    sumStakingCommissionPaid: sol(stakingPaid),
    sumMevCommissionPaid: sol(mevPaid),
    sumCommissionPaid: sol(stakingPaid + mevPaid),
  };
}

export function* sampleStakeAuthorities(seed = 1): Generator<SampleStakeAuthority> {
  const validators = solanaValidators(seed);
  const stakes = powerLaw(STAKE_AUTHORITIES, 0.85, STAKED_SOL);
  for (const timeWindow of timeWindows) {
    const random = stream(seed, 'solana', 'authorities');
    const figures = stream(seed, 'solana', timeWindow);
    let pools = 0;
    for (const [index, stake] of stakes.entries()) {
      const isPool = index % (index < 60 ? 2 : 90) === 1;
      const delegations = delegationsOf(
        random,
        validators,
        isPool ? whole(random, 12, 90) : pick(random, [1, 1, 1, 3, 5]),
      );
      yield {
        timeWindow,
        stakeAuthority: base58(random),
        validatorDelegates: delegations.length,
        delegations,
        poolName: isPool
          ? `Sample Stake Pool ${poolNames[pools % 10]} ${1 + Math.floor(pools++ / 10)}`
          : null,
        ...asOf,
        ...summary(figures, stake, timeWindow),
      };
    }
  }
}

/** Rewards as a yearly share of the stake. */
const yields = { voting: 0.0564, proposals: 0.0041, mev: 0.0072, rent: 0.00002 };
const STAKE_ACCOUNTS = 12_480;
const WITHDRAW_AUTHORITIES = 5_730;

export function* sampleSolanaOverviews(seed = 1): Generator<SolanaNetworkOverview & typeof asOf> {
  for (const timeWindow of timeWindows) {
    const random = stream(seed, 'solana', 'overview', timeWindow);
    const staked = STAKED_SOL * between(random, 0.99, 1);
    const earned = (staked * daysOf(timeWindow)) / 365;
    const around = (value: number) => value * between(random, 0.98, 1.02);
    const rewards = (share: number) => sol(lamports(random, around(earned * share)));
    const perAuthority = (authorities: number) =>
      decimalText(bigDecimal(random, STAKE_ACCOUNTS / authorities, 24), 24);
    const growth = Math.min(daysOf(timeWindow), 90);
    yield {
      timeWindow,
      networkEffectiveness: between(random, 0.97, 0.99),
      networkVoteSuccessRate: between(random, 0.985, 0.995),
      networkMissedBlocksRate: between(random, 0.01, 0.02),
      networkVotingLatency: between(random, 1.05, 1.15),
      validatorApy: around(0.0081),
      netValidatorApy: around(0.0063),
      delegatorApy: around(0.0662),
      rewardsSolanaVoting: rewards(yields.voting),
      rewardsSolanaProposals: rewards(yields.proposals),
      rewardsSolanaMev: rewards(yields.mev),
      rewardsSolanaRent: rewards(yields.rent),
      activeValidatorCount: VALIDATORS,
      activeValidatorDiff: whole(random, -4, 2),
      totalDelegatedStake: sol(lamports(random, staked)),
      activeDelegatorStakeAccountCount: STAKE_ACCOUNTS,
      activeDelegatorStakeAccountCountDiff: whole(random, 2 * growth, 9 * growth),
      activeDelegatorWithdrawAuthorityCount: WITHDRAW_AUTHORITIES,
      activeDelegatorWithdrawAuthorityCountDiff: whole(random, growth, 5 * growth),
      stakeAccountWithdrawAuthorityRatio: perAuthority(WITHDRAW_AUTHORITIES),
      activeDelegatorStakeAuthorityCount: STAKE_AUTHORITIES,
      activeDelegatorStakeAuthorityCountDiff: whole(random, growth, 4 * growth),
      stakeAccountStakeAuthorityRatio: perAuthority(STAKE_AUTHORITIES),
      networkEffectivenessDiff: `-${decimalText(ratio(random, 0.0001, 0.002), 24)}`,
      giniCoefficient: decimalText(ratio(random, 0.68, 0.7), 24),
      deactivatingStakeAccounts: whole(random, 60, 140),
      ...asOf,
    };
  }
}

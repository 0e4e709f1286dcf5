import { TimeWindow, windowDays } from '../chain/windows.ts';
import { definitions } from '../resources/network-rewards/record.ts';
import type { SolanaNetworkOverview } from '../resources/solana-overview/record.ts';
import type { StakeAuthoritySummary } from '../resources/stake-authorities/record.ts';
import { daysSinceFirst, type Sample } from './chain.ts';
import { stakePoolName, validatorName } from './names.ts';
import {
  base58,
  decimalText,
  drift,
  hashOf,
  noise,
  pick,
  powerLaw,
  type Random,
  stream,
  whole,
} from './random.ts';

/** An epoch takes two days. */
export const solanaEpoch = (sample: Sample, daysAgo = 0): number =>
  873 + Math.floor((daysSinceFirst(sample) - daysAgo) / 2);
export const asOfSolana = (sample: Sample) => ({
  asOfEpoch: solanaEpoch(sample),
  asOfTime: `${sample.lastDate}T21:40:00Z`,
});

export type SampleStakeAuthority = StakeAuthoritySummary & { timeWindow: TimeWindow } & ReturnType<
    typeof asOfSolana
  >;

const SOLANA_VALIDATORS = 400;
const STAKE_AUTHORITIES = 1_500;
export const STAKED_SOL = 402_000_000;
/** Rewards as a yearly share of the stake, before commissions. */
const yields = { voting: 0.0628, proposals: 0.0041, mev: 0.0078, rent: 0.00002 };
const EPOCHS_A_YEAR = 182.5;
const compounded = (rate: number): number => (1 + rate / EPOCHS_A_YEAR) ** EPOCHS_A_YEAR - 1;

/** Commissions are in percent; the largest stakes come first. */
export function solanaValidators(seed: number) {
  const random = stream(seed, 'solana', 'validators');
  const stakes = powerLaw(SOLANA_VALIDATORS, 0.72, STAKED_SOL);
  return stakes.map((stake, index) => ({
    voteAccount: index === 0 ? definitions.solana.exampleId : base58(random),
    name: index % 8 === 4 ? null : validatorName(index),
    stake,
    voteCommission: index === 0 ? 5 : pick(random, [0, 3, 5, 5, 7, 10]),
    mevCommission: pick(random, [0, 5, 8, 10]),
    /** 0..1. */
    effectiveness: 0.997 - 0.03 * random() ** 3,
  }));
}

type Validators = ReturnType<typeof solanaValidators>;

function authorityOf(random: Random, validators: Validators, size: number) {
  const start = whole(random, 0, SOLANA_VALIDATORS - 1);
  const shares = powerLaw(size, 0.5, 1e12).map((share) => BigInt(Math.floor(share)));
  const rest = 10n ** 12n - shares.reduce((all, share) => all + share, 0n);
  const chosen = shares.map((share, index) => ({
    share: index === 0 ? share + rest : share,
    validator: validators[(start + index * 7) % SOLANA_VALIDATORS] as Validators[number],
  }));
  const mean = (of: (validator: Validators[number]) => number) =>
    chosen.reduce((sum, { share, validator }) => sum + (Number(share) / 1e12) * of(validator), 0);
  return {
    delegations: chosen.map(({ share, validator }) => ({
      validatorVoteAccount: validator.voteAccount,
      validatorName: validator.name,
      percentage: decimalText(share, 12),
    })),
    effectiveness: mean((validator) => validator.effectiveness),
    voteCommission: mean((validator) => validator.voteCommission / 100),
    mevCommission: mean((validator) => validator.mevCommission / 100),
  };
}

/** The largest come first. */
export function solanaAuthorities({ seed }: Sample) {
  const validators = solanaValidators(seed);
  const random = stream(seed, 'solana', 'authorities');
  let pools = 0;
  return powerLaw(STAKE_AUTHORITIES, 0.85, 0.97 * STAKED_SOL).map((stake, index) => {
    const isPool = index % (index < 60 ? 2 : 90) === 1;
    const own = authorityOf(
      random,
      validators,
      isPool ? whole(random, 12, 90) : pick(random, [1, 1, 1, 3, 5]),
    );
    const stakeAuthority = base58(random);
    return {
      ...own,
      stake,
      stakeAuthority,
      key: hashOf(seed, stakeAuthority),
      poolName: isPool ? stakePoolName(pools++) : null,
    };
  });
}
type Authority = ReturnType<typeof solanaAuthorities>[number];

/** With more digits than a double holds. */
const units = (value: number, places: number, key: number, salt: number): bigint =>
  value === 0
    ? 0n
    : BigInt(Math.floor(Math.abs(value) * 1e9)) * 10n ** BigInt(places - 9) +
      BigInt(Math.floor(noise(key, places, salt) * 10 ** Math.min(places - 9, 15)));
const daysOf = (window: TimeWindow): number => windowDays[window] ?? 1_200;
/** Longer windows are calmer. */
const calm: Record<TimeWindow, number> = { '1d': 1, '7d': 0.6, '30d': 0.3, all: 0.1 };

/** Figures of a window that ended some days before the sample does. */
export function authorityFigures({ key, stake, ...of }: Authority, window: TimeWindow, daysAgo: number) {
  const moved = calm[window] * drift(key, -daysAgo, 5, 40);
  const gross = yields.voting * (1 + 0.012 * calm[window] * drift(5, -daysAgo, 7));
  const effectiveness = Math.min(1, of.effectiveness + 0.0025 * moved);
  const voting = gross * (effectiveness / 0.989) * (1 - of.voteCommission);
  const mev = yields.mev * (1 + 0.25 * calm[window] * drift(6, -daysAgo, 9)) * (1 - of.mevCommission);
  const grown = 1 + 0.05 * (drift(key, -daysAgo, 30, 41) - drift(key, 0, 30, 41));
  const staked = Math.floor(stake * grown * 1e9) / 1e9;
  return { effectiveness, voting, mev, stake: staked, apy: compounded(voting) + mev };
}

function summary(authority: Authority, window: TimeWindow) {
  const { key, voteCommission, mevCommission } = authority;
  const { effectiveness, voting, mev, stake } = authorityFigures(authority, window, 0);
  const days = (stake * daysOf(window)) / 365;
  const ratio = (value: number, salt: number) => units(value, 24, key, salt);
  const amount = (value: number, salt: number) => units(value, 9, key, salt);
  const sol = (value: bigint) => decimalText(value, 9);
  const [apy, apr] = [ratio(compounded(voting), 50), ratio(mev, 51)];
  const [staking, tips] = [amount(days * voting, 52), amount(days * mev, 53)];
  const paid = amount((days * voting * voteCommission) / (1 - voteCommission), 54);
  const tipsPaid = amount((days * mev * mevCommission) / (1 - mevCommission), 55);
  return {
    stakingRewardsApy: decimalText(apy, 24),
    mevRewardsApr: decimalText(apr, 24),
    delegatorApy: decimalText(apy + apr, 24),
    sumMissedStakingRewards: sol(amount((days * voting * (1 - effectiveness)) / effectiveness, 56)),
    delegatedStake: sol(amount(stake, 57)),
    networkPenetration: (stake / STAKED_SOL).toFixed(20),
    aggregateValidatorEffectiveness: decimalText(ratio(effectiveness, 58), 24),
    blendedVoteCommissionRate: decimalText(ratio(voteCommission, 59), 24),
    blendedMevCommissionRate: decimalText(ratio(mevCommission, 60), 24),
    sumStakingRewards: sol(staking),
    sumMevRewards: sol(tips),
    sumRewards: sol(staking + tips),
    sumStakingCommissionPaid: sol(paid),
    sumMevCommissionPaid: sol(tipsPaid),
    sumCommissionPaid: sol(paid + tipsPaid),
  };
}

export function* sampleStakeAuthorities(sample: Sample): Generator<SampleStakeAuthority> {
  const authorities = solanaAuthorities(sample);
  const asOf = asOfSolana(sample);
  for (const timeWindow of TimeWindow.options) {
    for (const authority of authorities) {
      yield {
        timeWindow,
        stakeAuthority: authority.stakeAuthority,
        validatorDelegates: authority.delegations.length,
        delegations: authority.delegations,
        poolName: authority.poolName,
        ...asOf,
        ...summary(authority, timeWindow),
      };
    }
  }
}

const STAKE_ACCOUNTS = 12_480;
const WITHDRAW_AUTHORITIES = 5_730;

function giniOf(stakes: readonly number[]): number {
  const sorted = stakes.toSorted((a, b) => a - b);
  const sum = sorted.reduce((all, stake) => all + stake, 0);
  const weighted = sorted.reduce((all, stake, index) => all + (index + 1) * stake, 0);
  return (2 * weighted) / (sorted.length * sum) - (sorted.length + 1) / sorted.length;
}

/** The overview of a window that ended some days before the sample does. */
export function overviewOf(
  sample: Sample,
  validators: Validators,
  { timeWindow, daysAgo }: { timeWindow: TimeWindow; daysAgo: number },
) {
  const key = hashOf(sample.seed, 'solana', 'overview', timeWindow);
  const wiggle = (salt: number, size: number, span = 6) =>
    1 + size * calm[timeWindow] * drift(key, -daysAgo, span, salt);
  const staked =
    STAKED_SOL * (1 - 0.00004 * daysAgo) * (1 + 0.004 * (drift(key, -daysAgo, 30, 1) - drift(key, 0, 30, 1)));
  const days = daysOf(timeWindow);
  const earned = (staked * days) / 365;
  const sol = (value: number, salt: number) => decimalText(units(value, 9, key, salt), 9);
  const mean = (of: (validator: Validators[number]) => number) =>
    validators.reduce((sum, validator) => sum + (validator.stake / STAKED_SOL) * of(validator), 0);
  const effectiveness = mean((one) => one.effectiveness) * wiggle(2, 0.002);
  const commission = mean((one) => one.voteCommission / 100);
  const voting = yields.voting * wiggle(3, 0.012);
  const proposals = yields.proposals * wiggle(4, 0.2);
  const mev = yields.mev * wiggle(5, 0.25);
  const tips = mean((one) => one.mevCommission / 100);
  const own = voting * commission + proposals;
  const growth = Math.min(days, 90);
  const perAuthority = (authorities: number, salt: number) =>
    decimalText(units(STAKE_ACCOUNTS / authorities, 24, key, salt), 24);
  return {
    timeWindow,
    networkEffectiveness: effectiveness,
    networkVoteSuccessRate: Math.min(1, 0.991 * wiggle(6, 0.003)),
    networkMissedBlocksRate: 0.0135 * wiggle(7, 0.3),
    networkVotingLatency: 1.09 * wiggle(8, 0.03),
    validatorApy: compounded(own),
    netValidatorApy: compounded(own - 0.0018),
    delegatorApy: compounded(voting * (1 - commission)) + mev * (1 - tips),
    rewardsSolanaVoting: sol(earned * voting, 9),
    rewardsSolanaProposals: sol(earned * proposals, 10),
    rewardsSolanaMev: sol(earned * mev, 11),
    rewardsSolanaRent: sol(earned * yields.rent, 12),
    activeValidatorCount: SOLANA_VALIDATORS,
    activeValidatorDiff: Math.round(-2 + 3 * drift(key, -daysAgo, 9, 13)),
    totalDelegatedStake: sol(staked, 14),
    activeDelegatorStakeAccountCount: STAKE_ACCOUNTS - Math.round(5.5 * daysAgo),
    activeDelegatorStakeAccountCountDiff: Math.round(5.5 * growth * wiggle(15, 0.5)),
    activeDelegatorWithdrawAuthorityCount: WITHDRAW_AUTHORITIES - Math.round(3 * daysAgo),
    activeDelegatorWithdrawAuthorityCountDiff: Math.round(3 * growth * wiggle(16, 0.5)),
    stakeAccountWithdrawAuthorityRatio: perAuthority(WITHDRAW_AUTHORITIES, 17),
    activeDelegatorStakeAuthorityCount: STAKE_AUTHORITIES,
    activeDelegatorStakeAuthorityCountDiff: Math.round(2.5 * growth * wiggle(18, 0.5)),
    stakeAccountStakeAuthorityRatio: perAuthority(STAKE_AUTHORITIES, 19),
    networkEffectivenessDiff: `-${decimalText(units(0.0001 + 0.001 * noise(key, daysAgo, 20), 24, key, 21), 24)}`,
    giniCoefficient: decimalText(
      units(giniOf(validators.map(({ stake }) => stake)) * (1 - 0.00004 * daysAgo), 24, key, 22),
      24,
    ),
    deactivatingStakeAccounts: Math.round(100 + 40 * drift(key, -daysAgo, 4, 23)),
    asOfEpoch: solanaEpoch(sample, daysAgo),
    asOfTime: new Date(Date.parse(`${sample.lastDate}T21:40:00Z`) - daysAgo * 86_400_000)
      .toISOString()
      .replace('.000', ''),
  } satisfies SolanaNetworkOverview & ReturnType<typeof asOfSolana>;
}

export function* sampleSolanaOverviews(sample: Sample) {
  const validators = solanaValidators(sample.seed);
  for (const timeWindow of TimeWindow.options)
    yield overviewOf(sample, validators, { timeWindow, daysAgo: 0 });
}

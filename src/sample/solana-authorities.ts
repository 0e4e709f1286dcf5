import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import type { StakeAuthoritySummary } from '../resources/stake-authorities/record.ts';
import { chance, noise, stream } from './random.ts';
import { powerLaw } from './size.ts';
import { base58, decimalText, quotient, shareOf } from './solana-decimals.ts';
import { type Part, partsOf, solanaValidators } from './solana-validators.ts';

export type SampleStakeAuthority = StakeAuthoritySummary & { timeWindow: TimeWindow };

export const STAKE_AUTHORITIES = 5_000;

/** Days of rewards in each window. */
const daysOf: Record<TimeWindow, bigint> = { '1d': 1n, '7d': 7n, '30d': 30n, all: 1_200n };

const ONE = 10n ** 12n;
const EPOCHS_PER_YEAR = 182n;
const poolNames = [
  'Aurora',
  'Bivouac',
  'Comet',
  'Delta',
  'Équinoxe',
  'Fathom',
  'Gyre',
  'Halo',
  'Isthmus',
  'Joule',
];

/** An authority apart from the windows; `stake` in lamports, one for each window. */
export type Authority = {
  key: string;
  pool: string | null;
  parts: Part[];
  stake: Record<TimeWindow, bigint>;
  /** Yearly rates before commission, in units of 12 places. */
  stakingRate: bigint;
  mevRate: bigint;
};

const made = new Map<number, Authority[]>();

/** The authorities; the same seed gives the same ones. */
export function authorities(seed: number): Authority[] {
  const known = made.get(seed);
  if (known) return known;
  const validators = solanaValidators(seed);
  let pools = 0;
  const all = powerLaw(STAKE_AUTHORITIES, 0.85, 402_000_000).map((sol, index): Authority => {
    const random = stream(seed, 'solana', 'authority', index);
    const isPool = chance(random, index < 60 ? 0.5 : 0.01);
    const name = `${poolNames[pools % 10]}${pools < 10 ? '' : ` ${1 + Math.floor(pools / 10)}`}`;
    if (isPool) pools += 1;
    const stakes = timeWindows.map((window) => {
      const lamports = Math.floor(sol * (1 + noise(random) * 0.01) * 1e6);
      return [window, BigInt(lamports) * 1_000n + BigInt(Math.floor(random() * 1_000))];
    });
    return {
      key: base58(random),
      pool: isPool ? `Sample Stake Pool ${name}` : null,
      parts: partsOf(random, validators, isPool),
      stake: Object.fromEntries(stakes) as Record<TimeWindow, bigint>,
      stakingRate: shareOf(0.061, 0.066, random),
      mevRate: shareOf(0.006, 0.014, random),
    };
  });
  made.set(seed, all);
  return all;
}

/** All delegated stake of a window, in lamports. */
export const totalStake = (seed: number, window: TimeWindow): bigint =>
  authorities(seed).reduce((sum, authority) => sum + authority.stake[window], 0n);

/** What a yearly rate becomes when it is paid and staked again each epoch; rates in units of 12 places, answer of 24. */
function compounded(rate: bigint): bigint {
  const scale = 10n ** 30n;
  let growth = scale + (rate * 10n ** 18n) / EPOCHS_PER_YEAR;
  let total = scale;
  for (let epochs = EPOCHS_PER_YEAR; epochs > 0n; epochs /= 2n) {
    if (epochs % 2n === 1n) total = (total * growth) / scale;
    growth = (growth * growth) / scale;
  }
  return (total - scale) / 10n ** 6n;
}

/** A mean over the parts of a stake, weighted by it, in units of 24 places. */
const blend = (parts: readonly Part[], of: (part: Part) => bigint): bigint =>
  parts.reduce((sum, part) => sum + part.share * of(part), 0n);

/** Lamports that a stake earns in a window at a yearly rate. */
const earned = (stake: bigint, rate: bigint, window: TimeWindow): bigint =>
  (stake * rate * daysOf[window]) / (365n * ONE);

/** Rewards of an authority in a window, in lamports: what it keeps, what its validators take, what was missed. */
export function rewards(authority: Authority, window: TimeWindow) {
  const { parts, stakingRate, mevRate } = authority;
  const stake = authority.stake[window];
  const effectiveness = blend(parts, ({ validator }) => validator.effectiveness) / ONE;
  const voteCommission = blend(parts, ({ validator }) => validator.voteCommission) / ONE;
  const mevCommission = blend(parts, ({ validator }) => validator.mevCommission) / ONE;
  const perfect = earned(stake, stakingRate, window);
  const staking = (perfect * effectiveness) / ONE;
  const mev = earned(stake, mevRate, window);
  const stakingPaid = (staking * voteCommission) / ONE;
  const mevPaid = (mev * mevCommission) / ONE;
  return {
    staking: staking - stakingPaid,
    mev: mev - mevPaid,
    stakingPaid,
    mevPaid,
    missed: perfect - staking,
    netStakingRate: (((stakingRate * effectiveness) / ONE) * (ONE - voteCommission)) / ONE,
    netMevRate: (mevRate * (ONE - mevCommission)) / ONE,
  };
}

/** The stake authorities of a window, largest first as they were drawn. */
export function* stakeAuthoritiesOf(window: TimeWindow, seed: number): Generator<SampleStakeAuthority> {
  const total = totalStake(seed, window);
  for (const authority of authorities(seed)) yield summary(authority, window, total);
}

function summary(authority: Authority, window: TimeWindow, total: bigint): SampleStakeAuthority {
  const { parts, stake } = authority;
  const got = rewards(authority, window);
  const sol = (lamports: bigint) => decimalText(lamports, 9);
  const stakingApy = compounded(got.netStakingRate);
  const mevApr = got.netMevRate * ONE;
  return {
    timeWindow: window,
    stakeAuthority: authority.key,
    validatorDelegates: parts.length,
    delegations: parts.map(({ validator, share }) => ({
      validatorVoteAccount: validator.voteAccount,
      validatorName: validator.name,
      percentage: decimalText(share, 12),
    })),
    stakingRewardsApy: decimalText(stakingApy, 24),
    mevRewardsApr: decimalText(mevApr, 24),
    delegatorApy: decimalText(stakingApy + mevApr, 24),
    sumMissedStakingRewards: sol(got.missed),
    poolName: authority.pool,
    delegatedStake: sol(stake[window]),
    networkPenetration: decimalText(quotient(stake[window], total, 20), 20),
    aggregateValidatorEffectiveness: decimalText(
      blend(parts, ({ validator }) => validator.effectiveness),
      24,
    ),
    blendedVoteCommissionRate: decimalText(
      blend(parts, ({ validator }) => validator.voteCommission),
      24,
    ),
    blendedMevCommissionRate: decimalText(
      blend(parts, ({ validator }) => validator.mevCommission),
      24,
    ),
    sumStakingRewards: sol(got.staking),
    sumMevRewards: sol(got.mev),
    sumRewards: sol(got.staking + got.mev),
    sumStakingCommissionPaid: sol(got.stakingPaid),
    sumMevCommissionPaid: sol(got.mevPaid),
    sumCommissionPaid: sol(got.stakingPaid + got.mevPaid),
  };
}

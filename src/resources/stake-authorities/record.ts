import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** An authority with a `poolName` is a pool. */
export const stakeAuthorityTypes = ['pool', 'individual'] as const;
export type StakeAuthorityType = (typeof stakeAuthorityTypes)[number];

export const StakeDelegation = z
  .object({
    validatorVoteAccount: Leaf.base58Key().describe('Vote account of the validator.'),
    validatorName: Leaf.text().nullable().describe('Name of the validator; null where it has none.'),
    percentage: Leaf.decimalRatio().describe("Share of the authority's delegated stake, 0..1."),
  })
  .meta({ id: 'StakeDelegation', description: 'A validator and the share of stake delegated to it.' });

/** Spec §4.8. */
const smoothed =
  'as a ratio: 0.06 is 6 %, negative for a loss; in the window of one day from the rewards of the last 3 days.';

/** Spec §2.7. */
export const StakeAuthoritySummary = z
  .object({
    stakeAuthority: Leaf.base58Key().describe('Address of the stake authority.'),
    validatorDelegates: Leaf.count().describe('Validators that its stake is delegated to, at least 0.'),
    delegations: z.array(StakeDelegation).describe('Where its stake is delegated to.'),
    stakingRewardsApy: Leaf.decimal().describe(`Yearly yield of staking rewards, compounded, ${smoothed}`),
    mevRewardsApr: Leaf.decimal().describe(`Yearly rate of MEV rewards, ${smoothed}`),
    delegatorApy: Leaf.decimal().describe(`Yearly yield of staking and MEV rewards together, ${smoothed}`),
    sumMissedStakingRewards: Leaf.nonNegativeDecimal().describe(
      'Staking rewards missed through imperfect performance of its validators, in SOL.',
    ),
    poolName: Leaf.text().min(1).nullable().describe('Name of the stake pool; null for an individual.'),
    delegatedStake: Leaf.nonNegativeDecimal().describe('Delegated stake, in SOL.'),
    networkPenetration: Leaf.decimalRatio().describe("Its share of the network's delegated stake, 0..1."),
    aggregateValidatorEffectiveness: Leaf.nonNegativeDecimal().describe(
      'Effectiveness of its validators, weighted by its stake, as a ratio, at least 0; 1 is perfect.',
    ),
    blendedVoteCommissionRate: Leaf.decimalRatio().describe(
      'Commission of its validators on staking rewards, weighted by its stake, 0..1.',
    ),
    blendedMevCommissionRate: Leaf.decimalRatio().describe(
      'Commission of its validators on MEV rewards, weighted by its stake, 0..1.',
    ),
    sumStakingRewards: Leaf.nonNegativeDecimal().describe('Staking rewards, in SOL.'),
    sumMevRewards: Leaf.nonNegativeDecimal().describe('MEV rewards, in SOL.'),
    sumRewards: Leaf.nonNegativeDecimal().describe('Staking and MEV rewards together, in SOL.'),
    sumStakingCommissionPaid: Leaf.nonNegativeDecimal().describe(
      'Commission paid to validators on staking rewards, in SOL.',
    ),
    sumMevCommissionPaid: Leaf.nonNegativeDecimal().describe(
      'Commission paid to validators on MEV rewards, in SOL.',
    ),
    sumCommissionPaid: Leaf.nonNegativeDecimal().describe('Total commission paid, in SOL.'),
  })
  .meta({
    id: 'StakeAuthoritySummary',
    description: 'Stake and rewards of a Solana stake authority over a time window.',
  });
export type StakeAuthoritySummary = z.infer<typeof StakeAuthoritySummary>;
export type StakeAuthorityField = keyof StakeAuthoritySummary | 'name' | 'change' | 'asOf';
export const stakeAuthorityFields = Object.keys(StakeAuthoritySummary.shape) as StakeAuthorityField[];

export const StakeAuthorityTrend = StakeAuthoritySummary.pick({
  aggregateValidatorEffectiveness: true,
  delegatorApy: true,
  networkPenetration: true,
  delegatedStake: true,
});

export const StakeAuthoritySummaryV1 = Leaf.decimalsAsNumbers(StakeAuthoritySummary);

/** In GraphQL only. */
export const StakeConcentration = z
  .object({
    rank: Leaf.count().describe('How many of the largest stake authorities, at least 1.'),
    delegatedStake: Leaf.nonNegativeDecimal().describe('What they delegate together, in SOL.'),
    ratio: Leaf.number().describe('Their share of what all stake authorities of the list delegate, 0..1.'),
  })
  .meta({
    id: 'StakeConcentration',
    description: 'What the largest stake authorities delegate together: a point of the concentration curve.',
  });
export type StakeConcentration = z.infer<typeof StakeConcentration>;

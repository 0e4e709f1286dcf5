import { z } from 'zod';
import { TimeWindow } from '../../chain/windows.ts';
import * as Leaf from '../../kernel/leaves.ts';

/** Spec §4.7. */
const smoothed =
  'as a ratio: 0.06 is 6 %, negative for a loss; in the window of one day from the rewards of the last 3 days.';
const diff = (what: string) =>
  Leaf.int().describe(`Change in the number of ${what} since the previous window; negative for a decrease.`);

/** Spec §2.6. */
export const SolanaNetworkOverview = z
  .object({
    timeWindow: TimeWindow.describe('Window that the figures cover.'),
    networkEffectiveness: Leaf.nonNegative().describe(
      'Mean effectiveness of the validators, weighted by stake, as a ratio, at least 0; 1 is perfect.',
    ),
    networkVoteSuccessRate: Leaf.ratio().describe('Share of slots with a successful vote, 0..1.'),
    networkMissedBlocksRate: Leaf.ratio().describe('Share of the leader slots without a block, 0..1.'),
    networkVotingLatency: Leaf.nonNegative().describe(
      'Mean slots until a vote lands, at least 1, which is best.',
    ),
    validatorApy: Leaf.number().describe(
      `Yearly yield of a validator, commissions and own rewards, on the stake delegated to it, ${smoothed}`,
    ),
    netValidatorApy: Leaf.number().describe(
      `Yearly yield of a validator after its voting costs, ${smoothed}`,
    ),
    delegatorApy: Leaf.number().describe(`Yearly yield of a delegator after commissions, ${smoothed}`),
    rewardsSolanaVoting: Leaf.nonNegativeDecimal().describe('Rewards for voting (inflation), in SOL.'),
    rewardsSolanaProposals: Leaf.nonNegativeDecimal().describe('Rewards for proposed blocks (fees), in SOL.'),
    rewardsSolanaMev: Leaf.nonNegativeDecimal().describe('Rewards from MEV tips, in SOL.'),
    rewardsSolanaRent: Leaf.nonNegativeDecimal().describe('Rewards from rent, in SOL.'),
    activeValidatorCount: Leaf.count().describe(
      'Validators with active stake at the end of the window, at least 0.',
    ),
    activeValidatorDiff: diff('active validators'),
    totalDelegatedStake: Leaf.nonNegativeDecimal().describe('Stake delegated to validators, in SOL.'),
    activeDelegatorStakeAccountCount: Leaf.count().describe('Stake accounts with active stake, at least 0.'),
    activeDelegatorStakeAccountCountDiff: diff('stake accounts'),
    activeDelegatorWithdrawAuthorityCount: Leaf.count().describe(
      'Withdraw authorities of those stake accounts, at least 0.',
    ),
    activeDelegatorWithdrawAuthorityCountDiff: diff('withdraw authorities'),
    stakeAccountWithdrawAuthorityRatio: Leaf.nonNegativeDecimal().describe(
      'Stake accounts per withdraw authority, at least 0.',
    ),
    activeDelegatorStakeAuthorityCount: Leaf.count().describe(
      'Stake authorities of those stake accounts, at least 0.',
    ),
    activeDelegatorStakeAuthorityCountDiff: diff('stake authorities'),
    stakeAccountStakeAuthorityRatio: Leaf.nonNegativeDecimal().describe(
      'Stake accounts per stake authority, at least 0.',
    ),
    networkEffectivenessDiff: Leaf.decimal().describe(
      'Change of networkEffectiveness since the previous window; negative for a decrease.',
    ),
    giniCoefficient: Leaf.decimalRatio().describe(
      'Inequality of stake among the validators, 0..1: 0 means all are equal, 1 that one has all.',
    ),
    deactivatingStakeAccounts: Leaf.count()
      .nullable()
      .describe('Stake accounts being deactivated, at least 0; null when unknown.'),
  })
  .meta({
    id: 'SolanaNetworkOverview',
    description: 'Network-wide statistics of Solana over a time window.',
  });
export type SolanaNetworkOverview = z.infer<typeof SolanaNetworkOverview>;
export type SolanaOverviewField = keyof SolanaNetworkOverview;
export const solanaOverviewFields = Object.keys(SolanaNetworkOverview.shape) as SolanaOverviewField[];

export const SolanaNetworkOverviewV1 = Leaf.decimalsAsNumbers(SolanaNetworkOverview);

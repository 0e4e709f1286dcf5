import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** Keeps dates within four-digit years. */
export const MAX_DAY = 2_900_000;

/** Spec §4.9. */
export const ChainDailyReward = z
  .object({
    day: Leaf.count().max(MAX_DAY).describe(`Chain day: 225 epochs, counted from genesis; 0 to ${MAX_DAY}.`),
    date: Leaf.date().describe('UTC date on which the day starts.'),
    startEpoch: Leaf.count().describe('First epoch of the day: 225 × day.'),
    endEpoch: Leaf.count().describe('Last epoch of the day: 225 × day + 224.'),
    startTimestamp: Leaf.timestamp().describe('When the first slot of the day begins, in UTC.'),
    endTimestamp: Leaf.timestamp().describe('When the last slot of the day begins, in UTC.'),
    sumConsensusRewards: Leaf.signedGwei().describe(
      'What all validators earned on the consensus layer, less penalties, in Gwei; negative when penalties exceed rewards.',
    ),
    sumExecutionRewards: Leaf.gweiDecimal().describe(
      'What proposers earned on the execution layer, in Gwei, >= 0; priority fees and MEV.',
    ),
    sumPriorityFees: Leaf.gweiDecimal().describe('Priority fees in sumExecutionRewards, in Gwei, >= 0.'),
    sumBaselineMev: Leaf.gweiDecimal().describe(
      'MEV beyond priority fees in sumExecutionRewards, in Gwei, >= 0.',
    ),
    sumEffectiveBalance: Leaf.gwei()
      .nullable()
      .describe(
        'Effective balance of the active validators, in Gwei, >= 0; may exceed 2^53; null when the source does not have it.',
      ),
  })
  .meta({ id: 'ChainDailyReward', description: "What a network's validators earned in a chain day." });
export type ChainDailyReward = z.infer<typeof ChainDailyReward>;
export type ChainDailyRewardField = keyof ChainDailyReward;
export const chainDailyRewardFields = Object.keys(ChainDailyReward.shape) as ChainDailyRewardField[];

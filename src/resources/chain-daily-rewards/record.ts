import { z } from 'zod';
import { count, date, gwei, gweiDecimal, signedGwei, timestamp } from '../../kernel/leaves.ts';

/** Keeps dates within four-digit years. */
export const MAX_DAY = 2_900_000;

/** Spec §4.9. */
export const ChainDailyReward = z
  .object({
    day: count().max(MAX_DAY).describe(`Chain day: 225 epochs, counted from genesis; 0 to ${MAX_DAY}.`),
    date: date().describe('UTC date on which the day starts.'),
    startEpoch: count().describe('First epoch of the day: 225 × day.'),
    endEpoch: count().describe('Last epoch of the day: 225 × day + 224.'),
    startTimestamp: timestamp().describe('When the first slot of the day begins, in UTC.'),
    endTimestamp: timestamp().describe('When the last slot of the day begins, in UTC.'),
    sumConsensusRewards: signedGwei().describe(
      'What all validators earned on the consensus layer, less penalties, in Gwei; negative when penalties exceed rewards.',
    ),
    sumExecutionRewards: gweiDecimal().describe(
      'What proposers earned on the execution layer, in Gwei, >= 0; priority fees and MEV.',
    ),
    sumPriorityFees: gweiDecimal().describe('Priority fees in sumExecutionRewards, in Gwei, >= 0.'),
    sumBaselineMev: gweiDecimal().describe('MEV beyond priority fees in sumExecutionRewards, in Gwei, >= 0.'),
    sumEffectiveBalance: gwei()
      .nullable()
      .describe(
        'Effective balance of the active validators, in Gwei, >= 0; may exceed 2^53; null when the source does not have it.',
      ),
  })
  .meta({ id: 'ChainDailyReward', description: "What a network's validators earned in a chain day." });
export type ChainDailyReward = z.infer<typeof ChainDailyReward>;
export type ChainDailyRewardField = keyof ChainDailyReward;
export const chainDailyRewardFields = Object.keys(ChainDailyReward.shape) as ChainDailyRewardField[];

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

const days = 'null if no day of all validators is stored';
const rewards = 'null if neither daily rewards nor a day of all validators are stored';

/** In GraphQL only. Sources of the figures: docs/data-model.md. */
export const NetworkRecord = z
  .object({
    id: Leaf.text(32).describe('The network.'),
    validatorCount: Leaf.count()
      .nullable()
      .describe(`Active validators at the end of the period, at least 0; ${days}.`),
    sumEndEpochBalance: Leaf.gwei()
      .nullable()
      .describe(`Balance of the active validators at the end of the period, in Gwei; ${days}.`),
    sumEndEpochEffectiveBalance: Leaf.gwei()
      .nullable()
      .describe(`Effective balance at the end of the period, in Gwei; ${rewards}.`),
    avgValidatorEffectiveness: Leaf.nonNegative()
      .nullable()
      .describe(`Mean effectiveness of the validators in percent, 0..100; ${days}.`),
    participationRatio: Leaf.ratio()
      .nullable()
      .describe(`Share of due attestations that were included, 0..1; ${days}.`),
    targetParticipationRatio: Leaf.ratio()
      .nullable()
      .describe(`Share of due attestations with the correct target, 0..1; ${days}.`),
    proposedCount: Leaf.bigCount().nullable().describe(`Blocks proposed, at least 0; ${days}.`),
    missedProposalCount: Leaf.bigCount().nullable().describe(`Blocks missed, at least 0; ${days}.`),
    missedProposalRatio: Leaf.ratio()
      .nullable()
      .describe(`Share of due blocks that were missed, 0..1; ${days}.`),
    sumConsensusRewards: Leaf.signedSum()
      .nullable()
      .describe(`Rewards less penalties of the consensus layer, in Gwei; ${rewards}.`),
    sumExecutionRewards: Leaf.decimal().nullable().describe(`Priority fees and MEV, in Gwei; ${rewards}.`),
    aprPercentage: Leaf.number()
      .nullable()
      .describe(
        `Rewards of both layers in a year, in percent of the mean effective balance over the epochs; negative when penalties exceed rewards, ${rewards}.`,
      ),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'NetworkRecord', description: 'An Ethereum network over a period.' });
export type NetworkRecord = z.infer<typeof NetworkRecord>;
export type NetworkRecordField = keyof NetworkRecord;
export const networkFields = Object.keys(NetworkRecord.shape) as NetworkRecordField[];

import { z } from 'zod';
import {
  bigCount,
  count,
  decimal,
  gwei,
  nonNegative,
  number,
  ratio,
  signedSum,
  text,
} from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

const days = 'null without a day of all validators';
const rewards = 'null without daily rewards and without a day of all validators';

/** In GraphQL only. Sources of the figures: docs/data-model.md. */
export const NetworkRecord = z
  .object({
    id: text(32).describe('The network.'),
    validatorCount: count()
      .nullable()
      .describe(`Active validators at the end of the period, at least 0; ${days}.`),
    sumEndEpochBalance: gwei()
      .nullable()
      .describe(`Balance of the active validators at the end of the period, in Gwei; ${days}.`),
    sumEndEpochEffectiveBalance: gwei()
      .nullable()
      .describe(`Effective balance at the end of the period, in Gwei; ${rewards}.`),
    avgValidatorEffectiveness: nonNegative()
      .nullable()
      .describe(`Mean effectiveness of the validators in percent, 0..100; ${days}.`),
    participationRatio: ratio()
      .nullable()
      .describe(`Share of due attestations that were included, 0..1; ${days}.`),
    targetParticipationRatio: ratio()
      .nullable()
      .describe(`Share of due attestations with the correct target, 0..1; ${days}.`),
    proposedCount: bigCount().nullable().describe(`Blocks proposed, at least 0; ${days}.`),
    missedProposalCount: bigCount().nullable().describe(`Blocks missed, at least 0; ${days}.`),
    missedProposalRatio: ratio().nullable().describe(`Share of due blocks that were missed, 0..1; ${days}.`),
    sumConsensusRewards: signedSum()
      .nullable()
      .describe(`Rewards less penalties of the consensus layer, in Gwei; ${rewards}.`),
    sumExecutionRewards: decimal().nullable().describe(`Priority fees and MEV, in Gwei; ${rewards}.`),
    aprPercentage: number()
      .nullable()
      .describe(
        `Rewards of both layers in a year, in percent of the mean effective balance over the epochs; negative when penalties exceed rewards, ${rewards}.`,
      ),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'NetworkRecord', description: 'An Ethereum network over a period.' });
export type NetworkRecord = z.infer<typeof NetworkRecord>;
export type NetworkField = keyof NetworkRecord;
export const networkFields = Object.keys(NetworkRecord.shape) as NetworkField[];

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

const id = Leaf.text(36).describe('Identifier of the set.');
const validatorCount = Leaf.count().describe(
  'Validators with duties on the last day of the period, at least 0.',
);

/** Spec §4.9. Formulas: docs/data-model.md. */
export const EffectivenessRecord = z
  .object({
    id,
    validatorCount,
    avgCorrectness: Leaf.ratio()
      .nullable()
      .describe(
        'Mean share of correct votes (head, target, source), 0..1; null when every attestation was missed.',
      ),
    avgInclusionDelay: Leaf.nonNegative()
      .nullable()
      .describe(
        'Mean slots until an attestation is included, at least 1, which is best; null when every attestation was missed.',
      ),
    avgUptime: Leaf.ratio().describe('Mean share of attestation duties performed, 0..1.'),
    avgAttesterEffectiveness: Leaf.nonNegative().describe(
      'Product of uptime and correctness, divided by the inclusion delay, in percent, 0..100: averaged over the validators of a day; in longer periods, over the validators of all days.',
    ),
    avgProposerEffectiveness: Leaf.nonNegative()
      .nullable()
      .describe('Mean share of due blocks that were proposed, in percent, 0..100; null without duty.'),
    avgValidatorEffectiveness: Leaf.nonNegative().describe(
      'Attester effectiveness weighted 5/8 and proposer effectiveness 3/8; attester effectiveness alone when no block was due; in percent, 0..100.',
    ),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'SetEffectiveness', description: 'Effectiveness of a private set over a period.' });
export type EffectivenessRecord = z.infer<typeof EffectivenessRecord>;

export const ProposalRecord = z
  .object({
    id,
    validatorCount,
    proposerDutyCount: Leaf.bigCount().describe(
      'Blocks that the validators were assigned to propose, at least 0.',
    ),
    proposedCount: Leaf.bigCount().describe('Blocks proposed, at least 0.'),
    missedProposalCount: Leaf.bigCount().describe('Blocks missed, at least 0.'),
    avgProposerEffectiveness: Leaf.nonNegative()
      .nullable()
      .describe('Mean share of due blocks that were proposed, in percent, 0..100; null without duty.'),
    sumProposerRewards: Leaf.signedSum().describe('Consensus layer rewards for blocks, in Gwei.'),
    sumPriorityFees: Leaf.signedSum().describe('Priority fees of the blocks, in Gwei.'),
    sumBaselineMev: Leaf.signedSum().describe('MEV of the blocks, in Gwei.'),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'SetProposals', description: 'Block proposals of a private set over a period.' });
export type ProposalRecord = z.infer<typeof ProposalRecord>;

/** In GraphQL only. */
export const PayloadRecord = ProposalRecord.extend({
  emptyPayloadCount: Leaf.bigCount()
    .nullable()
    .describe(
      'Blocks proposed whose payload is not on the chain, at least 0; null before the fork Gloas and where it is not stored.',
    ),
});
export type PayloadRecord = z.infer<typeof PayloadRecord>;

export const RewardRecord = z
  .object({
    id,
    validatorCount,
    sumAttestationRewards: Leaf.signedSum().describe('Rewards less penalties for attestations, in Gwei.'),
    sumSyncCommitteeRewards: Leaf.signedSum().describe('Rewards less penalties of sync committees, in Gwei.'),
    sumProposerRewards: Leaf.signedSum().describe('Consensus layer rewards for blocks, in Gwei.'),
    sumConsensusRewards: Leaf.signedSum().describe(
      'Sum of sumAttestationRewards, sumSyncCommitteeRewards and sumProposerRewards, in Gwei.',
    ),
    sumPriorityFees: Leaf.signedSum().describe('Priority fees of proposed blocks, in Gwei.'),
    sumBaselineMev: Leaf.signedSum().describe('MEV of proposed blocks, in Gwei.'),
    sumExecutionRewards: Leaf.signedSum().describe('Priority fees and MEV together, in Gwei.'),
    sumRewards: Leaf.signedSum().describe('Consensus and execution rewards together, in Gwei.'),
    sumEndEpochBalance: Leaf.gwei().describe('Balance at the end of the period, in Gwei.'),
    sumEndEpochEffectiveBalance: Leaf.gwei().describe('Effective balance at the end of the period, in Gwei.'),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'SetRewards', description: 'Rewards of a private set over a period.' });
export type RewardRecord = z.infer<typeof RewardRecord>;

export const sortFieldsOf = <Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) =>
  Object.keys(record.shape).filter((name) => name !== 'id') as Exclude<keyof Shape & string, 'id'>[];

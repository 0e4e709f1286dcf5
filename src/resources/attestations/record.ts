import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

/** Spec §2.3. */
export const AttestationRecord = z
  .object({
    id: Leaf.text(256).min(1).describe('Identifier of the entity.'),
    validatorCount: Leaf.count().describe('Number of validators at the end of the period, at least 0.'),
    totalUniqueAttestations: Leaf.bigCount().describe('Attestations included, at least 0.'),
    sumMissedAttestations: Leaf.bigCount().describe('Attestations missed, at least 0.'),
    sumMissedSyncSignatures: Leaf.bigCount()
      .nullable()
      .describe('Sync committee signatures missed, at least 0; null without sync duty.'),
    sumCorrectHead: Leaf.bigCount().describe('Attestations with the correct head, at least 0.'),
    sumCorrectTarget: Leaf.bigCount().describe('Attestations with the correct target, at least 0.'),
    sumCorrectSource: Leaf.bigCount().describe('Attestations with the correct source, at least 0.'),
    sumWrongHeadVotes: Leaf.bigCount().describe('Attestations with a wrong head, at least 0.'),
    sumWrongTargetVotes: Leaf.bigCount().describe('Attestations with a wrong target, at least 0.'),
    sumLateTargetVotes: Leaf.bigCount().describe(
      'Attestations whose target vote came too late to count, at least 0.',
    ),
    sumLateSourceVotes: Leaf.bigCount().describe(
      'Attestations whose source vote came too late to count, at least 0.',
    ),
    avgAttesterEffectiveness: Leaf.nonNegative().describe(
      'Mean attester effectiveness in percent, 0..100, weighted by validators over longer periods.',
    ),
    sumInclusionDelay: Leaf.bigCount().describe(
      'Slots until inclusion, summed over the attestations, at least 0.',
    ),
    sumSyncSignatureCount: Leaf.bigCount()
      .nullable()
      .describe('Sync committee signatures included, at least 0; null without sync duty.'),
    sumEndEpochBalance: Leaf.gwei().describe('Balance at the end of the period, in Gwei.'),
    sumEndEpochEffectiveBalance: Leaf.gwei().describe('Effective balance at the end of the period, in Gwei.'),
    hour: Leaf.count()
      .nullable()
      .describe('Hour since the start of day 0 of the calendar. Set on hour rows only, else null.'),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'AttestationRecord', description: "An entity's attestation duties over a period." });
export type AttestationRecord = z.infer<typeof AttestationRecord>;
export type AttestationField = keyof AttestationRecord;
export const attestationFields = Object.keys(AttestationRecord.shape) as AttestationField[];

export const sortFields = attestationFields.filter((name): name is SortField => name !== 'id');
export type SortField = Exclude<AttestationField, 'id'>;

import { z } from 'zod';
import { bigCount, count, gwei, nonNegative, text } from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

/** Spec §2.3. */
export const AttestationRecord = z
  .object({
    id: text(256).min(1).describe('Identifier of the entity.'),
    validatorCount: count().describe('Number of validators at the end of the period, at least 0.'),
    totalUniqueAttestations: bigCount().describe('Attestations included, at least 0.'),
    sumMissedAttestations: bigCount().describe('Attestations missed, at least 0.'),
    sumMissedSyncSignatures: bigCount()
      .nullable()
      .describe('Sync committee signatures missed, at least 0; null without sync duty.'),
    sumCorrectHead: bigCount().describe('Attestations with the correct head, at least 0.'),
    sumCorrectTarget: bigCount().describe('Attestations with the correct target, at least 0.'),
    sumCorrectSource: bigCount().describe('Attestations with the correct source, at least 0.'),
    sumWrongHeadVotes: bigCount().describe('Attestations with a wrong head, at least 0.'),
    sumWrongTargetVotes: bigCount().describe('Attestations with a wrong target, at least 0.'),
    sumLateTargetVotes: bigCount().describe(
      'Attestations whose target vote came too late to count, at least 0.',
    ),
    sumLateSourceVotes: bigCount().describe(
      'Attestations whose source vote came too late to count, at least 0.',
    ),
    avgAttesterEffectiveness: nonNegative().describe(
      'Mean attester effectiveness in percent, 0..100, weighted by validators over longer periods.',
    ),
    sumInclusionDelay: bigCount().describe(
      'Slots until inclusion, summed over the attestations, at least 0.',
    ),
    sumSyncSignatureCount: bigCount()
      .nullable()
      .describe('Sync committee signatures included, at least 0; null without sync duty.'),
    sumEndEpochBalance: gwei().describe('Balance at the end of the period, in Gwei.'),
    sumEndEpochEffectiveBalance: gwei().describe('Effective balance at the end of the period, in Gwei.'),
    hour: count()
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

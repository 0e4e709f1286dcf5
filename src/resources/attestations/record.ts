import { z } from 'zod';
import { bigCount, count, date, gwei, nonNegative, text, timestamp } from '../../kernel/leaves.ts';

/** The sizes of time increments (spec §4.4). */
export const granularities = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'all'] as const;
export const Granularity = z.enum(granularities);
export type Granularity = z.infer<typeof Granularity>;

const only = (rows: string) => `Set on ${rows} only, else null.`;

/** Entity attestations record (spec §2.3); which keys are set for which granularity by the decisions on time. */
export const AttestationRecord = z
  .object({
    id: text(256).min(1).describe('Identifier of the entity.'),
    validatorCount: count().describe('Validators of the entity at the end of the period.'),
    totalUniqueAttestations: bigCount().describe('Attestations included.'),
    sumMissedAttestations: bigCount().describe('Attestations missed.'),
    sumMissedSyncSignatures: bigCount()
      .nullable()
      .describe('Sync signatures missed; null without sync duty.'),
    sumCorrectHead: bigCount().describe('Attestations with the correct head.'),
    sumCorrectTarget: bigCount().describe('Attestations with the correct target.'),
    sumCorrectSource: bigCount().describe('Attestations with the correct source.'),
    sumWrongHeadVotes: bigCount().describe('Attestations with a wrong head.'),
    sumWrongTargetVotes: bigCount().describe('Attestations with a wrong target.'),
    sumLateTargetVotes: bigCount().describe('Attestations whose target vote came too late to count.'),
    sumLateSourceVotes: bigCount().describe('Attestations whose source vote came too late to count.'),
    avgAttesterEffectiveness: nonNegative().describe(
      'Mean attester effectiveness in percent, 0..100, weighted by validators over longer periods.',
    ),
    sumInclusionDelay: bigCount().describe('Slots until inclusion, summed over the attestations.'),
    sumSyncSignatureCount: bigCount().nullable().describe('Sync signatures given; null without sync duty.'),
    sumEndEpochBalance: gwei().describe('Balance at the end of the period, in Gwei.'),
    sumEndEpochEffectiveBalance: gwei().describe('Effective balance at the end of the period, in Gwei.'),
    hour: count()
      .nullable()
      .describe(`Hour since the start of day 0 of the calendar. ${only('hour rows')}`),
    day: count()
      .nullable()
      .describe(`Day of the calendar. ${only('hour and day rows')}`),
    startDay: count()
      .nullable()
      .describe(`First day with data. ${only('rows longer than a day')}`),
    endDay: count()
      .nullable()
      .describe(`Last day with data. ${only('rows longer than a day')}`),
    startEpoch: count().describe('First epoch with data.'),
    endEpoch: count().describe('Last epoch with data.'),
    startDate: date()
      .nullable()
      .describe(`Date of the first day with data. ${only('rows longer than a day')}`),
    endDate: date()
      .nullable()
      .describe(`Date of the last day with data. ${only('rows longer than a day')}`),
    date: date()
      .nullable()
      .describe(`UTC date on which the day starts. ${only('hour and day rows')}`),
    startTimestamp: timestamp().describe('When the first slot with data begins.'),
    endTimestamp: timestamp().describe('When the last slot with data begins.'),
    startSlot: count().describe('First slot of the first epoch with data.'),
    endSlot: count().describe('Last slot of the last epoch with data.'),
  })
  .meta({ id: 'AttestationRecord', description: "An entity's attestation duties over a period." });
export type AttestationRecord = z.infer<typeof AttestationRecord>;
export type AttestationField = keyof AttestationRecord;
export const attestationFields = Object.keys(AttestationRecord.shape) as AttestationField[];

/** What results can be sorted by: every field but the identifier. `day` is the period itself. */
export const sortFields = attestationFields.filter((name): name is SortField => name !== 'id');
export type SortField = Exclude<AttestationField, 'id'>;

import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import type { Snake } from '../kernel/names.ts';
import { PeriodKeys } from './record.ts';

/** 281,474 ETH, more than any validator had. Sums fit 64 bits, because all ETH is about 1.2e17 Gwei. */
const MAX_GWEI = 2n ** 48n;
const amount = <T extends z.ZodString>(leaf: T) =>
  leaf.refine((digits) => {
    if (digits.length < 15) return true;
    const size = digits.replace('-', '');
    return size.length < 16 && !(/^\d+$/.test(size) && BigInt(size) > MAX_GWEI);
  }, `must be at most ${MAX_GWEI} Gwei`);

/**
 * An active validator has one attestation duty per epoch. A day without attestation duties has no row, unless the
 * validator has exited and is still in the sync committee.
 */
export const ValidatorDay = z
  .object({
    validatorIndex: Leaf.count().describe('Index of the validator.'),
    utc: Leaf.flag().describe('true: a day of the UTC calendar; false: of the chain calendar.'),
    day: PeriodKeys.shape.day.unwrap().describe('Day of the calendar.'),
    startEpoch: Leaf.count().describe('First epoch with data.'),
    endEpoch: Leaf.count().describe('Last epoch with data.'),
    totalUniqueAttestations: Leaf.count().describe('Attestations included, at most one per epoch.'),
    sumMissedAttestations: Leaf.count().describe(
      'Attestations missed. Included and missed together: at most one per epoch.',
    ),
    sumMissedSyncSignatures: Leaf.count()
      .nullable()
      .describe('Sync committee signatures missed, at least 0; null without sync duty.'),
    sumSyncSignatureCount: Leaf.count()
      .nullable()
      .describe('Sync committee signatures included, at least 0; null without sync duty.'),
    sumCorrectHead: Leaf.count().describe('Attestations with the correct head, at least 0.'),
    sumCorrectTarget: Leaf.count().describe('Attestations with the correct target, at least 0.'),
    sumCorrectSource: Leaf.count().describe('Attestations with the correct source, at least 0.'),
    sumWrongHeadVotes: Leaf.count().describe('Attestations with a wrong head, at least 0.'),
    sumWrongTargetVotes: Leaf.count().describe('Attestations with a wrong target, at least 0.'),
    sumLateTargetVotes: Leaf.count().describe(
      'Attestations whose target vote came too late to count, at least 0.',
    ),
    sumLateSourceVotes: Leaf.count().describe(
      'Attestations whose source vote came too late to count, at least 0.',
    ),
    sumInclusionDelay: Leaf.count().describe(
      'Slots until inclusion, summed over the attestations: 1 each at best.',
    ),
    proposedCount: Leaf.count().describe('Blocks proposed, at least 0.'),
    missedProposalCount: Leaf.count().describe('Blocks due and missed.'),
    endEpochBalance: amount(Leaf.gwei()).describe('Balance at the end of the last epoch, in Gwei.'),
    endEpochEffectiveBalance: amount(Leaf.gwei()).describe(
      'Effective balance at the end of the last epoch, in Gwei.',
    ),
    sumAttestationRewards: amount(Leaf.signedGwei()).describe(
      'Rewards less penalties for attestations, in Gwei.',
    ),
    sumSyncCommitteeRewards: amount(Leaf.signedGwei()).describe(
      'Rewards less penalties of the sync committee, in Gwei; 0 without duty.',
    ),
    sumProposerRewards: amount(Leaf.signedGwei()).describe(
      'Consensus layer rewards for blocks, in Gwei; 0 without a block.',
    ),
    sumPriorityFees: amount(Leaf.signedGwei()).describe('Priority fees of its blocks, in Gwei.'),
    sumBaselineMev: amount(Leaf.signedGwei()).describe('MEV of its blocks, in Gwei.'),
    effectiveBalanceEpochs: Leaf.gwei()
      .nullable()
      .describe(
        'Effective balances at the ends of the epochs with duties, added up, in Gwei; null if not known.',
      ),
    emptyPayloadCount: Leaf.count()
      .nullable()
      .describe(
        'Blocks proposed whose payload is not on the chain, at least 0; null before the fork Gloas and if not known.',
      ),
  })
  .meta({ id: 'ValidatorDay', description: 'What a validator did on a day.' });
export type ValidatorDay = z.infer<typeof ValidatorDay>;
export type DayColumn = Snake<keyof ValidatorDay>;

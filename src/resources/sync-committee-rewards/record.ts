import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** Spec §2.5. */
export const SyncCommitteeReward = z
  .object({
    epoch: Leaf.count().describe('Epoch of the slot.'),
    consensusSlot: Leaf.count().describe('Slot of the block.'),
    validatorIndex: Leaf.count().describe('Index of the validator that holds the seat.'),
    syncCommitteeRewards: Leaf.signedGweiText().describe(
      'What the seat earned in the slot, in Gwei; negative for a missed signature.',
    ),
    blockTimestamp: Leaf.timestamp().describe('When the slot began, in UTC.'),
  })
  .meta({
    id: 'SyncCommitteeReward',
    description:
      'What one seat of the sync committee earned in a slot. A validator with several seats has a record for each.',
  });
export type SyncCommitteeReward = z.infer<typeof SyncCommitteeReward>;
export type SyncCommitteeRewardField = keyof SyncCommitteeReward;
export const syncCommitteeRewardFields = Object.keys(SyncCommitteeReward.shape) as SyncCommitteeRewardField[];

import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { PeriodKeys } from '../../periods/record.ts';

/** Spec §2.4. */
export const Slashing = z
  .object({
    validatorIndex: Leaf.count().describe('Index of the slashed validator.'),
    validatorPubkey: Leaf.hex(48).describe('Public key of the slashed validator, 0x and 96 hex digits.'),
    slashingEpoch: Leaf.count().describe('Epoch in which the validator was slashed.'),
    withdrawableEpoch: Leaf.count().describe('Epoch from which the rest of the balance can be withdrawn.'),
    balanceBeforeSlashing: Leaf.gwei().describe('Balance before the slashing, in Gwei.'),
    balanceBeforeWithdrawal: Leaf.gwei().describe(
      'Balance before the withdrawal, in Gwei; refreshed until withdrawableEpoch, then final.',
    ),
    slashingPenalties: Leaf.signedGwei().describe(
      'Difference of balanceBeforeSlashing and balanceBeforeWithdrawal, in Gwei; refreshed until withdrawableEpoch, then final.',
    ),
  })
  .meta({ id: 'Slashing', description: 'A slashed validator and its penalties.' });
export type Slashing = z.infer<typeof Slashing>;
export const slashingFields = Object.keys(Slashing.shape) as (keyof Slashing)[];

/** In GraphQL only. */
export const SlashingRecord = z
  .object({
    id: Leaf.text(32).describe('The network.'),
    slashingCount: Leaf.count().describe('Validators slashed, at least 1.'),
    sumSlashingPenalties: Leaf.signedSum().describe('Sum of their slashingPenalties, in Gwei.'),
    sumBalanceBeforeSlashing: Leaf.bigCount().describe('Sum of their balanceBeforeSlashing, in Gwei.'),
    ...PeriodKeys.shape,
  })
  .meta({ id: 'SlashingRecord', description: 'Slashings of a period.' });
export type SlashingRecord = z.infer<typeof SlashingRecord>;
export type SlashingRecordField = keyof SlashingRecord;

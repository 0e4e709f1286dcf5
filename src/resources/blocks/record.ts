import { z } from 'zod';
import { count, flag, gwei, gweiDecimal, hex, text, timestamp, wei } from '../../kernel/leaves.ts';

/** `orphaned`: proposed, but not part of the chain. */
export const ProposerDuty = z.enum(['proposed', 'missed', 'orphaned']);
export type ProposerDuty = z.infer<typeof ProposerDuty>;

const unlessMissed = 'null for a missed slot';
const untilKnown = 'null until it is known';

/** Spec §4.9. */
export const Block = z
  .object({
    epoch: count().describe('Epoch of the slot.'),
    consensusSlot: count().describe('Slot of the block.'),
    consensusBlockRoot: hex(32)
      .nullable()
      .describe(`Root of the block, 0x and 64 hex digits; ${unlessMissed}.`),
    executionBlockNumber: count()
      .nullable()
      .describe(`Number of the execution block, >= 0; ${unlessMissed} and before the merge.`),
    executionBlockHash: hex(32)
      .nullable()
      .describe(`Hash of the execution block, 0x and 64 hex digits; ${unlessMissed} and before the merge.`),
    validatorIndex: count().describe('Index of the validator assigned to propose, >= 0.'),
    feeRecipient: hex(20)
      .nullable()
      .describe(`Address that received the priority fees, 0x and 40 hex digits; ${unlessMissed}.`),
    totalType0Transactions: count().nullable().describe(`Legacy transactions, >= 0; ${unlessMissed}.`),
    totalType2Transactions: count()
      .nullable()
      .describe(`Transactions of type 2 (EIP-1559), >= 0; ${unlessMissed}.`),
    totalTransactions: count()
      .nullable()
      .describe(`Transactions of all types, including types after 2, >= 0; ${unlessMissed}.`),
    totalGasUsed: count().nullable().describe(`Gas used, >= 0; ${unlessMissed}.`),
    baseFeePerGas: wei().nullable().describe(`Base fee per unit of gas, in wei, >= 0; ${unlessMissed}.`),
    totalBurntFees: wei()
      .nullable()
      .describe(`Fees burnt, in wei, >= 0; may exceed 2^53 and even 2^63; ${unlessMissed}.`),
    totalType2TxFees: wei()
      .nullable()
      .describe(
        `Priority fees of the transactions of type 2, in wei, >= 0; may exceed 2^53; ${unlessMissed}.`,
      ),
    totalType0TxFees: wei()
      .nullable()
      .describe(`Priority fees of the legacy transactions, in wei, >= 0; may exceed 2^53; ${unlessMissed}.`),
    totalPriorityFees: gweiDecimal()
      .nullable()
      .describe(`Priority fees of all transactions, in Gwei, >= 0; ${unlessMissed}.`),
    baselineMev: gweiDecimal()
      .nullable()
      .describe(`What the proposer earned beyond priority fees, in Gwei, >= 0; ${untilKnown}.`),
    executionProposerDuty: ProposerDuty.nullable().describe(
      'Outcome of the execution block; null before the merge.',
    ),
    executionRewards: gweiDecimal()
      .nullable()
      .describe(
        `What the proposer earned on the execution layer, in Gwei, >= 0; 0 or null for a missed slot, ${untilKnown}.`,
      ),
    missedExecutionRewards: gweiDecimal()
      .nullable()
      .describe(`What the proposer would have earned there, in Gwei, >= 0; 0 if proposed, ${untilKnown}.`),
    consensusProposerDuty: ProposerDuty.describe(
      'Outcome of the proposal: `proposed`; `missed`: there is no block; `orphaned`: the block is not part of the chain.',
    ),
    consensusRewards: gwei()
      .nullable()
      .describe(
        `What the proposer earned on the consensus layer, in Gwei, >= 0; 0 for a missed slot, ${untilKnown}.`,
      ),
    missedConsensusRewards: gwei()
      .nullable()
      .describe(`What the proposer would have earned there, in Gwei, >= 0; 0 if proposed, ${untilKnown}.`),
    totalRewards: gweiDecimal()
      .nullable()
      .describe(
        `Sum of executionRewards and consensusRewards, in Gwei, >= 0; 0 or null for a missed slot, ${untilKnown}.`,
      ),
    totalRewardsMissed: gweiDecimal()
      .nullable()
      .describe(`Sum of missedExecutionRewards and missedConsensusRewards, in Gwei, >= 0; ${untilKnown}.`),
    totalType1Transactions: count()
      .nullable()
      .describe(`Transactions of type 1 (EIP-2930), >= 0; ${unlessMissed}.`),
    totalType1TxFees: wei()
      .nullable()
      .describe(
        `Priority fees of the transactions of type 1, in wei, >= 0; may exceed 2^53; ${unlessMissed}.`,
      ),
    blockTimestamp: timestamp().describe('When the slot began, in UTC.'),
    totalSanctionedTransactions: count()
      .nullable()
      .describe(`Transactions with a sanctioned address, >= 0; ${unlessMissed}.`),
    totalPriorityFeesValidator: gweiDecimal()
      .nullable()
      .describe(`Part of the priority fees that the proposer received, in Gwei, >= 0; ${unlessMissed}.`),
    relays: z
      .array(text(256).min(1))
      .describe('Relays that delivered the block; empty for a block without a relay.'),
    blockBuilderPubkeys: z
      .array(hex(48))
      .describe(
        'Public key of the builder at each relay, 0x and 96 hex digits, in the order of the relays; keys may repeat.',
      ),
  })
  .meta({ id: 'Block', description: 'A slot with its block, or with its missed proposal.' });
export type Block = z.infer<typeof Block>;
export const blockFields = Object.keys(Block.shape) as (keyof Block)[];

export const FinalizedBlock = Block.extend({
  finalized: flag().describe(
    'Whether the slot is final; else the chain may still replace it. Its rewards are null until they are known.',
  ),
});
export type FinalizedBlock = z.infer<typeof FinalizedBlock>;
export type BlockField = keyof FinalizedBlock;
export const finalizedBlockFields = Object.keys(FinalizedBlock.shape) as BlockField[];

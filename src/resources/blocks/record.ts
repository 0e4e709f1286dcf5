import { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';

/** `orphaned`: proposed, but not part of the chain. */
export const ProposerDuty = z.enum(['proposed', 'missed', 'orphaned']);
export type ProposerDuty = z.infer<typeof ProposerDuty>;

const unlessMissed = 'null for a missed slot';
/** Since Gloas, a block may be without a payload, and is `unknown` until the next block. */
const unlessEmpty = 'null for a slot without an execution block';
const untilKnown = 'null until it is known';

/** Spec §4.9. */
export const Block = z
  .object({
    epoch: Leaf.count().describe('Epoch of the slot.'),
    consensusSlot: Leaf.count().describe('Slot of the block.'),
    consensusBlockRoot: Leaf.hex(32)
      .nullable()
      .describe(`Root of the block, 0x and 64 hex digits; ${unlessMissed}.`),
    executionBlockNumber: Leaf.count()
      .nullable()
      .describe(`Number of the execution block, >= 0; ${unlessEmpty} and before the merge.`),
    executionBlockHash: Leaf.hex(32)
      .nullable()
      .describe(`Hash of the execution block, 0x and 64 hex digits; ${unlessEmpty} and before the merge.`),
    validatorIndex: Leaf.count().describe('Index of the validator assigned to propose, >= 0.'),
    feeRecipient: Leaf.hex(20)
      .nullable()
      .describe(`Address that received the priority fees, 0x and 40 hex digits; ${unlessEmpty}.`),
    totalType0Transactions: Leaf.count().nullable().describe(`Legacy transactions, >= 0; ${unlessEmpty}.`),
    totalType2Transactions: Leaf.count()
      .nullable()
      .describe(`Transactions of type 2 (EIP-1559), >= 0; ${unlessEmpty}.`),
    totalTransactions: Leaf.count()
      .nullable()
      .describe(`Transactions of all types, including types after 2, >= 0; ${unlessEmpty}.`),
    totalGasUsed: Leaf.count().nullable().describe(`Gas used, >= 0; ${unlessEmpty}.`),
    baseFeePerGas: Leaf.wideCount()
      .nullable()
      .describe(`Base fee per unit of gas, in wei, >= 0; ${unlessEmpty}.`),
    totalBurntFees: Leaf.wideCount()
      .nullable()
      .describe(
        `Fees burnt, in wei, >= 0; may exceed 2^53 and even 2^63; ${unlessEmpty} and, since Gloas, without the receipts of an execution node.`,
      ),
    totalType2TxFees: Leaf.wideCount()
      .nullable()
      .describe(
        `Priority fees of the transactions of type 2, in wei, >= 0; may exceed 2^53; ${unlessEmpty}.`,
      ),
    totalType0TxFees: Leaf.wideCount()
      .nullable()
      .describe(`Priority fees of the legacy transactions, in wei, >= 0; may exceed 2^53; ${unlessEmpty}.`),
    totalPriorityFees: Leaf.gweiDecimal()
      .nullable()
      .describe(`Priority fees of all transactions, in Gwei, >= 0; ${unlessEmpty}.`),
    baselineMev: Leaf.gweiDecimal()
      .nullable()
      .describe(`What the proposer earned beyond priority fees, in Gwei, >= 0; ${untilKnown}.`),
    executionProposerDuty: ProposerDuty.nullable().describe(
      'Outcome of the execution block: `missed` if the block is there without it; null before the merge and until it is known.',
    ),
    executionRewards: Leaf.gweiDecimal()
      .nullable()
      .describe(
        `What the proposer earned on the execution layer, in Gwei, >= 0; 0 or null for a missed slot, ${untilKnown}.`,
      ),
    missedExecutionRewards: Leaf.gweiDecimal()
      .nullable()
      .describe(
        `What the proposer would have earned there, in Gwei, >= 0; 0 if it missed nothing, ${untilKnown}.`,
      ),
    consensusProposerDuty: ProposerDuty.describe(
      'Outcome of the proposal: `proposed`; `missed`: there is no block; `orphaned`: the block is not part of the chain.',
    ),
    consensusRewards: Leaf.gwei()
      .nullable()
      .describe(
        `What the proposer earned on the consensus layer, in Gwei, >= 0; 0 for a missed slot, ${untilKnown}.`,
      ),
    missedConsensusRewards: Leaf.gwei()
      .nullable()
      .describe(`What the proposer would have earned there, in Gwei, >= 0; 0 if proposed, ${untilKnown}.`),
    totalRewards: Leaf.gweiDecimal()
      .nullable()
      .describe(
        `Sum of executionRewards and consensusRewards, in Gwei, >= 0; 0 or null for a missed slot, ${untilKnown}.`,
      ),
    totalRewardsMissed: Leaf.gweiDecimal()
      .nullable()
      .describe(`Sum of missedExecutionRewards and missedConsensusRewards, in Gwei, >= 0; ${untilKnown}.`),
    totalType1Transactions: Leaf.count()
      .nullable()
      .describe(`Transactions of type 1 (EIP-2930), >= 0; ${unlessEmpty}.`),
    totalType1TxFees: Leaf.wideCount()
      .nullable()
      .describe(
        `Priority fees of the transactions of type 1, in wei, >= 0; may exceed 2^53; ${unlessEmpty}.`,
      ),
    blockTimestamp: Leaf.timestamp().describe('When the slot began, in UTC.'),
    totalSanctionedTransactions: Leaf.count()
      .nullable()
      .describe(`Transactions with a sanctioned address, >= 0; ${unlessEmpty}.`),
    totalPriorityFeesValidator: Leaf.gweiDecimal()
      .nullable()
      .describe(
        `Part of the priority fees that the proposer received, in Gwei, >= 0; ${unlessMissed} and until it is known.`,
      ),
    relays: z
      .array(Leaf.text(256).min(1))
      .describe('Relays that delivered the block; empty for a block without a relay.'),
    blockBuilderPubkeys: z
      .array(Leaf.hex(48))
      .describe(
        'Public key of the builder at each relay, 0x and 96 hex digits, in the order of the relays; keys may repeat.',
      ),
  })
  .meta({ id: 'Block', description: 'A slot with its block, or with its missed proposal.' });
export type Block = z.infer<typeof Block>;
export const blockFields = Object.keys(Block.shape) as (keyof Block)[];

export const FinalizedBlock = Block.extend({
  finalized: Leaf.flag().describe(
    'Whether the slot is final; else the chain may still replace it. Its rewards are null until they are known.',
  ),
});
export type FinalizedBlock = z.infer<typeof FinalizedBlock>;

export const PayloadStatus = z.enum(['full', 'empty', 'unknown']);
export type PayloadStatus = z.infer<typeof PayloadStatus>;
export const BidPayment = z.enum(['settled', 'quorum', 'unpaid', 'cancelled']);
export type BidPayment = z.infer<typeof BidPayment>;

/** Exists since the fork Gloas, null before it. Only in GraphQL and imports. */
export const BlockBid = z.object({
  payloadStatus: PayloadStatus.nullable(),
  bidValue: Leaf.gwei().nullable(),
  /** Null, as its public key, if the proposer made its own payload. */
  bidBuilderIndex: Leaf.count().nullable(),
  bidBuilderPubkey: Leaf.hex(48).nullable(),
  bidExecutionPayment: Leaf.uint64().nullable(),
  bidFeeRecipient: Leaf.hex(20).nullable(),
  /** Null until it is decided. */
  bidPayment: BidPayment.nullable(),
});
export const bidFields = Object.keys(BlockBid.shape) as (keyof typeof BlockBid.shape)[];

export const WholeBlock = FinalizedBlock.extend(BlockBid.shape);
export type WholeBlock = z.infer<typeof WholeBlock>;
export type BlockField = keyof WholeBlock;
export const wholeBlockFields = Object.keys(WholeBlock.shape) as BlockField[];

import { listReader, pageReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { storedReader } from '../../db/batch/stored.ts';
import { sql } from '../../db/rows.ts';
import { operatorIdText } from '../operators/loaders.ts';
import { validatorKeyText, validatorTotalReader } from '../validators/loaders.ts';
import {
  type BlockKey,
  type BuilderKey,
  blocksBySlot,
  builderBlockPages,
  builderBlockTotals,
  operatorProposalCounts,
  proposerBlockPages,
} from './queries.ts';

export type { BlockKey, BuilderKey };

const blockKeyText = (key: BlockKey) => `${key.network}:${key.slot}`;

export const loadBlock = rowReader({
  keyOf: blockKeyText,
  load: blocksBySlot,
  rowKey: ({ network, consensusSlot: slot }) => blockKeyText({ network, slot }),
});

export const loadProposerBlocks = pageReader({ keyOf: validatorKeyText, load: proposerBlockPages });

export const loadProposerBlockTotal = validatorTotalReader('proposerBlockTotals', 'blocks');

export const builderKeyText = (key: BuilderKey) => `${key.network}:${key.builderPubkey}`;

export const loadBuilderBlocks = pageReader({ keyOf: builderKeyText, load: builderBlockPages });

export const loadBuilderBlockTotal = totalReader({ keyOf: builderKeyText, load: builderBlockTotals });

export const loadStoredSlots = storedReader({
  statement: 'storedSlots',
  ends: () => sql`select min(b.slot) as first, max(b.slot) as last from blocks b where b.network = k.network`,
});

export const loadProposalCounts = listReader({ keyOf: operatorIdText, load: operatorProposalCounts });

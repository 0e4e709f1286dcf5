import { byKey } from '../../db/batch/loaders.ts';
import { listReader, reader } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { rowsToRead } from '../../kernel/page.ts';
import { operatorIdText } from '../operators/loaders.ts';
import { validatorKeyText, validatorTotalReader } from '../validators/loaders.ts';
import { type BlockKey, blocksBySlot, operatorProposalCounts, proposerBlockPages } from './queries.ts';
import type { BlockField } from './record.ts';

export type { BlockKey };

const blockKeyText = (key: BlockKey) => `${key.network}:${key.slot}`;

export const loadBlock = reader({
  keyOf: blockKeyText,
  load: async (db: Queryable, keys: readonly BlockKey[], asked: readonly BlockField[]) =>
    byKey(await blocksBySlot(db, keys, asked), ({ network, consensusSlot: slot }) =>
      blockKeyText({ network, slot }),
    ),
  rows: () => 1,
});

export const loadProposerBlocks = listReader({
  keyOf: validatorKeyText,
  load: proposerBlockPages,
  rows: rowsToRead,
});

export const loadProposerBlockTotal = validatorTotalReader('proposerBlockTotals', 'blocks');

export const loadProposalCounts = listReader({ keyOf: operatorIdText, load: operatorProposalCounts });

import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader, batchTotal } from '../../kernel/batch.ts';
import type { Range } from '../../kernel/page.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import {
  type BlockKey,
  type BlockRow,
  blocksBySlot,
  proposerBlockPages,
  proposerBlockTotals,
} from './queries.ts';
import type { BlockField } from './record.ts';

export type { BlockKey };

const blockKeyText = (key: BlockKey) => `${key.network}:${key.slot}`;

/** The block of a slot, or undefined; all that a request asks for in one step travel in one statement. */
export const loadBlock = (ctx: Context, key: BlockKey, asked: readonly BlockField[]) =>
  batchLoader<BlockKey, BlockRow>(ctx.loaders, `block:${asked}`, blockKeyText, async (keys) => {
    const found = await blocksBySlot(ctx.db, keys, asked);
    return new Map(
      found.map((row) => [blockKeyText({ network: row.network, slot: row.consensusSlot }), row]),
    );
  }).load(key);

/** A page of the slots in which a validator was to propose; the pages of many validators are one statement. */
export const loadProposerBlocks = (
  ctx: Context,
  proposer: ValidatorKey,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<BlockRow[]> =>
  batchListLoader(
    ctx.loaders,
    `proposerBlocks:${JSON.stringify(range)}:${asked}`,
    validatorKeyText,
    (proposers: readonly ValidatorKey[]) => proposerBlockPages(ctx.db, proposers, range, asked),
  )(proposer);

/** In how many slots a validator was to propose; those of many validators are one statement. */
export const loadProposerBlockTotal = (ctx: Context, proposer: ValidatorKey): Promise<number> =>
  batchTotal(ctx.loaders, 'proposerBlockTotal', validatorKeyText, (proposers: readonly ValidatorKey[]) =>
    proposerBlockTotals(ctx.db, proposers),
  )(proposer);

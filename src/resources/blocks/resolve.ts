import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, rangeDownFrom, type Slice, slice } from '../../kernel/page.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import { loadProposerBlocks } from './loaders.ts';
import { type BlockRow, blockPage, blockTotal } from './queries.ts';
import type { BlockField } from './record.ts';

export const BLOCKS_SIZES = { defaultSize: 15, maxSize: 200 };
export const PROPOSED_BLOCKS_SIZES = { defaultSize: 10, maxSize: 200 };

/**
 * Newest slot first (spec §4.9). The first page starts at `fromSlot`; the total counts all slots. Positions are slots,
 * so new blocks do not shift pages.
 */
export async function blocks(
  ctx: Context,
  list: { network: Network; fromSlot: number | null },
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<Slice<BlockRow>> {
  const placed = rangeDownFrom(range, list.fromSlot);
  return slice(await blockPage(ctx.db, list.network, placed, asked), placed);
}

export const totalBlocks = (ctx: Context, network: Network): Promise<number> => blockTotal(ctx.db, network);

export const blockCursors = (network: Network) => integerCursors(() => `blocks:${network}`);

export const proposerBlockCursors = (proposer: ValidatorKey) =>
  integerCursors(() => `blocks:proposer:${validatorKeyText(proposer)}`);

export const proposerBlocks = async (
  ctx: Context,
  proposer: ValidatorKey,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<Slice<BlockRow>> => slice(await loadProposerBlocks(ctx, proposer, range, asked), range);

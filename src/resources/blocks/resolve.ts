import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type Range, rangeDownFrom, type Slice, slice } from '../../kernel/page.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import { loadProposerBlocks } from './loaders.ts';
import { type BlockRow, blockPage, blockTotal } from './queries.ts';
import type { BlockField } from './record.ts';

export const BLOCKS_DEFAULT_SIZE = 15;
export const BLOCKS_MAX_SIZE = 200;
export const PROPOSED_BLOCKS_DEFAULT_SIZE = 10;

/**
 * A page of a network's blocks, newest slot first (spec §4.9); positions are slots. `fromSlot` is where the page begins
 * unless a cursor says another place: the list stays the whole one. Blocks that come at the head while a caller pages
 * move no row.
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

/** How many blocks of the network are stored, missed slots included. */
export const totalBlocks = (ctx: Context, network: Network): Promise<number> => blockTotal(ctx.db, network);

/** Cursors of a network's blocks, by slot. */
export const blockCursors = (network: Network) => integerCursors(() => `blocks:${network}`);

/** Cursors of a proposer's blocks, by slot. */
export const proposerBlockCursors = (proposer: ValidatorKey) =>
  integerCursors(() => `blocks:proposer:${validatorKeyText(proposer)}`);

/** A page of the slots in which a validator was to propose, newest first. */
export const proposerBlocks = async (
  ctx: Context,
  proposer: ValidatorKey,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<Slice<BlockRow>> => slice(await loadProposerBlocks(ctx, proposer, range, asked), range);

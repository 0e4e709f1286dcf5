import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
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

const listName = (network: Network) => `blocks:${network}`;

/** The cursor of a block in the list of its network. */
export const blockCursor = (row: BlockRow): string =>
  encodeCursor(listName(row.network), [row.consensusSlot]);

/** The slot in a cursor, or undefined when it is not one of this list. */
export const blockPosition = (network: Network, cursor: string): number | undefined =>
  decodePosition(listName(network), cursor, 1)?.[0];

const proposerListName = (proposer: ValidatorKey) => `blocks:proposer:${validatorKeyText(proposer)}`;

/** The cursor of a block in its proposer's list. */
export const proposerBlockCursor = (proposer: ValidatorKey, row: BlockRow): string =>
  encodeCursor(proposerListName(proposer), [row.consensusSlot]);

/** The slot in a cursor, or undefined when it is not one of this list. */
export const proposerBlockPosition = (proposer: ValidatorKey, cursor: string): number | undefined =>
  decodePosition(proposerListName(proposer), cursor, 1)?.[0];

/** A page of the slots in which a validator was to propose, newest first. */
export const proposerBlocks = async (
  ctx: Context,
  proposer: ValidatorKey,
  range: Range<number>,
  asked: readonly BlockField[],
): Promise<Slice<BlockRow>> => slice(await loadProposerBlocks(ctx, proposer, range, asked), range);

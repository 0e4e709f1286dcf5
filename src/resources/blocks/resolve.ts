import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { LAST_NUMBER, type Range, type Slice, slice } from '../../kernel/page.ts';
import { type ValidatorKey, validatorKeyText } from '../validators/loaders.ts';
import { type BuilderKey, builderKeyText } from './loaders.ts';
import { type BlockList, type BlockRow, blockCount, blockPage, blockTotal } from './queries.ts';
import type { BlockField } from './record.ts';

export type { BlockList };

export const BLOCKS_SIZES = { defaultSize: 15, maxSize: 200 };
export const PROPOSED_BLOCKS_SIZES = { maxSize: 200 };

export const allBlocks = (network: Network): BlockList => ({
  network,
  slots: { first: 0, last: LAST_NUMBER },
  where: { proposer: null, operator: null, outcome: null, finalized: null, payload: null },
  ascending: false,
});

const isWhole = ({ slots, where }: BlockList): boolean =>
  slots.first === 0 &&
  slots.last === LAST_NUMBER &&
  where.proposer === null &&
  where.operator === null &&
  where.outcome === null &&
  where.finalized === null &&
  where.payload === null;

/** New blocks do not shift pages, because positions are slots. */
export const blocks = async (
  ctx: Context,
  list: BlockList,
  range: Range<number>,
  fieldNames: readonly BlockField[],
): Promise<Slice<BlockRow>> => slice(await blockPage(ctx.db, list, range, fieldNames), range);

export const totalBlocks = (ctx: Context, list: BlockList): Promise<number> =>
  isWhole(list) ? blockTotal(ctx.db, list.network) : blockCount(ctx.db, list);

export const blockCursors = (list: BlockList) =>
  integerCursors(
    () =>
      isWhole(list) && !list.ascending
        ? `blocks:${list.network}`
        : `blocks:${JSON.stringify([list.network, list.slots, list.where, list.ascending])}`,
    slotOf,
  );

const slotOf = (row: BlockRow) => row.consensusSlot;

export const proposerBlockCursors = (proposer: ValidatorKey, ascending: boolean) =>
  integerCursors(() => `blocks:proposer:${validatorKeyText(proposer)}:${ascending}`, slotOf);

export const builderBlockCursors = (of: BuilderKey, ascending: boolean) =>
  integerCursors(() => `blocks:builder:${builderKeyText(of)}:${ascending}`, slotOf);

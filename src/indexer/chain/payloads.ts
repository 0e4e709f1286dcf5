import { InputError } from './errors.ts';
import type { BeaconBlock, BlockStatus, ExecutionPayload } from './types.ts';
import { decreaseBalance, type World } from './world.ts';

type Payloaded = Pick<BeaconBlock, 'bid'>;

/** Only the child of a block tells whether the chain has its payload. An envelope or votes prove nothing. */
export const isParentBlockFull = (block: Payloaded, child: Payloaded): boolean =>
  block.bid === null || child.bid?.parentBlockHash === block.bid.blockHash;

export const statusOf = ({ slot, bid }: BeaconBlock): BlockStatus => ({
  slot,
  blockHash: bid?.blockHash ?? null,
  full: bid === null ? true : null,
});

/** Notes the block, and whether its parent is full. Returns the parent. */
export function noteBlock(
  { blocks, epoch }: Pick<World, 'blocks' | 'epoch'>,
  block: BeaconBlock,
): BlockStatus | undefined {
  blocks.set(block.root, statusOf(block));
  if (!block.bid) return undefined;
  const parent = blocks.get(block.parentRoot);
  if (!parent)
    throw new InputError(
      epoch,
      `it is not known whether the parent of the block of slot ${block.slot} has a payload; begin at a later epoch`,
    );
  const full = parent.blockHash === null || parent.blockHash === block.bid.parentBlockHash;
  const known = { ...parent, full };
  blocks.set(block.parentRoot, known);
  return known;
}

/**
 * The withdrawals that a block with a full parent makes: those of its own payload, whether the chain has it or not. If it
 * was withheld, those of the next payload down the chain, which must repeat them.
 */
export function payloadFor(
  epoch: number,
  block: BeaconBlock,
  later: readonly BeaconBlock[],
): ExecutionPayload {
  let at = block;
  for (const child of later) {
    if (at.execution) break;
    if (isParentBlockFull(at, child))
      throw new InputError(epoch, `the chain has the payload of slot ${at.slot}, but no node has it`);
    at = child;
  }
  if (at.execution) return at.execution;
  throw new InputError(epoch, `no payload shows the withdrawals of the block of slot ${block.slot} yet`);
}

export function processWithdrawals(
  world: Pick<World, 'balances' | 'builders'>,
  { withdrawals, builderWithdrawals }: ExecutionPayload,
): void {
  for (const { validatorIndex, amount } of withdrawals)
    decreaseBalance(world.balances, validatorIndex, amount);
  for (const { builder, amount } of builderWithdrawals) world.builders?.withdraw(builder, amount);
}

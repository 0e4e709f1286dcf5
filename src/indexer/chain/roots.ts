import { InputError } from './errors.ts';
import type { BeaconBlock } from './types.ts';

/** Returns the newest block root at each slot. Throws `InputError` if a block has another parent. */
export function rootsOf(
  epoch: number,
  blocks: readonly (BeaconBlock | null)[],
  last: string | undefined,
): string[] {
  let root = last ?? blocks.find((block) => block !== null)?.parentRoot ?? '';
  return blocks.map((block) => {
    if (!block) return root;
    if (root && block.parentRoot !== root)
      throw new InputError(
        epoch,
        `the block of slot ${block.slot} builds on ${block.parentRoot}, but the block before it is ${root}`,
      );
    return (root = block.root);
  });
}

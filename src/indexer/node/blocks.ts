import { isParentBlockFull } from '../chain/payloads.ts';
import type { BeaconBlock } from '../chain/types.ts';
import { readHeader, readRoot } from './answers.ts';
import { readBlock } from './block.ts';
import type { NodeClient } from './client.ts';
import { NodeError } from './errors.ts';
import { type Elsewhere, PayloadSource } from './payloads.ts';

/** Blocks of 16 epochs. */
const KEPT = 512;
const LONGEST_GAP = 128;
const blockPath = (id: number | string) => `/eth/v2/beacon/blocks/${id}`;

export type EpochBlocks = {
  blocks: (BeaconBlock | null)[];
  /** Block of the first slot after the epoch; null if missed. */
  next: BeaconBlock | null;
  /** The first block after the epoch. It has an empty root unless it is `next`. */
  after: BeaconBlock;
  /** Set if the node was synced from this slot's state and lacks this slot's block. */
  anchor: number | undefined;
};

/** Caches finalized blocks, because each epoch also needs blocks of the next epoch. */
export class BlockSource {
  readonly #client: NodeClient;
  readonly #kept = new Map<number, Promise<BeaconBlock | null>>();
  readonly #lifetime: AbortSignal;
  readonly payloads: PayloadSource;

  constructor(client: NodeClient, lifetime: AbortSignal, elsewhere: Elsewhere) {
    this.#client = client;
    this.#lifetime = lifetime;
    this.payloads = new PayloadSource(client, elsewhere);
  }

  clear(): void {
    this.#kept.clear();
    this.payloads.clear();
  }

  async #fetch(slot: number): Promise<BeaconBlock | null> {
    const request = { path: blockPath(slot), signal: this.#lifetime };
    const block = await this.#client.json(request, (answer) => readBlock(answer, ''));
    if (block && block.slot !== slot)
      throw this.#client.error('nonsense', `${blockPath(slot)}: the block is of slot ${block.slot}.`);
    return block ?? null;
  }

  /** The returned block has an empty `root`. */
  #at(slot: number, final: number): Promise<BeaconBlock | null> {
    const kept = this.#kept.get(slot);
    if (kept) return kept;
    const block = this.#fetch(slot);
    if (slot > final) return block;
    this.#kept.set(slot, block);
    block.catch(() => this.#kept.get(slot) === block && this.#kept.delete(slot));
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return block;
  }

  /** If the node answers 404 for the parent of a later block, tries once more, then throws. */
  async epoch(
    ...range: [first: number, slots: number, final: number, signal: AbortSignal]
  ): Promise<EpochBlocks> {
    try {
      return await this.#linked(...range);
    } catch (error) {
      if (!(error instanceof NodeError) || error.reason !== 'missing-block') throw error;
      this.#client.report(error);
      return this.#linked(...range);
    }
  }

  async #linked(first: number, slots: number, final: number, signal: AbortSignal): Promise<EpochBlocks> {
    const reads = Array.from({ length: slots + 1 }, (_, i) => this.#at(first + i, final));
    const found = await Promise.all(reads);
    const after = await this.#firstFrom(first + slots, final);
    let anchor: number | undefined;
    const blocks = found.slice(0, slots);
    let following = after;
    for (let i = slots - 1; i >= -1; i -= 1) {
      const block = i < 0 ? null : (blocks[i] as BeaconBlock | null);
      if (i >= 0 && block === null) continue;
      if (following.slot > first + i + 1) {
        const gap = await this.#checkGap({ first, before: first + i, following }, signal);
        if (gap === 'anchor') anchor = first;
      }
      if (!block) break;
      following = blocks[i] = { ...block, root: following.parentRoot };
    }
    const next = found[slots] ?? null;
    const withRoot = next && { ...next, root: await this.#rootOf(next.slot, signal) };
    return { blocks, next: withRoot, after: withRoot ?? after, anchor };
  }

  /**
   * Since Gloas, asks for the payloads of an epoch's blocks, and for the blocks after it up to the first whose payload was
   * revealed: the withdrawals of a block without a payload are repeated by the next payload.
   */
  async withPayloads(
    { blocks, after }: Pick<EpochBlocks, 'blocks' | 'after'>,
    final: number,
    signal: AbortSignal,
  ): Promise<{ blocks: (BeaconBlock | null)[]; following: BeaconBlock[] }> {
    if (!after.bid) return { blocks, following: [] };
    const revealed = async (block: BeaconBlock): Promise<BeaconBlock> =>
      block.bid ? { ...block, execution: await this.payloads.of(block, signal) } : block;
    const [found, following] = await Promise.all([
      Promise.all(blocks.map((block) => block && revealed(block))),
      this.#following(after, final, revealed, signal),
    ]);
    const inOrder = [...found.filter((block) => block !== null), ...following];
    const complete = await Promise.all(
      inOrder.map(async (block, at) => {
        const child = inOrder[at + 1];
        if (block.execution || !child || !isParentBlockFull(block, child)) return block;
        return { ...block, execution: await this.payloads.ofFull(block, signal) };
      }),
    );
    const bySlot = new Map(complete.map((block) => [block.slot, block]));
    const filled = (block: BeaconBlock) => bySlot.get(block.slot) as BeaconBlock;
    return { blocks: found.map((block) => block && filled(block)), following: following.map(filled) };
  }

  async #following(
    after: BeaconBlock,
    final: number,
    revealed: (block: BeaconBlock) => Promise<BeaconBlock>,
    signal: AbortSignal,
  ): Promise<BeaconBlock[]> {
    const following: BeaconBlock[] = [];
    for (let next = after; ; next = await this.#firstFrom(next.slot + 1, final)) {
      const root = next.root || (await this.#rootOf(next.slot, signal));
      const last = following.at(-1);
      if (last && next.parentRoot !== last.root)
        throw this.#client.error(
          'missing-block',
          `the block of slot ${next.slot} builds on ${next.parentRoot} in place of ${last.root} of slot ${last.slot}. It is asked for again.`,
        );
      const block = await revealed({ ...next, root });
      following.push(block);
      if (block.execution) return following;
    }
  }

  async #firstFrom(slot: number, final: number): Promise<BeaconBlock> {
    for (let at = slot; at < slot + LONGEST_GAP; at += 1) {
      const block = await this.#at(at, final);
      if (block) return block;
    }
    throw this.#client.error(
      'behind',
      `has no block in the ${LONGEST_GAP} slots from ${slot} on. It may be behind; its blocks are asked for again later.`,
    );
  }

  async #checkGap(
    { first, before, following }: { first: number; before: number; following: BeaconBlock },
    signal: AbortSignal,
  ): Promise<'missed' | 'anchor'> {
    const path = `/eth/v1/beacon/headers/${following.parentRoot}`;
    const parent = await this.#client.json({ path, signal }, readHeader);
    if (parent === undefined) {
      if (before < first && (await this.#beginsWith(first, following, signal))) return 'anchor';
      throw this.#noHistory(first);
    }
    if (before < first ? parent.slot < first : parent.slot === before) return 'missed';
    for (let slot = before + 1; slot < following.slot; slot += 1) this.#kept.delete(slot);
    throw this.#client.error(
      'missing-block',
      `answers 404 for slot ${parent.slot}, but the block of slot ${following.slot} has a parent there. It is asked again, or another node.`,
    );
  }

  async #beginsWith(first: number, following: BeaconBlock, signal: AbortSignal): Promise<boolean> {
    if (following.slot !== first + 1) return false;
    const before = Array.from({ length: Math.min(32, first) }, (_, i) =>
      this.#client.json({ path: `/eth/v1/beacon/blocks/${first - 1 - i}/root`, signal }, readRoot),
    );
    return (await Promise.all(before)).every((root) => root === undefined);
  }

  #noHistory(first: number) {
    return this.#client.error(
      'pruned',
      `has no blocks around slot ${first}: its history begins later. Let it backfill, use a node that has them, or begin later with --from.`,
    );
  }

  async #rootOf(id: number | string, signal: AbortSignal): Promise<string> {
    const root = await this.#client.json({ path: `/eth/v1/beacon/blocks/${id}/root`, signal }, readRoot);
    if (root === undefined)
      throw this.#client.error('missing-block', `has a block ${id} but answers 404 for its root.`);
    return root;
  }

  /** Requests the block by root, because a reorg may replace the block of a slot. */
  async near(id: number | string, signal: AbortSignal): Promise<BeaconBlock | null> {
    const path = `/eth/v1/beacon/blocks/${id}/root`;
    const urgent = true;
    const root = typeof id === 'string' ? id : await this.#client.json({ path, signal, urgent }, readRoot);
    if (root === undefined) return null;
    const block = await this.#client.json({ path: blockPath(root), signal, urgent }, (answer) =>
      readBlock(answer, root),
    );
    if (block && typeof id === 'number' && block.slot !== id)
      throw this.#client.error('nonsense', `${path}: the block of slot ${id} is of slot ${block.slot}.`);
    return block ?? null;
  }
}

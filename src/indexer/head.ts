import type { Beat } from './beat.ts';
import type { Nodes } from './node/index.ts';
import type { Teller } from './retry.ts';
import type { HeadSlashing, Store } from './store/index.ts';
import type { BeaconBlock } from './types.ts';

type Options = { nodes: Nodes; store: Store; beat: Beat; tell: Teller; stop: AbortSignal };
type Known = { slot: number; root: string };

/** Without finality, blocks are followed this far back. */
const MAX_BLOCKS = 2_048;

/** Stores blocks and slashings as soon as the head has them, and again when the chain reorganises. */
export async function followHead({ nodes, store, beat, tell, stop }: Options): Promise<void> {
  let known: readonly Known[] = [];
  while (!stop.aborted) {
    try {
      known = await catchUp(nodes, store, known);
    } catch (error) {
      known = []; // what is stored is uncertain, so it is read again
      if (!stop.aborted) tell.tell('head', `${(error as Error).message} New blocks are delayed.`);
    }
    await beat.wait();
  }
}

/** Stores what is new since `known`, and returns the blocks that are not final, oldest first. */
async function catchUp(nodes: Nodes, store: Store, known: readonly Known[]): Promise<readonly Known[]> {
  const head = await nodes.head();
  if (known.at(-1)?.root === head.root) return known;
  const { epoch } = await nodes.finality();
  // What is older is stored by epochs.
  const oldest = Math.max(0, epoch - 1) * nodes.spec.slotsPerEpoch;
  const { kept, blocks, from } = await walkBack(nodes, head.root, known, oldest);
  const fromSlot = from ?? blocks[0]?.slot;
  if (fromSlot === undefined || blocks.length === 0) return kept;
  const { slashings, unseen } = await slashingsOf(nodes, blocks);
  await store.writeHead({ fromSlot, blocks: await withMissed(nodes, fromSlot, blocks), slashings });
  const added = blocks.map(({ slot, root }) => ({ slot, root }));
  // Blocks whose slashings are not seen yet are read again.
  return [...kept, ...added].filter(({ slot }) => slot >= oldest && slot < unseen);
}

/**
 * The blocks from the head back to a known one, or to `oldest`, and the known ones that are their ancestors. `from`: the
 * first slot that they tell of; undefined where the node has no more.
 */
async function walkBack(nodes: Nodes, root: string, known: readonly Known[], oldest: number) {
  const places = new Map(known.map((block, place) => [block.root, place]));
  const blocks: BeaconBlock[] = [];
  for (let next = root; blocks.length < MAX_BLOCKS; ) {
    const place = places.get(next);
    if (place !== undefined) {
      const kept = known.slice(0, place + 1);
      return { kept, blocks, from: (kept.at(-1) as Known).slot + 1 };
    }
    const block = await nodes.blockAt(next);
    if (!block) break;
    if (block.slot < oldest) return { kept: [], blocks, from: oldest };
    blocks.unshift({ ...block, attestations: [] });
    next = block.parentRoot;
  }
  return { kept: [], blocks, from: undefined };
}

async function withMissed(nodes: Nodes, fromSlot: number, blocks: readonly BeaconBlock[]) {
  const bySlot = new Map(blocks.map((block) => [block.slot, block]));
  const proposers = new Map<number, Uint32Array>();
  const { slotsPerEpoch } = nodes.spec;
  const rows: { slot: number; proposerIndex: number; block: BeaconBlock | null }[] = [];
  for (let slot = fromSlot; slot <= (blocks.at(-1)?.slot ?? -1); slot += 1) {
    const block = bySlot.get(slot) ?? null;
    const epoch = Math.floor(slot / slotsPerEpoch);
    if (!block && !proposers.has(epoch)) proposers.set(epoch, await nodes.proposers(epoch));
    const proposerIndex = block?.proposerIndex ?? proposers.get(epoch)?.[slot % slotsPerEpoch];
    if (proposerIndex !== undefined) rows.push({ slot, proposerIndex, block });
  }
  return rows;
}

/** `unseen`: the first slot with a slashing that the state of the head does not have yet. */
async function slashingsOf(nodes: Nodes, blocks: readonly BeaconBlock[]) {
  const slashings: HeadSlashing[] = [];
  let unseen = Number.POSITIVE_INFINITY;
  for (const { slot, proposerSlashings, attesterSlashings } of blocks) {
    const indices = [...new Set([...proposerSlashings, ...attesterSlashings.flat()])];
    if (indices.length === 0) continue;
    const now = await nodes.validatorsAt('head', indices);
    const before = new Map((await justBefore(nodes, slot, indices)).map((one) => [one.record.index, one]));
    for (const { record, balance } of now) {
      const earlier = before.get(record.index);
      const epoch = Math.floor(slot / nodes.spec.slotsPerEpoch);
      const isSlashable = record.activationEpoch <= epoch && epoch < record.withdrawableEpoch;
      if (!record.slashed && isSlashable) unseen = Math.min(unseen, slot);
      // Validators slashed before can be named again, without effect.
      if (!record.slashed || earlier?.record.slashed) continue;
      slashings.push({
        ...{ validatorIndex: record.index, pubkey: record.pubkey, slot, balance },
        withdrawableEpoch: record.withdrawableEpoch,
        balanceBeforeSlashing: earlier?.balance ?? balance,
      });
    }
  }
  return { slashings, unseen };
}

/** From the newest state before the slot that the node has. */
async function justBefore(nodes: Nodes, slot: number, indices: readonly number[]) {
  const epochStart = slot - (slot % nodes.spec.slotsPerEpoch);
  for (const state of slot - 1 === epochStart ? [epochStart] : [slot - 1, epochStart]) {
    if (state >= slot) continue;
    const found = await nodes.validatorsAt(state, indices).catch(() => undefined);
    if (found) return found;
  }
  return [];
}

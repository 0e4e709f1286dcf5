import type { Beat } from './beat.ts';
import type { Nodes } from './node/index.ts';
import type { Teller } from './retry.ts';
import type { HeadSlashing, Store } from './store/index.ts';
import type { BeaconBlock } from './types.ts';

type Options = { nodes: Nodes; store: Store; beat: Beat; tell: Teller; stop: AbortSignal };
type Known = { slot: number; root: string };

/** Limits the walk back while the chain does not finalize. */
const MAX_BLOCKS = 2_048;

/** Replaces blocks and slashings after a reorg. */
export async function followHead({ nodes, store, beat, tell, stop }: Options): Promise<void> {
  let known: readonly Known[] = [];
  while (!stop.aborted) {
    try {
      known = await catchUp(nodes, store, known);
    } catch (error) {
      known = []; // what was stored is uncertain
      if (!stop.aborted) tell.tell('head', `${(error as Error).message} New blocks are delayed.`);
    }
    await beat.wait();
  }
}

/** Returns the blocks that are not final, oldest first. */
async function catchUp(nodes: Nodes, store: Store, known: readonly Known[]): Promise<readonly Known[]> {
  const head = await nodes.head();
  if (known.at(-1)?.root === head.root) return known;
  const { epoch } = await nodes.finality();
  // `follow` stores older blocks.
  const oldest = Math.max(0, epoch - 1) * nodes.spec.slotsPerEpoch;
  const { kept, blocks, from } = await walkBack(nodes, head.root, known, oldest);
  const fromSlot = from ?? blocks[0]?.slot;
  if (fromSlot === undefined || blocks.length === 0) return kept;
  const { slashings, unseen } = await slashingsOf(nodes, blocks);
  await store.writeHead({ fromSlot, blocks: await withMissed(nodes, fromSlot, blocks), slashings });
  const added = blocks.map(({ slot, root }) => ({ slot, root }));
  // Blocks with slashings that the head state lacks are read again.
  return [...kept, ...added].filter(({ slot }) => slot >= oldest && slot < unseen);
}

/** `kept`: known ancestors. `from`: first slot covered; undefined if the walk ended early. */
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

/** `unseen`: first slot with a slashing that the head state lacks. */
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
      // A slashing may name validators slashed before.
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

/** The validators in the newest earlier state that the node has. */
async function justBefore(nodes: Nodes, slot: number, indices: readonly number[]) {
  const epochStart = slot - (slot % nodes.spec.slotsPerEpoch);
  for (const state of slot - 1 === epochStart ? [epochStart] : [slot - 1, epochStart]) {
    if (state >= slot) continue;
    const found = await nodes.validatorsAt(state, indices).catch(() => undefined);
    if (found) return found;
  }
  return [];
}

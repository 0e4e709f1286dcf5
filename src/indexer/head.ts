import { traced } from '../kernel/tracing.ts';
import type { Beat } from './beat.ts';
import { rulesAt } from './chain/rules.ts';
import type { Nodes } from './node/index.ts';
import type { ValidatorAt } from './node/validators-at.ts';
import type { Teller } from './retry.ts';
import type { ChainSpec } from './spec.ts';
import type { HeadSlashing, Store } from './store/index.ts';
import type { BeaconBlock, ValidatorRecord } from './types.ts';

type Options = { nodes: Nodes; store: Store; beat: Beat; tell: Teller; stop: AbortSignal };
type Known = { slot: number; root: string };

const MAX_BLOCKS = 2_048;

/** Stores blocks that are not final, and replaces them after a reorg. */
export async function followHead({ nodes, store, beat, tell, stop }: Options): Promise<void> {
  let known: readonly Known[] = [];
  while (!stop.aborted) {
    try {
      const before = known;
      known = await traced('index head', {}, () => catchUp(nodes, store, before));
    } catch (error) {
      known = []; // the write may have failed
      if (!stop.aborted) tell.tell('head', `${(error as Error).message} New blocks are delayed.`);
    }
    await beat.wait();
  }
}

async function catchUp(nodes: Nodes, store: Store, known: readonly Known[]): Promise<readonly Known[]> {
  const head = await nodes.head();
  if (known.at(-1)?.root === head.root) return known;
  const { epoch } = await nodes.finality();
  // `follow` stores the blocks before `oldest`.
  const oldest = Math.max(0, epoch - 1) * nodes.spec.slotsPerEpoch;
  const { kept, blocks, from } = await walkBack(nodes, head.root, known, oldest);
  const fromSlot = from ?? blocks[0]?.slot;
  const goesBack = kept.length > 0 && kept.length < known.length;
  if (fromSlot === undefined || (blocks.length === 0 && !goesBack)) return kept;
  const { slashings, unseen } = await slashingsOf(nodes, blocks);
  await store.writeHead({ fromSlot, blocks: await withMissed(nodes, fromSlot, blocks), slashings });
  const added = blocks.map(({ slot, root }) => ({ slot, root }));
  // Blocks from `unseen` on are read again.
  return [...kept, ...added].filter(({ slot }) => slot >= oldest && slot < unseen);
}

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

/** `unseen` is the first slot with a slashing that the head state lacks. */
async function slashingsOf(nodes: Nodes, blocks: readonly BeaconBlock[]) {
  const { spec } = nodes;
  const slashings: HeadSlashing[] = [];
  const named = new Set<number>();
  let unseen = Number.POSITIVE_INFINITY;
  for (const { slot, proposerSlashings, attesterSlashings } of blocks) {
    const all = new Set([...proposerSlashings, ...attesterSlashings.flat()]);
    const indices = [...all].filter((index) => !named.has(index));
    if (indices.length === 0) continue;
    const epoch = Math.floor(slot / spec.slotsPerEpoch);
    const now = await nodes.validatorsAt('head', indices).catch(() => []);
    const before = await justBefore(nodes, slot, indices);
    for (const index of indices) {
      const [earlier, newest] = [before, now].map((state) =>
        state.find(({ record }) => record.index === index),
      );
      const known = earlier ?? newest;
      if (!newest?.record.slashed && (!known || isSlashable(known.record, epoch)))
        unseen = Math.min(unseen, slot);
      // A slashing may name already slashed validators.
      if (!known || !(earlier ? isSlashable(earlier.record, epoch) : isNew(known.record, epoch))) continue;
      named.add(index);
      const { pubkey } = known.record;
      const rest = newest?.record.slashed
        ? { withdrawableEpoch: newest.record.withdrawableEpoch, balance: newest.balance }
        : afterSlashing(spec, known, epoch);
      slashings.push({ validatorIndex: index, pubkey, slot, balanceBeforeSlashing: known.balance, ...rest });
    }
  }
  return { slashings, unseen };
}

const isSlashable = ({ slashed, activationEpoch, withdrawableEpoch }: ValidatorRecord, epoch: number) =>
  !slashed && activationEpoch <= epoch && epoch < withdrawableEpoch;

/** For a record of the head state, which may already include the slashing. */
const isNew = (record: ValidatorRecord, epoch: number) => record.slashed || isSlashable(record, epoch);

/** Ignores the exit queue, which may delay the withdrawal. */
function afterSlashing(spec: ChainSpec, { record, balance }: ValidatorAt, epoch: number) {
  const exits = Number.isFinite(record.withdrawableEpoch) ? record.withdrawableEpoch : 0;
  const penalty = Math.floor(record.effectiveBalance / rulesAt(spec, epoch).slashingQuotient);
  return {
    withdrawableEpoch: Math.max(exits, epoch + spec.epochsPerSlashingsVector),
    balance: Math.max(0, balance - penalty),
  };
}

async function justBefore(nodes: Nodes, slot: number, indices: readonly number[]) {
  const epochStart = slot - (slot % nodes.spec.slotsPerEpoch);
  for (const state of slot - 1 === epochStart ? [epochStart] : [slot - 1, epochStart]) {
    if (state >= slot) continue;
    const found = await nodes.validatorsAt(state, indices).catch(() => undefined);
    if (found) return found;
  }
  return [];
}

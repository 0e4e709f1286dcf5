import { traced } from '../kernel/tracing.ts';
import type { Beat } from './beat.ts';
import { bidOf } from './chain/facts.ts';
import { isParentBlockFull } from './chain/payloads.ts';
import { rulesAt } from './chain/rules.ts';
import type { ChainSpec } from './chain/spec.ts';
import type { BeaconBlock, SlotFacts, ValidatorRecord } from './chain/types.ts';
import { firstUnknownFork } from './forks.ts';
import { NodeError, type Nodes } from './node/index.ts';
import type { ValidatorAt } from './node/validators-at.ts';
import type { Teller } from './retry.ts';
import type { HeadSlashing, Store } from './store/index.ts';

type Options = { nodes: Nodes; store: Store; beat: Beat; tell: Teller; stop: AbortSignal };
type Known = { slot: number; root: string };

const MAX_BLOCKS = 2_048;

/** Stores blocks that are not final, and replaces them after a reorg. */
export async function followHead({ nodes, store, beat, tell, stop }: Options): Promise<void> {
  let known: readonly Known[] = [];
  while (!stop.aborted) {
    try {
      const before = known;
      known = await traced('index head', {}, () => catchUp({ nodes, store, tell }, before));
    } catch (error) {
      known = []; // the write may have failed
      if (!stop.aborted) tell.tell('head', `${(error as Error).message} New blocks are delayed.`);
    }
    await beat.wait();
  }
}

type Head = Pick<Options, 'nodes' | 'store' | 'tell'>;

async function catchUp({ nodes, store, tell }: Head, known: readonly Known[]): Promise<readonly Known[]> {
  const head = await nodes.head();
  const fork = firstUnknownFork(nodes.spec);
  if (fork && head.slot >= fork.epoch * nodes.spec.slotsPerEpoch) return known;
  if (known.at(-1)?.root === head.root) return known;
  const { epoch } = await nodes.finality();
  // `follow` stores the blocks before `oldest`.
  const oldest = Math.max(0, epoch - 1) * nodes.spec.slotsPerEpoch;
  const { kept, blocks, from } = await walkBack(nodes, head.root, known, oldest);
  const fromSlot = from ?? blocks[0]?.slot;
  const goesBack = kept.length > 0 && kept.length < known.length;
  if (fromSlot === undefined || (blocks.length === 0 && !goesBack)) return kept;
  const { slashings, unseen } = await slashingsOf(nodes, blocks);
  const withPayload = await withPayloads(nodes, blocks);
  const rows = await withMissed({ nodes, tell }, fromSlot, withPayload);
  await store.writeHead({ fromSlot, blocks: rows, slashings });
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
      const { slot } = known[place] as Known;
      // Since Gloas, the new block tells whether its parent is full, and another one may have said the opposite.
      const again = slot >= nodes.spec.forkEpochs.gloas * nodes.spec.slotsPerEpoch;
      if (!again) return { kept: known.slice(0, place + 1), blocks, from: slot + 1 };
      const parent = await nodes.blockAt(next);
      if (!parent) break;
      return { kept: known.slice(0, place), blocks: [withoutVotes(parent), ...blocks], from: slot };
    }
    const block = await nodes.blockAt(next);
    if (!block) break;
    if (block.slot < oldest) return { kept: [], blocks, from: oldest };
    blocks.unshift(withoutVotes(block));
    next = block.parentRoot;
  }
  return { kept: [], blocks, from: undefined };
}

const withoutVotes = (block: BeaconBlock): BeaconBlock => ({ ...block, attestations: [] });

async function withPayloads(nodes: Nodes, blocks: readonly BeaconBlock[]): Promise<SlotFacts[]> {
  const bidders = blocks.flatMap(({ bid }) => bid?.builderIndex ?? []);
  const builders = bidders.length ? await nodes.builders('head', bidders) : null;
  return Promise.all(
    blocks.map(async (block, at) => {
      const child = blocks[at + 1];
      const facts = { slot: block.slot, proposerIndex: block.proposerIndex, bid: bidOf(block, builders) };
      if (!block.bid) return { ...facts, block, payload: null };
      if (!child) return { ...facts, block, payload: 'unknown' };
      if (!isParentBlockFull(block, child)) return { ...facts, block, payload: 'empty' };
      return { ...facts, block: { ...block, execution: await nodes.payloadOf(block) }, payload: 'full' };
    }),
  );
}

/** Leaves out missed slots whose proposer no node reports; they are stored with their epoch. */
async function withMissed(
  { nodes, tell }: Omit<Head, 'store'>,
  fromSlot: number,
  blocks: readonly SlotFacts[],
) {
  const bySlot = new Map(blocks.map((facts) => [facts.slot, facts]));
  const proposers = new Map<number, Uint32Array | undefined>();
  const { slotsPerEpoch } = nodes.spec;
  const rows: SlotFacts[] = [];
  for (let slot = fromSlot; slot <= (blocks.at(-1)?.slot ?? -1); slot += 1) {
    const withPayload = bySlot.get(slot);
    const epoch = Math.floor(slot / slotsPerEpoch);
    if (!withPayload && !proposers.has(epoch))
      proposers.set(
        epoch,
        await nodes.proposers(epoch).catch((error) => {
          if (!(error instanceof NodeError)) throw error;
          tell.tell('head-proposers', `${error.message} Missed slots are stored later, with their epoch.`);
          return undefined;
        }),
      );
    const proposerIndex = withPayload?.proposerIndex ?? proposers.get(epoch)?.[slot % slotsPerEpoch];
    if (withPayload) rows.push(withPayload);
    else if (proposerIndex !== undefined)
      rows.push({ slot, proposerIndex, block: null, payload: null, bid: null });
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

import type { ChainSpec } from '../spec.ts';
import type { BeaconBlock, EpochFacts, EpochInput } from '../types.ts';
import { updateEffectiveBalances } from './balances.ts';
import { applyBlock, type BlockEffects } from './block.ts';
import type { ChainState } from './chain-state.ts';
import { activeIn, checkInput } from './check.ts';
import { processConsolidations } from './consolidations.ts';
import { type DepositQueue, processDeposits } from './deposits.ts';
import { factsOf, openFactsOf } from './facts.ts';
import { reconcileBalances, reconcileRecords } from './reconcile.ts';
import { FAR, type ValidatorSet } from './registry.ts';
import { payDuties, type Rewards } from './rewards.ts';
import { rootsOf } from './roots.ts';
import { rulesAt } from './rules.ts';
import { penalizeCorrelation } from './slashings.ts';
import { type Terms, termsOf } from './terms.ts';
import { EpochVotes, flagWeights } from './votes.ts';
import type { World } from './world.ts';

export type Applied = {
  readonly effects: readonly (BlockEffects | null)[];
  readonly duties: Rewards;
  /** All votes of the previous epoch. */
  readonly votes: EpochVotes;
  readonly consolidations: EpochFacts['consolidations'];
  readonly correlation: number;
  readonly queue: DepositQueue;
};

/** Applies an epoch and the first block of the next one. Changes `registry`, unless it throws. */
export function step(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: ChainState,
  input: EpochInput,
): { state: ChainState; facts: EpochFacts | undefined } {
  checkInput(spec, registry, state, input);
  const roots = rootsOf(input.epoch, input.blocks, state.roots.at(-1));
  const next = rootsOf(input.epoch, [input.nextFirstBlock], roots.at(-1));
  const world = worldOf(spec, registry, state, input, [...before(state, roots), ...roots, ...next]);
  const applied = applyEpoch(world, state, input);
  const taken = takeRecords(registry, input);
  try {
    const terms = termsOf(spec, activeIn(registry, input.epoch + 1, world.increments).increments);
    const first = applyFirst(world, input, terms);
    reconcileBalances(input.epoch, world.balances, input.next.balances);
    reconcileRecords(input.epoch, world, input.records);
    return {
      state: {
        epoch: input.epoch + 1,
        balances: input.next.balances,
        increments: world.increments,
        scores: world.scores,
        finalizedEpoch: input.next.finalizedEpoch,
        pendingConsolidations: input.next.pendingConsolidations,
        terms,
        votes: world.votes[1] as EpochVotes,
        roots,
        queue: { ...applied.queue, entries: [...applied.queue.entries, ...world.deposits] },
        slashings: recent(world),
        first: { known: true, root: input.nextFirstBlock?.root ?? null, effects: first },
        open: openFactsOf(spec, state, input, applied),
        published: state.open !== null,
      },
      facts: state.open
        ? factsOf(
            spec,
            state,
            state.open,
            applied,
            state.published ? taken.changed : range(registry.size),
            world.increments,
          )
        : undefined,
    };
  } catch (error) {
    taken.undo();
    throw error;
  }
}

/** The first known root replaces unknown roots. */
const before = (state: ChainState, roots: readonly string[]) =>
  state.roots.length ? state.roots : roots.map(() => roots[0] as string);

const resized = <T extends Float64Array | Uint32Array | Uint16Array | Uint8Array>(
  from: T,
  length: number,
): T => {
  const next = new (from.constructor as new (length: number) => T)(length);
  next.set(from.subarray(0, length));
  return next;
};

function worldOf(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: ChainState,
  input: EpochInput,
  roots: readonly string[],
): World {
  const { epoch } = input;
  const size = input.next.balances.length;
  const prefixes = new Uint8Array(size);
  for (let index = 0; index < registry.size; index++) prefixes[index] = registry.prefix(index);
  const newcomers = input.records.filter(({ index }) => index >= registry.size);
  for (const { index, withdrawalCredentials } of newcomers)
    prefixes[index] = Number(withdrawalCredentials.slice(0, 4));
  const exits = new Uint32Array(size).fill(FAR);
  exits.set(registry.exit.subarray(0, registry.size));
  const start = (epoch - 1) * spec.slotsPerEpoch;
  return {
    spec,
    epoch,
    rules: rulesAt(spec, epoch),
    terms: state.terms,
    weights: flagWeights(spec),
    balances: resized(state.balances, size),
    increments: resized(state.increments, size),
    scores: resized(state.scores, size),
    slashed: resized(registry.slashed.subarray(0, registry.size), size),
    prefixes,
    exits,
    exiting: new Set(),
    registry,
    records: new Map(input.records.map((record) => [record.index, record])),
    votes: [state.votes.copy(), EpochVotes.open(input.committees, size)],
    rootAt: (slot) => roots[slot - start],
    deposits: [],
    slashings: [...state.slashings],
    newcomers: new Map(newcomers.map(({ index, pubkey }) => [pubkey, index])),
  };
}

function applyEpoch(world: World, state: ChainState, input: EpochInput): Applied {
  const { next } = input;
  const size = next.balances.length;
  const effects = input.blocks.map((block, slot) =>
    slot > 0 && block ? applyBlock(world, block, input.syncCommittee) : null,
  );
  const votes = world.votes[0] as EpochVotes;
  const duties = payDuties(world, votes, next.finalizedEpoch);
  noteEjections(world);
  const correlation = penalizeCorrelation(world, next.balances);
  const entries = [...state.queue.entries, ...world.deposits.splice(0)];
  const queue = world.rules.electra
    ? processDeposits(world, { ...state.queue, entries }, next.finalizedEpoch, next.balances)
    : state.queue;
  const consolidations = processConsolidations(
    world,
    state.pendingConsolidations,
    next.pendingConsolidations,
  );
  updateEffectiveBalances(world, size);
  return { effects, duties, votes, consolidations, correlation, queue };
}

/** Deposits to validators that `process_registry_updates` ejects are postponed. */
function noteEjections({ spec, registry, records, exiting, increments, epoch }: World): void {
  const ejection = spec.ejectionBalance / spec.effectiveBalanceIncrement;
  for (const index of records.keys())
    if (index < registry.size && registry.isActive(index, epoch) && (increments[index] as number) <= ejection)
      exiting.add(index);
}

function applyFirst(world: World, input: EpochInput, terms: Terms): BlockEffects | null {
  const block: BeaconBlock | null = input.nextFirstBlock;
  if (!block) return null;
  const epoch = input.epoch + 1;
  const rules = rulesAt(world.spec, epoch);
  const votes = world.votes.slice(1);
  const exiting = new Set(world.exiting);
  return applyBlock({ ...world, epoch, rules, terms, votes, exiting }, block, input.nextSyncCommittee);
}

function takeRecords(registry: ValidatorSet, input: EpochInput) {
  const size = registry.size;
  const sorted = input.records.toSorted((a, b) => a.index - b.index);
  const old = sorted.filter(({ index }) => index < size).map(({ index }) => registry.record(index));
  const undo = () => {
    registry.shrink(size);
    for (const record of old) registry.set(record);
  };
  const text = (record: object) => JSON.stringify({ ...record, effectiveBalance: 0 });
  const changed: number[] = [];
  try {
    for (const [at, record] of sorted.entries()) {
      registry.set(record);
      const former = old[at];
      if (!former || text(former) !== text(registry.record(record.index))) changed.push(record.index);
    }
  } catch (error) {
    undo();
    throw error;
  }
  return { changed, undo };
}

const recent = ({ slashings, epoch, spec }: World) =>
  slashings.filter((each) => each.epoch > epoch + 1 - spec.epochsPerSlashingsVector);

const range = (length: number) => Array.from({ length }, (_, index) => index);

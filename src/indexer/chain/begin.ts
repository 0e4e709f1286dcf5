import { processAttestation, processBlock } from './block.ts';
import type { ChainState } from './chain-state.ts';
import { activeIn, checkCommittees } from './check.ts';
import { queueAnew } from './deposits.ts';
import { InputError } from './errors.ts';
import { noteBlock, statusOf } from './payloads.ts';
import type { ValidatorSet } from './registry.ts';
import { rootsOf } from './roots.ts';
import { rulesAt } from './rules.ts';
import { slashingsBefore } from './slashings.ts';
import type { ChainSpec } from './spec.ts';
import { termsOf } from './terms.ts';
import type { BeaconBlock, Committees, DepositRequest, EpochState, ValidatorRecord } from './types.ts';
import { EpochVotes, flagWeights } from './votes.ts';
import { COMPOUNDING_PREFIX, type World } from './world.ts';

/** Describes S_F, the first state of the index. */
export type StartInput = {
  readonly state: EpochState;
  readonly records: Iterable<ValidatorRecord>;
  /** Incomplete if the node does not report the queue. */
  readonly pendingDeposits: readonly Omit<DepositRequest, 'signature'>[];
  readonly syncCommittee: Uint32Array;
  /** Blocks of epoch F − 1 and slot 32F; null if the node's history begins with S_F. */
  readonly before: {
    readonly blocks: readonly (BeaconBlock | null)[];
    readonly committees: Committees;
    readonly firstBlock: BeaconBlock | null;
    /** Since Gloas, the newest block before epoch F − 1; otherwise null. */
    readonly earlier: BeaconBlock | null;
    /** As in `EpochInput`, for epoch F − 1. */
    readonly following: readonly BeaconBlock[];
  } | null;
};

export function beginState(spec: ChainSpec, registry: ValidatorSet, start: StartInput): ChainState {
  const { epoch, balances, finalizedEpoch } = start.state;
  if (epoch - 2 - finalizedEpoch > spec.minEpochsToInactivityPenalty)
    throw new InputError(
      epoch,
      `the chain is in an inactivity leak (finalized is ${finalizedEpoch}), and no node reports the inactivity scores; begin at epoch ${finalizedEpoch + 2 + spec.minEpochsToInactivityPenalty} or before, or after the leak`,
    );
  registry.increments = new Uint16Array(balances.length);
  for (const record of start.records) {
    registry.set(record);
    registry.increments[record.index] = record.effectiveBalance / spec.effectiveBalanceIncrement;
  }
  if (registry.size !== balances.length)
    throw new InputError(epoch, `there are ${registry.size} validators with ${balances.length} balances`);
  const state: Omit<ChainState, 'first'> = {
    epoch,
    balances,
    increments: registry.increments,
    scores: new Uint32Array(balances.length),
    finalizedEpoch,
    pendingConsolidations: start.state.pendingConsolidations,
    terms: termsOf(spec, activeIn(registry, epoch, registry.increments).increments),
    votes: votesBefore(registry, start),
    roots: start.before ? rootsOf(epoch - 1, start.before.blocks, undefined) : [],
    blocks: new Map(),
    payments: new Map(),
    builders: start.state.builders,
    queue: queueAnew({ first: 0, entries: [], carry: [0, 0] }, start.pendingDeposits),
    slashings: slashingsBefore(spec, registry, epoch),
    open: null,
    published: false,
  };
  if (!start.before && rulesAt(spec, epoch).gloas)
    throw new InputError(
      epoch,
      `the node has no earlier blocks, which show whether the next block's parent has a payload; begin at epoch ${epoch + 1} or later`,
    );
  return { ...state, ...firstOf(spec, registry, state, start) };
}

/** Without `before`, the votes are unknown and treated as missed. */
function votesBefore(registry: ValidatorSet, { state, before }: StartInput): EpochVotes {
  const epoch = state.epoch - 1;
  if (before) {
    checkCommittees(registry, registry.increments, before.committees, epoch);
    return EpochVotes.open(before.committees, registry.size);
  }
  const members: number[] = [];
  for (let index = 0; index < registry.size; index++)
    if (registry.isActive(index, epoch)) members.push(index);
  const none: Committees = {
    epoch,
    perSlot: 0,
    offsets: new Uint32Array(),
    members: Uint32Array.from(members),
  };
  return EpochVotes.open(none, registry.size);
}

/**
 * Adds the votes in the previous epoch's blocks, and computes the effects of this epoch's first block. `balances`
 * already include that block, which matters only if a balance is 0.
 */
function firstOf(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: Omit<ChainState, 'first'>,
  { before, syncCommittee, state: { balances } }: StartInput,
): Pick<ChainState, 'first' | 'blocks' | 'payments'> {
  const { blocks, payments } = state;
  if (!before) return { blocks, payments, first: { known: false, root: null, effects: null } };
  const block = before.firstBlock;
  const roots = [...state.roots, ...rootsOf(state.epoch, [block], state.roots.at(-1))];
  const since = (state.epoch - 1) * spec.slotsPerEpoch;
  const world = worldOf(spec, registry, state, (slot) => roots[slot - since]);
  noteBlocks(world, before);
  for (const each of before.blocks)
    if (each)
      for (const attestation of ownVotes(each, state).attestations)
        processAttestation({ ...world, epoch: state.epoch - 1 }, each, attestation);
  const noted = { blocks: world.blocks, payments: world.payments };
  if (!block) return { ...noted, first: { known: true, root: null, effects: null } };
  world.balances.set(balances);
  const effects = processBlock(world, block, syncCommittee, before.following.slice(1));
  const slashings = effects.slashings.map((each) => {
    const now = balances[each.validatorIndex] as number;
    const change = (world.balances[each.validatorIndex] as number) - now;
    const { withdrawableEpoch } = registry.record(each.validatorIndex);
    return { ...each, withdrawableEpoch, balanceBeforeSlashing: now - change };
  });
  return { ...noted, first: { known: true, root: block.root, effects: { ...effects, slashings } } };
}

/** Notes which of the blocks before the start are full, as their children show. Call before their votes are counted. */
function noteBlocks(world: World, { earlier, blocks, firstBlock }: NonNullable<StartInput['before']>): void {
  const inOrder = [earlier, ...blocks, firstBlock].filter((block) => block !== null);
  const [oldest, ...rest] = inOrder;
  if (oldest) world.blocks.set(oldest.root, statusOf(oldest));
  for (const block of rest) noteBlock(world, block);
}

/** Drops votes for earlier epochs, whose committees are unknown. */
const ownVotes = (block: BeaconBlock, { epoch }: { epoch: number }): BeaconBlock => ({
  ...block,
  attestations: block.attestations.filter(({ target }) => target.epoch === epoch - 1),
});

function worldOf(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: Omit<ChainState, 'first'>,
  rootAt: World['rootAt'],
): World {
  const { epoch, increments, scores, terms, votes } = state;
  return {
    spec,
    epoch,
    rules: rulesAt(spec, epoch),
    terms,
    weights: flagWeights(spec),
    balances: state.balances.slice(),
    increments,
    scores,
    slashed: slashedBefore(spec, registry, epoch),
    prefixes: new Uint8Array(registry.size).fill(COMPOUNDING_PREFIX), // because any excess balance is already queued
    exits: registry.exit.slice(0, registry.size),
    exiting: new Set(),
    registry,
    records: new Map(),
    votes: [votes],
    rootAt,
    blocks: new Map(),
    payments: new Map(),
    builders: null,
    deposits: [],
    slashings: [],
    newcomers: new Map(),
  };
}

/** Excludes slashings in `epoch`, whose withdrawable epoch is at least `epoch` + EPOCHS_PER_SLASHINGS_VECTOR. */
const slashedBefore = (spec: ChainSpec, { slashed, withdrawable, size }: ValidatorSet, epoch: number) =>
  Uint8Array.from({ length: size }, (_, index) =>
    slashed[index] && (withdrawable[index] as number) < epoch + spec.epochsPerSlashingsVector ? 1 : 0,
  );

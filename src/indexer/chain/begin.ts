import type { ChainSpec } from '../spec.ts';
import type { BeaconBlock, Committees } from '../types.ts';
import { applyBlock, attest } from './block.ts';
import type { ChainState, FirstBlock } from './chain-state.ts';
import { activeIn, checkCommittees } from './check.ts';
import type { DepositQueue } from './deposits.ts';
import { InputError } from './errors.ts';
import type { Start } from './index.ts';
import type { ValidatorSet } from './registry.ts';
import { rootsOf } from './roots.ts';
import { rulesAt } from './rules.ts';
import { slashingsBefore } from './slashings.ts';
import { termsOf } from './terms.ts';
import { EpochVotes, flagWeights } from './votes.ts';
import { COMPOUNDING_PREFIX, type World } from './world.ts';

export function beginState(spec: ChainSpec, registry: ValidatorSet, start: Start): ChainState {
  const { epoch, balances, finalizedEpoch } = start.state;
  if (epoch - 2 - finalizedEpoch > spec.minEpochsToInactivityPenalty)
    throw new InputError(
      epoch,
      `the chain is in an inactivity leak (finalized is ${finalizedEpoch}), and no node tells the scores; begin at epoch ${finalizedEpoch + 2 + spec.minEpochsToInactivityPenalty} or before, or after the leak`,
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
    queue: queueOf(start),
    slashings: slashingsBefore(spec, registry, epoch),
    open: null,
    published: false,
  };
  return { ...state, first: firstOf(spec, registry, state, start) };
}

/** Without `before`, the votes are unknown and treated as missed. */
function votesBefore(registry: ValidatorSet, { state, before }: Start): EpochVotes {
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

/** Without pending deposits, the unused churn is 0. With pending deposits it is unknown, because no node reports it. */
const queueOf = ({ pendingDeposits }: Start): DepositQueue => ({
  first: 0,
  entries: pendingDeposits.map(({ pubkey, withdrawalCredentials, amount, slot }) => ({
    pubkey,
    withdrawalCredentials,
    amount,
    slot,
  })),
  carry: [0, pendingDeposits.length ? Number.POSITIVE_INFINITY : 0],
});

/**
 * Adds the votes in the previous epoch's blocks, and computes the effects of this epoch's first block. `balances`
 * already include that block, which matters only if a balance is 0.
 */
function firstOf(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: Omit<ChainState, 'first'>,
  { before, syncCommittee, state: { balances } }: Start,
): FirstBlock {
  if (!before) return { known: false, root: null, effects: null };
  const block = before.firstBlock;
  const roots = [...state.roots, ...rootsOf(state.epoch, [block], state.roots.at(-1))];
  const since = (state.epoch - 1) * spec.slotsPerEpoch;
  const world = worldOf(spec, registry, state, (slot) => roots[slot - since]);
  for (const each of before.blocks)
    if (each) attest({ ...world, epoch: state.epoch - 1 }, ownVotes(each, state));
  if (!block) return { known: true, root: null, effects: null };
  world.balances.set(balances);
  const effects = applyBlock(world, block, syncCommittee);
  const slashings = effects.slashings.map((each) => {
    const now = balances[each.validatorIndex] as number;
    const change = (world.balances[each.validatorIndex] as number) - now;
    const { withdrawableEpoch } = registry.record(each.validatorIndex);
    return { ...each, withdrawableEpoch, balanceBeforeSlashing: now - change };
  });
  return { known: true, root: block.root, effects: { ...effects, slashings } };
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

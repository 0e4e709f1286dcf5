import { buildersOf } from './builders.ts';
import type { ChainState } from './chain-state.ts';
import { statusOf } from './payloads.ts';
import { FAR, type ValidatorSet } from './registry.ts';
import { rulesAt } from './rules.ts';
import type { ChainSpec } from './spec.ts';
import type { BlockStatus, EpochInput } from './types.ts';
import { EpochVotes, flagWeights } from './votes.ts';
import type { World } from './world.ts';

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

/** `roots`: newest block root at each slot of the epoch, and at the first slot of the next one. */
export function worldOf(
  spec: ChainSpec,
  registry: ValidatorSet,
  state: ChainState,
  input: EpochInput,
  roots: readonly string[],
): World {
  const { epoch, next } = input;
  const size = next.balances.length;
  const prefixes = new Uint8Array(size);
  for (let index = 0; index < registry.size; index++) prefixes[index] = registry.prefix(index);
  const newcomers = input.records.filter(({ index }) => index >= registry.size);
  for (const { index, withdrawalCredentials } of newcomers)
    prefixes[index] = Number(withdrawalCredentials.slice(0, 4));
  const exits = new Uint32Array(size).fill(FAR);
  exits.set(registry.exit.subarray(0, registry.size));
  const start = (epoch - 1) * spec.slotsPerEpoch;
  const known = [...before(state, roots.slice(0, spec.slotsPerEpoch)), ...roots];
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
    rootAt: (slot) => known[slot - start],
    blocks: blocksBefore(state, input),
    payments: new Map(state.payments),
    builders: buildersOf(state.builders, next.builders),
    deposits: [],
    slashings: [...state.slashings],
    newcomers: new Map(newcomers.map(({ index, pubkey }) => [pubkey, index])),
  };
}

/** With the first block of the epoch, which a state of an earlier version does not have. */
function blocksBefore({ blocks }: ChainState, { blocks: [first] }: EpochInput): Map<string, BlockStatus> {
  const known = new Map(blocks);
  if (first && !known.has(first.root)) known.set(first.root, statusOf(first));
  return known;
}

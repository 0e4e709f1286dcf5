import type { ChainSpec } from '../spec.ts';
import type { BlockFacts, EpochFacts, EpochInput } from '../types.ts';
import type { BlockEffects } from './block.ts';
import type { ChainState, OpenFacts } from './chain-state.ts';
import type { Applied } from './step.ts';

export function openFactsOf(
  spec: ChainSpec,
  { first, terms }: ChainState,
  input: EpochInput,
  applied: Applied,
): OpenFacts {
  const effects: readonly (BlockEffects | null)[] = [first.effects, ...applied.effects.slice(1)];
  const told = effects.filter((each) => each !== null);
  const blocks = effects.map(
    (each, at): BlockFacts => ({
      slot: input.epoch * spec.slotsPerEpoch + at,
      proposerIndex: input.proposers[at] as number,
      block: stripped(input, at),
      consensusRewards: each?.consensusRewards ?? 0,
    }),
  );
  return {
    blocks: first.known ? blocks : blocks.slice(1),
    seats: told.flatMap(({ seats }) => seats ?? []),
    syncCommittee: input.syncCommittee,
    slashings: told.flatMap(({ slashings }) => slashings),
    consolidations: applied.consolidations,
    totalActiveBalance: terms.increments * spec.effectiveBalanceIncrement,
    slashingPenalties: told.reduce((sum, { penalties }) => sum + penalties, applied.correlation),
  };
}

/** Omits attestations, which are already counted and would dominate the saved state. */
function stripped(input: EpochInput, at: number): BlockFacts['block'] {
  const block = input.blocks[at];
  return block ? { ...block, attestations: [] } : null;
}

export function factsOf(
  spec: ChainSpec,
  state: ChainState,
  open: OpenFacts,
  { duties, votes }: Applied,
  changed: readonly number[],
  next: Uint16Array,
): EpochFacts {
  const { balances, increments } = state;
  const inGwei = (from: Uint16Array) => {
    const found = new Float64Array(from.length);
    for (let index = 0; index < from.length; index++)
      found[index] = (from[index] as number) * spec.effectiveBalanceIncrement;
    return found;
  };
  return {
    ...open,
    epoch: state.epoch - 1,
    pendingConsolidations: state.pendingConsolidations,
    votes: votes.votes,
    delays: votes.delays,
    rewards: duties.rewards,
    penaltiesWithoutDuty: duties.penaltiesWithoutDuty,
    balances,
    effectiveBalances: inGwei(increments),
    nextEffectiveBalances: inGwei(next),
    changed: Uint32Array.from(changed),
  };
}

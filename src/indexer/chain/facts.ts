import type { BlockEffects } from './block.ts';
import { builderFacts, pubkeyOf } from './builders.ts';
import type { ChainState, OpenFacts } from './chain-state.ts';
import type { DepositQueue } from './deposits.ts';
import { isParentBlockFull } from './payloads.ts';
import type { Rewards } from './rewards.ts';
import type { ChainSpec } from './spec.ts';
import type { BeaconBlock, BidFacts, BlockFacts, BuilderRecord, EpochFacts, EpochInput } from './types.ts';
import type { EpochVotes } from './votes.ts';
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

export function openFactsOf(
  spec: ChainSpec,
  { first, terms, builders }: ChainState,
  input: EpochInput,
  applied: Applied,
): OpenFacts {
  const effects: readonly (BlockEffects | null)[] = [first.effects, ...applied.effects.slice(1)];
  const known = effects.filter((each) => each !== null);
  const blocks = effects.map((each, at): BlockFacts => {
    const block = input.blocks[at] ?? null;
    return {
      slot: input.epoch * spec.slotsPerEpoch + at,
      proposerIndex: input.proposers[at] as number,
      block: block && stripped(block),
      payload: block?.bid ? 'unknown' : null,
      bid: block && bidOf(block, builders),
      consensusRewards: each?.consensusRewards ?? 0,
    };
  });
  return {
    blocks: first.known ? blocks : blocks.slice(1),
    seats: known.flatMap(({ seats }) => seats ?? []),
    syncCommittee: input.syncCommittee,
    slashings: known.flatMap(({ slashings }) => slashings),
    consolidations: applied.consolidations,
    totalActiveBalance: terms.increments * spec.effectiveBalanceIncrement,
    slashingPenalties: known.reduce((sum, { penalties }) => sum + penalties, applied.correlation),
  };
}

/** Omits attestations, which are already counted and would dominate the saved state. */
const stripped = (block: BeaconBlock): BeaconBlock => ({ ...block, attestations: [] });

/** Without the payment, which is known later. */
export function bidOf({ bid }: BeaconBlock, builders: readonly BuilderRecord[] | null): BidFacts | null {
  if (!bid) return null;
  const { builderIndex: index, value, executionPayment, feeRecipient } = bid;
  const builder = index === null ? null : { index, pubkey: pubkeyOf(builders, index) };
  return { builder, value, executionPayment, feeRecipient, payment: null };
}

/**
 * If the child of a block comes after all blocks of the next epoch, it is the `following` one. It then tells whether the
 * block is full, and pays by the bid itself.
 */
function finished(
  facts: BlockFacts,
  { blocks, payments }: World,
  [child]: readonly BeaconBlock[],
): BlockFacts {
  const { block, bid, slot } = facts;
  if (!block || !bid) return facts;
  const known = blocks.get(block.root)?.full ?? null;
  const full = known ?? (child !== undefined && isParentBlockFull(block, child));
  const pending = payments.get(slot)?.payment ?? null;
  const payment = full && (known === null || pending !== 'cancelled') ? 'settled' : pending;
  return {
    ...facts,
    block: full ? block : { ...block, execution: null },
    payload: full ? 'full' : 'empty',
    bid: { ...bid, payment: bid.builder ? payment : null },
  };
}

export function factsOf(
  world: World,
  state: ChainState,
  open: OpenFacts,
  { duties, votes }: Applied,
  following: readonly BeaconBlock[],
  changed: readonly number[],
): EpochFacts {
  const { spec, increments: next } = world;
  const { balances, increments } = state;
  const inGwei = (from: Uint16Array) => {
    const found = new Float64Array(from.length);
    for (let index = 0; index < from.length; index++)
      found[index] = (from[index] as number) * spec.effectiveBalanceIncrement;
    return found;
  };
  const blocks = open.blocks.map((each) => finished(each, world, following));
  return {
    ...open,
    blocks,
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
    builders: state.builders && builderFacts(state.builders, blocks),
  };
}

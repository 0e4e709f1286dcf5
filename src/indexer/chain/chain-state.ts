import type { EpochFacts, PendingConsolidation } from '../types.ts';
import type { BlockEffects } from './block.ts';
import type { DepositQueue } from './deposits.ts';
import type { Terms } from './terms.ts';
import type { EpochVotes } from './votes.ts';
import type { Slashed } from './world.ts';

/** First block of an epoch; the epoch's initial state already includes it. */
export type FirstBlock = {
  /** False if no earlier block is known; the slot then has no facts. */
  readonly known: boolean;
  readonly root: string | null;
  readonly effects: BlockEffects | null;
};

/** Facts that are known before the epoch's duties are paid. */
export type OpenFacts = Pick<
  EpochFacts,
  | 'blocks'
  | 'seats'
  | 'syncCommittee'
  | 'slashings'
  | 'consolidations'
  | 'totalActiveBalance'
  | 'slashingPenalties'
>;

/** State before epoch e is applied, except the registry. */
export type ChainState = {
  readonly epoch: number;
  /** Balances, effective balances and scores in S_e, the state at the first slot of epoch e. */
  readonly balances: Float64Array;
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly finalizedEpoch: number;
  readonly pendingConsolidations: readonly PendingConsolidation[];
  readonly terms: Terms;
  /** Votes of epoch e − 1 that are included in blocks up to slot 32e. */
  readonly votes: EpochVotes;
  /** Block roots by slot of epoch e − 1; empty if nothing before S_e is known. */
  readonly roots: readonly string[];
  readonly queue: DepositQueue;
  readonly slashings: readonly Slashed[];
  readonly first: FirstBlock;
  /** Known facts of epoch e − 1; null in the first epoch. */
  readonly open: OpenFacts | null;
  /** False until facts are returned; the first ones list every validator. */
  readonly published: boolean;
};

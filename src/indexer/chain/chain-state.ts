import type { EpochFacts, PendingConsolidation } from '../types.ts';
import type { BlockEffects } from './block.ts';
import type { DepositQueue } from './deposits.ts';
import type { Terms } from './terms.ts';
import type { EpochVotes } from './votes.ts';
import type { Slashed } from './world.ts';

/** Block of slot 32e, which S_e includes. */
export type FirstBlock = {
  /** False if no earlier block is known; the slot then has no facts. */
  readonly known: boolean;
  readonly root: string | null;
  readonly effects: BlockEffects | null;
};

/** Known before the epoch's duties are paid. */
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

/** State before epoch e, without the registry. */
export type ChainState = {
  readonly epoch: number;
  /** S_e. */
  readonly balances: Float64Array;
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly finalizedEpoch: number;
  readonly pendingConsolidations: readonly PendingConsolidation[];
  readonly terms: Terms;
  /** Votes of e − 1, from blocks up to slot 32e. */
  readonly votes: EpochVotes;
  /** Roots of e − 1; empty if nothing before S_e is known. */
  readonly roots: readonly string[];
  readonly queue: DepositQueue;
  readonly slashings: readonly Slashed[];
  readonly first: FirstBlock;
  /** Facts of e − 1; null in the first epoch. */
  readonly open: OpenFacts | null;
  /** False until facts are returned; the first facts list every validator. */
  readonly published: boolean;
};

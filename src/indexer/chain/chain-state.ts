import type { EpochFacts, PendingConsolidation } from '../types.ts';
import type { BlockEffects } from './block.ts';
import type { DepositQueue } from './deposits.ts';
import type { Terms } from './terms.ts';
import type { EpochVotes } from './votes.ts';
import type { Slashed } from './world.ts';

/** The block of an epoch's first slot, whose effects are in the epoch's state already. */
export type FirstBlock = {
  /** False where the slot has no facts, because nothing before it is known. */
  readonly known: boolean;
  /** Null where the proposal was missed. */
  readonly root: string | null;
  readonly effects: BlockEffects | null;
};

/** What is known of the facts of an epoch before its duties are paid. */
export type OpenFacts = Pick<
  EpochFacts,
  'blocks' | 'seats' | 'slashings' | 'consolidations' | 'totalActiveBalance' | 'slashingPenalties'
>;

/** All that epoch e starts from, besides the registry; never changed, but replaced whole. */
export type ChainState = {
  readonly epoch: number;
  /** Of S_e, by validator. */
  readonly balances: Float64Array;
  /** Effective balances of S_e, in increments. */
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly finalizedEpoch: number;
  readonly pendingConsolidations: readonly PendingConsolidation[];
  readonly terms: Terms;
  /** Of e − 1, with the inclusions of blocks up to slot 32e. */
  readonly votes: EpochVotes;
  /** Root of the last block at or before each slot of e − 1; empty where nothing before S_e is known. */
  readonly roots: readonly string[];
  readonly queue: DepositQueue;
  readonly slashings: readonly Slashed[];
  readonly first: FirstBlock;
  /** Of e − 1; null in the first epoch. */
  readonly open: OpenFacts | null;
  /** Whether facts were given before. */
  readonly published: boolean;
};

import type { EpochFacts, PendingConsolidation } from '../types.ts';
import type { BlockEffects } from './block.ts';
import type { DepositQueue } from './deposits.ts';
import type { Terms } from './terms.ts';
import type { EpochVotes } from './votes.ts';
import type { Slashed } from './world.ts';

/** The block of slot 32e, which S_e includes. */
export type FirstBlock = {
  /** False if nothing earlier is known: the slot has no facts. */
  readonly known: boolean;
  /** Null if missed or unknown. */
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

/** What epoch e starts from, besides the registry. */
export type ChainState = {
  readonly epoch: number;
  /** Of S_e, by validator. */
  readonly balances: Float64Array;
  /** Effective balances of S_e. */
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly finalizedEpoch: number;
  readonly pendingConsolidations: readonly PendingConsolidation[];
  readonly terms: Terms;
  /** Of e − 1, from blocks up to slot 32e. */
  readonly votes: EpochVotes;
  /** Of e − 1; empty if nothing before S_e is known. */
  readonly roots: readonly string[];
  readonly queue: DepositQueue;
  readonly slashings: readonly Slashed[];
  readonly first: FirstBlock;
  /** Of e − 1; null in the first epoch. */
  readonly open: OpenFacts | null;
  /** False until facts were returned: the first ones list every validator as changed. */
  readonly published: boolean;
};

import type { BlockEffects } from './block.ts';
import type { DepositQueue } from './deposits.ts';
import type { Terms } from './terms.ts';
import type {
  BlockStatus,
  BuilderRecord,
  EpochFacts,
  PendingConsolidation,
  PendingPayment,
} from './types.ts';
import type { EpochVotes } from './votes.ts';
import type { Slashed } from './world.ts';

/** First block of an epoch, which the epoch's initial state already includes. */
type FirstBlock = {
  /** False in the epoch where the index began, which did not read this block; no facts are stored for its slot. */
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

/** State before epoch e is applied. */
export type ChainState = {
  readonly epoch: number;
  /** `balances`, `increments` and `scores` are those of S_e, the state after the block of slot 32e. */
  readonly balances: Float64Array;
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly finalizedEpoch: number;
  readonly pendingConsolidations: readonly PendingConsolidation[];
  readonly terms: Terms;
  /** Votes of epoch e − 1 that are included in blocks up to slot 32e. */
  readonly votes: EpochVotes;
  /** Newest block root at each slot of epoch e − 1; empty if none is known. */
  readonly roots: readonly string[];
  /** By root, the blocks that votes of epochs e − 1 and e may name, and the newest block. */
  readonly blocks: ReadonlyMap<string, BlockStatus>;
  /** Of bids in epochs e − 1 and e, by slot. */
  readonly payments: ReadonlyMap<number, PendingPayment>;
  /** In S_e. Null before Gloas, and if no node reported them. */
  readonly builders: readonly BuilderRecord[] | null;
  readonly queue: DepositQueue;
  readonly slashings: readonly Slashed[];
  readonly first: FirstBlock;
  /** Facts of epoch e − 1; null in the first epoch. */
  readonly open: OpenFacts | null;
  /** False before the first facts. */
  readonly published: boolean;
};

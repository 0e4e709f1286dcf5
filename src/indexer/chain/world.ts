import type { ChainSpec } from '../spec.ts';
import type { ValidatorRecord } from '../types.ts';
import type { ValidatorSet } from './registry.ts';
import type { Rules } from './rules.ts';
import type { Terms } from './terms.ts';
import type { EpochVotes } from './votes.ts';

/** A deposit in the queue. Whether its signature is valid cannot be told: only whether the validator appears. */
export type PendingDeposit = {
  readonly pubkey: string;
  readonly withdrawalCredentials: string;
  readonly amount: number;
  readonly slot: number;
};

export type Slashed = {
  readonly epoch: number;
  readonly increments: number;
  /** From before the start: the effective balance may have been greater. */
  readonly estimated?: true;
};

/** What blocks and the end of an epoch change, while one epoch is applied. Nothing of it is shared with the chain. */
export type World = {
  readonly spec: ChainSpec;
  readonly epoch: number;
  readonly rules: Rules;
  readonly terms: Terms;
  readonly weights: Float64Array;
  readonly balances: Float64Array;
  /** Effective balances, in increments. */
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly slashed: Uint8Array;
  readonly compounding: Uint8Array;
  /** Validators that began to exit since the state before the epoch. */
  readonly exiting: Set<number>;
  readonly registry: ValidatorSet;
  /** Records as of the state after the epoch, of those that may have changed. */
  readonly records: ReadonlyMap<number, ValidatorRecord>;
  /** Of the epoch before, and of this one unless only its first block is applied. */
  readonly votes: readonly EpochVotes[];
  readonly rootAt: (slot: number) => string | undefined;
  /** Appended by blocks. */
  readonly deposits: PendingDeposit[];
  readonly slashings: Slashed[];
  /** Index of each public key that is new in the state after the epoch. */
  readonly newcomers: ReadonlyMap<string, number>;
};

export function increase(balances: Float64Array, index: number, amount: number): void {
  balances[index] = (balances[index] as number) + amount;
}

/** Returns what could be taken: a balance does not go below 0. */
export function decrease(balances: Float64Array, index: number, amount: number): number {
  const taken = Math.min(balances[index] as number, amount);
  balances[index] = (balances[index] as number) - taken;
  return taken;
}

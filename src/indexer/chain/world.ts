import type { Builders } from './builders.ts';
import type { ValidatorSet } from './registry.ts';
import type { Rules } from './rules.ts';
import type { ChainSpec } from './spec.ts';
import type { Terms } from './terms.ts';
import type { BlockStatus, Payments, PendingDeposit, ValidatorRecord } from './types.ts';
import type { EpochVotes } from './votes.ts';

export type Slashed = {
  readonly epoch: number;
  readonly increments: number;
  /** True if the validator was slashed before the index began; then `increments` may be too low. */
  readonly estimated?: true;
};

/** Working copy for one epoch; only `registry` is shared. */
export type World = {
  readonly spec: ChainSpec;
  readonly epoch: number;
  readonly rules: Rules;
  readonly terms: Terms;
  readonly weights: Float64Array;
  readonly balances: Float64Array;
  readonly increments: Uint16Array;
  readonly scores: Uint32Array;
  readonly slashed: Uint8Array;
  /** First bytes of withdrawal credentials. */
  readonly prefixes: Uint8Array;
  /** Exit epochs before the epoch. While the first block of the next epoch is applied, `registry` has later ones. */
  readonly exits: Uint32Array;
  readonly exiting: Set<number>;
  readonly registry: ValidatorSet;
  /** Records after the epoch, of validators that may have changed. */
  readonly records: ReadonlyMap<number, ValidatorRecord>;
  /** Votes of the previous epoch, then votes of this epoch, which are absent while its first block is applied. */
  readonly votes: readonly EpochVotes[];
  readonly rootAt: (slot: number) => string | undefined;
  /** By root, the blocks of the previous epoch and this one, and the newest block before them. */
  readonly blocks: Map<string, BlockStatus>;
  readonly payments: Payments;
  /** Null before Gloas, and if no node reports the builders. */
  readonly builders: Builders | null;
  readonly deposits: PendingDeposit[];
  readonly slashings: Slashed[];
  /** Indices of new validators by public key. */
  readonly newcomers: ReadonlyMap<string, number>;
};

export const ETH1_PREFIX = 1;
export const COMPOUNDING_PREFIX = 2;

export function increaseBalance(balances: Float64Array, index: number, amount: number): void {
  balances[index] = (balances[index] as number) + amount;
}

/** Stops at 0; returns the amount taken. */
export function decreaseBalance(balances: Float64Array, index: number, amount: number): number {
  const taken = Math.min(balances[index] as number, amount);
  balances[index] = (balances[index] as number) - taken;
  return taken;
}

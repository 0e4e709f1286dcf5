import { beginState, type StartInput } from './begin.ts';
import type { ChainState } from './chain-state.ts';
import { recordsNeeded } from './needs.ts';
import { ValidatorSet } from './registry.ts';
import { type Resume, restoreState, type SavedChain, saveState } from './saved.ts';
import type { ChainSpec } from './spec.ts';
import { step } from './step.ts';
import type { ChainRegistry, EpochFacts, EpochInput } from './types.ts';

export { InputError, MissingRecords, ReconcileError } from './errors.ts';
export type { SavedChain } from './saved.ts';

export class Chain {
  readonly #spec: ChainSpec;
  readonly #registry: ValidatorSet;
  #state: ChainState;

  private constructor(spec: ChainSpec, registry: ValidatorSet, state: ChainState) {
    this.#spec = spec;
    this.#registry = registry;
    this.#state = state;
  }

  static begin(spec: ChainSpec, start: StartInput): Chain {
    const registry = new ValidatorSet(spec.effectiveBalanceIncrement, start.state.balances.length + 4096);
    return new Chain(spec, registry, beginState(spec, registry, start));
  }

  static restore(spec: ChainSpec, saved: SavedChain, resume: Resume): Chain {
    const registry = new ValidatorSet(spec.effectiveBalanceIncrement, resume.state.balances.length + 4096);
    return new Chain(spec, registry, restoreState(spec, registry, saved, resume));
  }

  save(): SavedChain {
    return saveState(this.#state);
  }

  get epoch(): number {
    return this.#state.epoch;
  }

  get registry(): ChainRegistry {
    return this.#registry;
  }

  /** Returns at least the validators whose records `step` needs. */
  recordsNeeded(input: Omit<EpochInput, 'records'>): number[] {
    return recordsNeeded(this.#spec, this.#registry, this.#state.increments, input);
  }

  /** Applies epoch e and returns the facts of epoch e − 1. If it throws, the chain is unchanged. */
  step(input: EpochInput): EpochFacts | undefined {
    const { state, facts } = step(this.#spec, this.#registry, this.#state, input);
    this.#state = state;
    this.#registry.increments = state.increments;
    return facts;
  }
}

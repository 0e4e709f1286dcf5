import type { ChainSpec } from '../spec.ts';
import type {
  BeaconBlock,
  ChainRegistry,
  Committees,
  DepositRequest,
  EpochFacts,
  EpochInput,
  EpochState,
  ValidatorRecord,
} from '../types.ts';
import { beginState } from './begin.ts';
import type { ChainState } from './chain-state.ts';
import { recordsNeeded } from './needs.ts';
import { ValidatorSet } from './registry.ts';
import { type Resume, restoreState, saveState } from './saved.ts';
import { step } from './step.ts';

export { InputError, MissingRecords, ReconcileError } from './errors.ts';

/** What a chain begins with: the state S_F. */
export type Start = {
  readonly state: EpochState;
  /** Of all validators, by index, as of S_F. */
  readonly records: Iterable<ValidatorRecord>;
  /** As of S_F, in order; empty where the node does not tell. */
  readonly pendingDeposits: readonly Omit<DepositRequest, 'signature'>[];
  /** Of epoch F. */
  readonly syncCommittee: Uint32Array;
  /** Epoch F − 1 and the block of slot 32F; null only where the node's history begins with S_F. */
  readonly before: {
    readonly blocks: readonly (BeaconBlock | null)[];
    readonly committees: Committees;
    readonly firstBlock: BeaconBlock | null;
  } | null;
};

/** The consensus rules, applied epoch by epoch; without I/O. A step that throws leaves the chain as it was. */
export class Chain {
  readonly #spec: ChainSpec;
  readonly #registry: ValidatorSet;
  #state: ChainState;

  private constructor(spec: ChainSpec, registry: ValidatorSet, state: ChainState) {
    this.#spec = spec;
    this.#registry = registry;
    this.#state = state;
  }

  static begin(spec: ChainSpec, start: Start): Chain {
    const registry = new ValidatorSet(spec.effectiveBalanceIncrement, start.state.balances.length + 4096);
    return new Chain(spec, registry, beginState(spec, registry, start));
  }

  /** Goes on where `save` was called: with S_e where the chain expected epoch e. */
  static restore(spec: ChainSpec, saved: Buffer, resume: Resume): Chain {
    const registry = new ValidatorSet(spec.effectiveBalanceIncrement, resume.state.balances.length + 4096);
    return new Chain(spec, registry, restoreState(spec, registry, saved, resume));
  }

  /** What `restore` needs, besides what a node tells again. */
  save(): Buffer {
    return saveState(this.#state);
  }

  /** The epoch that `step` expects. */
  get epoch(): number {
    return this.#state.epoch;
  }

  get registry(): ChainRegistry {
    return this.#registry;
  }

  /** Validators whose records of S_{e+1} the step of epoch e needs; more than that where the chain is behind. */
  recordsNeeded(input: Omit<EpochInput, 'records'>): number[] {
    return recordsNeeded(this.#spec, this.#registry, this.#state.increments, input);
  }

  /**
   * Applies epoch e, and returns the facts of epoch e − 1; undefined in the first step. Throws `InputError` where the
   * input contradicts itself or the chain, `ReconcileError` where a balance cannot be explained, and `MissingRecords`.
   */
  step(input: EpochInput): EpochFacts | undefined {
    const { state, facts } = step(this.#spec, this.#registry, this.#state, input);
    this.#state = state;
    this.#registry.increments = state.increments;
    return facts;
  }
}

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

/** A chain starts from S_F; see `EpochState`. */
export type Start = {
  readonly state: EpochState;
  /** All validators of S_F, in index order. */
  readonly records: Iterable<ValidatorRecord>;
  /** Queue of S_F, in order; empty if the node does not report it. */
  readonly pendingDeposits: readonly Omit<DepositRequest, 'signature'>[];
  /** Of epoch F. */
  readonly syncCommittee: Uint32Array;
  /** Epoch F − 1 and the block of slot 32F; null if the node's history begins with S_F. */
  readonly before: {
    readonly blocks: readonly (BeaconBlock | null)[];
    readonly committees: Committees;
    readonly firstBlock: BeaconBlock | null;
  } | null;
};

/** Applies the consensus rules epoch by epoch, without I/O. */
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

  /** Continues after `save`: `resume` must describe S_e if the chain expected epoch e. */
  static restore(spec: ChainSpec, saved: Buffer, resume: Resume): Chain {
    const registry = new ValidatorSet(spec.effectiveBalanceIncrement, resume.state.balances.length + 4096);
    return new Chain(spec, registry, restoreState(spec, registry, saved, resume));
  }

  /** What `restore` needs besides `resume`. */
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

  /** Validators whose records of S_{e+1} `step` needs for epoch e; more of them if the chain is not at e yet. */
  recordsNeeded(input: Omit<EpochInput, 'records'>): number[] {
    return recordsNeeded(this.#spec, this.#registry, this.#state.increments, input);
  }

  /**
   * Applies epoch e and returns the facts of epoch e − 1, or undefined in the first step. If it throws (`InputError`,
   * `ReconcileError` or `MissingRecords`), the chain is unchanged.
   */
  step(input: EpochInput): EpochFacts | undefined {
    const { state, facts } = step(this.#spec, this.#registry, this.#state, input);
    this.#state = state;
    this.#registry.increments = state.increments;
    return facts;
  }
}

import { applyBlock, type BlockResult, type Position } from './blocks.ts';
import { type EpochEnd, endEpoch } from './epoch-end.ts';
import { known, type Recording } from './recording.ts';
import { type Terms, termsOf } from './terms.ts';
import { SLOTS, type Vote, Votes } from './votes.ts';

/** What happened in an epoch; what it paid for votes stands in the `end` of the epoch after it. */
export type EpochResult = {
  epoch: number;
  terms: Terms;
  votes: Map<number, Vote>;
  blocks: BlockResult[];
  end: EpochEnd;
};

/** A balance that the rules do not explain. */
class Unexplained extends Error {}

function compare(position: Position, recording: Recording, slot: number): void {
  const { balances } = known(recording.states.get(slot), `state of slot ${slot}`);
  for (const [validator, recorded] of balances.entries()) {
    const computed = position.balances[validator];
    if (computed !== recorded) {
      throw new Unexplained(
        `slot ${slot}, validator ${validator}: recorded ${recorded}, explained ${computed} Gwei`,
      );
    }
  }
  position.compared += balances.length;
}

/**
 * Goes through a recording from its first state, with the balances of all validators, and compares these with every
 * state recorded. Effective balances, activity, slashed validators, consolidations and the number of deposits applied
 * are read off the states.
 */
export class Replay {
  readonly epochs = new Map<number, EpochResult>();
  private readonly position: Position;
  private readonly first: number;
  private opening: BlockResult | undefined;

  constructor(recording: Recording) {
    const state = known(recording.states.get(recording.anchor), 'first state');
    this.first = recording.anchor / SLOTS;
    this.position = {
      recording,
      balances: [...state.balances],
      votes: new Votes(recording),
      slashed: new Set([...state.validators.keys()].filter((index) => state.validators[index]?.slashed)),
      deposits: [],
      scores: new Map(),
      compared: 0,
    };
  }

  /** How many balances were compared with recorded ones. */
  get compared(): number {
    return this.position.compared;
  }

  /** Up to the end of this epoch. */
  until(epoch: number): this {
    for (let next = this.first + this.epochs.size; next <= epoch; next += 1) this.step(next);
    return this;
  }

  private step(epoch: number): void {
    const { position } = this;
    const { recording } = position;
    const terms = termsOf(recording, epoch);
    const blocks = this.opening ? [this.opening] : [];
    for (let slot = epoch * SLOTS + 1; slot < (epoch + 1) * SLOTS; slot += 1) {
      blocks.push(applyBlock(position, slot, terms));
    }
    compare(position, recording, (epoch + 1) * SLOTS - 1);
    const end = endEpoch(position, epoch, terms);
    this.opening = applyBlock(position, (epoch + 1) * SLOTS, termsOf(recording, epoch + 1));
    compare(position, recording, (epoch + 1) * SLOTS);
    this.epochs.set(epoch, { epoch, terms, votes: position.votes.of(epoch), blocks, end });
  }
}

const replays = new WeakMap<Recording, Replay>();

/** Gone through as far as somebody has asked, once for all tests of a worker. */
export function replayOf(recording: Recording): Replay {
  const known = replays.get(recording);
  if (known) return known;
  const replay = new Replay(recording);
  replays.set(recording, replay);
  return replay;
}

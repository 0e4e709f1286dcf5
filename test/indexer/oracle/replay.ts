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
export class Unexplained extends Error {}

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

const replayed = new WeakMap<Recording, { epochs: Map<number, EpochResult>; compared: number }>();

/**
 * Goes through a recording from its first state, with the balances of all validators, and compares these with every
 * state recorded. Effective balances, activity, slashed validators, consolidations and the number of deposits applied
 * are read off the states.
 */
export function replay(recording: Recording) {
  const done = replayed.get(recording);
  if (done) return done;
  const first = recording.anchor / SLOTS;
  const state = known(recording.states.get(recording.anchor), 'first state');
  const position: Position = {
    recording,
    balances: [...state.balances],
    votes: new Votes(recording),
    slashed: new Set([...state.validators.keys()].filter((index) => state.validators[index]?.slashed)),
    deposits: [],
    scores: new Map(),
    compared: 0,
  };
  const epochs = new Map<number, EpochResult>();
  let opening: BlockResult | undefined;
  for (let epoch = first; recording.states.has((epoch + 1) * SLOTS); epoch += 1) {
    const terms = termsOf(recording, epoch);
    const blocks = opening ? [opening] : [];
    for (let slot = epoch * SLOTS + 1; slot < (epoch + 1) * SLOTS; slot += 1) {
      blocks.push(applyBlock(position, slot, terms));
    }
    compare(position, recording, (epoch + 1) * SLOTS - 1);
    const end = endEpoch(position, epoch, terms);
    opening = applyBlock(position, (epoch + 1) * SLOTS, termsOf(recording, epoch + 1));
    compare(position, recording, (epoch + 1) * SLOTS);
    epochs.set(epoch, { epoch, terms, votes: position.votes.of(epoch), blocks, end });
  }
  const result = { epochs, compared: position.compared };
  replayed.set(recording, result);
  return result;
}

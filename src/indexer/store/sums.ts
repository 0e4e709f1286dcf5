import { MAX_SOURCE_DELAY, Vote } from '../chain/types.ts';
import type { EpochRecord, ProposerSum, SeatSum } from './record.ts';
import { keyOf } from './reward-table.ts';

const NEVER = 255;

type Seats = Omit<SeatSum, 'validator'> & { first: number; last: number };

/** A day has 225 epochs, so counts fit a byte. */
export class Sums {
  readonly first: number;
  last: number;
  readonly size: number;
  readonly duties: Uint8Array;
  readonly included: Uint8Array;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  readonly head: Uint8Array;
  readonly wrongHead: Uint8Array;
  readonly wrongTarget: Uint8Array;
  readonly lateSource: Uint8Array;
  readonly lateTarget: Uint8Array;
  readonly delay: Uint16Array;
  /** `from` and `upto` are the first and last epoch with a duty, relative to `first`. */
  readonly from: Uint8Array;
  readonly upto: Uint8Array;
  readonly rewards: Float64Array;
  /** Effective balance in ETH, summed over the epochs with a duty: at most 225 × 2,048. */
  readonly ethEpochs: Uint32Array;
  readonly seats = new Map<number, Seats>();
  readonly proposers = new Map<number, Omit<ProposerSum, 'validator'>>();
  /** Numbers of blocks without their payload, by validator; null before Gloas. */
  emptyPayloads: Map<number, number> | null = null;
  /** Keyed by `<validator> <epoch>`, for rows that may end before `last`. */
  readonly ends = new Map<string, { balance: number; effective: number }>();

  constructor(first: number, size: number) {
    this.first = first;
    this.last = first - 1;
    this.size = size;
    const bytes = () => new Uint8Array(size);
    this.duties = bytes();
    this.included = bytes();
    this.source = bytes();
    this.target = bytes();
    this.head = bytes();
    this.wrongHead = bytes();
    this.wrongTarget = bytes();
    this.lateSource = bytes();
    this.lateTarget = bytes();
    this.delay = new Uint16Array(size);
    this.from = bytes().fill(NEVER);
    this.upto = bytes();
    this.rewards = new Float64Array(size);
    this.ethEpochs = new Uint32Array(size);
  }

  /** Epochs must ascend. */
  add(record: EpochRecord, eth: Uint16Array): void {
    this.last = record.epoch;
    this.addVotes(record, eth);
    for (const { validator, set, missed, rewards } of record.seats) {
      const seats = this.seats.get(validator) ?? {
        set: 0,
        missed: 0,
        rewards: 0,
        first: record.epoch,
        last: 0,
      };
      this.seats.set(validator, {
        ...{ set: seats.set + set, missed: seats.missed + missed, rewards: seats.rewards + rewards },
        ...{ first: seats.first, last: record.epoch },
      });
    }
    for (const { validator, proposed, missed, rewards } of record.proposers) {
      const sum = this.proposers.get(validator) ?? { proposed: 0, missed: 0, rewards: 0 };
      this.proposers.set(validator, {
        ...{ proposed: sum.proposed + proposed, missed: sum.missed + missed, rewards: sum.rewards + rewards },
      });
    }
    this.addEmptyPayloads(record);
    // A penalty after an exit belongs to the period of the exit, not to a later one.
    for (const [validator, amount] of record.withoutDuty)
      if ((this.duties[validator] ?? 0) > 0)
        this.rewards[validator] = (this.rewards[validator] ?? 0) + amount;
    for (const { validator, balance, effective } of record.ends)
      this.ends.set(`${validator} ${record.epoch}`, { balance, effective });
  }

  private addEmptyPayloads({ emptyPayloads }: EpochRecord): void {
    if (!emptyPayloads) return;
    this.emptyPayloads ??= new Map();
    for (const [validator, count] of emptyPayloads)
      this.emptyPayloads.set(validator, (this.emptyPayloads.get(validator) ?? 0) + count);
  }

  private addVotes({ epoch, votes, delays, table, exceptions }: EpochRecord, eth: Uint16Array): void {
    const offset = epoch - this.first;
    const { duties, included, source, target, head, delay, from, upto, ethEpochs } = this;
    const rewardOf = (v: number) => table[keyOf(eth[v] as number, votes[v] as number)] as number;
    for (const [v, reward] of exceptions)
      if ((votes[v] as number) & Vote.duty)
        this.rewards[v] = (this.rewards[v] as number) + reward - rewardOf(v);
    for (let v = 0; v < votes.length; v += 1) {
      const vote = votes[v] as number;
      if ((vote & Vote.duty) === 0) continue;
      if (from[v] === NEVER) from[v] = offset;
      upto[v] = offset;
      duties[v] = (duties[v] as number) + 1;
      ethEpochs[v] = (ethEpochs[v] as number) + (eth[v] as number);
      this.rewards[v] = (this.rewards[v] as number) + rewardOf(v);
      if ((vote & Vote.included) === 0) continue;
      included[v] = (included[v] as number) + 1;
      source[v] = (source[v] as number) + (vote & 1);
      target[v] = (target[v] as number) + ((vote >> 1) & 1);
      head[v] = (head[v] as number) + ((vote >> 2) & 1);
      const slots = delays[v] as number;
      delay[v] = (delay[v] as number) + slots;
      if ((vote & (Vote.wrongHead | Vote.wrongTarget | Vote.lateTarget)) === 0 && slots <= MAX_SOURCE_DELAY)
        continue;
      this.addFaults(v, vote, slots);
    }
  }

  private addFaults(v: number, vote: number, slots: number): void {
    if (vote & Vote.wrongHead) this.wrongHead[v] = (this.wrongHead[v] as number) + 1;
    if (vote & Vote.wrongTarget) this.wrongTarget[v] = (this.wrongTarget[v] as number) + 1;
    if (vote & Vote.lateTarget) this.lateTarget[v] = (this.lateTarget[v] as number) + 1;
    if (slots > MAX_SOURCE_DELAY) this.lateSource[v] = (this.lateSource[v] as number) + 1;
  }
}

import { bitlistLength } from './bits.ts';
import type { ChainSpec } from './spec.ts';
import { type Attestation, type Committees, Vote } from './types.ts';

export class EpochVotes {
  readonly committees: Committees;
  readonly votes: Uint8Array;
  readonly delays: Uint8Array;

  constructor(committees: Committees, votes: Uint8Array, delays: Uint8Array) {
    this.committees = committees;
    this.votes = votes;
    this.delays = delays;
  }

  static open(committees: Committees, size: number): EpochVotes {
    const votes = new Uint8Array(size);
    for (const member of committees.members) votes[member] = Vote.duty;
    return new EpochVotes(committees, votes, new Uint8Array(size));
  }

  copy(): EpochVotes {
    return new EpochVotes(this.committees, this.votes.slice(), this.delays.slice());
  }
}

export type Inclusion = {
  readonly flags: number;
  readonly first: number;
  readonly delay: number;
  /** The vote is for the block of its own slot. */
  readonly same: boolean;
};

export function flagWeights(spec: ChainSpec): Float64Array {
  const weights = [spec.timelySourceWeight, spec.timelyTargetWeight, spec.timelyHeadWeight];
  return Float64Array.from({ length: 8 }, (_, flags) =>
    weights.reduce((sum, weight, bit) => sum + ((flags >> bit) & 1) * weight, 0),
  );
}

function rangesOf(committees: Committees, attestation: Attestation, slotsPerEpoch: number) {
  const slot = attestation.slot - committees.epoch * slotsPerEpoch;
  const ranges: [number, number][] = [];
  let length = 0;
  for (const index of attestation.committees) {
    if (index >= committees.perSlot || slot < 0 || slot >= slotsPerEpoch)
      return `there is no committee ${index} at slot ${attestation.slot}`;
    const at = slot * committees.perSlot + index;
    const range: [number, number] = [committees.offsets[at] as number, committees.offsets[at + 1] as number];
    length += range[1] - range[0];
    ranges.push(range);
  }
  if (bitlistLength(attestation.aggregationBits) === length) return ranges;
  return `an attestation of slot ${attestation.slot} has bits of other committees than the node tells`;
}

/**
 * Returns an error message, or two sums over the validators with newly set flags: of weight × increments, and of the
 * increments of those that had no flag before.
 */
export function include(
  open: EpochVotes,
  attestation: Attestation,
  { flags, first, delay }: Pick<Inclusion, 'flags' | 'first' | 'delay'>,
  increments: Uint16Array,
  weights: Float64Array,
  slotsPerEpoch: number,
): { weighted: number; first: number } | string {
  const ranges = rangesOf(open.committees, attestation, slotsPerEpoch);
  if (typeof ranges === 'string') return ranges;
  const { members } = open.committees;
  const { votes, delays } = open;
  const bits = attestation.aggregationBits;
  let bit = 0;
  const sums = { weighted: 0, first: 0 };
  for (const [start, end] of ranges)
    for (let at = start; at < end; at++, bit++) {
      if ((((bits[bit >> 3] as number) >> (bit & 7)) & 1) === 0) continue;
      const validator = members[at] as number;
      const before = votes[validator] as number;
      const fresh = flags & ~before;
      if (fresh) {
        const of = increments[validator] as number;
        sums.weighted += of * (weights[fresh] as number);
        if ((before & 7) === 0) sums.first += of;
      }
      if (before & Vote.included) votes[validator] = before | flags;
      else {
        votes[validator] = before | flags | first;
        delays[validator] = delay;
      }
    }
  return sums;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitAt, bitlistLength } from '../../../src/indexer/chain/bits.ts';
import { integerSquareroot, termsOf } from '../../../src/indexer/chain/terms.ts';
import { type Attestation, type Committees, Vote } from '../../../src/indexer/chain/types.ts';
import { EpochVotes, flagWeights, include } from '../../../src/indexer/chain/votes.ts';
import { runs } from '../../support/thorough.ts';
import { spec } from './small-chain.ts';

const listOf = (bits: readonly boolean[]) => {
  const bytes = new Uint8Array((bits.length >> 3) + 1);
  for (const [at, bit] of [...bits, true].entries()) if (bit) (bytes[at >> 3] as number) |= 1 << (at & 7);
  return bytes;
};

describe('bits', () => {
  it('a bitlist has the length and the bits that it was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (bits) => {
        const list = listOf(bits);
        expect(bitlistLength(list)).toBe(bits.length);
        expect(bits.map((_, at) => bitAt(list, at))).toEqual(bits);
      }),
      runs(200),
    );
  });

  it('a bitlist without its length bit has no length', () => {
    expect(bitlistLength(new Uint8Array())).toBe(-1);
    expect(bitlistLength(Uint8Array.of(3, 0))).toBe(-1);
  });
});

/** Committees of epoch 5 with these sizes, slot after slot. */
function committeesOf(sizes: readonly number[], perSlot: number): Committees {
  const offsets = Uint32Array.from([0, ...sizes]);
  for (let at = 1; at < offsets.length; at++) (offsets[at] as number) += offsets[at - 1] as number;
  const total = offsets.at(-1) as number;
  return {
    epoch: 5,
    perSlot,
    offsets,
    members: Uint32Array.from({ length: total }, (_, at) => total - 1 - at),
  };
}

const voteFor = (slot: number, committees: number[], bits: boolean[]): Attestation => ({
  slot,
  beaconBlockRoot: '',
  source: { epoch: 4, root: '' },
  target: { epoch: 5, root: '' },
  committees,
  votesFull: false,
  aggregationBits: listOf(bits),
});

const weights = flagWeights(spec);

describe('votes', () => {
  it('of several inclusions: flags join, the first one tells delay and faults, new flags weigh once, and the first flags of a validator are told apart', () => {
    const perSlot = 3;
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 96, maxLength: 96 });
    const inclusion = fc.record({
      slot: fc.integer({ min: 0, max: 31 }),
      chosen: fc.subarray([0, 1, 2], { minLength: 1 }),
      flags: fc.integer({ min: 0, max: 7 }),
      faults: fc.constantFrom(0, Vote.wrongHead, Vote.wrongTarget, Vote.wrongHead | Vote.wrongTarget),
      delay: fc.integer({ min: 1, max: 63 }),
      seed: fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }),
    });
    fc.assert(
      fc.property(sizes, fc.array(inclusion, { maxLength: 30 }), (lengths, inclusions) => {
        const committees = committeesOf(lengths, perSlot);
        const size = committees.members.length;
        const increments = Uint16Array.from({ length: size }, (_, index) => 1 + (index % 2048));
        const open = EpochVotes.open(committees, size);
        const plain = Array.from({ length: size }, () => ({ flags: 0, first: 0, delay: 0 }));
        for (const { slot, chosen, flags, faults, delay, seed } of inclusions) {
          const members = chosen.flatMap((index) => {
            const at = slot * perSlot + index;
            return [...committees.members.slice(committees.offsets[at], committees.offsets[at + 1])];
          });
          const bits = members.map((_, at) => seed[at] as boolean);
          const expected = { weighted: 0, first: 0 };
          for (const member of members.filter((_, at) => bits[at])) {
            const vote = plain[member] as { flags: number; first: number; delay: number };
            for (const [bit, weight] of [14, 26, 14].entries())
              if ((flags >> bit) & 1 && !((vote.flags >> bit) & 1))
                expected.weighted += weight * (increments[member] as number);
            if (flags && !vote.flags) expected.first += increments[member] as number;
            vote.flags |= flags;
            if (!vote.first) Object.assign(vote, { first: Vote.included | faults, delay });
          }
          const told = include(
            open,
            voteFor(5 * 32 + slot, chosen, bits),
            { flags, first: Vote.included | faults, delay },
            increments,
            weights,
            32,
          );
          expect(told).toEqual(expected);
        }
        expect([...open.votes]).toEqual(plain.map(({ flags, first }) => Vote.duty | flags | first));
        expect([...open.delays]).toEqual(plain.map(({ delay }) => delay));
      }),
      runs(60),
    );
  });

  it('with bits of other committees, or of none, are not counted', () => {
    const committees = committeesOf(Array(32).fill(4), 1);
    const open = EpochVotes.open(committees, 128);
    const inclusion = { flags: 7, first: Vote.included, delay: 1 };
    const count = (vote: Attestation) => include(open, vote, inclusion, new Uint16Array(128), weights, 32);
    expect(count(voteFor(160, [0], [true, true]))).toMatch(/bits of other committees/);
    expect(count(voteFor(160, [1], [true, true, true, true]))).toMatch(/no committee 1/);
    expect(count(voteFor(159, [0], [true, true, true, true]))).toMatch(/no committee 0 at slot 159/);
    expect(open.votes.every((vote) => vote === Vote.duty)).toBe(true);
  });
});

describe('terms', () => {
  it('isqrt is the largest integer whose square is not above', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const root = integerSquareroot(value);
        expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true);
      }),
      runs(500),
    );
    for (const root of [0n, 1n, 2n ** 26n, 2n ** 32n - 1n, 189_736_659n])
      for (const [value, expected] of [
        [root * root, root],
        [root * root + 2n * root, root],
      ] as const)
        expect(integerSquareroot(value)).toBe(expected);
  });

  it('of 36 million ETH at stake, past 2^53 Gwei, are those of the specification', () => {
    // total 3.6e16 Gwei: 64e9 / integerSquareroot = 337; 337 · 36e6 · 2 / 64 / 32 / 512 = 23,139 (floors in turn); · 8 / 56.
    expect(termsOf(spec, 36_000_000)).toEqual({
      increments: 36_000_000,
      perIncrement: 337,
      participant: 23_139,
      syncProposer: 3_305,
    });
    expect(termsOf(spec, 0).increments).toBe(1);
  });
});

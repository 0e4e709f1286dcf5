import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processEffectiveBalanceUpdates } from '../../../src/indexer/chain/balances.ts';
import { processPendingConsolidations } from '../../../src/indexer/chain/consolidations.ts';
import { processPendingDeposits } from '../../../src/indexer/chain/deposits.ts';
import { inactivityPenalty, processRewardsAndPenalties } from '../../../src/indexer/chain/rewards.ts';
import { processSlashings } from '../../../src/indexer/chain/slashings.ts';
import { type PendingDeposit, Vote } from '../../../src/indexer/chain/types.ts';
import type { EpochVotes } from '../../../src/indexer/chain/votes.ts';
import type { World } from '../../../src/indexer/chain/world.ts';
import { runs } from '../../support/thorough.ts';
import { ETH, pubkeyOf, recordOf } from './small-chain.ts';
import { worldOf } from './world.ts';

const FULU = 420_000;
const all = Vote.source | Vote.target | Vote.head;

describe('duties', () => {
  /** Four validators of 32 ETH: all flags, no head, late source and head, nothing. */
  const four = (change = {}) => {
    const records = [0, 1, 2, 3].map((index) => recordOf(index, change));
    const world = worldOf(FULU, records, { voteEpochs: [FULU - 1] });
    const { votes } = world.votes[0] as EpochVotes;
    for (const [index, flags] of [all, Vote.source | Vote.target, Vote.target, 0].entries())
      (votes[index] as number) |= flags;
    return world;
  };
  const pay = (world: World, finalized = FULU - 1) =>
    processRewardsAndPenalties(world, world.votes[0] as EpochVotes, finalized);
  const base = (world: World) => 32 * world.terms.perIncrement;

  it('are paid by flag, in the share of the stake that did the same; head is not penalised', () => {
    const world = four();
    const { rewards } = pay(world);
    const b = base(world);
    const source = Math.floor((b * 14 * 64) / (128 * 64));
    const target = Math.floor((b * 26 * 96) / (128 * 64));
    const head = Math.floor((b * 14 * 32) / (128 * 64));
    const [noSource, noTarget] = [Math.floor((b * 14) / 64), Math.floor((b * 26) / 64)];
    expect([...rewards]).toEqual([
      source + target + head,
      source + target,
      target - noSource,
      -noSource - noTarget,
    ]);
    expect([...world.balances]).toEqual([...rewards].map((reward) => 32 * ETH + reward));
    expect([...world.scores]).toEqual([0, 0, 0, 0]);
  });

  it('in a leak bring nothing, and cost who missed the target a share of the score', () => {
    const world = four();
    world.scores.set([10, 10, 10, 1000]);
    const { rewards } = pay(world, FULU - 6);
    const b = base(world);
    expect([...world.scores]).toEqual([9, 9, 9, 1004]);
    const penalty = Math.floor((32 * ETH * 1004) / 2 ** 26);
    expect([...rewards]).toEqual([
      0,
      0,
      -Math.floor((b * 14) / 64),
      -Math.floor((b * 14) / 64) - Math.floor((b * 26) / 64) - penalty,
    ]);
  });

  it('five epochs after the last final one are in a leak, four are not', () => {
    const scoreAfter = (finalized: number) => {
      const world = four();
      world.scores.fill(100);
      pay(world, finalized);
      return [...world.scores];
    };
    expect(scoreAfter(FULU - 1 - 4)).toEqual([83, 83, 83, 88]);
    expect(scoreAfter(FULU - 1 - 5)).toEqual([99, 99, 99, 104]);
    const fresh = four();
    pay(fresh, FULU - 1 - 5);
    expect([...fresh.scores]).toEqual([0, 0, 0, 4]);
  });

  it('of slashed validators count as missed, also after they left and until they are withdrawable', () => {
    const left = { slashed: true, exitEpoch: FULU - 1 };
    const world = worldOf(
      FULU,
      [
        recordOf(0),
        recordOf(1, { slashed: true, exitEpoch: FULU + 5, withdrawableEpoch: FULU + 9000 }),
        recordOf(2, { ...left, withdrawableEpoch: FULU + 1 }),
        recordOf(3, { ...left, withdrawableEpoch: FULU }),
        recordOf(4, { exitEpoch: FULU - 1, withdrawableEpoch: FULU + 200 }),
      ],
      { voteEpochs: [FULU - 1] },
    );
    for (const index of [0, 1]) ((world.votes[0] as EpochVotes).votes[index] as number) |= all;
    const { rewards, penaltiesWithoutDuty } = pay(world);
    const penalty = -Math.floor((base(world) * 14) / 64) - Math.floor((base(world) * 26) / 64);
    expect(rewards[1]).toBe(penalty);
    // The stake behind the flags is that of validator 0 alone, of the two that are active.
    const shares = [14, 26, 14].map((weight) => Math.floor((base(world) * weight * 32) / (64 * 64)));
    expect(rewards[0]).toBe(shares.reduce((sum, share) => sum + share));
    expect([...penaltiesWithoutDuty]).toEqual([[2, penalty]]);
    expect([...world.balances].slice(1)).toEqual([
      32 * ETH + penalty,
      32 * ETH + penalty,
      32 * ETH,
      32 * ETH,
    ]);
  });

  it('take no more than there is, flag by flag', () => {
    const world = four();
    world.balances.fill(3);
    const { rewards } = pay(world);
    expect(rewards[3]).toBeLessThan(-3);
    expect(world.balances[3]).toBe(0);
    // A missed source leaves nothing, and the target is earned after it.
    expect(world.balances[2]).toBe(Math.floor((base(world) * 26 * 96) / (128 * 64)));
  });

  it('of before genesis do not exist', () => {
    const world = { ...four(), epoch: 0 };
    expect([...pay(world).rewards]).toEqual([0, 0, 0, 0]);
  });

  it('penalties by inactivity score are exact beyond 2^53', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2048 }),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        (eth, score) => {
          const exact = (BigInt(eth) * 1_000_000_000n * BigInt(score)) / 2n ** 26n;
          expect(inactivityPenalty(eth * ETH, score, 2 ** 26)).toBe(Number(exact));
        },
      ),
      runs(500),
    );
  });
});

describe('correlation penalties', () => {
  const slashed = { slashed: true, exitEpoch: 1000, withdrawableEpoch: FULU + 4096 };
  const world = (epoch: number, effective = 33) => {
    const of = worldOf(epoch, [
      ...Array.from({ length: 100 }, (_, index) => recordOf(index)),
      recordOf(100, { ...slashed, effectiveBalance: effective * ETH, withdrawableEpoch: epoch + 4096 }),
      recordOf(101, { ...slashed, withdrawableEpoch: epoch + 4097 }),
    ]);
    of.slashings.push(
      { epoch: epoch - 8192, increments: 1000 },
      { epoch: epoch - 8191, increments: 40 },
      { epoch, increments: 60 },
    );
    return of;
  };

  const nothing = new Float64Array(102);

  it('are due half way to the withdrawable epoch, by the slashings of 8,192 epochs', () => {
    const electra = world(FULU);
    const perIncrement = Math.floor((3 * 100 * ETH) / 3200);
    expect(processSlashings(electra, nothing)).toBe(perIncrement * 33);
    expect([electra.balances[100], electra.balances[101]]).toEqual([33 * ETH - perIncrement * 33, 32 * ETH]);
  });

  it('before Electra are rounded to ETH of each validator', () => {
    expect(processSlashings(world(300_000, 32), nothing)).toBe(Math.floor((32 * 300) / 3200) * ETH);
    expect(processSlashings(world(300_000, 31), nothing)).toBe(Math.floor((31 * 300) / 3200) * ETH);
  });

  it('by slashings from before the start, of which today tells too little, are what the next state has', () => {
    const electra = world(FULU);
    electra.slashings.splice(0);
    electra.slashings.push(
      { epoch: FULU - 5, increments: 31, estimated: true },
      { epoch: FULU, increments: 60 },
    );
    const told = new Float64Array(102);
    const penalty = Math.floor((3 * 92 * ETH) / 3200) * 33; // slashed with 32 ETH
    told[100] = 33 * ETH - penalty;
    expect(processSlashings(electra, told)).toBe(penalty);
    const other = world(FULU);
    other.slashings.splice(0, 3, { epoch: FULU - 5, increments: 31 }, { epoch: FULU, increments: 60 });
    expect(processSlashings(other, told)).toBe(Math.floor((3 * 91 * ETH) / 3200) * 33);
  });

  it('are never more than the whole balance', () => {
    const many = world(FULU);
    many.slashings.push({ epoch: FULU, increments: 100_000 });
    expect(processSlashings(many, nothing)).toBe(33 * ETH);
  });
});

describe('effective balances', () => {
  it('follow the balance with hysteresis, up to 32 ETH, or to 2,048 with compounding credentials', () => {
    const cases = [
      [32, 31.75, 32, false],
      [32, 31.749999999, 31, false],
      [31, 32.25, 31, false],
      [31, 32.250000001, 32, false],
      [32, 40, 32, false],
      [32, 40.5, 40, true],
      [32, 5000, 2048, true],
      [0, 1.25, 0, false],
      [0, 1.250000001, 1, false],
      [5, 0, 0, false],
    ] as const;
    const world = worldOf(
      FULU,
      cases.map(([eth], index) => recordOf(index, { effectiveBalance: eth * ETH })),
    );
    for (const [index, [, balance, , compounding]] of cases.entries()) {
      world.balances[index] = Math.round(balance * ETH);
      world.prefixes[index] = compounding ? 2 : 1;
    }
    const deneb: World = {
      ...world,
      rules: { ...world.rules, electra: false },
      increments: world.increments.slice(),
    };
    processEffectiveBalanceUpdates(world, cases.length);
    expect([...world.increments]).toEqual(cases.map(([, , expected]) => expected));
    processEffectiveBalanceUpdates(deneb, cases.length);
    expect([...deneb.increments]).toEqual(cases.map(([, , expected]) => Math.min(32, expected)));
  });
});

describe('consolidations', () => {
  it('move the balance up to the effective one, in order; a slashed source moves nothing', () => {
    const world = worldOf(
      FULU,
      [0, 1, 2, 3, 4].map((index) => recordOf(index)),
    );
    world.balances.set([40 * ETH, 20 * ETH, 0, 32 * ETH, 32 * ETH]);
    world.slashed[3] = 1;
    const pending = (source: number, target: number) => ({ source, target });
    const before = [pending(0, 1), pending(1, 2), pending(3, 2), pending(4, 2)];
    expect(processPendingConsolidations(world, before, [pending(4, 2)])).toEqual([
      { source: 0, target: 1, epoch: FULU, amount: 32 * ETH },
      { source: 1, target: 2, epoch: FULU, amount: 32 * ETH },
    ]);
    expect([...world.balances]).toEqual([8, 20, 32, 32, 32].map((eth) => eth * ETH));
  });
});

describe('deposits', () => {
  const carry = [0, 0] as const;
  const deposit = (index: number, eth: number, slot = 1) => ({
    pubkey: pubkeyOf(index),
    withdrawalCredentials: recordOf(index).withdrawalCredentials,
    amount: eth * ETH,
    slot,
  });
  /** Three validators, and two that appear in the next state. */
  const world = () => {
    const of = worldOf(
      FULU,
      [
        recordOf(0),
        recordOf(1, { exitEpoch: FULU + 9, withdrawableEpoch: FULU + 300 }),
        recordOf(2, { exitEpoch: FULU - 400, withdrawableEpoch: FULU }),
      ],
      { size: 5, newcomers: new Map([3, 4].map((index) => [pubkeyOf(index), index])) },
    );
    return { ...of, records: new Map([3, 4].map((index) => [index, recordOf(index)])) };
  };
  const next = (...eth: number[]) => Float64Array.from(eth, (each) => each * ETH);

  it('are applied in order, until one is not final', () => {
    const of = world();
    const entries = [deposit(0, 1), deposit(0, 2, FULU * 32), deposit(0, 4, FULU * 32 + 1), deposit(0, 8)];
    const left = processPendingDeposits(of, { first: 0, entries, carry }, FULU, next(35, 32, 32, 0, 0));
    expect(of.balances[0]).toBe(35 * ETH);
    expect(left).toMatchObject({ entries: entries.slice(2), carry: [0, 0] });
  });

  it('of who exits go to the end; of who is withdrawable are applied without churn', () => {
    const of = world();
    const entries = [deposit(1, 1), deposit(2, 500), deposit(0, 2)];
    const left = processPendingDeposits(of, { first: 0, entries, carry }, FULU, next(34, 32, 532, 0, 0));
    expect([...of.balances].slice(0, 3)).toEqual([34, 32, 532].map((eth) => eth * ETH));
    expect(left.entries).toEqual([entries[0]]);
    const leaving = world();
    leaving.exiting.add(0); // in a block of this epoch
    expect(
      processPendingDeposits(
        leaving,
        { first: 0, entries: [entries[2] as PendingDeposit], carry },
        FULU,
        next(),
      ),
    ).toEqual({
      first: 1,
      entries: [entries[2]],
      carry: [0, 0],
    });
    expect(leaving.balances[0]).toBe(32 * ETH);
  });

  it('are at most 16 in an epoch, postponed ones included', () => {
    const entries = Array.from({ length: 20 }, (_, at) => deposit(at % 2, 1));
    const left = processPendingDeposits(world(), { first: 0, entries, carry }, FULU, next(40, 32, 32, 0, 0));
    expect(left.entries).toHaveLength(12);
    expect(left.entries.slice(0, 4)).toEqual(entries.slice(16));
  });

  it('stop at the churn of the epoch, and what is left of it is carried over', () => {
    const entries = [deposit(0, 100), deposit(0, 100), deposit(0, 1)];
    const first = processPendingDeposits(
      world(),
      { first: 0, entries, carry },
      FULU,
      next(132, 32, 32, 0, 0),
    );
    // 128 ETH an epoch: 28 are carried over; with them, the second fits and leaves 56.
    expect(first).toMatchObject({ entries: entries.slice(1), carry: [28 * ETH, 28 * ETH] });
    const exactly = processPendingDeposits(
      world(),
      { first: 0, entries: [deposit(0, 128)], carry },
      FULU,
      next(160, 32, 32, 0, 0),
    );
    expect(exactly).toMatchObject({ entries: [], carry: [0, 0] });
    const second = processPendingDeposits(world(), first, FULU, next(133, 32, 32, 0, 0));
    expect(second).toMatchObject({ entries: [], carry: [0, 0] });
  });

  it('where the carry is not known, the next state tells which were applied, and narrows it', () => {
    const entries = [deposit(0, 100), deposit(0, 100), deposit(0, 100)];
    const unknown = { first: 0, entries, carry: [0, Number.POSITIVE_INFINITY] as const };
    const of = world();
    const told = processPendingDeposits(of, unknown, FULU, next(232, 32, 32, 0, 0));
    expect(of.balances[0]).toBe(232 * ETH);
    // At least 200 and less than 300 ETH could be processed.
    expect(told).toMatchObject({ entries: entries.slice(2), carry: [0, 100 * ETH - 1] });
  });

  it('where the carry is not known, those after an invalid one tell whether it was processed', () => {
    const unknown = (...eth: number[]) => ({
      entries: eth.map((each, at) => deposit(at === eth.length - 1 ? 0 : 99, each)),
      first: 0,
      carry: [0, Number.POSITIVE_INFINITY] as const,
    });
    const both = processPendingDeposits(world(), unknown(200, 10), FULU, next(42, 32, 32, 0, 0));
    expect(both.entries).toEqual([]);
    const none = processPendingDeposits(world(), unknown(200, 10), FULU, next(32, 32, 32, 0, 0));
    expect(none).toMatchObject({ entries: unknown(200, 10).entries, carry: [128 * ETH, 200 * ETH - 1] });
  });

  it('of a key that never appears had an invalid signature: they take churn and move nothing', () => {
    const of = world();
    const entries = [deposit(99, 120), deposit(0, 10)];
    const left = processPendingDeposits(of, { first: 0, entries, carry }, FULU, next(32, 32, 32, 0, 0));
    expect([...of.balances]).toEqual([32, 32, 32, 0, 0].map((eth) => eth * ETH));
    expect(left).toMatchObject({ entries: [entries[1]], carry: [8 * ETH, 8 * ETH] });
  });

  it('make a validator with the first valid signature; those before it are lost, those after it are added', () => {
    const of = world();
    const entries = [deposit(3, 2), deposit(3, 32), deposit(3, 1), deposit(4, 40)];
    const left = processPendingDeposits(of, { first: 0, entries, carry }, FULU, next(32, 32, 32, 33, 39));
    expect([...of.balances].slice(3)).toEqual([33 * ETH, 40 * ETH]); // 1 ETH was withdrawn by the next block
    expect([...of.increments].slice(3)).toEqual([32, 32]);
    expect(left.entries).toEqual([]);
  });
});

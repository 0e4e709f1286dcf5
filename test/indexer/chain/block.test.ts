import { describe, expect, it } from 'vitest';
import { processBlock } from '../../../src/indexer/chain/block.ts';
import { rulesAt } from '../../../src/indexer/chain/rules.ts';
import { SpecError } from '../../../src/indexer/chain/spec.ts';
import { Vote } from '../../../src/indexer/chain/types.ts';
import { addressOf, blockOf, depositOf, ETH, pubkeyOf, recordOf, rootOf, spec } from './small-chain.ts';
import { worldOf } from './world.ts';

const FULU = 420_000;
const DENEB = 300_000;
const BELLATRIX = 150_000;
const committee = new Uint32Array(512).fill(9);
const noSync = { syncCommitteeBits: new Uint8Array(64) };

/** Ten validators of 32 ETH; the seats of the sync committee are all of validator 9, who has nothing to lose. */
const ten = (epoch: number, change = {}) => {
  const world = worldOf(
    epoch,
    Array.from({ length: 10 }, (_, index) => recordOf(index)),
    change,
  );
  world.balances[9] = 0;
  return world;
};

describe('slashings', () => {
  it('take a share of the effective balance, and give the proposer both parts of the reward', () => {
    const world = ten(FULU);
    const effects = processBlock(
      world,
      blockOf(FULU * 32 + 1, { ...noSync, proposerSlashings: [3] }),
      committee,
    );
    expect(world.balances[3]).toBe(32 * ETH - 7_812_500); // 32 ETH / 4096
    expect(world.balances[0]).toBe(32 * ETH + 7_812_500);
    expect(effects).toMatchObject({ consensusRewards: 7_812_500, penalties: 7_812_500 });
    expect(world.slashings).toEqual([{ epoch: FULU, increments: 32 }]);
  });

  it.each([
    ['deneb', DENEB, 1_000_000_000, 62_500_000],
    ['bellatrix', BELLATRIX, 1_000_000_000, 62_500_000],
  ])('in %s take 1/32 and give 1/512', (_, epoch, penalty, reward) => {
    const world = ten(epoch);
    const effects = processBlock(
      world,
      blockOf(epoch * 32 + 1, { ...noSync, proposerSlashings: [3] }),
      committee,
    );
    expect(32 * ETH - (world.balances[3] as number)).toBe(penalty);
    expect(effects).toMatchObject({ consensusRewards: reward, penalties: penalty });
  });

  it('of one validator, listed twice in a block or again in a later one, count once', () => {
    const world = ten(FULU);
    const slashings = {
      ...noSync,
      proposerSlashings: [3],
      attesterSlashings: [
        [2, 3],
        [2, 3, 4],
      ],
    };
    const effects = processBlock(world, blockOf(FULU * 32 + 1, slashings), committee);
    expect(effects.slashings.map(({ validatorIndex }) => validatorIndex)).toEqual([3, 2, 4]);
    const later = processBlock(
      world,
      blockOf(FULU * 32 + 2, { ...noSync, attesterSlashings: [[2, 3, 4]] }),
      committee,
    );
    expect(later).toMatchObject({ slashings: [], consensusRewards: 0, penalties: 0 });
    expect([2, 3, 4].map((index) => world.balances[index])).toEqual(Array(3).fill(32 * ETH - 7_812_500));
    expect(world.balances[0]).toBe(32 * ETH + 3 * 7_812_500);
  });

  it('of who was slashed before, is not active yet or is withdrawable have no effect', () => {
    const world = worldOf(FULU, [
      recordOf(0),
      recordOf(1, { slashed: true }),
      recordOf(2, { activationEpoch: FULU + 1 }),
      recordOf(3, { exitEpoch: FULU - 300, withdrawableEpoch: FULU }),
      recordOf(4, { exitEpoch: FULU - 300, withdrawableEpoch: FULU + 1 }),
    ]);
    const block = blockOf(FULU * 32 + 1, { ...noSync, attesterSlashings: [[1, 2, 3, 4]] });
    expect(processBlock(world, block, new Uint32Array(512)).slashings).toMatchObject([{ validatorIndex: 4 }]);
  });

  it("tell the balance before the block, and the block's withdrawal comes first", () => {
    const world = ten(FULU);
    world.balances[3] = 32 * ETH + 5;
    const execution = {
      ...({} as NonNullable<ReturnType<typeof blockOf>['execution']>),
      withdrawals: [{ validatorIndex: 3, amount: 32 * ETH }],
      builderWithdrawals: [],
    };
    const effects = processBlock(
      world,
      blockOf(FULU * 32 + 1, { ...noSync, execution, proposerSlashings: [3] }),
      committee,
    );
    expect(effects.slashings).toMatchObject([{ balanceBeforeSlashing: 32 * ETH + 5 }]);
    expect(effects.penalties).toBe(5); // what was left
    expect(world.balances[3]).toBe(0);
  });
});

describe('the sync committee', () => {
  it('pays member and proposer for each bit, seat by seat; a balance of 0 leaves a penalty unpaid', () => {
    const world = ten(FULU);
    const { participant, syncProposer } = world.terms;
    const bits = new Uint8Array(64);
    bits[0] = 0b0000_0110;
    const effects = processBlock(world, blockOf(FULU * 32 + 1, { syncCommitteeBits: bits }), committee);
    // Seat 0 has nothing to lose, 1 and 2 earn, 3 and 4 lose it again, and the others have nothing.
    expect(world.balances[9]).toBe(0);
    expect(effects.consensusRewards).toBe(2 * syncProposer);
    expect([...(effects.seats?.rewards ?? [])].slice(0, 5)).toEqual([
      -participant,
      participant,
      participant,
      -participant,
      -participant,
    ]);
  });

  it('of another size than the bits is refused', () => {
    expect(() => processBlock(ten(FULU), blockOf(FULU * 32 + 1), new Uint32Array(511))).toThrow(
      /sync committee bits for 511/,
    );
  });
});

describe('attestations', () => {
  /** A vote of the first committee's members, of slot 32·epoch, in a block `delay` slots later. */
  const included = (epoch: number, delay: number, change = {}) => {
    const records = Array.from({ length: 64 }, (_, index) => recordOf(index));
    const of = delay > 31 ? epoch - 1 : epoch;
    const world = worldOf(epoch, records, { voteEpochs: [epoch - 1, epoch] });
    const vote = {
      slot: of * 32,
      beaconBlockRoot: rootOf(of * 32),
      source: { epoch: of - 1, root: '' },
      target: { epoch: of, root: rootOf(of * 32) },
      committees: [0],
      votesFull: false,
      aggregationBits: Uint8Array.of(0b111),
      ...change,
    };
    const effects = processBlock(
      world,
      blockOf(of * 32 + delay, { ...noSync, attestations: [vote] }),
      new Uint32Array(512),
    );
    const votes = world.votes.find(({ committees }) => committees.epoch === of);
    return { vote: (votes?.votes[0] ?? 0) & ~Vote.duty & ~Vote.included, effects, world };
  };
  const { source, target, head, wrongHead, wrongTarget, lateTarget } = Vote;

  it.each([
    [FULU, 1, {}, source | target | head],
    [FULU, 2, {}, source | target],
    [FULU, 5, {}, source | target],
    [FULU, 6, {}, target],
    [FULU, 40, {}, target],
    [DENEB, 40, {}, target],
    [BELLATRIX, 31, {}, target],
    [BELLATRIX, 32, {}, target],
    [BELLATRIX, 33, {}, lateTarget],
    [FULU, 1, { beaconBlockRoot: 'other' }, source | target | wrongHead],
    [FULU, 1, { target: { epoch: FULU, root: 'other' } }, source | wrongTarget],
    [FULU, 6, { beaconBlockRoot: 'other', target: { epoch: FULU, root: 'other' } }, wrongHead | wrongTarget],
  ])('in epoch %i at a delay of %i with %j', (epoch, delay, change, expected) => {
    expect(included(epoch, delay, change).vote).toBe(expected);
  });

  it('pay the proposer 8/56 of what the new flags are worth, rounded down', () => {
    const { effects, world } = included(FULU, 1);
    const numerator = 2 * 32 * world.terms.perIncrement * (14 + 26 + 14);
    expect(effects.consensusRewards).toBe(Math.floor(numerator / 448));
  });

  it('of an epoch whose committees are not known are refused', () => {
    const target = { epoch: FULU - 3, root: '' };
    expect(() => included(FULU, 1, { target })).toThrow(/epoch 419997, whose committees are not known/);
  });
});

describe('requests', () => {
  const request = (index: number, change = {}) => ({
    sourceAddress: addressOf(index),
    sourcePubkey: pubkeyOf(index),
    targetPubkey: pubkeyOf(index),
    ...change,
  });

  it('to consolidate with itself make a validator compounding, and queue what is above 32 ETH', () => {
    const world = ten(FULU);
    world.balances[3] = 33 * ETH;
    processBlock(
      world,
      blockOf(FULU * 32 + 1, { ...noSync, consolidationRequests: [request(3), request(3)] }),
      committee,
    );
    expect(world.prefixes[3]).toBe(2);
    expect(world.balances[3]).toBe(32 * ETH);
    expect(world.deposits).toEqual([
      {
        pubkey: pubkeyOf(3),
        withdrawalCredentials: `0x02${recordOf(3).withdrawalCredentials.slice(4)}`,
        amount: ETH,
        slot: 0,
      },
    ]);
  });

  it.each([
    ['from another address', {}, { sourceAddress: addressOf(4) }],
    ['of who exits', { exitEpoch: FULU + 9 }, {}],
    ['of who is not active', { activationEpoch: FULU + 1 }, {}],
    ['of BLS credentials', { withdrawalCredentials: `0x00${'00'.repeat(11)}${addressOf(3).slice(2)}` }, {}],
    [
      'of who is compounding',
      { withdrawalCredentials: `0x02${'00'.repeat(11)}${addressOf(3).slice(2)}` },
      {},
    ],
    ['to another validator', {}, { targetPubkey: pubkeyOf(4) }],
    ['of an unknown validator', {}, { sourcePubkey: pubkeyOf(77), targetPubkey: pubkeyOf(77) }],
  ])('%s do not', (_, record, change) => {
    const world = ten(FULU);
    const other = worldOf(FULU, [recordOf(0), recordOf(1), recordOf(2), recordOf(3, record), recordOf(4)]);
    other.balances[3] = 33 * ETH;
    const block = blockOf(FULU * 32 + 1, { ...noSync, consolidationRequests: [request(3, change)] });
    processBlock(other, block, new Uint32Array(512));
    const prefix = Number(recordOf(3, record).withdrawalCredentials.slice(0, 4));
    expect([other.prefixes[3], other.balances[3], other.deposits]).toEqual([prefix, 33 * ETH, []]);
    expect(world.deposits).toEqual([]);
  });

  it('of who begins to exit in the same epoch do not', () => {
    const world = ten(FULU);
    world.balances[3] = 33 * ETH;
    world.exiting.add(3);
    processBlock(
      world,
      blockOf(FULU * 32 + 1, { ...noSync, consolidationRequests: [request(3)] }),
      committee,
    );
    expect([world.prefixes[3], world.balances[3]]).toEqual([1, 33 * ETH]);
  });

  it('of deposits wait since Electra; before, a deposit is in the balance at once', () => {
    const world = ten(FULU);
    const block = {
      ...noSync,
      deposits: [depositOf(2, 5 * ETH)],
      depositRequests: [depositOf(77, 32 * ETH)],
    };
    processBlock(world, blockOf(FULU * 32 + 1, block), committee);
    expect(world.deposits).toMatchObject([
      { amount: 5 * ETH, slot: 0 },
      { amount: 32 * ETH, slot: FULU * 32 + 1 },
    ]);
    const deneb = ten(DENEB, { newcomers: new Map([[pubkeyOf(10), 10]]), size: 11 });
    const deposits = [depositOf(2, 5 * ETH), depositOf(10, 40 * ETH), depositOf(77, 32 * ETH)];
    processBlock(deneb, blockOf(DENEB * 32 + 1, { ...noSync, deposits }), committee);
    expect([deneb.balances[2], deneb.balances[10], deneb.increments[10]]).toEqual([37 * ETH, 40 * ETH, 32]);
    expect(deneb.deposits).toEqual([]);
  });
});

describe('forks', () => {
  it('phase0 and forks that are not known are refused by name', () => {
    expect(() => rulesAt(spec, 100)).toThrow(SpecError);
    expect(() => rulesAt(spec, 100)).toThrow(/phase0.*begin at epoch 74240/);
    const later = { ...spec, unknownForks: [{ name: 'gloas', epoch: 500_000 }] };
    expect(() => rulesAt(later, 500_000)).toThrow(/fork gloas/);
    expect(rulesAt(later, 499_999).fork).toBe('fulu');
  });

  it('altair needs constants that only some nodes tell', () => {
    expect(() => rulesAt(spec, 80_000)).toThrow(/lacks MIN_SLASHING_PENALTY_QUOTIENT_ALTAIR.*altair/);
    const altair = {
      ...spec,
      minSlashingPenaltyQuotientAltair: 64,
      proportionalSlashingMultiplierAltair: 2,
      inactivityPenaltyQuotientAltair: 50_331_648,
    };
    expect(rulesAt(altair, 80_000)).toEqual({
      fork: 'altair',
      electra: false,
      gloas: false,
      anyTargetDelay: false,
      slashingQuotient: 64,
      whistleblowerQuotient: 512,
      slashingMultiplier: 2,
      inactivityQuotient: 50_331_648,
    });
  });
});

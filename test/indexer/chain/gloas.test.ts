import { describe, expect, it } from 'vitest';
import { processBlock } from '../../../src/indexer/chain/block.ts';
import { Builders } from '../../../src/indexer/chain/builders.ts';
import {
  onboardBuildersFromPendingDeposits,
  processPendingDeposits,
} from '../../../src/indexer/chain/deposits.ts';
import { bidOf, factsOf } from '../../../src/indexer/chain/facts.ts';
import { statusOf } from '../../../src/indexer/chain/payloads.ts';
import {
  processBuilderPendingPayments,
  processExecutionPayloadBid,
  settleBuilderPayment,
} from '../../../src/indexer/chain/payments.ts';
import {
  type BeaconBlock,
  type BuilderRecord,
  type PendingDeposit,
  Vote,
} from '../../../src/indexer/chain/types.ts';
import type { World } from '../../../src/indexer/chain/world.ts';
import { FIRST, FORK, gloasBlock, gloasSpec, gloasWorld, payloadOf, voteOf } from './gloas.ts';
import { addressOf, depositOf, ETH, pubkeyOf, recordOf, rootOf } from './small-chain.ts';

const nobody = new Uint32Array(512).fill(60);
const SLOT = FIRST + 1;

/** Applies blocks one after the other; each may look at all after it. */
function applied(world: World, ...blocks: BeaconBlock[]) {
  world.balances[60] = 0;
  return blocks.map((block, at) => processBlock(world, block, nobody, blocks.slice(at + 1)));
}
const withdrawing = (slot: number, amount: number, validatorIndex = 3) => ({
  execution: payloadOf(slot, { withdrawals: [{ validatorIndex, amount }] }),
});

describe('the withdrawals of a block', () => {
  it('are those of its own payload, whether its child takes that payload for part of the chain or not', () => {
    for (const after of [SLOT, SLOT - 1]) {
      const world = gloasWorld();
      applied(world, gloasBlock(SLOT, withdrawing(SLOT, 5)), gloasBlock(SLOT + 1, { after }));
      expect(world.balances[3]).toBe(32 * ETH - 5);
    }
  });

  it('are told by the next payload down the chain where the own one was withheld, and are taken once', () => {
    const world = gloasWorld();
    const repeated = withdrawing(SLOT + 2, 7);
    applied(
      world,
      gloasBlock(SLOT, { execution: null }),
      gloasBlock(SLOT + 1, { after: SLOT - 1, execution: null }),
      gloasBlock(SLOT + 2, { after: SLOT - 1, ...repeated }),
    );
    expect(world.balances[3]).toBe(32 * ETH - 7);
  });

  it('are none where the parent is empty, whatever its own payload says', () => {
    const world = gloasWorld();
    applied(world, gloasBlock(SLOT, { after: SLOT - 2, ...withdrawing(SLOT, 7) }));
    expect(world.balances[3]).toBe(32 * ETH);
  });

  it('are waited for until a payload tells them, and are never guessed where the chain has one that no node tells', () => {
    const withheld = gloasBlock(SLOT, { execution: null });
    expect(() => applied(gloasWorld(), withheld)).toThrow(/no payload shows the withdrawals/);
    expect(() => applied(gloasWorld(), withheld, gloasBlock(SLOT + 1))).toThrow(
      `the chain has the payload of slot ${SLOT}, but no node has it`,
    );
  });

  it('come after a switch to compounding that the payload of the parent asks for', () => {
    const world = gloasWorld();
    world.balances[3] = 33 * ETH;
    const switching = { sourceAddress: addressOf(3), sourcePubkey: pubkeyOf(3), targetPubkey: pubkeyOf(3) };
    applied(world, gloasBlock(SLOT, { consolidationRequests: [switching], ...withdrawing(SLOT, 1) }));
    expect(world.balances[3]).toBe(32 * ETH - 1);
    expect(world.deposits).toMatchObject([{ amount: ETH, slot: 0 }]);
  });
});

describe('the requests of a payload', () => {
  const depositRequests = [depositOf(3, ETH)];

  it('work in the child, whose slot deposits get', () => {
    const world = gloasWorld();
    applied(world, gloasBlock(SLOT, { depositRequests }));
    expect(world.deposits).toMatchObject([{ amount: ETH, slot: SLOT }]);
  });

  it('come before the exits of the block', () => {
    const world = gloasWorld();
    const leaving = { ...recordOf(3), exitEpoch: FORK + 5, withdrawableEpoch: FORK + 261 };
    const own = { ...world, records: new Map([[3, leaving]]) };
    const switching = { sourceAddress: addressOf(3), sourcePubkey: pubkeyOf(3), targetPubkey: pubkeyOf(3) };
    applied(own, gloasBlock(SLOT, { consolidationRequests: [switching], voluntaryExits: [3] }));
    expect([own.prefixes[3], own.exiting.has(3)]).toEqual([2, true]);
  });

  it('do nothing where the parent is empty', () => {
    const world = gloasWorld();
    applied(world, gloasBlock(SLOT, { depositRequests, after: SLOT - 2 }));
    expect(world.deposits).toEqual([]);
  });

  it('cannot be told where the parent is not known', () => {
    expect(() => applied(gloasWorld(), gloasBlock(SLOT + 1, { parent: SLOT }))).toThrow(
      /not known whether the parent of the block of slot \d+ has a payload; begin at a later epoch/,
    );
  });
});

describe('votes since Gloas', () => {
  const { source, target, head, wrongHead } = Vote;
  /** The vote of slot `SLOT + 1`, where no block is, for the block of `SLOT`, included in the next slot. */
  const voted = (votesFull: boolean, full: boolean) => {
    const world = { ...gloasWorld(), rootAt: (slot: number) => rootOf(slot === SLOT + 1 ? SLOT : slot) };
    const vote = voteOf(SLOT + 1, { beaconBlockRoot: rootOf(SLOT), votesFull });
    const child = { parent: SLOT, after: full ? SLOT : SLOT - 1, attestations: [vote] };
    applied(world, gloasBlock(SLOT), gloasBlock(SLOT + 2, child));
    return (world.votes[0]?.votes[4] ?? 0) & ~Vote.duty & ~Vote.included;
  };

  it.each([
    [true, true, source | target | head],
    [false, false, source | target | head],
    [true, false, source | target | wrongHead],
    [false, true, source | target | wrongHead],
  ])('for an earlier block that say full %s are right only if it is: %s', (said, full, flags) => {
    expect(voted(said, full)).toBe(flags);
  });

  it('for the block of their own slot say nothing about its payload', () => {
    for (const after of [SLOT, SLOT - 1]) {
      const world = gloasWorld();
      applied(world, gloasBlock(SLOT), gloasBlock(SLOT + 1, { after, attestations: [voteOf(SLOT)] }));
      expect(world.votes[0]?.votes[2]).toBe(Vote.duty | Vote.included | source | target | head);
    }
  });

  it('of an empty last slot of Fulu get no head flag from the first block of Gloas, and are not wrong', () => {
    const last = FIRST - 2;
    const world = gloasWorld(FORK, { from: FIRST - 1, voteEpochs: [FORK - 1, FORK] });
    const own = { ...world, rootAt: (slot: number) => rootOf(Math.min(slot, last)) };
    const vote = voteOf(FIRST - 1, { beaconBlockRoot: rootOf(last) });
    applied(own, gloasBlock(FIRST, { parent: last, attestations: [vote] }));
    expect((world.votes[0]?.votes[62] ?? 0) & ~Vote.duty & ~Vote.included).toBe(source | target);
  });
});

describe('the bid of a builder', () => {
  const bid = { builderIndex: 5, value: 9n };
  const paymentIn = (world: World, slot = SLOT) => world.payments.get(slot)?.payment;
  const end = (world: World, epoch: number) => processBuilderPendingPayments({ ...world, epoch });

  it('is settled by a child that takes its payload, even after the payment was dropped', () => {
    const world = gloasWorld();
    applied(world, gloasBlock(SLOT, { bid }), gloasBlock(SLOT + 1));
    expect(paymentIn(world)).toBe('settled');
    const late = gloasWorld();
    processExecutionPayloadBid(late, gloasBlock(SLOT, { bid }));
    end(late, FORK + 1);
    expect(paymentIn(late)).toBe('unpaid');
    settleBuilderPayment(late, SLOT, SLOT + 64);
    expect(paymentIn(late)).toBe('settled');
  });

  it('is settled where the child comes after all blocks of the next epoch', () => {
    const world = gloasWorld();
    const block = gloasBlock(SLOT, { bid });
    world.blocks.set(block.root, statusOf(block));
    processExecutionPayloadBid(world, block);
    end(world, FORK + 1);
    const size = world.balances.length;
    const told = (child: BeaconBlock | undefined) => {
      const open = {
        blocks: [
          {
            slot: SLOT,
            proposerIndex: 0,
            block,
            payload: 'unknown',
            consensusRewards: 0,
            bid: bidOf(block, []),
          },
        ],
      };
      const state = {
        epoch: FORK + 1,
        balances: world.balances,
        increments: world.increments,
        builders: null,
      };
      const duties = { rewards: new Float64Array(size), penaltiesWithoutDuty: new Map() };
      const applied = { duties, votes: { votes: new Uint8Array(size), delays: new Uint8Array(size) } };
      const following = child ? [child] : [];
      const facts = factsOf(world, state as never, open as never, applied as never, following, []);
      return facts.blocks.map(({ payload, bid }) => [payload, bid?.payment]);
    };
    expect(told(gloasBlock(SLOT + 70, { parent: SLOT }))).toEqual([['full', 'settled']]);
    expect(told(gloasBlock(SLOT + 70, { parent: SLOT, after: SLOT - 1 }))).toEqual([['empty', 'unpaid']]);
    world.payments.set(SLOT, { proposer: 0, value: 9n, weight: 0, payment: 'cancelled' });
    expect(told(gloasBlock(SLOT + 70, { parent: SLOT }))).toEqual([['full', 'settled']]);
  });

  it('is paid for an empty block at the end of the next epoch, if enough of those who vote in time voted for it', () => {
    // 64 ETH vote in each slot; the threshold is 6/10 of 2048/32 ETH.
    const bits = { both: 0b111, one: 0b101 };
    for (const [votes, payment] of [
      [bits.both, 'quorum'],
      [bits.one, 'unpaid'],
    ] as const) {
      const world = gloasWorld();
      const attestations = [voteOf(SLOT, { aggregationBits: Uint8Array.of(votes) })];
      applied(world, gloasBlock(SLOT, { bid }), gloasBlock(SLOT + 1, { after: SLOT - 1, attestations }));
      end(world, FORK);
      expect(paymentIn(world)).toBeNull();
      end(world, FORK + 1);
      expect(paymentIn(world)).toBe(payment);
    }
  });

  it('has the weight of each vote once', () => {
    const world = gloasWorld();
    const attestations = [voteOf(SLOT, { aggregationBits: Uint8Array.of(0b101) }), voteOf(SLOT)];
    applied(world, gloasBlock(SLOT, { bid }), gloasBlock(SLOT + 1, { after: SLOT - 1, attestations }));
    expect(world.payments.get(SLOT)?.weight).toBe(64);
  });

  it('has no weight of votes of its slot for another block', () => {
    const world = gloasWorld();
    const attestations = [voteOf(SLOT, { beaconBlockRoot: rootOf(SLOT - 1) })];
    applied(world, gloasBlock(SLOT, { bid }), gloasBlock(SLOT + 1, { after: SLOT - 1, attestations }));
    expect(world.votes[0]?.votes[2]).toBe(
      Vote.duty | Vote.included | Vote.source | Vote.target | Vote.wrongHead,
    );
    expect(world.payments.get(SLOT)?.weight).toBe(0);
  });

  it('is cancelled by a slashing of its proposer for its slot, unless it was settled before', () => {
    const slashing = (proposer: number, slot: number) => ({
      proposerSlashings: [proposer],
      slashedSlots: [slot],
    });
    for (const [change, payment] of [
      [{ after: SLOT - 1, ...slashing(0, SLOT) }, 'cancelled'],
      [{ after: SLOT - 1, ...slashing(0, SLOT - 1) }, 'unpaid'],
      [{ after: SLOT - 1, ...slashing(7, SLOT) }, 'unpaid'],
      [slashing(0, SLOT), 'settled'],
    ] as const) {
      const world = gloasWorld();
      applied(world, gloasBlock(SLOT, { bid }), gloasBlock(SLOT + 1, { proposerIndex: 1, ...change }));
      end(world, FORK + 1);
      expect(paymentIn(world)).toBe(payment);
    }
  });

  it('that the own block cancels is not settled by its child, unless this comes after the next epoch', () => {
    const own = { bid, proposerSlashings: [0], slashedSlots: [SLOT] };
    const epochEnd = (FORK + 2) * 32;
    for (const [child, payment] of [
      [SLOT + 1, 'cancelled'],
      [epochEnd - 1, 'cancelled'],
      [epochEnd, 'settled'],
    ] as const) {
      const world = gloasWorld();
      applied(world, gloasBlock(SLOT, own), gloasBlock(child, { parent: SLOT, proposerIndex: 1 }));
      expect(paymentIn(world)).toBe(payment);
    }
  });

  it('of nothing is not paid by votes', () => {
    const world = gloasWorld();
    const nothing = { builderIndex: 5, value: 0n };
    applied(
      world,
      gloasBlock(SLOT, { bid: nothing }),
      gloasBlock(SLOT + 1, { after: SLOT - 1, attestations: [voteOf(SLOT)] }),
    );
    end(world, FORK + 1);
    expect(paymentIn(world)).toBe('unpaid');
  });
});

describe('deposits', () => {
  it('of an epoch are limited by the fork of the epoch that ends', () => {
    // 36 million ETH are a churn of 256 ETH in Fulu; since Gloas the limit is 600.
    const limited = { ...gloasSpec.gloas, maxPerEpochActivationChurnLimitGloas: 600 * ETH } as const;
    const processed = (epoch: number) => {
      const world = gloasWorld(epoch);
      const terms = { ...world.terms, increments: 36_000_000 };
      const spec = { ...gloasSpec, gloas: limited as NonNullable<typeof gloasSpec.gloas> };
      const entries = Array.from({ length: 8 }, () => ({ ...depositOf(3, 100 * ETH), slot: 0 }));
      const queue = { first: 0, entries, carry: [0, 0] as const };
      const next = world.balances.slice();
      return 8 - processPendingDeposits({ ...world, spec, terms }, queue, epoch, next).entries.length;
    };
    expect([processed(FORK - 1), processed(FORK)]).toEqual([2, 6]);
  });

  const deposit = (index: number, prefix: string, slot: number) => {
    const { pubkey, withdrawalCredentials, amount } = depositOf(index, 32 * ETH);
    return { pubkey, withdrawalCredentials: `0x${prefix}${withdrawalCredentials.slice(4)}`, amount, slot };
  };
  const queue = {
    first: 7,
    entries: [
      deposit(70, 'b0', 1),
      deposit(3, '01', 2),
      deposit(70, '01', 3),
      deposit(71, '02', 4),
      deposit(71, 'b0', 5),
    ],
    carry: [0, 3] as const,
  };

  it('for builders leave the queue at the fork, with later ones of their keys; the others are stored again', () => {
    const [, kept, , own, other] = queue.entries;
    const told = [kept, own, other].map((entry) => entry as NonNullable<typeof entry>);
    expect(onboardBuildersFromPendingDeposits(FORK - 1, queue, told, null)).toEqual({
      first: 12,
      entries: told,
      carry: [0, 3],
    });
  });

  it('of a node that has dropped others at the fork are refused', () => {
    expect(() => onboardBuildersFromPendingDeposits(FORK - 1, queue, queue.entries.slice(3), null)).toThrow(
      /not for a builder/,
    );
    expect(() =>
      onboardBuildersFromPendingDeposits(FORK - 1, queue, [...queue.entries, deposit(9, '01', 6)], null),
    ).toThrow(/the queue has 6 deposits .* not 5/);
  });

  it.each([
    ['its deposits', 64 * ETH, true],
    ['its second deposit alone, which is not for a builder', 32 * ETH, false],
    ['another balance', 33 * ETH, false],
  ])('that leave the queue at the fork explain a builder with %s', (_what, balance, isExplained) => {
    const [first, , , own, other] = queue.entries as [PendingDeposit, ...PendingDeposit[]];
    const builder: BuilderRecord = {
      ...{ index: 0, pubkey: first.pubkey, balance, depositEpoch: FORK - 1, withdrawableEpoch: Infinity },
      executionAddress: `0x${first.withdrawalCredentials.slice(-40)}`,
    };
    const told = [queue.entries[1], own, other] as PendingDeposit[];
    const upgraded = () => onboardBuildersFromPendingDeposits(FORK - 1, queue, told, [builder]);
    if (isExplained) expect(upgraded().entries).toEqual(told);
    else expect(upgraded).toThrow(/builder 0 has \d+ Gwei .* its deposits do not explain/);
  });
});

describe('builders', () => {
  const builder = (index: number, key: number, change: Partial<BuilderRecord> = {}): BuilderRecord => ({
    ...{ index, pubkey: pubkeyOf(key), executionAddress: addressOf(key), balance: 10 * ETH },
    ...{ depositEpoch: FORK, withdrawableEpoch: Number.POSITIVE_INFINITY },
    ...change,
  });
  const depositing = (...builderDeposits: BeaconBlock['builderDeposits']) =>
    gloasBlock(SLOT, { builderDeposits });
  const of = (key: number, amount: number, prefix = 'b0') => {
    const { withdrawalCredentials, ...rest } = depositOf(key, amount);
    return { ...rest, withdrawalCredentials: `0x${prefix}${withdrawalCredentials.slice(4)}` };
  };
  const left = { withdrawableEpoch: FORK + 3, balance: 0 };

  it('gain by deposits for builders and lose by withdrawals', () => {
    const after = [builder(0, 80, { balance: 12 * ETH - 4 })];
    const builders = new Builders([builder(0, 80)], after);
    builders.deposit(depositing(of(80, 2 * ETH), of(80, ETH, '01')), FORK + 5);
    builders.withdraw(0, 4);
    expect(() => builders.reconcile(FORK + 5)).not.toThrow();
    builders.withdraw(0, 1);
    expect(() => builders.reconcile(FORK + 5)).toThrow(/balance of builder 0 is .* but the blocks explain/);
  });

  it('are new with the index of one that has left and is empty, if the signature of their deposit was right', () => {
    const epoch = FORK + 3;
    const made = builder(1, 90, { balance: 5 * ETH, depositEpoch: epoch });
    const builders = new Builders([builder(0, 80), builder(1, 81, left)], [builder(0, 80), made]);
    builders.deposit(depositing(of(95, ETH), of(90, 5 * ETH)), epoch);
    expect(() => builders.reconcile(epoch)).not.toThrow();
    const early = new Builders([builder(0, 80), builder(1, 81, left)], [builder(0, 80), made]);
    early.deposit(depositing(of(90, 5 * ETH)), epoch - 1);
    expect(() => early.reconcile(epoch - 1)).toThrow(/builder 1 is not/);
  });
});

import {
  type BeaconBlock,
  type ChainRegistry,
  type EpochFacts,
  type ValidatorRecord,
  Vote,
} from '../../../src/indexer/chain/types.ts';

const ETH = 1_000_000_000;
const hex = (value: number, bytes: number) => `0x${value.toString(16).padStart(bytes * 2, '0')}`;

/** A number below `bound` that looks like chance, the same each time. */
export function chance(bound: number, ...seed: number[]): number {
  let hash = 2_166_136_261;
  for (const part of seed) {
    hash = Math.imul(hash ^ part, 16_777_619);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 2_246_822_519);
    hash ^= hash >>> 13;
  }
  return (hash >>> 0) % bound;
}

/** What a chain saves, without deposits that wait. */
export const savedAs = (text: string) => ({ state: Buffer.from(text), deposits: { first: 0, entries: [] } });

export const pubkeyOf = (index: number) => hex(index + 1, 48);
export const addressOf = (owner: number) => hex(owner + 1, 20);

/** A block without what only the rules read. */
export const madeBlock = (
  slot: number,
  proposerIndex: number,
  change: Partial<BeaconBlock> = {},
): BeaconBlock => ({
  ...{ slot, fork: 'electra', proposerIndex, root: hex(slot, 32), parentRoot: hex(slot - 1, 32) },
  ...{
    attestations: [],
    proposerSlashings: [],
    attesterSlashings: [],
    voluntaryExits: [],
    credentialChanges: [],
  },
  ...{ deposits: [], depositRequests: [], withdrawalRequests: [], consolidationRequests: [] },
  ...{ slashedSlots: [], builderDeposits: [], bid: null },
  syncCommitteeBits: new Uint8Array(64),
  execution: {
    ...{
      blockNumber: slot - 100,
      blockHash: hex(slot * 7, 32),
      feeRecipient: addressOf(slot),
      gasUsed: 12_000_000,
    },
    ...{
      baseFeePerGas: '7000000001',
      transactions: { type0: 1, type1: 0, type2: 5, total: 6 },
      withdrawals: [],
      builderWithdrawals: [],
    },
  },
  ...change,
});

/** What a made chain of validators does; exits are by validator. */
export type Made = {
  size: number;
  exits?: Record<number, number>;
  activations?: Record<number, number>;
  slashed?: Record<number, { epoch: number; withdrawable: number }>;
  owners?: number;
};

export function madeRegistry({
  size,
  exits = {},
  activations = {},
  slashed = {},
  owners = 5,
}: Made): ChainRegistry {
  return {
    size,
    exit: Uint32Array.from({ length: size }, (_, v) => exits[v] ?? 0xffff_ffff),
    record: (index): ValidatorRecord => ({
      index,
      pubkey: pubkeyOf(index),
      withdrawalCredentials:
        index % 7 === 6 ? hex(index, 32) : `0x01${'00'.repeat(11)}${addressOf(index % owners).slice(2)}`,
      effectiveBalance: 32 * ETH,
      slashed: index in slashed,
      activationEligibilityEpoch: 0,
      activationEpoch: activations[index] ?? 0,
      exitEpoch: exits[index] ?? Number.POSITIVE_INFINITY,
      withdrawableEpoch: slashed[index]?.withdrawable ?? Number.POSITIVE_INFINITY,
    }),
  };
}

/** Facts of an epoch that hang together as far as rows show it. */
export function madeFacts(made: Made, epoch: number, first = epoch): EpochFacts {
  const { size, exits = {}, activations = {}, slashed = {} } = made;
  const [votes, delays] = [new Uint8Array(size), new Uint8Array(size)];
  const [rewards, balances] = [new Float64Array(size), new Float64Array(size)];
  const penalties = new Map<number, number>();
  let active = 0;
  for (let v = 0; v < size; v += 1) {
    balances[v] = 32 * ETH + chance(20_000_000, v, epoch, 1);
    const gone = (exits[v] ?? Number.POSITIVE_INFINITY) <= epoch;
    if (gone && (slashed[v]?.withdrawable ?? 0) > epoch) penalties.set(v, -1_000 - v);
    if (gone || (activations[v] ?? 0) > epoch) continue;
    active += 1;
    const luck = chance(100, v, epoch, 2);
    const delay = luck < 90 ? 1 : 1 + chance(12, v, epoch, 3);
    const flags =
      Vote.included | (delay <= 5 ? Vote.source : 0) | (luck > 3 ? Vote.target : Vote.wrongTarget);
    const head = delay === 1 && luck > 5 ? Vote.head : luck < 6 ? Vote.wrongHead : 0;
    const missed = luck === 99;
    votes[v] = Vote.duty | (missed ? 0 : flags | head);
    delays[v] = missed ? 0 : delay;
    rewards[v] = missed ? -9_000 : 10_000 - 100 * delay;
  }
  const duty = Array.from({ length: size }, (_, v) => v).filter((v) => (votes[v] as number) > 0);
  const slots = Array.from({ length: 32 }, (_, at) => epoch * 32 + at);
  const blocks = slots.map((slot) => {
    const proposerIndex = duty[chance(duty.length, slot, 4)] as number;
    const block = chance(20, slot, 5) === 0 ? null : madeBlock(slot, proposerIndex);
    const consensusRewards = block ? 40_000_000 + chance(1_000, slot, 6) : 0;
    return { slot, proposerIndex, block, payload: null, bid: null, consensusRewards };
  });
  const members = Uint32Array.from({ length: 512 }, (_, seat) =>
    chance(size, seat, Math.floor(epoch / 256), 7),
  );
  const seats = blocks
    .filter(({ block }) => block)
    .map(({ slot }) => ({
      slot,
      validators: members,
      rewards: Int32Array.from(members, (v) => (chance(30, v, slot, 8) === 0 ? -20_000 : 20_000)),
    }));
  return {
    ...{ epoch, votes, delays, rewards, penaltiesWithoutDuty: penalties, balances, blocks, seats },
    effectiveBalances: new Float64Array(size).fill(32 * ETH),
    nextEffectiveBalances: new Float64Array(size).fill(32 * ETH),
    syncCommittee: members,
    slashings: Object.entries(slashed)
      .filter(([, one]) => one.epoch === epoch)
      .map(([v, { withdrawable }]) => ({
        ...{ validatorIndex: Number(v), slot: epoch * 32 + 3, withdrawableEpoch: withdrawable },
        balanceBeforeSlashing: 32 * ETH + 77,
      })),
    consolidations: [],
    pendingConsolidations: [],
    totalActiveBalance: active * 32 * ETH,
    slashingPenalties: 0,
    changed: epoch === first ? Uint32Array.from({ length: size }, (_, v) => v) : new Uint32Array(),
    builders: null,
  };
}

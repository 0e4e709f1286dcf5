import { rulesAt } from '../../../src/indexer/chain/rules.ts';
import type { ChainSpec } from '../../../src/indexer/chain/spec.ts';
import type {
  Attestation,
  BeaconBlock,
  ExecutionPayload,
  PayloadBid,
} from '../../../src/indexer/chain/types.ts';
import type { World } from '../../../src/indexer/chain/world.ts';
import { blockOf, ETH, recordOf, rootOf, spec } from './small-chain.ts';
import { worldOf } from './world.ts';

/** The first epoch of Gloas, and the first slot. */
export const FORK = 430_000;
export const FIRST = FORK * 32;

export const gloasSpec: ChainSpec = {
  ...spec,
  forkEpochs: { ...spec.forkEpochs, gloas: FORK },
  gloas: {
    churnLimitQuotientGloas: 32_768,
    maxPerEpochActivationChurnLimitGloas: 256 * ETH,
    consolidationChurnLimitQuotient: 65_536,
    minBuilderWithdrawabilityDelay: 64,
  },
};

const hashOf = (slot: number) => `0x${(slot * 16 + 15).toString(16).padStart(64, '0')}`;

export const payloadOf = (slot: number, change: Partial<ExecutionPayload> = {}): ExecutionPayload => ({
  ...{ blockNumber: slot, blockHash: hashOf(slot), feeRecipient: `0x${'11'.repeat(20)}`, gasUsed: 21_000 },
  ...{ baseFeePerGas: '7', transactions: { type0: 0, type1: 0, type2: 0, total: 0 } },
  ...{ withdrawals: [], builderWithdrawals: [] },
  ...change,
});

type Change = Partial<Omit<BeaconBlock, 'bid'>> & {
  /** Slot of the newest payload that is part of the chain; by default the parent's. */
  after?: number;
  parent?: number;
  bid?: Partial<PayloadBid>;
};

/** A block whose parent is full, with a payload of its own unless told otherwise. */
export function gloasBlock(
  slot: number,
  { after, parent = slot - 1, bid, ...change }: Change = {},
): BeaconBlock {
  return blockOf(slot, {
    ...{ fork: 'gloas', syncCommitteeBits: new Uint8Array(64), parentRoot: rootOf(parent) },
    execution: payloadOf(slot),
    bid: {
      ...{ parentBlockHash: hashOf(after ?? parent), blockHash: hashOf(slot), builderIndex: null },
      ...{ value: 0n, executionPayment: 0n, feeRecipient: `0x${'22'.repeat(20)}` },
      ...bid,
    },
    ...change,
  });
}

/** Ten validators of 32 ETH each, in one committee of a slot; the block of the slot before `from` is known. */
export function gloasWorld(epoch = FORK, { from = epoch * 32 + 1, voteEpochs = [epoch] } = {}): World {
  const records = Array.from({ length: 64 }, (_, index) => recordOf(index));
  const world = { ...worldOf(epoch, records, { voteEpochs }), spec: gloasSpec };
  const before = from - 1;
  world.blocks.set(rootOf(before), {
    slot: before,
    blockHash: before < FIRST ? null : hashOf(before),
    full: before < FIRST ? true : null,
  });
  return { ...world, rules: rulesAt(gloasSpec, epoch) };
}

/** The committee of a slot has two members, from `2 × place in the epoch` on. */
export const voteOf = (slot: number, change: Partial<Attestation> = {}): Attestation => ({
  ...{ slot, beaconBlockRoot: rootOf(slot), source: { epoch: 0, root: '' }, committees: [0] },
  target: { epoch: Math.floor(slot / 32), root: rootOf(slot - (slot % 32)) },
  votesFull: false,
  aggregationBits: Uint8Array.of(0b111),
  ...change,
});

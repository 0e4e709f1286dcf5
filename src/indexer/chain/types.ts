import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';

/** What is known of a block, for the blocks after it. */
export type BlockStatus = {
  readonly slot: number;
  /** Of the payload that it promises; null before Gloas, where a block has its payload. */
  readonly blockHash: string | null;
  /** Whether the chain has its payload; null until its child tells. */
  readonly full: boolean | null;
};

/** What the protocol owes for the bid of a builder. */
export type PendingPayment = {
  readonly proposer: number;
  readonly value: bigint;
  /** Effective balances, in increments, of those who voted for the block in its slot, and had not voted before. */
  readonly weight: number;
  readonly payment: BidPayment | null;
};

/** By slot of the bid, for the previous epoch and this one. */
export type Payments = Map<number, PendingPayment>;

/** Signatures are not verified. */
export type PendingDeposit = {
  readonly pubkey: string;
  readonly withdrawalCredentials: string;
  readonly amount: number;
  readonly slot: number;
};

/**
 * Amounts are in Gwei, as doubles below 2^53. FAR_FUTURE_EPOCH is `Infinity` here and null in the database. Arrays are
 * indexed by validator unless noted otherwise. S_e is the state after the block of epoch e's first slot.
 */

export const forks = [
  'phase0',
  'altair',
  'bellatrix',
  'capella',
  'deneb',
  'electra',
  'fulu',
  'gloas',
] as const;
export type Fork = (typeof forks)[number];

type Checkpoint = { epoch: number; root: string };

export type Attestation = {
  slot: number;
  beaconBlockRoot: string;
  source: Checkpoint;
  target: Checkpoint;
  /** Ascending committee indices; before Electra, only `data.index`. */
  committees: readonly number[];
  /** Since Gloas, whether the vote says that the payload of an earlier block is there (`data.index` 1). */
  votesFull: boolean;
  /** SSZ bitlist over the members of all `committees`, with the length bit. */
  aggregationBits: Uint8Array;
};

export type DepositRequest = {
  pubkey: string;
  withdrawalCredentials: string;
  amount: number;
  signature: string;
  /** Slot of the block; 0 for a deposit without a request. */
  slot: number;
};

export type ExecutionPayload = {
  blockNumber: number;
  blockHash: string;
  feeRecipient: string;
  gasUsed: number;
  /** In wei, as a decimal string. */
  baseFeePerGas: string;
  /** Numbers of transactions by type, and in total. Type 0 is legacy. */
  transactions: { type0: number; type1: number; type2: number; total: number };
  withdrawals: readonly { validatorIndex: number; amount: number }[];
  /** Since Gloas, withdrawals of builders, which the node lists among those of validators. */
  builderWithdrawals: readonly { builder: number; amount: number }[];
};

/** Since Gloas, the payload that a block promises. */
export type PayloadBid = {
  /** Block hash of the newest payload that the proposer takes for part of the chain. */
  parentBlockHash: string;
  blockHash: string;
  /** Null if the proposer makes the payload itself. */
  builderIndex: number | null;
  /** In Gwei, as is `executionPayment`. */
  value: bigint;
  executionPayment: bigint;
  feeRecipient: string;
};

export type BeaconBlock = {
  slot: number;
  fork: Fork;
  root: string;
  parentRoot: string;
  proposerIndex: number;
  attestations: readonly Attestation[];
  proposerSlashings: readonly number[];
  /** For each of `proposerSlashings`, the slot of both headers. */
  slashedSlots: readonly number[];
  /** For each slashing, the validators in both attestations, ascending. */
  attesterSlashings: readonly (readonly number[])[];
  voluntaryExits: readonly number[];
  credentialChanges: readonly { validatorIndex: number; address: string }[];
  /** Deposits through the Eth1 bridge. */
  deposits: readonly Omit<DepositRequest, 'slot'>[];
  /** Since Gloas, the lists of requests are those of the parent's payload. */
  depositRequests: readonly Omit<DepositRequest, 'slot'>[];
  /** `exits`: the request is for the whole balance. */
  withdrawalRequests: readonly { sourceAddress: string; validatorPubkey: string; exits: boolean }[];
  consolidationRequests: readonly { sourceAddress: string; sourcePubkey: string; targetPubkey: string }[];
  builderDeposits: readonly Omit<DepositRequest, 'slot'>[];
  /** One bit per seat, least significant first; empty before Altair. */
  syncCommitteeBits: Uint8Array;
  /**
   * Null before the merge. Since Gloas, the payload that was revealed for this block, which the chain may not
   * have; null if there was none, or if the payload was not asked for.
   */
  execution: ExecutionPayload | null;
  /** Null before Gloas. */
  bid: PayloadBid | null;
};

/** Committee i of slot s within the epoch is `members[offsets[k]…offsets[k+1])`, with k = s·perSlot + i. */
export type Committees = {
  epoch: number;
  perSlot: number;
  offsets: Uint32Array;
  members: Uint32Array;
};

export type ValidatorRecord = {
  index: number;
  pubkey: string;
  withdrawalCredentials: string;
  effectiveBalance: number;
  slashed: boolean;
  activationEligibilityEpoch: number;
  activationEpoch: number;
  exitEpoch: number;
  withdrawableEpoch: number;
};

export type PendingConsolidation = { source: number; target: number };

export type EpochState = {
  epoch: number;
  balances: Float64Array;
  finalizedEpoch: number;
  pendingConsolidations: readonly PendingConsolidation[];
  /** Null before Gloas, and if the node does not report them. */
  builders: readonly BuilderRecord[] | null;
  /** The queue of deposits in the first epoch of Gloas, where the upgrade has changed it; otherwise null. */
  depositsAfterUpgrade: readonly DepositRequest[] | null;
};

/** Data of epoch e, read once epoch e + 1 is finalized. */
export type EpochInput = {
  epoch: number;
  /** Blocks of slots 32e to 32e + 31; null if missed. */
  blocks: readonly (BeaconBlock | null)[];
  committees: Committees;
  /** Validator of each seat; empty before Altair. */
  syncCommittee: Uint32Array;
  /** Sync committee of slot 32(e + 1). */
  nextSyncCommittee: Uint32Array;
  proposers: Uint32Array;
  next: EpochState;
  nextFirstBlock: BeaconBlock | null;
  /** Since Gloas, the blocks after the epoch, up to the first whose payload was revealed; at least one. */
  following: readonly BeaconBlock[];
  /** Records in S_{e+1}, from `Chain.recordsNeeded`. */
  records: readonly ValidatorRecord[];
};

/** Maximum delay of a timely source vote, in slots. */
export const MAX_SOURCE_DELAY = Math.floor(Math.sqrt(SLOTS_PER_EPOCH));

export const Vote = {
  source: 1,
  target: 2,
  head: 4,
  /** Only the first inclusion sets `included`, `wrongHead`, `wrongTarget` and `lateTarget`. */
  included: 8,
  wrongHead: 16,
  wrongTarget: 32,
  lateTarget: 64,
  /** The validator is in a committee. */
  duty: 128,
} as const;

/** Whether the chain has the payload of a block. Its child tells; until there is one, the payload is unknown. */
type PayloadStatus = 'full' | 'empty' | 'unknown';

/**
 * How the bid of a builder ended: paid because the block is full, paid by the votes for an empty block, not paid, or
 * cancelled because the proposer was slashed for the slot.
 */
export type BidPayment = 'settled' | 'quorum' | 'unpaid' | 'cancelled';

export type BidFacts = {
  /** Null if the proposer made the payload itself. `pubkey` is null if no node reports the builders. */
  builder: { index: number; pubkey: string | null } | null;
  /** In Gwei. */
  value: bigint;
  /** Gwei that the builder promises to pay in the payload; the protocol does not enforce it. */
  executionPayment: bigint;
  feeRecipient: string;
  /** Null for the proposer's own payload, and until the epoch is closed. */
  payment: BidPayment | null;
};

export type SlotFacts = {
  slot: number;
  proposerIndex: number;
  /** Null if the block was missed. Since Gloas, `execution` is null unless the payload is full. */
  block: BeaconBlock | null;
  /** Null before Gloas, and if the block was missed. */
  payload: PayloadStatus | null;
  /** Null before Gloas, and if the block was missed. */
  bid: BidFacts | null;
};

/** In a closed epoch, payloads are full or empty, and the payments of bids are known. */
export type BlockFacts = SlotFacts & {
  /** The proposer's rewards for attestations, sync aggregate and slashings. */
  consensusRewards: number;
};

export type SeatFacts = {
  slot: number;
  /** Indexed by seat. */
  validators: Uint32Array;
  /** Indexed by seat; negative if the member did not sign. */
  rewards: Int32Array;
};

export type SlashingFacts = {
  validatorIndex: number;
  slot: number;
  withdrawableEpoch: number;
  balanceBeforeSlashing: number;
};

export type ConsolidationFacts = { source: number; target: number; epoch: number; amount: number };

/** The key of a builder is `pubkey`: another builder may get the index of one that has left. */
export type BuilderRecord = {
  index: number;
  pubkey: string;
  executionAddress: string;
  balance: number;
  depositEpoch: number;
  /** Infinity if the builder has not left. */
  withdrawableEpoch: number;
};

/** A builder in S_{a+1}, with the number and the value in Gwei of its bids in blocks of epoch a. */
export type BuilderFacts = BuilderRecord & {
  [Kind in 'bids' | 'full' | 'withheld' | 'paid']: { count: number; value: bigint };
};

/** Facts of epoch a, known once epoch a + 2 is finalized. */
export type EpochFacts = {
  epoch: number;
  /** Bits of `Vote`. */
  votes: Uint8Array;
  /** Slots until the first inclusion; 0 if there was none. */
  delays: Uint8Array;
  /** Rewards for attestation duties, including inactivity penalties. */
  rewards: Float64Array;
  /** Penalties of slashed validators after their exit, counted on their last active day. */
  penaltiesWithoutDuty: ReadonlyMap<number, number>;
  /** `balances` and `effectiveBalances` are those of S_{a+1}. */
  balances: Float64Array;
  effectiveBalances: Float64Array;
  /** Effective balances of S_{a+2}. */
  nextEffectiveBalances: Float64Array;
  /** The first slot is absent if no earlier block is known. */
  blocks: readonly BlockFacts[];
  seats: readonly SeatFacts[];
  /** Validator of each seat, even if the epoch has no blocks. */
  syncCommittee: Uint32Array;
  slashings: readonly SlashingFacts[];
  consolidations: readonly ConsolidationFacts[];
  /** The queue in S_{a+1}. */
  pendingConsolidations: readonly PendingConsolidation[];
  totalActiveBalance: number;
  /** Initial and correlation penalties. */
  slashingPenalties: number;
  /** Validators whose records changed, ascending; in the first facts, all validators. */
  changed: Uint32Array;
  /** By index. Null before Gloas, and if no node reports the builders. */
  builders: readonly BuilderFacts[] | null;
};

export type Registry = {
  readonly size: number;
  record(index: number): ValidatorRecord;
};

/** `exit` has 0xffffffff for a validator that does not exit; the array may be longer than `size`. */
export type ChainRegistry = Registry & { readonly exit: Uint32Array };

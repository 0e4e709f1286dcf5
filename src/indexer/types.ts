/**
 * Amounts are in Gwei, as doubles below 2^53. FAR_FUTURE_EPOCH is `Infinity` here, and null in the database. "By
 * validator" means indexed by validator index.
 */

export const forks = ['phase0', 'altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const;
export type Fork = (typeof forks)[number];

type Checkpoint = { epoch: number; root: string };

export type Attestation = {
  slot: number;
  beaconBlockRoot: string;
  source: Checkpoint;
  target: Checkpoint;
  /** Ascending committee indices; before Electra, only `data.index`. */
  committees: readonly number[];
  /** SSZ bitlist over the members of `committees`, including the length bit. */
  aggregationBits: Uint8Array;
};

export type DepositRequest = {
  pubkey: string;
  withdrawalCredentials: string;
  amount: number;
  signature: string;
  /** Slot of the block, or 0 if no deposit request made it. */
  slot: number;
};

export type ExecutionPayload = {
  blockNumber: number;
  blockHash: string;
  feeRecipient: string;
  gasUsed: number;
  /** Wei, in decimal. */
  baseFeePerGas: string;
  /** Counts by first byte: legacy, 0x01, 0x02, and all. */
  transactions: { type0: number; type1: number; type2: number; total: number };
  withdrawals: readonly { validatorIndex: number; amount: number }[];
};

/** A canonical block, reduced to what the rules read. */
export type BeaconBlock = {
  slot: number;
  fork: Fork;
  root: string;
  parentRoot: string;
  proposerIndex: number;
  attestations: readonly Attestation[];
  /** Validator of each slashing. */
  proposerSlashings: readonly number[];
  /** Validators in both attestations of each slashing, ascending. */
  attesterSlashings: readonly (readonly number[])[];
  voluntaryExits: readonly number[];
  /** BLS-to-execution changes. */
  credentialChanges: readonly { validatorIndex: number; address: string }[];
  /** From the Eth1 bridge. */
  deposits: readonly Omit<DepositRequest, 'slot'>[];
  depositRequests: readonly Omit<DepositRequest, 'slot'>[];
  withdrawalRequests: readonly { sourceAddress: string; validatorPubkey: string; amount: number }[];
  consolidationRequests: readonly { sourceAddress: string; sourcePubkey: string; targetPubkey: string }[];
  /** A bit per seat, least significant first; empty before Altair. */
  syncCommitteeBits: Uint8Array;
  /** Null before the merge. */
  execution: ExecutionPayload | null;
};

/** Committee `index` of the epoch's slot s (from 0) has `members[offsets[k]…offsets[k+1])`, k = s·perSlot + index. */
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

/** S_e: the state at the first slot of epoch e, with the block of that slot. */
export type EpochState = {
  epoch: number;
  /** By validator. */
  balances: Float64Array;
  finalizedEpoch: number;
  pendingConsolidations: readonly PendingConsolidation[];
};

/** What the rules need of epoch e, once finalized.epoch >= e + 1. */
export type EpochInput = {
  epoch: number;
  /** Slots 32e to 32e+31; null for a missed proposal. */
  blocks: readonly (BeaconBlock | null)[];
  committees: Committees;
  /** Validator of each seat; empty before Altair. */
  syncCommittee: Uint32Array;
  /** For the block of slot 32(e+1); the same array within a period. */
  nextSyncCommittee: Uint32Array;
  /** By slot. */
  proposers: Uint32Array;
  /** S_{e+1}. */
  next: EpochState;
  /** Of slot 32(e+1); S_{e+1} includes it. */
  nextFirstBlock: BeaconBlock | null;
  /** Records of S_{e+1}, of `Chain.recordsNeeded`. */
  records: readonly ValidatorRecord[];
};

/** Bits of `EpochFacts.votes`. */
export const Vote = {
  source: 1,
  target: 2,
  head: 4,
  /** In a block; the three bits below describe the first inclusion. */
  included: 8,
  wrongHead: 16,
  wrongTarget: 32,
  lateTarget: 64,
  /** In a committee of the epoch. */
  duty: 128,
} as const;

export type BlockFacts = {
  slot: number;
  proposerIndex: number;
  /** Null for a missed proposal. */
  block: BeaconBlock | null;
  /** From attestations, the sync aggregate and slashings. */
  consensusRewards: number;
};

/** Sync committee seats in one block. */
export type SeatFacts = {
  slot: number;
  /** By seat. */
  validators: Uint32Array;
  /** By seat and by formula; negative for a missed signature. */
  rewards: Int32Array;
  /** Penalty that a balance of 0 left unpaid, by seat. */
  unpaid: ReadonlyMap<number, number>;
};

export type SlashingFacts = {
  validatorIndex: number;
  slot: number;
  withdrawableEpoch: number;
  balanceBeforeSlashing: number;
};

export type ConsolidationFacts = { source: number; target: number; epoch: number; amount: number };

/** Epoch a, closed: all inclusions and S_{a+2} are final, so nothing changes any more. */
export type EpochFacts = {
  epoch: number;
  /** Bits of `Vote`, by validator. */
  votes: Uint8Array;
  /** Slots until the first inclusion, by validator; 0 without one. */
  delays: Uint8Array;
  /** Attestation rewards and penalties, with inactivity, of validators with a duty; by validator. */
  rewards: Float64Array;
  /** The same of slashed validators after their exit; belongs to their last active day. */
  penaltiesWithoutDuty: ReadonlyMap<number, number>;
  /** Of S_{a+1}, by validator. */
  balances: Float64Array;
  /** Of S_{a+1}, by validator. */
  effectiveBalances: Float64Array;
  /** By slot of a, without the first slot if nothing before it is known. */
  blocks: readonly BlockFacts[];
  seats: readonly SeatFacts[];
  /** In blocks of a. */
  slashings: readonly SlashingFacts[];
  /** Processed at the end of a. */
  consolidations: readonly ConsolidationFacts[];
  /** `get_total_active_balance` in a. */
  totalActiveBalance: number;
  /** Initial penalties in a, and correlation penalties at its end. */
  slashingPenalties: number;
  /** Validators whose record changed, ascending; all of them in the first facts. */
  changed: Uint32Array;
};

/** As of the newest state that was processed. */
export type Registry = {
  readonly size: number;
  record(index: number): ValidatorRecord;
};

/** `exit`: exit epochs by validator; 0xffffffff without one. May be longer than `size`. */
export type ChainRegistry = Registry & { readonly exit: Uint32Array };

/**
 * Amounts are in Gwei, as doubles below 2^53. FAR_FUTURE_EPOCH is `Infinity` here, and null in the database. "By
 * validator" means by validator index.
 */

export const forks = ['phase0', 'altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const;
export type Fork = (typeof forks)[number];

type Checkpoint = { epoch: number; root: string };

export type Attestation = {
  slot: number;
  beaconBlockRoot: string;
  source: Checkpoint;
  target: Checkpoint;
  /** Ascending; before Electra, only `data.index`. */
  committees: readonly number[];
  /** SSZ bitlist over the committees' members, with the length bit. */
  aggregationBits: Uint8Array;
};

export type DepositRequest = {
  pubkey: string;
  withdrawalCredentials: string;
  amount: number;
  signature: string;
  /** Of the block; 0 without a request. */
  slot: number;
};

export type ExecutionPayload = {
  blockNumber: number;
  blockHash: string;
  feeRecipient: string;
  gasUsed: number;
  /** Wei, in decimal. */
  baseFeePerGas: string;
  /** By first byte: legacy, 0x01, 0x02, and all. */
  transactions: { type0: number; type1: number; type2: number; total: number };
  withdrawals: readonly { validatorIndex: number; amount: number }[];
};

/** Reduced to what the rules read. */
export type BeaconBlock = {
  slot: number;
  fork: Fork;
  root: string;
  parentRoot: string;
  proposerIndex: number;
  attestations: readonly Attestation[];
  /** Validator of each slashing. */
  proposerSlashings: readonly number[];
  /** Validators in both attestations, ascending. */
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

/** Committee `index` of slot s (from 0): `members[offsets[k]…offsets[k+1])`, k = s·perSlot + index. */
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

/** S_e: at the first slot of epoch e, including its block. */
export type EpochState = {
  epoch: number;
  /** By validator. */
  balances: Float64Array;
  finalizedEpoch: number;
  pendingConsolidations: readonly PendingConsolidation[];
};

/** Complete once finalized.epoch >= e + 1. */
export type EpochInput = {
  epoch: number;
  /** Slots 32e to 32e+31; null if missed. */
  blocks: readonly (BeaconBlock | null)[];
  committees: Committees;
  /** By seat; empty before Altair. */
  syncCommittee: Uint32Array;
  /** For slot 32(e+1); the same array within a period. */
  nextSyncCommittee: Uint32Array;
  /** By slot. */
  proposers: Uint32Array;
  /** S_{e+1}. */
  next: EpochState;
  /** Of slot 32(e+1); S_{e+1} includes it. */
  nextFirstBlock: BeaconBlock | null;
  /** Of S_{e+1}, from `Chain.recordsNeeded`. */
  records: readonly ValidatorRecord[];
};

/** Bits of `EpochFacts.votes`. */
export const Vote = {
  source: 1,
  target: 2,
  head: 4,
  /** In a block; the next three bits describe the first inclusion. */
  included: 8,
  wrongHead: 16,
  wrongTarget: 32,
  lateTarget: 64,
  /** In a committee. */
  duty: 128,
} as const;

export type BlockFacts = {
  slot: number;
  proposerIndex: number;
  /** Null if missed. */
  block: BeaconBlock | null;
  /** From attestations, sync aggregate and slashings. */
  consensusRewards: number;
};

export type SeatFacts = {
  slot: number;
  /** By seat. */
  validators: Uint32Array;
  /** By seat, by formula; negative if missed. */
  rewards: Int32Array;
  /** What a balance of 0 left unpaid, by seat. */
  unpaid: ReadonlyMap<number, number>;
};

export type SlashingFacts = {
  validatorIndex: number;
  slot: number;
  withdrawableEpoch: number;
  balanceBeforeSlashing: number;
};

export type ConsolidationFacts = { source: number; target: number; epoch: number; amount: number };

/** Epoch a, once all inclusions and S_{a+2} are final. */
export type EpochFacts = {
  epoch: number;
  /** `Vote`, by validator. */
  votes: Uint8Array;
  /** Slots until the first inclusion, or 0; by validator. */
  delays: Uint8Array;
  /** For attestation duties, with inactivity penalties; by validator. */
  rewards: Float64Array;
  /** Of slashed validators after their exit; counted on their last active day. */
  penaltiesWithoutDuty: ReadonlyMap<number, number>;
  /** Of S_{a+1}, by validator. */
  balances: Float64Array;
  /** Of S_{a+1}, by validator. */
  effectiveBalances: Float64Array;
  /** Of S_{a+2}, by validator. */
  nextEffectiveBalances: Float64Array;
  /** Of epoch a; omits its first slot if nothing before it is known. */
  blocks: readonly BlockFacts[];
  seats: readonly SeatFacts[];
  /** By seat, also in an epoch without blocks. */
  syncCommittee: Uint32Array;
  slashings: readonly SlashingFacts[];
  /** Processed at the end of epoch a. */
  consolidations: readonly ConsolidationFacts[];
  /** Of S_{a+1}, in order. */
  pendingConsolidations: readonly PendingConsolidation[];
  /** `get_total_active_balance` in epoch a. */
  totalActiveBalance: number;
  /** Initial and correlation penalties in epoch a. */
  slashingPenalties: number;
  /** Validators with a changed record, ascending; all in the first facts. */
  changed: Uint32Array;
};

/** As of the newest processed state. */
export type Registry = {
  readonly size: number;
  record(index: number): ValidatorRecord;
};

/** Exit epochs by validator, or 0xffffffff; may be longer than `size`. */
export type ChainRegistry = Registry & { readonly exit: Uint32Array };

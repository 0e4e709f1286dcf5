/**
 * Types shared by `node/`, `chain/` and `store/`. Amounts are in Gwei, as doubles below 2^53. Arrays "by validator" are
 * indexed by validator index. FAR_FUTURE_EPOCH is `Infinity` here, and null in the database.
 */

export const forks = ['phase0', 'altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const;
export type Fork = (typeof forks)[number];

type Checkpoint = { epoch: number; root: string };

export type Attestation = {
  slot: number;
  beaconBlockRoot: string;
  source: Checkpoint;
  target: Checkpoint;
  /** Committee indices, ascending; before Electra `data.index` alone. */
  committees: readonly number[];
  /** SSZ bitlist over the members of these committees, one after another; includes the length bit. */
  aggregationBits: Uint8Array;
};

export type DepositRequest = {
  pubkey: string;
  withdrawalCredentials: string;
  amount: number;
  signature: string;
  /** Slot of the block that carries it; 0 for deposits that the chain itself makes. */
  slot: number;
};

export type ExecutionPayload = {
  blockNumber: number;
  blockHash: string;
  feeRecipient: string;
  gasUsed: number;
  /** Wei, decimal digits. */
  baseFeePerGas: string;
  /** Number of transactions, by first byte: legacy, 0x01, 0x02, and all. */
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
  /** Slashed by each proposer slashing. */
  proposerSlashings: readonly number[];
  /** In both attestations of each attester slashing, ascending. */
  attesterSlashings: readonly (readonly number[])[];
  voluntaryExits: readonly number[];
  /** BLS-to-execution changes. */
  credentialChanges: readonly { validatorIndex: number; address: string }[];
  /** Deposits of the Eth1 bridge, before Electra. */
  deposits: readonly Omit<DepositRequest, 'slot'>[];
  depositRequests: readonly Omit<DepositRequest, 'slot'>[];
  withdrawalRequests: readonly { sourceAddress: string; validatorPubkey: string; amount: number }[];
  consolidationRequests: readonly { sourceAddress: string; sourcePubkey: string; targetPubkey: string }[];
  /** A bit per seat, least significant first; empty before Altair. */
  syncCommitteeBits: Uint8Array;
  /** Null before the merge. */
  execution: ExecutionPayload | null;
};

/** Committees of an epoch: the members of committee `index` of slot `first + s` are `members[offsets[k]…offsets[k+1])`, k = s·perSlot + index. */
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

/** The state S_e at the first slot of epoch e, with the block of that slot. */
export type EpochState = {
  epoch: number;
  /** By validator. */
  balances: Float64Array;
  finalizedEpoch: number;
  pendingConsolidations: readonly PendingConsolidation[];
};

/** All that the rules need of epoch e, once finalized.epoch >= e + 1. */
export type EpochInput = {
  epoch: number;
  /** Slots 32e to 32e+31; null where the proposal was missed. */
  blocks: readonly (BeaconBlock | null)[];
  committees: Committees;
  /** Validator of each seat; empty before Altair. */
  syncCommittee: Uint32Array;
  /** The same of epoch e + 1, which the block of slot 32(e+1) pays; the same array within a period. */
  nextSyncCommittee: Uint32Array;
  /** Proposer of each slot. */
  proposers: Uint32Array;
  /** S_{e+1}. */
  next: EpochState;
  /** The block of slot 32(e+1), which is in S_{e+1}. */
  nextFirstBlock: BeaconBlock | null;
  /** Records, as of S_{e+1}, of the validators that `Chain.recordsNeeded` named. */
  records: readonly ValidatorRecord[];
};

/** Bits of `EpochFacts.votes`, by validator. */
export const Vote = {
  source: 1,
  target: 2,
  head: 4,
  /** In a block; the bits below tell of its first inclusion. */
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
  /** Null where the proposal was missed. */
  block: BeaconBlock | null;
  /** Attestations, sync aggregate and whistleblower parts; 0 where missed. */
  consensusRewards: number;
};

/** The seats of the sync committee in one block. */
export type SeatFacts = {
  slot: number;
  /** Validator of each seat. */
  validators: Uint32Array;
  /** What each seat earned by formula; negative for a missed signature. */
  rewards: Int32Array;
  /** Part of a seat's penalty that a balance of 0 left unpaid, by position. */
  unpaid: ReadonlyMap<number, number>;
};

export type SlashingFacts = {
  validatorIndex: number;
  slot: number;
  withdrawableEpoch: number;
  balanceBeforeSlashing: number;
};

export type ConsolidationFacts = { source: number; target: number; epoch: number; amount: number };

/** A closed duty epoch a: all inclusions and S_{a+2} are final, so nothing of it changes any more. */
export type EpochFacts = {
  epoch: number;
  /** Bits of `Vote`, by validator. */
  votes: Uint8Array;
  /** Slots until the first inclusion, by validator; 0 without one. */
  delays: Uint8Array;
  /** reward(v, a): attestation rewards and penalties, inactivity included, of validators with a duty; by validator. */
  rewards: Float64Array;
  /** The same of slashed validators that have exited; it belongs to the day of the exit. */
  penaltiesWithoutDuty: ReadonlyMap<number, number>;
  /** Of S_{a+1}, by validator. */
  balances: Float64Array;
  /** Of S_{a+1}, by validator. */
  effectiveBalances: Float64Array;
  /** Slots of epoch a. The slot that a recording begins with has no facts. */
  blocks: readonly BlockFacts[];
  seats: readonly SeatFacts[];
  /** Validators slashed in blocks of a. */
  slashings: readonly SlashingFacts[];
  /** Processed at the end of a. */
  consolidations: readonly ConsolidationFacts[];
  /** Sum of the effective balances of the validators active in a. */
  totalActiveBalance: number;
  /** Initial penalties of blocks of a, and correlation penalties at its end. */
  slashingPenalties: number;
  /** Validators whose record changed since the epoch before, ascending; in the first epoch, all. */
  changed: Uint32Array;
};

/** The registry, as of the newest state that was processed. */
export type Registry = {
  readonly size: number;
  record(index: number): ValidatorRecord;
};

/** `exit`: exit epochs by validator; 0xffffffff without one. May be longer than `size`. */
export type ChainRegistry = Registry & { readonly exit: Uint32Array };

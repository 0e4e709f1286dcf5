import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { StartInput } from '../../../src/indexer/chain/begin.ts';
import type { Chain } from '../../../src/indexer/chain/index.ts';
import type { Resume } from '../../../src/indexer/chain/saved.ts';
import { type ChainSpec, parseSpec } from '../../../src/indexer/chain/spec.ts';
import type {
  Attestation,
  BeaconBlock,
  BuilderRecord,
  Committees,
  DepositRequest,
  EpochFacts,
  EpochInput,
  EpochState,
  Fork,
  ValidatorRecord,
} from '../../../src/indexer/chain/types.ts';
import { readBlock } from '../../../src/indexer/node/block.ts';
import { readEnvelope } from '../../../src/indexer/node/scan/envelope.ts';

/** Recorded chains; not part of the project. */
const folder = fileURLToPath(new URL('../../../../shared/beacon/', import.meta.url));
export const recorded = existsSync(`${folder}chain-days.ndjson.gz`);

const SLOTS = 32;
const FAR = '18446744073709551615';
const epochOf = (text: string) => (text === FAR ? Number.POSITIVE_INFINITY : Number(text));
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));
const checkpoint = (c: any) => ({ epoch: Number(c.epoch), root: c.root as string });

function attestationOf(a: any): Attestation {
  const bits = bytesOf(a.committee_bits);
  return {
    slot: Number(a.data.slot),
    beaconBlockRoot: a.data.beacon_block_root,
    source: checkpoint(a.data.source),
    target: checkpoint(a.data.target),
    committees: Array.from({ length: 64 }, (_, i) => i).filter(
      (i) => ((bits[i >> 3] as number) >> (i & 7)) & 1,
    ),
    aggregationBits: bytesOf(a.aggregation_bits),
    votesFull: false,
  };
}

const depositOf = (d: any) => ({
  pubkey: d.pubkey as string,
  withdrawalCredentials: d.withdrawal_credentials as string,
  amount: Number(d.amount),
  signature: d.signature as string,
});

const waitingOf = (d: any): DepositRequest => ({ ...depositOf(d), slot: Number(d.slot) });

const builderOf = (b: any, index: number): BuilderRecord => ({
  index,
  pubkey: b.pubkey,
  executionAddress: b.execution_address.toLowerCase(),
  balance: Number(b.balance),
  depositEpoch: Number(b.deposit_epoch),
  withdrawableEpoch: epochOf(b.withdrawable_epoch),
});

const indices = (attestation: any) => attestation.attesting_indices.map(Number) as number[];

function slashedByVotes({ attestation_1, attestation_2 }: any): number[] {
  const second = new Set(indices(attestation_2));
  return indices(attestation_1)
    .filter((index) => second.has(index))
    .sort((a, b) => a - b);
}

function blockOf(line: any): BeaconBlock {
  if (line.version === 'gloas') return readBlock({ version: 'gloas', data: line.block }, line.root);
  const {
    slot,
    version,
    root,
    block: { message },
  } = line;
  const { body } = message;
  const payload = body.execution_payload;
  const requests = body.execution_requests;
  return {
    slot,
    fork: version as Fork,
    root,
    parentRoot: message.parent_root,
    proposerIndex: Number(message.proposer_index),
    attestations: body.attestations.map(attestationOf),
    proposerSlashings: body.proposer_slashings.map((s: any) =>
      Number(s.signed_header_1.message.proposer_index),
    ),
    slashedSlots: [],
    builderDeposits: [],
    attesterSlashings: body.attester_slashings.map(slashedByVotes),
    voluntaryExits: body.voluntary_exits.map((e: any) => Number(e.message.validator_index)),
    credentialChanges: body.bls_to_execution_changes.map((c: any) => ({
      validatorIndex: Number(c.message.validator_index),
      address: c.message.to_execution_address,
    })),
    deposits: body.deposits.map((d: any) => depositOf(d.data)),
    depositRequests: requests.deposits.map(depositOf),
    withdrawalRequests: requests.withdrawals.map((w: any) => ({
      sourceAddress: w.source_address,
      validatorPubkey: w.validator_pubkey,
      exits: w.amount === '0',
    })),
    consolidationRequests: requests.consolidations.map((c: any) => ({
      sourceAddress: c.source_address,
      sourcePubkey: c.source_pubkey,
      targetPubkey: c.target_pubkey,
    })),
    syncCommitteeBits: bytesOf(body.sync_aggregate.sync_committee_bits),
    execution: {
      blockNumber: Number(payload.block_number),
      blockHash: payload.block_hash,
      feeRecipient: payload.fee_recipient,
      gasUsed: Number(payload.gas_used),
      baseFeePerGas: payload.base_fee_per_gas,
      transactions: { type0: 0, type1: 0, type2: 0, total: payload.transactions.length },
      withdrawals: payload.withdrawals.map((w: any) => ({
        validatorIndex: Number(w.validator_index),
        amount: Number(w.amount),
      })),
      builderWithdrawals: [],
    },
    bid: null,
  };
}

function committeesOf(epoch: number, rows: [slot: number, index: number, members: number[]][]): Committees {
  const sorted = rows.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const offsets = new Uint32Array(sorted.length + 1);
  for (const [at, row] of sorted.entries()) offsets[at + 1] = (offsets[at] as number) + row[2].length;
  return {
    epoch,
    perSlot: sorted.length / SLOTS,
    offsets,
    members: Uint32Array.from(sorted.flatMap((row) => row[2])),
  };
}

const recordOf = (index: number, v: any): ValidatorRecord => ({
  index,
  pubkey: v.pubkey,
  withdrawalCredentials: v.withdrawal_credentials,
  effectiveBalance: Number(v.effective_balance),
  slashed: v.slashed,
  activationEligibilityEpoch: epochOf(v.activation_eligibility_epoch),
  activationEpoch: epochOf(v.activation_epoch),
  exitEpoch: epochOf(v.exit_epoch),
  withdrawableEpoch: epochOf(v.withdrawable_epoch),
});

export type RecordingName = 'chain-days' | 'chain-wide' | 'chain-gloas';

/** A recorded chain, as the inputs of the rules. */
export class Recording {
  readonly spec: ChainSpec;
  readonly firstEpoch: number;
  /** The newest epoch whose next state is recorded. */
  readonly lastEpoch: number;
  readonly #blocks = new Map<number, BeaconBlock>();
  readonly #epochs = new Map<number, any>();
  readonly #states = new Map<number, any>();
  readonly #records: [slot: number, record: ValidatorRecord][][] = [];

  constructor(name: RecordingName) {
    const lines = gunzipSync(readFileSync(`${folder}${name}.ndjson.gz`))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const meta = lines[0];
    this.spec = parseSpec(meta.spec);
    for (const line of lines.slice(1)) {
      if (line.committees) this.#epochs.set(line.epoch, line);
      else if (line.state !== undefined) this.#addState(line);
      else if (line.block) this.#blocks.set(line.slot, blockOf(line));
      else if (line.envelope) this.#addEnvelope(line);
    }
    this.firstEpoch = meta.first / SLOTS;
    this.lastEpoch = Math.max(...this.#states.keys()) / SLOTS - 1;
  }

  /** Balances of a recorded slot: the first and the last of each epoch. */
  balances(slot: number): Float64Array {
    return Float64Array.from(this.#states.get(slot).balances);
  }

  state(epoch: number): EpochState {
    const state = this.#states.get(epoch * SLOTS);
    return {
      epoch,
      balances: this.balances(epoch * SLOTS),
      finalizedEpoch: state.fin,
      pendingConsolidations: state.pendingConsolidations.map((c: any) => ({
        source: Number(c.source_index),
        target: Number(c.target_index),
      })),
      builders: state.builders?.map(builderOf) ?? null,
      depositsAfterUpgrade:
        epoch === this.spec.forkEpochs.gloas ? state.pendingDeposits.map(waitingOf) : null,
    };
  }

  record(index: number, epoch: number): ValidatorRecord {
    return (this.#records[index] as [number, ValidatorRecord][]).findLast(
      ([slot]) => slot <= epoch * SLOTS,
    )?.[1] as ValidatorRecord;
  }

  committees(epoch: number): Committees {
    return committeesOf(epoch, this.#epochs.get(epoch).committees);
  }

  records(epoch: number): ValidatorRecord[] {
    return this.state(epoch).balances.reduce((all: ValidatorRecord[], _, index) => {
      all.push(this.record(index, epoch));
      return all;
    }, []);
  }

  /** To begin at S_epoch. */
  start(epoch: number): StartInput {
    return {
      state: this.state(epoch),
      records: this.records(epoch),
      pendingDeposits: this.#waiting(epoch),
      syncCommittee: Uint32Array.from(this.#epochs.get(epoch).sync),
      before:
        epoch === this.firstEpoch
          ? null
          : {
              blocks: this.blocks(epoch - 1),
              committees: this.committees(epoch - 1),
              firstBlock: this.#blocks.get(epoch * SLOTS) ?? null,
              earlier: this.#newestBefore((epoch - 1) * SLOTS),
              following: this.#following(epoch * SLOTS),
            },
    };
  }

  /** To go on with what was saved before `epoch`. */
  resume(epoch: number): Resume {
    const records = this.records(epoch).map((record) => ({ ...record, effectiveBalance: 0 }));
    return { state: this.state(epoch), committees: this.committees(epoch - 1), records };
  }

  blocks(epoch: number): (BeaconBlock | null)[] {
    return Array.from({ length: SLOTS }, (_, at) => this.#blocks.get(epoch * SLOTS + at) ?? null);
  }

  /** What the chain is given of an epoch, with the records that it asks for. */
  input(epoch: number, chain: Pick<Chain, 'recordsNeeded'>): EpochInput {
    const { sync, proposers } = this.#epochs.get(epoch);
    const input = {
      epoch,
      blocks: this.blocks(epoch),
      committees: this.committees(epoch),
      syncCommittee: Uint32Array.from(sync),
      nextSyncCommittee: Uint32Array.from((this.#epochs.get(epoch + 1) ?? this.#epochs.get(epoch)).sync),
      proposers: Uint32Array.from(proposers),
      next: this.state(epoch + 1),
      nextFirstBlock: this.#blocks.get((epoch + 1) * SLOTS) ?? null,
      following: this.#following((epoch + 1) * SLOTS),
    };
    const records = chain.recordsNeeded(input).map((index) => this.record(index, epoch + 1));
    return { ...input, records };
  }

  /** Steps through epochs, up to and including `last`. */
  run(chain: Chain, last = this.lastEpoch): EpochFacts[] {
    const facts: EpochFacts[] = [];
    while (chain.epoch <= last) {
      const told = chain.step(this.input(chain.epoch, chain));
      if (told) facts.push(told);
    }
    return facts;
  }

  #addEnvelope({ slot, envelope }: any): void {
    const { payload } = readEnvelope(Buffer.from(JSON.stringify({ data: envelope })));
    const block = this.#blocks.get(slot) as BeaconBlock;
    this.#blocks.set(slot, { ...block, execution: payload });
  }

  #newestBefore(slot: number): BeaconBlock | null {
    for (let at = slot - 1; at > this.firstEpoch * SLOTS; at--) {
      const block = this.#blocks.get(at);
      if (block) return block;
    }
    return null;
  }

  /** From a slot on, up to the first block with a payload. */
  #following(slot: number): BeaconBlock[] {
    const blocks: BeaconBlock[] = [];
    for (let at = slot; ; at++) {
      const block = this.#blocks.get(at);
      if (!block && at > this.#newest) return blocks;
      if (block) blocks.push(block);
      if (block?.execution) return blocks[0]?.bid ? blocks : [];
    }
  }

  get #newest(): number {
    return [...this.#blocks.keys()].at(-1) as number;
  }

  /** Deposits of blocks that are not final at S_epoch still wait; a recording does not have others. */
  #waiting(epoch: number): StartInput['pendingDeposits'] {
    const told = this.#states.get(epoch * SLOTS).pendingDeposits;
    if (Array.isArray(told)) return told.map(waitingOf);
    const blocks = [...this.#blocks.values()].filter(
      ({ slot }) => slot > this.state(epoch).finalizedEpoch * SLOTS && slot <= epoch * SLOTS,
    );
    return blocks.flatMap(({ slot, depositRequests }) =>
      depositRequests.map((deposit) => ({ ...deposit, slot })),
    );
  }

  #addState(line: any): void {
    if (this.#states.has(line.state)) return;
    this.#states.set(line.state, line);
    for (const [index, v] of Object.entries(line.changed))
      (this.#records[Number(index)] ??= []).push([line.state, recordOf(Number(index), v)]);
  }
}

const recordings = new Map<string, Recording>();

/** The same for all tests of a worker, since it takes a second to parse. */
export function recordingOf(...[name]: ConstructorParameters<typeof Recording>): Recording {
  const recording = recordings.get(name) ?? new Recording(name);
  recordings.set(name, recording);
  return recording;
}

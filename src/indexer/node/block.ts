import { AnswerError } from '../answers/error.ts';
import { shown } from '../answers/json.ts';
import {
  type Attestation,
  type BeaconBlock,
  type ExecutionPayload,
  type Fork,
  forks,
  type PayloadBid,
} from '../chain/types.ts';
import { payloadHeader, transactionsOf, withdrawalsOf } from './payload-fields.ts';
import { decimal, hex, listAt, MAX_INDEX, objectAt, uint64 } from './scan/bytes.ts';

type Fields = Record<string, unknown>;

const list = <T>(of: Fields, name: string, read: (item: Fields) => T): T[] =>
  listAt(of[name], name).map((item, i) => read(objectAt(item, `${name}[${i}]`)));

const validator = (value: unknown, field: string): number => decimal(value, field, MAX_INDEX);
const root = (value: unknown, field: string): string => hex(value, field, 32);
const bits = (value: unknown, field: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex(value, field).slice(2), 'hex'));

function checkpoint(value: unknown, field: string) {
  const { epoch, root: block } = objectAt(value, field);
  return { epoch: decimal(epoch, `${field}.epoch`), root: root(block, `${field}.root`) };
}

function committeesOf(attestation: Fields, index: unknown, electra: boolean): number[] {
  if (!electra) return [decimal(index, 'data.index', 63)];
  const set = bits(attestation.committee_bits, 'committee_bits');
  const committees: number[] = [];
  for (let i = 0; i < set.length * 8; i += 1)
    if (((set[i >> 3] as number) >> (i & 7)) & 1) committees.push(i);
  return committees;
}

function attestationOf(attestation: Fields, electra: boolean, gloas: boolean): Attestation {
  const data = objectAt(attestation.data, 'data');
  const aggregationBits = bits(attestation.aggregation_bits, 'aggregation_bits');
  if (!aggregationBits.at(-1)) throw new AnswerError('aggregation_bits have no length bit');
  return {
    slot: decimal(data.slot, 'data.slot'),
    beaconBlockRoot: root(data.beacon_block_root, 'beacon_block_root'),
    source: checkpoint(data.source, 'source'),
    target: checkpoint(data.target, 'target'),
    committees: committeesOf(attestation, data.index, electra),
    votesFull: gloas && decimal(data.index, 'data.index', 1) === 1,
    aggregationBits,
  };
}

const slashedHeader = (slashing: Fields): Fields =>
  objectAt(objectAt(slashing.signed_header_1, 'signed_header_1').message, 'message');

function attesterSlashing(slashing: Fields): number[] {
  const indices = (name: string) =>
    listAt(objectAt(slashing[name], name).attesting_indices, 'attesting_indices').map((index) =>
      validator(index, 'attesting_indices'),
    );
  const second = new Set(indices('attestation_2'));
  return indices('attestation_1')
    .filter((index) => second.has(index))
    .sort((a, b) => a - b);
}

const deposit = (data: Fields) => ({
  pubkey: hex(data.pubkey, 'pubkey', 48),
  withdrawalCredentials: hex(data.withdrawal_credentials, 'withdrawal_credentials', 32),
  amount: decimal(data.amount, 'amount'),
  signature: hex(data.signature, 'signature', 96),
});

function payloadOf(body: Fields, fork: Fork): ExecutionPayload | null {
  if (forks.indexOf(fork) < forks.indexOf('bellatrix')) return null;
  const payload = objectAt(body.execution_payload, 'execution_payload');
  const blockHash = root(payload.block_hash, 'block_hash');
  // Bellatrix blocks before the merge have an empty payload.
  if (/^0x0+$/.test(blockHash)) return null;
  const hasWithdrawals = forks.indexOf(fork) >= forks.indexOf('capella');
  return {
    ...payloadHeader(payload),
    transactions: transactionsOf(payload),
    ...withdrawalsOf(hasWithdrawals ? payload : { withdrawals: [] }),
  };
}

/** `builder_index` of a payload that the proposer makes itself. */
const SELF_BUILT = (1n << 64n) - 1n;

function bidOf(body: Fields): PayloadBid {
  const signed = objectAt(body.signed_execution_payload_bid, 'signed_execution_payload_bid');
  const bid = objectAt(signed.message, 'message');
  const builder = uint64(bid.builder_index, 'builder_index');
  return {
    parentBlockHash: root(bid.parent_block_hash, 'parent_block_hash'),
    blockHash: root(bid.block_hash, 'block_hash'),
    builderIndex: builder === SELF_BUILT ? null : validator(String(builder), 'builder_index'),
    value: uint64(bid.value, 'value'),
    executionPayment: uint64(bid.execution_payment, 'execution_payment'),
    feeRecipient: hex(bid.fee_recipient, 'fee_recipient', 20),
  };
}

function requestsOf(body: Fields, electra: boolean, gloas: boolean) {
  if (!electra)
    return { depositRequests: [], withdrawalRequests: [], consolidationRequests: [], builderDeposits: [] };
  const name = gloas ? 'parent_execution_requests' : 'execution_requests';
  const requests = objectAt(body[name], name);
  return {
    builderDeposits: gloas ? list(requests, 'builder_deposits', deposit) : [],
    depositRequests: list(requests, 'deposits', deposit),
    withdrawalRequests: list(requests, 'withdrawals', (item) => ({
      sourceAddress: hex(item.source_address, 'source_address', 20),
      validatorPubkey: hex(item.validator_pubkey, 'validator_pubkey', 48),
      exits: uint64(item.amount, 'amount') === 0n,
    })),
    consolidationRequests: list(requests, 'consolidations', (item) => ({
      sourceAddress: hex(item.source_address, 'source_address', 20),
      sourcePubkey: hex(item.source_pubkey, 'source_pubkey', 48),
      targetPubkey: hex(item.target_pubkey, 'target_pubkey', 48),
    })),
  };
}

function forkOf(version: unknown): Fork {
  const fork = forks.find((name) => name === version);
  if (fork) return fork;
  if (typeof version !== 'string') throw new AnswerError(`version is ${shown(version)} in place of a fork`);
  throw new AnswerError(
    `the block is of the fork ${shown(version)}, which this version does not know; update stakegraph`,
    'unknown-fork',
  );
}

/** Throws `AnswerError`. Since Gloas, `execution` is null: the payload is not in the block. `blockRoot` is an argument, because the response does not contain the root. */
export function readBlock(answer: Fields, blockRoot: string): BeaconBlock {
  const fork = forkOf(answer.version);
  const at = (name: (typeof forks)[number]) => forks.indexOf(fork) >= forks.indexOf(name);
  const message = objectAt(objectAt(answer.data, 'data').message, 'message');
  const body = objectAt(message.body, 'body');
  const electra = at('electra');
  const gloas = at('gloas');
  return {
    slot: decimal(message.slot, 'slot'),
    fork,
    root: blockRoot,
    parentRoot: root(message.parent_root, 'parent_root'),
    proposerIndex: validator(message.proposer_index, 'proposer_index'),
    attestations: list(body, 'attestations', (item) => attestationOf(item, electra, gloas)),
    proposerSlashings: list(body, 'proposer_slashings', (slashing) =>
      validator(slashedHeader(slashing).proposer_index, 'proposer_index'),
    ),
    slashedSlots: gloas
      ? list(body, 'proposer_slashings', (slashing) => decimal(slashedHeader(slashing).slot, 'slot'))
      : [],
    attesterSlashings: list(body, 'attester_slashings', attesterSlashing),
    voluntaryExits: list(body, 'voluntary_exits', (exit) =>
      validator(objectAt(exit.message, 'message').validator_index, 'validator_index'),
    ),
    credentialChanges: at('capella')
      ? list(body, 'bls_to_execution_changes', (change) => {
          const { validator_index, to_execution_address } = objectAt(change.message, 'message');
          return {
            validatorIndex: validator(validator_index, 'validator_index'),
            address: hex(to_execution_address, 'to_execution_address', 20),
          };
        })
      : [],
    deposits: list(body, 'deposits', (item) => deposit(objectAt(item.data, 'data'))),
    ...requestsOf(body, electra, gloas),
    syncCommitteeBits: at('altair')
      ? bits(objectAt(body.sync_aggregate, 'sync_aggregate').sync_committee_bits, 'sync_committee_bits')
      : new Uint8Array(0),
    execution: gloas ? null : payloadOf(body, fork),
    bid: gloas ? bidOf(body) : null,
  };
}

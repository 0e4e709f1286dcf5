import { type Attestation, type BeaconBlock, type ExecutionPayload, type Fork, forks } from '../types.ts';
import { AnswerError, shown } from './errors.ts';
import { decimal, hex, listAt, MAX_INDEX, objectAt } from './scan/bytes.ts';

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

function attestationOf(attestation: Fields, electra: boolean): Attestation {
  const data = objectAt(attestation.data, 'data');
  const aggregationBits = bits(attestation.aggregation_bits, 'aggregation_bits');
  if (!aggregationBits.at(-1)) throw new AnswerError('aggregation_bits have no length bit');
  return {
    slot: decimal(data.slot, 'data.slot'),
    beaconBlockRoot: root(data.beacon_block_root, 'beacon_block_root'),
    source: checkpoint(data.source, 'source'),
    target: checkpoint(data.target, 'target'),
    committees: committeesOf(attestation, data.index, electra),
    aggregationBits,
  };
}

const proposerSlashing = (slashing: Fields): number => {
  const header = objectAt(slashing.signed_header_1, 'signed_header_1');
  return validator(objectAt(header.message, 'message').proposer_index, 'proposer_index');
};

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

function transactionsOf(payload: Fields): ExecutionPayload['transactions'] {
  const transactions = listAt(payload.transactions, 'transactions');
  const counts = { type0: 0, type1: 0, type2: 0, total: transactions.length };
  for (const transaction of transactions) {
    if (typeof transaction !== 'string' || !/^0x[0-9a-fA-F]{2}/.test(transaction))
      throw new AnswerError(`a transaction is ${shown(transaction)}`);
    const first = Number.parseInt(transaction.slice(2, 4), 16);
    if (first >= 0xc0) counts.type0 += 1;
    else if (first === 1) counts.type1 += 1;
    else if (first === 2) counts.type2 += 1;
  }
  return counts;
}

function payloadOf(body: Fields, fork: Fork): ExecutionPayload | null {
  if (forks.indexOf(fork) < forks.indexOf('bellatrix')) return null;
  const payload = objectAt(body.execution_payload, 'execution_payload');
  const blockHash = root(payload.block_hash, 'block_hash');
  // Bellatrix blocks before the merge have an empty payload.
  if (/^0x0+$/.test(blockHash)) return null;
  const fee = payload.base_fee_per_gas;
  if (typeof fee !== 'string' || !/^\d{1,78}$/.test(fee))
    throw new AnswerError(`base_fee_per_gas is ${shown(fee)} in place of a decimal in a string`);
  const withdrawal = (item: Fields) => ({
    validatorIndex: validator(item.validator_index, 'validator_index'),
    amount: decimal(item.amount, 'amount'),
  });
  const hasWithdrawals = forks.indexOf(fork) >= forks.indexOf('capella');
  return {
    blockNumber: decimal(payload.block_number, 'block_number'),
    blockHash,
    feeRecipient: hex(payload.fee_recipient, 'fee_recipient', 20),
    gasUsed: decimal(payload.gas_used, 'gas_used'),
    baseFeePerGas: fee,
    transactions: transactionsOf(payload),
    withdrawals: hasWithdrawals ? list(payload, 'withdrawals', withdrawal) : [],
  };
}

function requestsOf(body: Fields, electra: boolean) {
  if (!electra) return { depositRequests: [], withdrawalRequests: [], consolidationRequests: [] };
  const requests = objectAt(body.execution_requests, 'execution_requests');
  return {
    depositRequests: list(requests, 'deposits', deposit),
    withdrawalRequests: list(requests, 'withdrawals', (item) => ({
      sourceAddress: hex(item.source_address, 'source_address', 20),
      validatorPubkey: hex(item.validator_pubkey, 'validator_pubkey', 48),
      amount: decimal(item.amount, 'amount'),
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

/** Throws `AnswerError`. `blockRoot` is an argument, because the response does not contain the root. */
export function readBlock(answer: Fields, blockRoot: string): BeaconBlock {
  const fork = forkOf(answer.version);
  const at = (name: (typeof forks)[number]) => forks.indexOf(fork) >= forks.indexOf(name);
  const message = objectAt(objectAt(answer.data, 'data').message, 'message');
  const body = objectAt(message.body, 'body');
  const electra = at('electra');
  return {
    slot: decimal(message.slot, 'slot'),
    fork,
    root: blockRoot,
    parentRoot: root(message.parent_root, 'parent_root'),
    proposerIndex: validator(message.proposer_index, 'proposer_index'),
    attestations: list(body, 'attestations', (item) => attestationOf(item, electra)),
    proposerSlashings: list(body, 'proposer_slashings', proposerSlashing),
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
    ...requestsOf(body, electra),
    syncCommitteeBits: at('altair')
      ? bits(objectAt(body.sync_aggregate, 'sync_aggregate').sync_committee_bits, 'sync_committee_bits')
      : new Uint8Array(0),
    execution: payloadOf(body, fork),
  };
}

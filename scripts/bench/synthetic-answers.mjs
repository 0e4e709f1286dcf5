// The answers of a beacon node for blocks of a chain in memory, as JSON of the size of mainnet's: a payload has 180
// transactions in 250 KB, and since Gloas a block access list in 180 KB, in an answer of its own.
import { randomBytes } from 'node:crypto';
import { hex } from './synthetic-payloads.mjs';

const noise = randomBytes(300_000).toString('hex');
const bytes = (length, from) => {
  const at = (from * 2_654_435_761) % (noise.length - 2 * length);
  return `0x${noise.slice(at, at + 2 * length)}`;
};
const ofBits = (bits) => `0x${Buffer.from(bits).toString('hex')}`;
const signatureOf = (slot) => bytes(96, slot);

const ACCESS_LIST_BYTES = 90_000;
const LEAST_TRANSACTION_BYTES = 120;
const BUILDER_FLAG = 2 ** 40;
const SELF_BUILT = '18446744073709551615';

function committeeBits(committees) {
  const bits = new Uint8Array(8);
  for (const index of committees) bits[index >> 3] |= 1 << (index & 7);
  return ofBits(bits);
}

const checkpoint = ({ epoch, root }) => ({ epoch: String(epoch), root });
const attestation = ({ slot, beaconBlockRoot, source, target, committees, aggregationBits }) => ({
  aggregation_bits: ofBits(aggregationBits),
  data: {
    ...{ slot: String(slot), index: '0', beacon_block_root: beaconBlockRoot },
    ...{ source: checkpoint(source), target: checkpoint(target) },
  },
  signature: signatureOf(slot),
  committee_bits: committeeBits(committees),
});

const depositOf = ({ pubkey, withdrawalCredentials, amount, signature }, at) => ({
  ...{ pubkey, withdrawal_credentials: withdrawalCredentials, amount: String(amount), signature },
  index: String(at),
});

const requestsOf = (block) => ({
  deposits: block.depositRequests.map(depositOf),
  withdrawals: block.withdrawalRequests.map(({ sourceAddress, validatorPubkey }) => ({
    ...{ source_address: sourceAddress, validator_pubkey: validatorPubkey, amount: '1000000000' },
  })),
  consolidations: block.consolidationRequests.map(({ sourceAddress, sourcePubkey, targetPubkey }) => ({
    ...{ source_address: sourceAddress, source_pubkey: sourcePubkey, target_pubkey: targetPubkey },
  })),
  ...(block.bid && { builder_deposits: block.builderDeposits.map(depositOf), builder_exits: [] }),
});

/** A transaction of a legacy type has a list in RLP, whose first byte is at least c0. */
function transactionsOf({ blockNumber, transactions: { type0, type1, type2, total } }) {
  const first = (at) => {
    if (at < type0) return 'f8';
    if (at < type0 + type1) return '01';
    return at < type0 + type1 + type2 ? '02' : '03';
  };
  return Array.from({ length: total }, (_, at) => {
    const more = at % 12 === 0 ? 4_000 : 300;
    return `0x${first(at)}${bytes(LEAST_TRANSACTION_BYTES + more, blockNumber * total + at).slice(2)}`;
  });
}

const payloadOf = (slot, payload, gloas) => ({
  parent_hash: hex(slot - 1, 32),
  fee_recipient: payload.feeRecipient,
  ...{ state_root: bytes(32, slot), receipts_root: bytes(32, slot + 1), logs_bloom: bytes(256, slot) },
  ...{ prev_randao: bytes(32, slot + 2), block_number: String(payload.blockNumber), gas_limit: '60000000' },
  ...{ gas_used: String(payload.gasUsed), timestamp: String(slot * 12), extra_data: '0x6275696c646572' },
  ...{ base_fee_per_gas: payload.baseFeePerGas, block_hash: payload.blockHash },
  transactions: transactionsOf(payload),
  withdrawals: [
    ...payload.builderWithdrawals.map(({ builder, amount }) => [builder + BUILDER_FLAG, amount]),
    ...payload.withdrawals.map(({ validatorIndex, amount }) => [validatorIndex, amount]),
  ].map(([index, amount], at) => ({
    ...{ index: String(slot * 16 + at), validator_index: String(index) },
    ...{ address: bytes(20, at), amount: String(amount) },
  })),
  ...{ blob_gas_used: '786432', excess_blob_gas: '0' },
  ...(gloas && { block_access_list: bytes(ACCESS_LIST_BYTES, slot), slot_number: String(slot) }),
});

const commitments = (slot) => Array.from({ length: 6 }, (_, at) => bytes(48, slot + at));

const signedBid = ({ slot, parentRoot, bid }) => ({
  message: {
    ...{ parent_block_hash: bid.parentBlockHash, parent_block_root: parentRoot, block_hash: bid.blockHash },
    ...{ prev_randao: bytes(32, slot), fee_recipient: bid.feeRecipient, gas_limit: '60000000' },
    ...{ builder_index: bid.builderIndex === null ? SELF_BUILT : String(bid.builderIndex) },
    ...{ slot: String(slot), value: String(bid.value), execution_payment: String(bid.executionPayment) },
    ...{ blob_kzg_commitments: commitments(slot), execution_requests_root: bytes(32, slot + 3) },
  },
  signature: signatureOf(slot),
});

/** The four aggregates that a block can have, each of the 512 members of the committee. */
const payloadAttestations = ({ slot, parentRoot }) =>
  Array.from({ length: 4 }, (_, at) => ({
    aggregation_bits: bytes(64, slot + at),
    data: {
      ...{ beacon_block_root: parentRoot, slot: String(slot - 1) },
      ...{ payload_present: at % 2 === 0, blob_data_available: at < 2 },
    },
    signature: signatureOf(slot + at),
  }));

const answer = (fork, data) =>
  JSON.stringify({ version: fork, execution_optimistic: false, finalized: true, data });

export function blockAnswer(block) {
  const { slot, fork, bid } = block;
  const body = {
    randao_reveal: signatureOf(slot),
    eth1_data: { deposit_root: bytes(32, 1), deposit_count: '2000000', block_hash: bytes(32, 2) },
    graffiti: bytes(32, 3),
    ...{ proposer_slashings: [], attester_slashings: [], attestations: block.attestations.map(attestation) },
    ...{ deposits: [], voluntary_exits: [] },
    sync_aggregate: {
      sync_committee_bits: ofBits(block.syncCommitteeBits),
      sync_committee_signature: signatureOf(slot),
    },
    bls_to_execution_changes: [],
    ...(bid
      ? {
          signed_execution_payload_bid: signedBid(block),
          payload_attestations: payloadAttestations(block),
          parent_execution_requests: requestsOf(block),
        }
      : {
          execution_payload: payloadOf(slot, block.execution, false),
          blob_kzg_commitments: commitments(slot),
          execution_requests: requestsOf(block),
        }),
  };
  const message = {
    ...{ slot: String(slot), proposer_index: String(block.proposerIndex) },
    ...{ parent_root: block.parentRoot, state_root: bytes(32, slot), body },
  };
  return answer(fork, { message, signature: signatureOf(slot) });
}

/** `child`: its requests are those of the payload. */
export function envelopeAnswer({ slot, fork, root, parentRoot, bid, execution }, child) {
  const message = {
    payload: payloadOf(slot, execution, true),
    execution_requests: requestsOf(child),
    builder_index: bid.builderIndex === null ? SELF_BUILT : String(bid.builderIndex),
    ...{ beacon_block_root: root, parent_beacon_block_root: parentRoot },
  };
  return answer(fork, { message, signature: signatureOf(slot) });
}

export const buildersAnswer = (builders) =>
  answer(
    'gloas',
    builders.map(({ index, pubkey, executionAddress, balance, depositEpoch }) => ({
      index: String(index),
      builder: {
        ...{ pubkey, version: '0', execution_address: executionAddress, balance: String(balance) },
        ...{ deposit_epoch: String(depositEpoch), withdrawable_epoch: SELF_BUILT },
      },
    })),
  );

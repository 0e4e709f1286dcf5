import { describe, expect, it } from 'vitest';
import { readBlock } from '../../../src/indexer/node/block.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';

const raw = syntheticChain().block(72_070)?.text as string;
const ROOT = `0x${'1a'.repeat(32)}`;
const bytes = (count: number, digits = 'ab') => `0x${digits.repeat(count)}`;

/** A block of a fork, with these parts of its body. */
const read = (version: string, body: Record<string, unknown> = {}) => {
  const data = JSON.parse(raw);
  Object.assign(data.message.body, body);
  return readBlock({ version, data }, ROOT);
};
const header = (index: string) => ({ message: { proposer_index: index } });
const deposit = {
  ...{ pubkey: bytes(48), withdrawal_credentials: bytes(32, '01'), amount: '32000000000' },
  signature: bytes(96, 'cd'),
};
const attesters = (...indices: string[]) => ({ attesting_indices: indices });

describe('a block', () => {
  it('tells who is slashed, leaves, and changes credentials', () => {
    const block = read('fulu', {
      proposer_slashings: [{ signed_header_1: header('8'), signed_header_2: header('8') }],
      attester_slashings: [
        { attestation_1: attesters('30', '4', '5'), attestation_2: attesters('5', '9', '30') },
      ],
      voluntary_exits: [{ message: { epoch: '1', validator_index: '14' } }],
      bls_to_execution_changes: [
        { message: { validator_index: '40', to_execution_address: bytes(20, 'AB') } },
      ],
    });
    expect(block.proposerSlashings).toEqual([8]);
    expect(block.attesterSlashings).toEqual([[5, 30]]);
    expect(block.voluntaryExits).toEqual([14]);
    expect(block.credentialChanges).toEqual([{ validatorIndex: 40, address: bytes(20) }]);
    expect(block.root).toBe(ROOT);
  });

  it('tells the requests of the execution layer, and deposits of the bridge', () => {
    const withdrawal = { source_address: bytes(20), validator_pubkey: bytes(48), amount: '0' };
    const consolidation = {
      source_address: bytes(20),
      source_pubkey: bytes(48),
      target_pubkey: bytes(48, 'cd'),
    };
    const block = read('electra', {
      deposits: [{ proof: [], data: deposit }],
      execution_requests: {
        deposits: [{ ...deposit, index: '7' }],
        withdrawals: [withdrawal],
        consolidations: [consolidation],
      },
    });
    const told = {
      ...{ pubkey: bytes(48), withdrawalCredentials: bytes(32, '01'), amount: 32_000_000_000 },
      signature: bytes(96, 'cd'),
    };
    expect(block.depositRequests).toEqual([told]);
    expect(block.deposits).toEqual([told]);
    expect(block.withdrawalRequests).toEqual([
      { sourceAddress: bytes(20), validatorPubkey: bytes(48), exits: true },
    ]);
    expect(block.consolidationRequests).toEqual([
      { sourceAddress: bytes(20), sourcePubkey: bytes(48), targetPubkey: bytes(48, 'cd') },
    ]);
  });

  it('names several committees of an attestation, ascending; before Electra the one of its data', () => {
    const attestation = JSON.parse(raw).message.body.attestations[0];
    const several = { ...attestation, committee_bits: '0x8500000000000080', aggregation_bits: '0xff03' };
    expect(read('electra', { attestations: [several] }).attestations[0]).toMatchObject({
      committees: [0, 2, 7, 63],
      aggregationBits: new Uint8Array([0xff, 3]),
    });
    const { committee_bits, ...old } = attestation;
    const data = { ...attestation.data, index: '5' };
    expect(read('deneb', { attestations: [{ ...old, data }] }).attestations[0]?.committees).toEqual([5]);
  });

  it('of an older fork has only what that fork had', () => {
    const capella = read('capella', { execution_requests: undefined });
    expect([capella.depositRequests, capella.consolidationRequests]).toEqual([[], []]);
    const nothing = { execution_requests: undefined, bls_to_execution_changes: undefined };
    const bellatrix = JSON.parse(raw).message.body.execution_payload;
    const { withdrawals, ...payload } = bellatrix;
    expect(read('bellatrix', { ...nothing, execution_payload: payload }).execution?.withdrawals).toEqual([]);
    const before = { ...payload, block_hash: bytes(32, '00') };
    expect(read('bellatrix', { ...nothing, execution_payload: before }).execution).toBeNull();
    expect(read('altair', { ...nothing, execution_payload: undefined }).execution).toBeNull();
    const phase0 = read('phase0', { ...nothing, execution_payload: undefined, sync_aggregate: undefined });
    expect([phase0.execution, phase0.syncCommitteeBits.length]).toEqual([null, 0]);
  });

  it.each([
    ['version', { version: 5 }, {}, /version is 5 in place of a fork/],
    ['fork', { version: 'heze' }, {}, /fork "heze", which this version does not know; update stakegraph/],
    ['list', {}, { attestations: {} }, /attestations is \{\} in place of a list/],
    [
      'request list',
      {},
      { execution_requests: { deposits: [] } },
      /withdrawals is undefined in place of a list/,
    ],
    ['deposit', {}, { deposits: [{ data: { ...deposit, pubkey: '0x12' } }] }, /pubkey is "0x12"/],
    ['bits', {}, { sync_aggregate: { sync_committee_bits: '0x1' } }, /sync_committee_bits is "0x1"/],
    ['exit', {}, { voluntary_exits: [{ message: { validator_index: 1.5 } }] }, /validator_index is 1.5/],
    ['payload', {}, { execution_payload: null }, /execution_payload is null in place of an object/],
  ])('with a wrong %s is refused', (_, answer, body, message) => {
    const data = JSON.parse(raw);
    Object.assign(data.message.body, body);
    expect(() => readBlock({ version: 'fulu', data, ...answer }, ROOT)).toThrow(message);
  });

  it('with an attestation without a length bit is refused', () => {
    const attestation = { ...JSON.parse(raw).message.body.attestations[0], aggregation_bits: '0x0300' };
    expect(() => read('fulu', { attestations: [attestation] })).toThrow(/no length bit/);
  });
});

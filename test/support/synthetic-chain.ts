import { createHash } from 'node:crypto';
import type { Chain, RawBlock, RawState } from './recorded-chain.ts';

/** `config/spec` of hoodi with forks of its own. */
export const specAnswer: Record<string, string> = {
  ...{ PRESET_BASE: 'mainnet', CONFIG_NAME: 'hoodi', SECONDS_PER_SLOT: '12', SLOTS_PER_EPOCH: '32' },
  ...{ ALTAIR_FORK_EPOCH: '0', BELLATRIX_FORK_EPOCH: '0', CAPELLA_FORK_EPOCH: '0', DENEB_FORK_EPOCH: '0' },
  ...{ ELECTRA_FORK_EPOCH: '0', FULU_FORK_EPOCH: '0', GLOAS_FORK_EPOCH: '18446744073709551615' },
  ...{ SYNC_COMMITTEE_SIZE: '512', EPOCHS_PER_SYNC_COMMITTEE_PERIOD: '256', MAX_COMMITTEES_PER_SLOT: '64' },
  ...{ TARGET_COMMITTEE_SIZE: '128', EPOCHS_PER_SLASHINGS_VECTOR: '8192', MAX_SEED_LOOKAHEAD: '4' },
  ...{ MIN_ATTESTATION_INCLUSION_DELAY: '1', BASE_REWARD_FACTOR: '64' },
  ...{ EFFECTIVE_BALANCE_INCREMENT: '1000000000', MAX_EFFECTIVE_BALANCE: '32000000000' },
  ...{ MAX_EFFECTIVE_BALANCE_ELECTRA: '2048000000000', MIN_ACTIVATION_BALANCE: '32000000000' },
  ...{ HYSTERESIS_QUOTIENT: '4', HYSTERESIS_DOWNWARD_MULTIPLIER: '1', HYSTERESIS_UPWARD_MULTIPLIER: '5' },
  ...{ INACTIVITY_SCORE_BIAS: '4', INACTIVITY_SCORE_RECOVERY_RATE: '16' },
  ...{ MIN_EPOCHS_TO_INACTIVITY_PENALTY: '4', INACTIVITY_PENALTY_QUOTIENT_BELLATRIX: '16777216' },
  ...{ MIN_SLASHING_PENALTY_QUOTIENT_BELLATRIX: '32', MIN_SLASHING_PENALTY_QUOTIENT_ELECTRA: '4096' },
  ...{ PROPORTIONAL_SLASHING_MULTIPLIER_BELLATRIX: '3', WHISTLEBLOWER_REWARD_QUOTIENT: '512' },
  ...{ WHISTLEBLOWER_REWARD_QUOTIENT_ELECTRA: '4096', EJECTION_BALANCE: '16000000000' },
  ...{ CHURN_LIMIT_QUOTIENT: '65536', MIN_PER_EPOCH_CHURN_LIMIT: '4' },
  ...{ MIN_PER_EPOCH_CHURN_LIMIT_ELECTRA: '128000000000', MIN_VALIDATOR_WITHDRAWABILITY_DELAY: '256' },
  MAX_PER_EPOCH_ACTIVATION_EXIT_CHURN_LIMIT: '256000000000',
  DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cbb839cbe05303d7705fa',
};

const hash = (text: string, bytes = 32): string =>
  `0x${createHash('sha512')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2)}`;
const SLOTS = 32;

function messageOf(slot: number, parentRoot: string, validators: number) {
  const payload = {
    ...{ block_number: String(slot + 7), block_hash: hash(`hash ${slot}`) },
    ...{ fee_recipient: hash('fees', 20), gas_used: '21000', base_fee_per_gas: '1000000007' },
    transactions: ['0x02aa', '0xf86b', '0x01bb'],
    withdrawals: [
      { index: '1', validator_index: String(slot % validators), address: hash('x', 20), amount: '12' },
    ],
  };
  const vote = {
    aggregation_bits: '0x07',
    committee_bits: '0x0100000000000000',
    signature: hash('signature'),
    data: {
      ...{ slot: String(slot - 1), index: '0', beacon_block_root: parentRoot },
      source: { epoch: '0', root: hash('source') },
      target: { epoch: String(Math.floor((slot - 1) / SLOTS)), root: hash('target') },
    },
  };
  const body = {
    ...{ graffiti: hash(''), proposer_slashings: [], attester_slashings: [], deposits: [] },
    ...{ attestations: [vote], voluntary_exits: [], bls_to_execution_changes: [] },
    sync_aggregate: { sync_committee_bits: `0x${'fe'.repeat(64)}`, sync_committee_signature: hash('s') },
    execution_payload: payload,
    execution_requests: { deposits: [], withdrawals: [], consolidations: [] },
  };
  const proposer_index = String((slot * 7) % validators);
  return { slot: String(slot), proposer_index, parent_root: parentRoot, state_root: hash(`s ${slot}`), body };
}

type Shape = { epochs?: number; validators?: number; first?: number; missed?: readonly number[] };

/**
 * A chain for tests of how nodes are read: blocks hang together, but the balances follow no rule. Missed slots count from
 * the first slot.
 */
export function syntheticChain({
  epochs = 6,
  validators = 96,
  first = 72_000,
  missed = [5, 31, 32],
}: Shape = {}): Chain {
  const last = first + epochs * SLOTS;
  const blocks = new Map<number, RawBlock>();
  const roots = new Map([[first, hash(`root ${first}`)]]);
  let parent = roots.get(first) as string;
  for (let slot = first + 1; slot <= last; slot += 1) {
    if (missed.includes(slot - first)) continue;
    const message = messageOf(slot, parent, validators);
    parent = hash(`root ${slot}`);
    roots.set(slot, parent);
    const text = JSON.stringify({ message, signature: hash('signature') });
    blocks.set(slot, { slot, version: 'fulu', root: parent, text });
  }
  const slots = new Map([...roots].map(([slot, root]) => [root, slot]));
  const far = '18446744073709551615';
  const states = Array.from({ length: epochs + 1 }, (_, i) => first + i * SLOTS);
  const state = (slot: number): RawState => {
    const finalized = Math.max(0, slot / SLOTS - 2);
    return {
      slot,
      balances: Array.from({ length: validators }, (_, i) => 32_000_000_000 + i * 1_000 + slot),
      checkpoints: { finalized: [finalized, hash(`f ${finalized}`)], justified: [finalized + 1, hash('j')] },
      pendingConsolidations: [{ source_index: '3', target_index: '4' }],
      pendingDeposits: [],
    };
  };
  return {
    ...{ spec: specAnswer, first, last, states },
    genesis: {
      genesis_time: '1742213400',
      genesis_validators_root: hash('validators'),
      genesis_fork_version: '0x10000910',
    },
    state: (slot) => (states.includes(slot) ? state(slot) : undefined),
    block: (slot) => blocks.get(slot),
    root: (slot) => roots.get(slot),
    slotOfRoot: (root) => slots.get(root),
    epoch: (epoch) => ({
      committees: Array.from({ length: SLOTS }, (_, i) => {
        const members = Array.from({ length: 3 }, (_, k) => (i * 3 + k + epoch) % validators);
        return [epoch * SLOTS + i, 0, members];
      }),
      sync: Array.from({ length: 512 }, (_, i) => (i * 5) % validators),
      proposers: Array.from({ length: SLOTS }, (_, i) => ((epoch * SLOTS + i) * 7) % validators),
    }),
    validator: (index) =>
      index < validators
        ? {
            ...{ pubkey: hash(`key ${index}`, 48), withdrawal_credentials: hash(`credentials ${index}`) },
            ...{ effective_balance: '32000000000', slashed: index === 9, activation_eligibility_epoch: '0' },
            ...{ activation_epoch: '0', exit_epoch: far, withdrawable_epoch: far },
          }
        : undefined,
  };
}

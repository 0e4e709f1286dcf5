// The rows that `bench:import` imports, by resource, and the tables that they fill.
import { createHash } from 'node:crypto';

const DAY = 1_500;

function validatorDay(validatorIndex) {
  const missed = (validatorIndex * 31 + DAY) % 50 === 0 ? 3 : 0;
  const all = 225 - missed;
  const wrong = (validatorIndex + DAY) % 7;
  return {
    ...{ validatorIndex, utc: false, day: DAY, startEpoch: DAY * 225, endEpoch: DAY * 225 + 224 },
    ...{ totalUniqueAttestations: all, sumMissedAttestations: missed, sumMissedSyncSignatures: null },
    ...{ sumSyncSignatureCount: null, sumCorrectHead: all - wrong, sumCorrectTarget: all },
    ...{ sumCorrectSource: all, sumWrongHeadVotes: wrong, sumWrongTargetVotes: 0, sumLateTargetVotes: 0 },
    ...{ sumLateSourceVotes: 0, sumInclusionDelay: all + ((validatorIndex * DAY) % 9) },
    ...{ proposedCount: validatorIndex % 200 === 0 ? 1 : 0, missedProposalCount: 0 },
    ...{ endEpochBalance: 32_000_000_000 + validatorIndex * 17, endEpochEffectiveBalance: 32_000_000_000 },
    ...{ sumAttestationRewards: 2_000_000 + (validatorIndex % 1_000), sumSyncCommitteeRewards: 0 },
    ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
  };
}
/** Hours of 1,000 pools. */
function attestationHour(index) {
  const [pool, hour] = [index % 1_000, DAY * 24 + Math.floor(index / 1_000)];
  const day = Math.floor(hour / 24);
  const all = 225_000 + pool;
  return {
    ...{ id: `Pool ${pool}`, entityType: 'pool', validatorCount: 1_000 + pool, hour, day },
    ...{ startEpoch: Math.ceil(hour * 9.375), endEpoch: Math.ceil((hour + 1) * 9.375) - 1 },
    ...{ totalUniqueAttestations: all, sumMissedAttestations: pool, sumMissedSyncSignatures: null },
    ...{
      sumCorrectHead: all - 5_000,
      sumCorrectTarget: all,
      sumCorrectSource: all,
      sumWrongHeadVotes: 5_000,
    },
    ...{
      sumWrongTargetVotes: 100,
      sumLateTargetVotes: 10,
      sumLateSourceVotes: 3,
      sumInclusionDelay: all + 7,
    },
    ...{ avgAttesterEffectiveness: 98.123456 + pool / 10_000, sumSyncSignatureCount: null },
    ...{ sumEndEpochBalance: 32_000_000_000_000 + pool, sumEndEpochEffectiveBalance: 32_000_000_000_000 },
  };
}
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const base58 = (number) => {
  let text = '';
  for (let left = number + 1; text.length < 43; left = Math.floor(left / 58)) text = BASE58[left % 58] + text;
  return text;
};
const hex = (bytes, number) => `0x${(number + 1).toString(16).padStart(bytes * 2, 'a')}`;
const pubkey = (index) => `0x${createHash('sha384').update(`${index}`).digest('hex')}`;
/** Nine of ten are of relays. */
const block = (index) => ({
  ...{ consensusSlot: 9_000_000 + index, validatorIndex: (index * 7_919) % 1_000_000 },
  ...{
    consensusBlockRoot: hex(32, index),
    executionBlockHash: hex(32, index),
    feeRecipient: hex(20, index % 999),
  },
  ...{ executionBlockNumber: 20_000_000 + index, totalTransactions: 171, totalType0Transactions: 20 },
  ...{ totalType1Transactions: 1, totalType2Transactions: 150, totalSanctionedTransactions: 0 },
  ...{ totalGasUsed: 15_000_000 + (index % 1_000), baseFeePerGas: 10_000_000_000 + index },
  ...{ totalBurntFees: `${150_000_000 + index}000000000`, totalType2TxFees: '20000000000000000' },
  ...{ totalType0TxFees: '3000000000000000', totalType1TxFees: '10000000', totalPriorityFees: 23_000_000.5 },
  ...{
    totalPriorityFeesValidator: 23_000_000.5,
    baselineMev: 12_000_000.25,
    executionProposerDuty: 'proposed',
  },
  ...{ executionRewards: 35_000_000.75, missedExecutionRewards: 0, consensusProposerDuty: 'proposed' },
  ...{
    consensusRewards: 40_000_000,
    missedConsensusRewards: 0,
    totalRewards: 75_000_000.75,
    totalRewardsMissed: 0,
  },
  relays: index % 10 ? ['flashbots', 'ultra sound'] : [],
  blockBuilderPubkeys: index % 10 ? [hex(48, index % 50), hex(48, index % 50)] : [],
});
/** Of five, two have a node operator and a pool, and one has left. */
const validator = (index) => ({
  ...{ validatorIndex: index, validatorPubkey: pubkey(index) },
  ...{ depositAddress: hex(20, index % 300_000), withdrawalAddress: hex(20, index % 200_000) },
  ...{ nodeOperator: index % 5 < 2 ? `Operator ${index % 300}` : null },
  ...{ pool: index % 5 < 2 ? `Pool ${index % 40}` : null, activationEpoch: Math.floor(index / 5) },
  ...{ exitEpoch: index % 5 === 4 ? 300_000 + (index % 1_000) : null, slashed: index % 3_000 === 0 },
});
/** Deposit addresses. Most of them have a few validators. */
const operator = (index) => {
  const validators = 1 + Math.floor(100_000 / (index + 1));
  return {
    ...{
      id: hex(20, 2 ** 32 + index),
      idType: 'depositAddress',
      timeWindow: '7d',
      validatorCount: validators,
    },
    ...{ avgCorrectness: 0.99 - (index % 900) / 10_000, avgInclusionDelay: 1 + (index % 300) / 10_000 },
    ...{ avgUptime: 1 - (index % 70) / 1_000, avgValidatorEffectiveness: 98 - (index % 1_500) / 100 },
    clientPercentages: [
      { client: 'Lighthouse', percentage: 0.6 },
      { client: 'Prysm', percentage: 0.4 },
    ],
    ...{ networkPenetration: validators / 1_050_000, relayerPercentages: [], nodeOperatorCount: null },
    operatorTags: index % 50 === 0 ? [{ name: `Depositor ${index}`, path: null, idType: null }] : [],
    ...{ displayName: null, aprPercentage: 3 + (index % 500) / 1_000 },
    sumEndEpochBalance: 32_000_000_000 * validators + index,
    sumEndEpochEffectiveBalance: 32_000_000_000 * validators,
  };
};
/** Days of 1,000 validators. */
const polygonReward = (index) => ({
  ...{ day: new Date(Date.UTC(2024, 0, 1 + Math.floor(index / 1_000))).toISOString().slice(0, 10) },
  ...{ validatorId: index % 1_000, validatorName: `Validator ${index % 1_000}`, fromCheckpoint: index },
  ...{ toCheckpoint: index + 48, commissionRate: 0.05, totalStake: `${36_000_000 + index}.123456789` },
  ...{ totalValidatorRewards: `${index % 900}.000000001`, totalDelegatorRewards: `${index % 7_000}.5` },
});
const client = (index) => ({ validatorIndex: index, client: ['Lighthouse', 'Prysm', 'Teku'][index % 3] });
/** Seats of a committee, 512 a slot. */
const seat = (index) => ({
  ...{
    consensusSlot: 9_003_008 + Math.floor(index / 512),
    validatorIndex: ((index % 512) * 1_951) % 1_000_000,
  },
  ...{ position: index % 512, syncCommitteeRewards: index % 97 ? 20_500 : -20_500 },
});
/** Epochs of 500,000 stake authorities. */
const authorityEpoch = (index) => ({
  ...{ epoch: 700 + Math.floor(index / 500_000), stakeAuthority: base58(index % 500_000) },
  ...{ voteAccount: base58((index * 7) % 1_500), poolName: index % 9 ? null : `Pool ${index % 90}` },
  ...{ delegatedStake: 10 + (index % 100_000) / 8, stakingRewards: (index % 1_000) / 500_000 },
  ...{ mevRewards: (index % 10) / 100_000, stakingCommissionPaid: 0.000001, mevCommissionPaid: 0 },
});
const authority = (index) => ({
  ...{ stakeAuthority: base58(index), timeWindow: '7d', poolName: index % 90 ? null : `Pool ${index}` },
  validatorDelegates: 1,
  delegations: [
    { validatorVoteAccount: base58(index % 1_500), validatorName: 'A validator', percentage: '1' },
  ],
  ...{
    stakingRewardsApy: '0.0612',
    mevRewardsApr: '0.01',
    delegatorApy: '0.07',
    sumMissedStakingRewards: '0',
  },
  ...{
    delegatedStake: `${1_500 + (index % 9_999)}.25`,
    networkPenetration: `0.00000${1_000 + (index % 8_999)}`,
  },
  ...{ aggregateValidatorEffectiveness: '0.985', blendedVoteCommissionRate: '0.05' },
  ...{ blendedMevCommissionRate: '0', sumStakingRewards: '1.5', sumMevRewards: '0.5', sumRewards: '2' },
  ...{ sumStakingCommissionPaid: '0.1', sumMevCommissionPaid: '0', sumCommissionPaid: '0.1' },
});
const slashing = (index) => ({
  ...{ validatorIndex: index, validatorPubkey: pubkey(index), slashingEpoch: 1_000 + Math.floor(index / 9) },
  ...{ withdrawableEpoch: 9_192 + Math.floor(index / 9), balanceBeforeSlashing: 32_000_000_000 },
  ...{ balanceBeforeWithdrawal: 31_000_000_000 - index, slashingPenalties: 1_000_000_000 + index },
});
/** Sixteen an epoch, since Electra. */
const consolidation = (index) => ({
  ...{ epoch: 364_032 + Math.floor(index / 16), consolidatedBalance: 32_000_000_000 + index },
  ...{ sourceValidatorIndex: index, sourceValidatorPubkey: pubkey(index) },
  ...{
    targetValidatorIndex: 2_000_000 - (index % 999),
    targetValidatorPubkey: pubkey(2_000_000 - (index % 999)),
  },
});
/** Epochs until November 2026: 889,000 rows. */
const epochsOf = { mainnet: 490_000, holesky: 260_000, hoodi: 139_000 };
function balance(index) {
  let epoch = index;
  for (const [network, epochs] of Object.entries(epochsOf)) {
    if (epoch < epochs) return { network, epoch, totalActiveBalance: (1_000 + epoch) * 32_000_000_000 };
    epoch -= epochs;
  }
  throw new Error(`There are no ${index + 1} epochs.`);
}
/** Epochs of 1,500 vote accounts. */
const voteAccountEpoch = (index) => ({
  ...{ epoch: Math.floor(index / 1_500), voteAccount: base58(index % 1_500), validatorName: 'A validator' },
  ...{ activeStake: `${200_000 + index}.5`, effectiveness: 0.98, voteCommissionRate: 0.05 },
  ...{ mevCommissionRate: 0.08, votesDue: 432_000, votesLanded: 431_000, sumVotingLatency: 440_000 },
  ...{ leaderSlots: 400, producedBlocks: 396, votingRewards: '80.25', votingCommission: '4.0125' },
  ...{
    mevRewards: '12.5',
    mevCommission: '1',
    proposalRewards: '3.25',
    rentRewards: '0',
    votingCosts: '1.1',
  },
});
/** Names of deposit addresses. */
const profile = (index) => ({
  ...{ id: hex(20, 2 ** 32 + index), idType: 'depositAddress', displayName: `Depositor ${index}` },
  ...{ operatorTags: index % 50 === 0 ? [{ name: `Tag ${index % 9}`, path: null, idType: null }] : [] },
  ...{ poolId: null, nodeOperatorId: null, poolType: null },
});
/** COPY writes the rows of `tables` that the import wrote, in the order of the file. */
export const datasets = {
  'validator-days': {
    row: validatorDay,
    tables: { validator_days: 'validator_index', validator_day_dates: 'date' },
  },
  attestations: { row: attestationHour, tables: { attestation_hours: 'hour, validator_count' } },
  blocks: { row: block, tables: { blocks: 'slot' } },
  validators: { row: validator, tables: { validators: 'validator_index' } },
  operators: {
    row: operator,
    tables: {
      ...{ operator_summaries: 'summary_id', operator_lists: 'list_id', operator_ranks: 'list_id, rank' },
      ...{ operator_orders: 'list_id, ordered_by, valued, first_rank', operator_series: 'series' },
      ...{ operator_history: 'date, series', operator_history_days: 'date', search_names: 'id' },
    },
  },
  'validator-clients': { row: client, tables: { validator_clients: 'validator_index' } },
  'sync-committee-rewards': {
    row: seat,
    tables: { sync_committee_slots: 'slot', sync_committees: 'committee' },
  },
  'solana-stake-authority-epochs': {
    row: authorityEpoch,
    tables: { solana_stake_authority_epochs: 'epoch, stake_authority' },
  },
  'stake-authorities': {
    row: authority,
    tables: {
      ...{ stake_authority_summaries: 'summary_id', stake_authority_lists: 'list_id' },
      ...{ stake_authority_ranks: 'list_id, rank', stake_authority_series: 'series' },
      stake_authority_orders: 'list_id, ordered_by, valued, first_rank',
      ...{
        stake_authority_history: 'date, series',
        stake_authority_history_days: 'date',
        search_names: 'id',
      },
    },
  },
  slashings: { row: slashing, tables: { slashings: 'validator_index' } },
  consolidations: {
    row: consolidation,
    tables: {
      consolidations: 'epoch, source_index',
      consolidation_entities: 'entity',
      entity_consolidations: 'entity, source_index',
      consolidation_epochs: 'entity, epoch',
    },
  },
  'chain-balances': { row: balance, tables: { chain_balances: `network <> 'mainnet', network, epoch` } },
  'solana-validator-epochs': {
    row: voteAccountEpoch,
    tables: { solana_validator_epochs: 'epoch, vote_account' },
  },
  'operator-profiles': { row: profile, tables: { operator_profiles: 'operator_id' } },
  'polygon-rewards': { row: polygonReward, tables: { polygon_validator_rewards: 'day, validator_id' } },
};

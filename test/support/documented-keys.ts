import { expect } from 'vitest';

/** The kinds that the interface documents, as JSON carries them. */
const kinds = {
  integer: (value: unknown) => Number.isInteger(value),
  number: (value: unknown) => typeof value === 'number',
  string: (value: unknown) => typeof value === 'string',
  array: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  /** Text of a number, as of amounts that pass what a JSON number holds. */
  numeric: (value: unknown) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
  date: (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  timestamp: (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
  null: (value: unknown) => value === null,
};
type Kind = keyof typeof kinds;
/** Keys in documented order, each with its kinds, parted by `|`. */
export type Keys = [name: string, kind: string][];

// The lists below are those of the interface's documentation, written out: nothing here comes from src/.

export const page: Keys = [
  ['from', 'integer'],
  ['to', 'integer'],
  ['size', 'integer'],
];

export const v0: Keys = [
  ['page', 'object'],
  ['total', 'integer'],
  ['data', 'array'],
  ['next', 'string|null'],
];

export const v1: Keys = [
  ['previous', 'string|null'],
  ['next', 'string|null'],
  ['pages', 'integer'],
  ['results', 'array'],
];

export const operator: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
  ['timeWindow', 'string'],
  ['validatorCount', 'integer'],
  ['avgCorrectness', 'number'],
  ['avgInclusionDelay', 'number|null'],
  ['avgUptime', 'number'],
  ['avgValidatorEffectiveness', 'number'],
  ['clientPercentages', 'array'],
  ['networkPenetration', 'number|null'],
  ['relayerPercentages', 'array'],
  ['nodeOperatorCount', 'integer|null'],
  ['operatorTags', 'array'],
  ['displayName', 'string|null'],
  ['aprPercentage', 'number|null'],
  ['sumEndEpochBalance', 'number|null'],
  ['sumEndEpochEffectiveBalance', 'number|null'],
];

const clientPercentage: Keys = [
  ['client', 'string'],
  ['percentage', 'number'],
];

const relayerPercentage: Keys = [
  ['relayer', 'string'],
  ['percentage', 'number'],
];

// `path` is documented as a string; a tag that leads nowhere has null.
const operatorTag: Keys = [
  ['name', 'string'],
  ['path', 'string|null'],
  ['idType', 'string|null'],
];

// Which keys of the period a granularity sets is not documented: the others are null. So are the two of sync duty
// for an entity without any.
export const attestation: Keys = [
  ['id', 'string'],
  ['validatorCount', 'integer'],
  ['totalUniqueAttestations', 'integer'],
  ['sumMissedAttestations', 'integer'],
  ['sumMissedSyncSignatures', 'integer|null'],
  ['sumCorrectHead', 'integer'],
  ['sumCorrectTarget', 'integer'],
  ['sumCorrectSource', 'integer'],
  ['sumWrongHeadVotes', 'integer'],
  ['sumWrongTargetVotes', 'integer'],
  ['sumLateTargetVotes', 'integer'],
  ['sumLateSourceVotes', 'integer'],
  ['avgAttesterEffectiveness', 'number'],
  ['sumInclusionDelay', 'integer'],
  ['sumSyncSignatureCount', 'integer|null'],
  ['sumEndEpochBalance', 'number'],
  ['sumEndEpochEffectiveBalance', 'number'],
  ['hour', 'integer|null'],
  ['day', 'integer|null'],
  ['startDay', 'integer|null'],
  ['endDay', 'integer|null'],
  ['startEpoch', 'integer'],
  ['endEpoch', 'integer'],
  ['startDate', 'date|null'],
  ['endDate', 'date|null'],
  ['date', 'date|null'],
  ['startTimestamp', 'timestamp'],
  ['endTimestamp', 'timestamp'],
  ['startSlot', 'integer'],
  ['endSlot', 'integer'],
];

export const slashing: Keys = [
  ['validatorIndex', 'integer'],
  ['validatorPubkey', 'string'],
  ['slashingEpoch', 'integer'],
  ['withdrawableEpoch', 'integer'],
  ['balanceBeforeSlashing', 'number'],
  ['balanceBeforeWithdrawal', 'number'],
  ['slashingPenalties', 'number'],
];

export const reward: Keys = [
  ['epoch', 'integer'],
  ['consensusSlot', 'integer'],
  ['validatorIndex', 'integer'],
  ['syncCommitteeRewards', 'numeric'],
  ['blockTimestamp', 'timestamp'],
];

// `…/blocks` and `…/chainDailyRewards` are documented by name only: these are the keys and the order of a recorded
// block, and those that the decisions give a day. What only a block has is null for a missed slot; so is a reward that
// is not known yet.
export const block: Keys = [
  ['epoch', 'integer'],
  ['consensusSlot', 'integer'],
  ['consensusBlockRoot', 'string|null'],
  ['executionBlockNumber', 'integer|null'],
  ['executionBlockHash', 'string|null'],
  ['validatorIndex', 'integer'],
  ['feeRecipient', 'string|null'],
  ['totalType0Transactions', 'integer|null'],
  ['totalType2Transactions', 'integer|null'],
  ['totalTransactions', 'integer|null'],
  ['totalGasUsed', 'integer|null'],
  ['baseFeePerGas', 'number|null'],
  ['totalBurntFees', 'number|null'],
  ['totalType2TxFees', 'number|null'],
  ['totalType0TxFees', 'number|null'],
  ['totalPriorityFees', 'number|null'],
  ['baselineMev', 'number|null'],
  ['executionProposerDuty', 'string|null'],
  ['executionRewards', 'number|null'],
  ['missedExecutionRewards', 'number|null'],
  ['consensusProposerDuty', 'string'],
  ['consensusRewards', 'number|null'],
  ['missedConsensusRewards', 'number|null'],
  ['totalRewards', 'number|null'],
  ['totalRewardsMissed', 'number|null'],
  ['totalType1Transactions', 'integer|null'],
  ['totalType1TxFees', 'number|null'],
  ['blockTimestamp', 'timestamp'],
  ['totalSanctionedTransactions', 'integer|null'],
  ['totalPriorityFeesValidator', 'number|null'],
  ['relays', 'array'],
  ['blockBuilderPubkeys', 'array'],
];

export const dailyReward: Keys = [
  ['day', 'integer'],
  ['date', 'date'],
  ['startEpoch', 'integer'],
  ['endEpoch', 'integer'],
  ['startTimestamp', 'timestamp'],
  ['endTimestamp', 'timestamp'],
  ['sumConsensusRewards', 'number'],
  ['sumExecutionRewards', 'number'],
  ['sumPriorityFees', 'number'],
  ['sumBaselineMev', 'number'],
  ['sumEffectiveBalance', 'number'],
];

export const overview: Keys = [
  ['timeWindow', 'string'],
  ['networkEffectiveness', 'number'],
  ['networkVoteSuccessRate', 'number'],
  ['networkMissedBlocksRate', 'number'],
  ['networkVotingLatency', 'number'],
  ['validatorApy', 'number'],
  ['netValidatorApy', 'number'],
  ['delegatorApy', 'number'],
  ['rewardsSolanaVoting', 'numeric'],
  ['rewardsSolanaProposals', 'numeric'],
  ['rewardsSolanaMev', 'numeric'],
  ['rewardsSolanaRent', 'numeric'],
  ['activeValidatorCount', 'integer'],
  ['activeValidatorDiff', 'integer'],
  ['totalDelegatedStake', 'numeric'],
  ['activeDelegatorStakeAccountCount', 'integer'],
  ['activeDelegatorStakeAccountCountDiff', 'integer'],
  ['activeDelegatorWithdrawAuthorityCount', 'integer'],
  ['activeDelegatorWithdrawAuthorityCountDiff', 'integer'],
  ['stakeAccountWithdrawAuthorityRatio', 'numeric'],
  ['activeDelegatorStakeAuthorityCount', 'integer'],
  ['activeDelegatorStakeAuthorityCountDiff', 'integer'],
  ['stakeAccountStakeAuthorityRatio', 'numeric'],
  ['networkEffectivenessDiff', 'numeric'],
  ['giniCoefficient', 'numeric'],
  ['deactivatingStakeAccounts', 'integer|null'],
];

// `poolName` and `validatorName` are documented as strings; those without a name have null.
export const stakeAuthority: Keys = [
  ['stakeAuthority', 'string'],
  ['validatorDelegates', 'integer'],
  ['delegations', 'array'],
  ['stakingRewardsApy', 'numeric'],
  ['mevRewardsApr', 'numeric'],
  ['delegatorApy', 'numeric'],
  ['sumMissedStakingRewards', 'numeric'],
  ['poolName', 'string|null'],
  ['delegatedStake', 'numeric'],
  ['networkPenetration', 'numeric'],
  ['aggregateValidatorEffectiveness', 'numeric'],
  ['blendedVoteCommissionRate', 'numeric'],
  ['blendedMevCommissionRate', 'numeric'],
  ['sumStakingRewards', 'numeric'],
  ['sumMevRewards', 'numeric'],
  ['sumRewards', 'numeric'],
  ['sumStakingCommissionPaid', 'numeric'],
  ['sumMevCommissionPaid', 'numeric'],
  ['sumCommissionPaid', 'numeric'],
];

export const delegation: Keys = [
  ['validatorVoteAccount', 'string'],
  ['validatorName', 'string|null'],
  ['percentage', 'numeric'],
];

// Not documented: the keys that this project decided on.
export const consolidation: Keys = [
  ['day', 'integer'],
  ['date', 'date'],
  ['epoch', 'integer'],
  ['timestamp', 'timestamp'],
  ['sourceValidatorIndex', 'integer'],
  ['sourceValidatorPubkey', 'string'],
  ['targetValidatorIndex', 'integer'],
  ['targetValidatorPubkey', 'string'],
  ['sourceEntities', 'array'],
  ['targetEntities', 'array'],
  ['consolidatedBalance', 'integer'],
];

export const consolidationEntity: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
];

export const entityConsolidation: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
  ['consolidationCount', 'integer'],
  ['sourceValidatorCount', 'integer'],
  ['targetValidatorCount', 'integer'],
  ['consolidatedBalance', 'integer'],
  ['startDate', 'date'],
  ['endDate', 'date'],
];

export const consolidationCapacity: Keys = [
  ['timeWindow', 'string'],
  ['latestEpoch', 'integer'],
  ['consolidationChurnLimit', 'integer'],
  ['capacity', 'integer'],
  ['consolidatedBalance', 'integer'],
  ['consolidationCount', 'integer'],
  ['capacityFilled', 'number|null'],
];

export const entityCapacity: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
  ...consolidationCapacity,
  ['capacityShare', 'number|null'],
];

export const idTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
  'entity',
  'validator',
  'privateSet',
];
export const timeWindows = ['1d', '7d', '30d', 'all'];

/** The record has these keys in this order and no others, each of a documented kind. */
export function check(record: any, keys: Keys) {
  expect(Object.keys(record)).toEqual(keys.map(([name]) => name));
  const wrong = keys.filter(
    ([name, kind]) => !kind.split('|').some((one) => kinds[one as Kind](record[name])),
  );
  expect(wrong.map(([name, kind]) => `${name}: ${JSON.stringify(record[name])} is no ${kind}`)).toEqual([]);
}

/** The records, of which there are some, and of each of these arrays in them at least one row. */
export function checkAll(records: any[], keys: Keys, arrays: Record<string, Keys> = {}) {
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) check(record, keys);
  for (const [name, inner] of Object.entries(arrays)) {
    const rows = records.flatMap((record) => record[name]);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) check(row, inner);
  }
}

export const tag: Keys = [
  ['id', 'string'],
  ['name', 'string'],
  ['network', 'string'],
  ['organizationId', 'string'],
  ['createdBy', 'string'],
  ['createdAt', 'timestamp'],
  ['updatedAt', 'timestamp'],
];

export const operatorArrays = {
  clientPercentages: clientPercentage,
  relayerPercentages: relayerPercentage,
  operatorTags: operatorTag,
};

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';

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
type Keys = [name: string, kind: string][];

// The lists below are those of the interface's documentation, written out: nothing here comes from src/.

const page: Keys = [
  ['from', 'integer'],
  ['to', 'integer'],
  ['size', 'integer'],
];

const v0: Keys = [
  ['page', 'object'],
  ['total', 'integer'],
  ['data', 'array'],
  ['next', 'string|null'],
];

const v1: Keys = [
  ['previous', 'string|null'],
  ['next', 'string|null'],
  ['pages', 'integer'],
  ['results', 'array'],
];

const operator: Keys = [
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
const attestation: Keys = [
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

const slashing: Keys = [
  ['validatorIndex', 'integer'],
  ['validatorPubkey', 'string'],
  ['slashingEpoch', 'integer'],
  ['withdrawableEpoch', 'integer'],
  ['balanceBeforeSlashing', 'number'],
  ['balanceBeforeWithdrawal', 'number'],
  ['slashingPenalties', 'number'],
];

const reward: Keys = [
  ['epoch', 'integer'],
  ['consensusSlot', 'integer'],
  ['validatorIndex', 'integer'],
  ['syncCommitteeRewards', 'numeric'],
  ['blockTimestamp', 'timestamp'],
];

// `…/blocks` and `…/chainDailyRewards` are documented by name only: these are the keys and the order of a recorded
// block, and those that the decisions give a day. What only a block has is null for a missed slot; so is a reward that
// is not known yet.
const block: Keys = [
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

const dailyReward: Keys = [
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

const overview: Keys = [
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
const stakeAuthority: Keys = [
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

const delegation: Keys = [
  ['validatorVoteAccount', 'string'],
  ['validatorName', 'string|null'],
  ['percentage', 'numeric'],
];

/** The records of a validator's day and of the network's, by network; names are null where there is none. */
const rewards: Record<string, { validator: Keys; network: Keys }> = {
  avalanche: {
    validator: [
      ['day', 'date'],
      ['nodeId', 'string'],
      ['validationStatus', 'string'],
      ['validatorPubkey', 'string|null'],
      ['totalDelegatorRewards', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalValidatorFeeRewards', 'number'],
      ['totalPotentialDelegatorRewards', 'number'],
      ['totalPotentialValidatorRewards', 'number'],
      ['totalPotentialValidatorFeeRewards', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['totalActiveValidators', 'integer'],
      ['totalDelegatorRewards', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalValidatorFeeRewards', 'number'],
      ['totalPotentialDelegatorRewards', 'number'],
      ['totalPotentialValidatorRewards', 'number'],
      ['totalPotentialValidatorFeeRewards', 'number'],
    ],
  },
  babylon: {
    validator: [
      ['day', 'date'],
      ['validator', 'string'],
      ['validatorMoniker', 'string|null'],
      ['consensusPubkey', 'string'],
      ['accountAddress', 'string'],
      ['fromBlockNumber', 'integer'],
      ['toBlockNumber', 'integer'],
      ['totalDelegationRewards', 'number'],
      ['totalCommissionRewards', 'number'],
      ['commissionRate', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['avgCommissionRate', 'number'],
      ['fromBlockNumber', 'integer'],
      ['toBlockNumber', 'integer'],
      ['totalBondedValidators', 'integer'],
      ['totalDelegationRewards', 'number'],
      ['totalCommissionRewards', 'number'],
    ],
  },
  cardano: {
    validator: [
      ['day', 'date'],
      ['epoch', 'integer'],
      ['fromBlockNumber', 'integer'],
      ['toBlockNumber', 'integer'],
      ['fromSlotNumber', 'integer'],
      ['toSlotNumber', 'integer'],
      ['poolId', 'string'],
      ['poolHashId', 'string|null'],
      ['poolName', 'string|null'],
      ['poolTicker', 'string|null'],
      ['poolOwnerStakeAddresses', 'array'],
      ['poolFee', 'number'],
      ['poolFlatFee', 'number'],
      ['totalRealizedDelegatorRewards', 'number'],
      ['totalRealizedValidatorRewards', 'number'],
      ['totalEarnedDelegatorRewards', 'number'],
      ['totalEarnedValidatorRewards', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['epoch', 'integer'],
      ['avgPoolFee', 'number'],
      ['avgPoolFlatFee', 'number'],
      ['totalActivePools', 'integer'],
      ['totalRealizedDelegatorRewards', 'number'],
      ['totalRealizedValidatorRewards', 'number'],
      ['totalEarnedDelegatorRewards', 'number'],
      ['totalEarnedValidatorRewards', 'number'],
    ],
  },
  celestia: {
    validator: [
      ['day', 'date'],
      ['validator', 'string'],
      ['validatorMoniker', 'string|null'],
      ['consensusPubkey', 'string'],
      ['accountAddress', 'string'],
      ['fromBlockNumber', 'integer'],
      ['toBlockNumber', 'integer'],
      ['totalDelegationRewards', 'number'],
      ['totalCommissionRewards', 'number'],
      ['commissionRate', 'number'],
      ['consensusAddress', 'string'],
    ],
    network: [
      ['day', 'date'],
      ['avgCommissionRate', 'number'],
      ['fromBlockNumber', 'integer'],
      ['toBlockNumber', 'integer'],
      ['totalBondedValidators', 'integer'],
      ['totalDelegationRewards', 'number'],
      ['totalCommissionRewards', 'number'],
    ],
  },
  polkadot: {
    validator: [
      ['day', 'date'],
      ['era', 'integer'],
      ['validator', 'string'],
      ['commissionRate', 'number'],
      ['eraPoints', 'integer'],
      ['totalStake', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalNominatorRewards', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['era', 'integer'],
      ['totalActiveValidators', 'integer'],
      ['avgCommissionRate', 'number'],
      ['totalStake', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalNominatorRewards', 'number'],
    ],
  },
  polygon: {
    validator: [
      ['day', 'date'],
      ['validatorId', 'integer'],
      ['validatorName', 'string|null'],
      ['fromCheckpoint', 'integer'],
      ['toCheckpoint', 'integer'],
      ['commissionRate', 'number'],
      ['totalStake', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalDelegatorRewards', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['fromCheckpoint', 'integer'],
      ['toCheckpoint', 'integer'],
      ['totalActiveValidators', 'integer'],
      ['totalStake', 'number'],
      ['totalValidatorRewards', 'number'],
      ['totalDelegatorRewards', 'number'],
    ],
  },
  solana: {
    validator: [
      ['day', 'date'],
      ['epoch', 'integer'],
      ['voteAccount', 'string'],
      ['validatorName', 'string|null'],
      ['voteCommissionRate', 'number'],
      ['mevCommissionRate', 'number|null'],
      ['totalVotingRewards', 'number'],
      ['totalProposalRewards', 'number'],
      ['totalMevRewards', 'number'],
      ['totalDelegatorRewards', 'number'],
    ],
    network: [
      ['day', 'date'],
      ['epoch', 'integer'],
      ['activeValidatorCount', 'integer'],
      ['totalVotingRewards', 'number'],
      ['totalProposalRewards', 'number'],
      ['totalMevRewards', 'number'],
      ['totalDelegatorRewards', 'number'],
    ],
  },
};

// Not documented: the keys that this project decided on.
const consolidation: Keys = [
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

const consolidationEntity: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
];

const entityConsolidation: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
  ['consolidationCount', 'integer'],
  ['sourceValidatorCount', 'integer'],
  ['targetValidatorCount', 'integer'],
  ['consolidatedBalance', 'integer'],
  ['startDate', 'date'],
  ['endDate', 'date'],
];

const consolidationCapacity: Keys = [
  ['timeWindow', 'string'],
  ['latestEpoch', 'integer'],
  ['consolidationChurnLimit', 'integer'],
  ['capacity', 'integer'],
  ['consolidatedBalance', 'integer'],
  ['consolidationCount', 'integer'],
  ['capacityFilled', 'number|null'],
];

const entityCapacity: Keys = [
  ['id', 'string'],
  ['idType', 'string'],
  ...consolidationCapacity,
  ['capacityShare', 'number|null'],
];

const idTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
  'entity',
  'validator',
  'privateSet',
];
const timeWindows = ['1d', '7d', '30d', 'all'];

/** The record has these keys in this order and no others, each of a documented kind. */
function check(record: any, keys: Keys) {
  expect(Object.keys(record)).toEqual(keys.map(([name]) => name));
  const wrong = keys.filter(
    ([name, kind]) => !kind.split('|').some((one) => kinds[one as Kind](record[name])),
  );
  expect(wrong.map(([name, kind]) => `${name}: ${JSON.stringify(record[name])} is no ${kind}`)).toEqual([]);
}

/** The records, of which there are some, and of each of these arrays in them at least one row. */
function checkAll(records: any[], keys: Keys, arrays: Record<string, Keys> = {}) {
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) check(record, keys);
  for (const [name, inner] of Object.entries(arrays)) {
    const rows = records.flatMap((record) => record[name]);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) check(row, inner);
  }
}

const tag: Keys = [
  ['id', 'string'],
  ['name', 'string'],
  ['network', 'string'],
  ['organizationId', 'string'],
  ['createdBy', 'string'],
  ['createdAt', 'timestamp'],
  ['updatedAt', 'timestamp'],
];

const operatorArrays = {
  clientPercentages: clientPercentage,
  relayerPercentages: relayerPercentage,
  operatorTags: operatorTag,
};

let gateway: Gateway;
let pool: string;
let slot: number;
beforeAll(async () => {
  gateway = await startGateway();
  pool = (await gateway.get('/v0/eth/operators?window=30d&idType=pool&size=1')).json.data[0].id;
  const { rows } = await gateway.database.pool.query({
    text: `select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'`,
    values: [],
  });
  slot = rows[0]?.slot as number;
});
afterAll(() => gateway.close());

async function get(path: string): Promise<any> {
  const { status, json, text } = await gateway.get(path);
  expect(status, text).toBe(200);
  return json;
}

/** The records of the first page of a v0 list, whose envelope is checked. */
async function v0Records(path: string, rows: number): Promise<any[]> {
  const first = await get(path);
  check(first, v0);
  check(first.page, page);
  expect(first.data).toHaveLength(rows);
  expect(first.next).toEqual(expect.any(String));
  return first.data;
}

describe('the documented keys, in documented order and of the documented kind, of', () => {
  it.each(['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool', 'poolShare'])(
    'GET /v0/eth/operators, %s',
    async (idType) => {
      const records = await v0Records(`/v0/eth/operators?window=7d&idType=${idType}&size=20`, 20);
      for (const record of records) expect([record.idType, record.timeWindow]).toEqual([idType, '7d']);
      expect(idTypes).toContain(idType);
      const isAddress = idType.endsWith('Address'); // addresses have no tags in the sample data
      checkAll(records, operator, isAddress ? {} : operatorArrays);
    },
  );

  it('GET /v0/eth/operators on its last page, where next is null', async () => {
    const body = await get('/v0/eth/operators?window=7d&idType=pool&size=200');
    check(body, v0);
    check(body.page, page);
    expect([body.next, body.data.length]).toEqual([null, body.total]);
    checkAll(body.data, operator, operatorArrays);
  });

  it.each(timeWindows)('GET /v0/eth/operators/{operator_id}/summary, %s', async (window) => {
    const record = await get(`/v0/eth/operators/${encodeURIComponent(pool)}/summary?window=${window}`);
    checkAll([record], operator, operatorArrays);
    expect([record.id, record.idType, record.timeWindow]).toEqual([pool, 'pool', window]);
  });

  it.each([
    ['hour', 'hour day date'],
    ['day', 'day date'],
    ['week', 'startDay endDay startDate endDate'],
    ['all', 'startDay endDay startDate endDate'],
  ])('GET /v1/eth/entities/{entity_id}/attestations by %s', async (granularity, set) => {
    const path = `/v1/eth/entities/${encodeURIComponent(pool)}/attestations`;
    const body = await get(`${path}?entityType=pool&granularity=${granularity}&limit=5`);
    check(body, v1);
    checkAll(body.results, attestation);
    for (const record of body.results)
      for (const name of set.split(' ')) expect(record[name], name).not.toBeNull();
  });

  it('GET /v1/eth/entities/{entity_id}/attestations between two pages', async () => {
    const path = `/v1/eth/entities/${encodeURIComponent(pool)}/attestations`;
    const body = await get(`${path}?entityType=pool&limit=5&offset=5`);
    check(body, v1);
    expect([body.previous, body.next]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('GET /v1/eth/tags, and the attestations of its set', async () => {
    const body = await get('/v1/eth/tags');
    check(body, v1);
    checkAll(body.results, tag);
    const set = await get(`/v1/eth/sets/${body.results[0].id}/attestations`);
    check(set, v1);
    checkAll(set.results, attestation);
  });

  it('GET /v0/eth/slashings', async () => {
    checkAll(await v0Records('/v0/eth/slashings?size=50', 50), slashing);
  });

  it('GET /v0/eth/blocks/{consensus_slot}/syncCommitteeRewards', async () => {
    checkAll(await v0Records(`/v0/eth/blocks/${slot}/syncCommitteeRewards?limit=500`, 500), reward);
  });

  it('GET /v0/eth/blocks and one of them', async () => {
    const records = await v0Records('/v0/eth/blocks?size=100', 100);
    checkAll(records, block);
    for (const { relays, blockBuilderPubkeys } of records)
      for (const name of [...relays, ...blockBuilderPubkeys]) expect(name).toEqual(expect.any(String));
    checkAll([await get(`/v0/eth/blocks/${slot}`)], block);
  });

  it('GET /v0/eth/network/chainDailyRewards and one of them', async () => {
    const records = await v0Records('/v0/eth/network/chainDailyRewards?size=100', 100);
    checkAll(records, dailyReward);
    checkAll([await get(`/v0/eth/network/chainDailyRewards/${records[0].day}`)], dailyReward);
  });

  it('GET /v0/solana/network/overview, which is a bare array', async () => {
    const records = await get('/v0/solana/network/overview');
    expect(Array.isArray(records)).toBe(true);
    checkAll(records, overview);
    expect(records.map((record: any) => record.timeWindow)).toEqual(timeWindows);
  });

  it.each(['', '&type=pool', '&type=individual'])(
    'GET /v0/solana/delegators/stakeAuthorities?window=7d%s',
    async (type) => {
      const path = `/v0/solana/delegators/stakeAuthorities?window=7d${type}&size=10`;
      checkAll(await v0Records(path, 10), stakeAuthority, { delegations: delegation });
    },
  );

  it.each(rewardLists)(
    'GET /v1/$network/validators/{validator_id}/rewards and /v1/$network/network/rewards',
    async ({ network, id }) => {
      for (const [kind, path] of [
        ['validator', `/v1/${network}/validators/${id}/rewards`],
        ['network', `/v1/${network}/network/rewards`],
      ] as const) {
        const body = await get(`${path}?limit=50`);
        check(body, v1);
        checkAll(body.results, rewards[network]?.[kind] as Keys);
      }
    },
  );

  it('daily rewards of seven networks and no other', () => {
    expect(rewardLists.map(({ network }) => network as string)).toEqual(Object.keys(rewards));
  });

  it('GET /v1/eth/validators/consolidations', async () => {
    const body = await get('/v1/eth/validators/consolidations?limit=200');
    check(body, v1);
    const arrays = { sourceEntities: consolidationEntity, targetEntities: consolidationEntity };
    checkAll(body.results, consolidation, arrays);
  });

  it('GET /v1/eth/entityConsolidations', async () => {
    const body = await get('/v1/eth/entityConsolidations?limit=20');
    check(body, v1);
    checkAll(body.results, entityConsolidation);
  });

  it('GET /v1/eth/consolidationCapacity, which is a bare array', async () => {
    const records = await get('/v1/eth/consolidationCapacity');
    checkAll(records, consolidationCapacity);
    expect(records.map((record: any) => record.timeWindow)).toEqual(timeWindows);
  });

  it('GET /v1/eth/consolidationCapacity/entity', async () => {
    const body = await get('/v1/eth/consolidationCapacity/entity?window=30d&limit=20');
    check(body, v1);
    checkAll(body.results, entityCapacity);
  });
});

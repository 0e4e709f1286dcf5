import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';

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
});

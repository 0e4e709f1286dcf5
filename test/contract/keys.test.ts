import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attestation,
  block,
  check,
  checkAll,
  consolidation,
  consolidationCapacity,
  consolidationEntity,
  dailyReward,
  delegation,
  entityCapacity,
  entityConsolidation,
  idTypes,
  type Keys,
  operator,
  operatorArrays,
  overview,
  page,
  reward,
  slashing,
  stakeAuthority,
  tag,
  timeWindows,
  v0,
  v1,
} from '../support/documented-keys.ts';
import { rewards } from '../support/documented-reward-keys.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';

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

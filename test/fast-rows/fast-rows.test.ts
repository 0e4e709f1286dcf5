import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/db/rows.ts';
import { columnsOrText, wholeRecord } from '../../src/fast-rows/index.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';

// One gateway reads rows of plain fields as text, and the other reads all rows as columns: every response is the same.

const state = vi.hoisted(() => ({ fast: true }));
vi.mock('../../src/fast-rows/switch.ts', () => ({
  get FAST_ROWS() {
    return state.fast;
  },
}));

let database: TestDatabase;
let on: Gateway;
let off: Gateway;
beforeAll(async () => {
  database = await createDatabase('sample');
  const now = () => new Date('2026-03-01T12:00:00Z');
  on = await startGateway({ database, now });
  off = await startGateway({ database, now }); // each gateway compiles its queries itself
});
afterAll(async () => {
  await on.close();
  await off.close();
  await database.drop();
});

/** The responses of both gateways, with fast rows on for the first and off for the second. */
async function both<Answer>(ask: (gateway: Gateway) => Promise<Answer>): Promise<[Answer, Answer]> {
  state.fast = true;
  const fast = await ask(on);
  state.fast = false;
  return [fast, await ask(off)];
}

const pages = 'first: 40';
const figures = `validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
  clientPercentages { client ratio } networkPenetration relayerPercentages { relayer ratio } nodeOperatorCount
  aprPercentage sumEndEpochBalance sumEndEpochEffectiveBalance`;
const authorityFigures = `validatorDelegates delegations { validatorVoteAccount validatorName ratio }
  stakingRewardsApy mevRewardsApr delegatorApy sumMissedStakingRewards delegatedStake networkPenetration
  aggregateValidatorEffectiveness blendedVoteCommissionRate blendedMevCommissionRate sumCommissionPaid`;
const operator = `operatorId network idType operatorTags { name path idType } displayName
  summary(window: ALL) { window ${figures} }`;
const period =
  'operatorId hour day date validatorCount sumCorrectHead avgAttesterEffectiveness sumEndEpochBalance';
const entity = 'operatorId: "Alder Liquid", idType: POOL';

describe('a response is the same with rows read as text and as columns', () => {
  it.each([
    '/v0/eth/operators?window=7d&idType=pool&size=40',
    '/v0/eth/operators?window=all&idType=depositAddress&from=3&size=7',
    '/v0/eth/operators?window=1d&parentId=Alder%20Liquid',
    '/v0/eth/operators/Alder%20Liquid/summary?window=all',
    '/v0/solana/delegators/stakeAuthorities?window=7d&size=100',
    '/v0/solana/delegators/stakeAuthorities?window=all&type=pool&from=100000',
    '/v1/solana/delegators/stakeAuthorities?window=7d&limit=200',
    ...['hour', 'day', 'week', 'month', 'all'].map(
      (granularity) =>
        `/v1/eth/entities/Alder%20Liquid/attestations?entityType=pool&granularity=${granularity}&limit=50`,
    ),
    '/v1/eth/entities/Alder%20Liquid/attestations?entityType=pool&sortBy=sumCorrectHead&sortOrder=desc&limit=9',
  ])('GET %s', async (path) => {
    const [fast, slow] = await both((gateway) => gateway.get(path));
    expect(fast.status).toBe(200);
    const links = (text: string, { url }: Gateway) => text.replaceAll(url, '');
    expect(links(fast.text, on)).toBe(links(slow.text, off));
  });

  it.each([
    `{ operators(window: ALL, idType: POOL, ${pages}) { nodes { ${operator} } } }`,
    `{ operators(window: ALL, idType: POOL, last: 7) { totalCount edges { cursor node { name: displayName __typename } } pageInfo { endCursor } } }`,
    `{ operators(window: ALL, idType: POOL, first: 5) { nodes { id operatorId summary(window: ONE_DAY) { operator { ${operator} } }
      poolShares(window: ALL, first: 3) { nodes { displayName } } attestations(first: 4) { totalCount nodes { ${period} } } } } }`,
    `{ operator(operatorId: "Alder Liquid") { ${operator} } none: operator(operatorId: "nobody") { displayName } }`,
    `{ operators(window: ALL, idType: POOL, ${pages}) { nodes { operatorId idType summary(window: ALL) { __typename window ${figures} } displayName } } }`,
    `{ operators(window: ALL, idType: POOL, last: 7) { edges { cursor node { summary(window: ALL) { apr: aprPercentage } same: summary(window: ALL) { aprPercentage } } } } }`,
    `{ operators(window: ALL, idType: POOL, first: 7) { nodes { id summary(window: ALL) { ${figures} } day: summary(window: ONE_DAY) { ${figures} } } } }`,
    `{ operator(operatorId: "Alder Liquid") { operatorId summary(window: ALL) { ${figures} } } }`,
    `{ operator(operatorId: "Alder Liquid", idType: POOL) { id displayName operatorTags { name path idType } summary(window: ALL) { id ${figures} } } }`,
    `{ stakeAuthorities(window: SEVEN_DAYS, first: 130) { nodes { stakeAuthority poolName summary(window: SEVEN_DAYS) { window ${authorityFigures} } } } }`,
    ...['HOUR', 'DAY', 'WEEK', 'ALL'].map(
      (granularity) =>
        `{ attestations(${entity}, granularity: ${granularity}, ${pages}) { nodes { ${period} } } }`,
    ),
    `{ attestations(${entity}, orderBy: { field: SUM_CORRECT_HEAD, direction: ASC }, last: 9) { nodes { ${period} } pageInfo { startCursor } } }`,
  ])('POST /graphql %s', async (query) => {
    for (let time = 0; time < 3; time += 1) {
      on.statements.length = off.statements.length = 0; // a query is compiled when it comes for the second time
      const [fast, slow] = await both((gateway) => gateway.graphql(query));
      expect(fast.errors).toBeUndefined();
      expect(fast.text).toBe(slow.text);
      expect(on.statements).toEqual(off.statements);
    }
  });

  it('which only the constant decides', async () => {
    const record = z.object({ name: z.string() });
    const isText = async () =>
      columnsOrText(wholeRecord(record), { record, fields: { name: sql`s.name` } }).texts !== undefined;
    expect(await both(isText)).toEqual([true, false]);
  });
});

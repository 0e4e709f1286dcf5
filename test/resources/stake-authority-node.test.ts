import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const idOf = (text: string) => Buffer.from(text).toString('base64url');
const ratios = [
  'stakingRewardsApy',
  'mevRewardsApr',
  'delegatorApy',
  'networkPenetration',
  'aggregateValidatorEffectiveness',
  'blendedVoteCommissionRate',
  'blendedMevCommissionRate',
];
const figures = `validatorDelegates delegations { validatorVoteAccount validatorName ratio } ${ratios.join(' ')}
  sumMissedStakingRewards delegatedStake sumStakingRewards sumMevRewards sumRewards sumStakingCommissionPaid
  sumMevCommissionPaid sumCommissionPaid`;

async function ask(query: string, variables?: object) {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(query, variables);
  return { data, errors, statements: [...gateway.statements] };
}

const largest = async () =>
  (
    await ask(
      '{ stakeAuthorities(window: SEVEN_DAYS, type: POOL, first: 1) { nodes { stakeAuthority poolName } } }',
    )
  ).data.stakeAuthorities.nodes[0];

describe('a stake authority', () => {
  it('is one node with a summary for each window', async () => {
    const { stakeAuthority: address, poolName } = await largest();
    const { data, errors, statements } = await ask(
      `query ($address: String!) { stakeAuthority(stakeAuthority: $address) { id stakeAuthority poolName
        week: summary(window: SEVEN_DAYS) { id window ${figures} authority { id poolName } }
        day: summary(window: ONE_DAY) { id window } } }`,
      { address },
    );
    expect(errors).toBeUndefined();
    const { week, day, ...own } = data.stakeAuthority;
    expect(own).toEqual({ id: idOf(`StakeAuthority:${address}`), stakeAuthority: address, poolName });
    expect(week).toMatchObject({
      id: idOf(`StakeAuthoritySummary:7d:${address}`),
      window: 'SEVEN_DAYS',
      authority: { id: own.id, poolName },
    });
    expect(day).toEqual({ id: idOf(`StakeAuthoritySummary:1d:${address}`), window: 'ONE_DAY' });
    expect(statements).toEqual(['stakeAuthoritiesByKey', 'stakeAuthoritiesByKey']);
  });

  it('is found by its id, and by the ids of its summaries', async () => {
    const { stakeAuthority: address } = await largest();
    const ids = [`StakeAuthority:${address}`, `StakeAuthoritySummary:7d:${address}`];
    const nothing = [
      `StakeAuthority:7d:${address}`,
      'StakeAuthoritySummary:nobody',
      'StakeAuthoritySummary:7d:nobody',
    ];
    const { data, errors } = await ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
        ... on StakeAuthority { stakeAuthority summary(window: SEVEN_DAYS) { delegatedStake } }
        ... on StakeAuthoritySummary { window delegatedStake authority { id } } } }`,
      { ids: [...ids, ...nothing].map(idOf) },
    );
    expect(errors).toBeUndefined();
    const [now, week, ...none] = data.nodes;
    expect(now).toMatchObject({
      __typename: 'StakeAuthority',
      id: idOf(ids[0] as string),
      stakeAuthority: address,
    });
    expect(week).toEqual({
      __typename: 'StakeAuthoritySummary',
      id: idOf(ids[1] as string),
      window: 'SEVEN_DAYS',
      delegatedStake: now.summary.delegatedStake,
      authority: { id: now.id },
    });
    expect(none).toEqual([null, null, null]);
  });

  it('is null when it does not exist, and refuses a summary without a window', async () => {
    expect((await ask('{ stakeAuthority(stakeAuthority: "nobody") { id } }')).data).toEqual({
      stakeAuthority: null,
    });
    for (const field of ['summary', 'history']) {
      const { errors } = await ask(
        `{ stakeAuthority(stakeAuthority: "nobody") { ${field} { __typename } } }`,
      );
      expect(errors?.[0].message).toBe(
        `Field "${field}" argument "window" of type "TimeWindow!" is required, but it was not provided.`,
      );
    }
  });
});

describe('a page of stake authorities with their summaries', () => {
  const list = 'window: SEVEN_DAYS, first: 10';

  it.each([
    [
      'nodes { stakeAuthority summary(window: SEVEN_DAYS) { networkPenetration window } }',
      ['stakeAuthorityPages'],
    ],
    [
      'nodes { id summary(window: SEVEN_DAYS) { id networkPenetration authority { poolName } } }',
      ['stakeAuthorityPages'],
    ],
    [
      'nodes { summary(window: SEVEN_DAYS) { id } other: summary(window: ALL) { sumRewards } }',
      ['stakeAuthorityPages', 'stakeAuthoritiesByKey'],
    ],
  ])('takes as many statements as it has windows: %s', async (selection, statements) => {
    for (const time of [1, 2, 3]) {
      const found = await ask(`{ stakeAuthorities(${list}) { ${selection} } }`);
      expect(found.errors, `time ${time}`).toBeUndefined();
      expect(found.statements, `time ${time}`).toEqual(statements);
    }
  });

  it('has the figures of REST, with ratios as doubles', async () => {
    const { data } = await ask(
      `{ stakeAuthorities(${list}) { nodes { stakeAuthority poolName summary(window: SEVEN_DAYS) { ${figures} } } } }`,
    );
    const { json } = await gateway.get('/v0/solana/delegators/stakeAuthorities?window=7d&size=10');
    const named = new Set(ratios);
    const asDoubles = Object.entries as (row: object) => [string, unknown][];
    expect(data.stakeAuthorities.nodes.map(({ summary, ...own }: any) => ({ ...own, ...summary }))).toEqual(
      json.data.map(({ timeWindow: _, delegations, ...row }: any) => ({
        ...Object.fromEntries(
          asDoubles(row).map(([name, value]) => [name, named.has(name) ? Number(value) : value]),
        ),
        delegations: delegations.map(({ percentage, ...one }: any) => ({
          ...one,
          ratio: Number(percentage),
        })),
      })),
    );
  });
});

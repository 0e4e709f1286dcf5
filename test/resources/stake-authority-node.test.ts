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
const figures = `validatorDelegates delegations { validatorVoteAccount validatorName percentage } ${ratios.join(' ')}
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

  it('is found by its id, by an id of old with a window, and by the ids of its summaries', async () => {
    const { stakeAuthority: address } = await largest();
    const ids = [
      `StakeAuthority:${address}`,
      `StakeAuthority:7d:${address}`,
      `StakeAuthoritySummary:7d:${address}`,
    ];
    const { data, errors } = await ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
        ... on StakeAuthority { stakeAuthority summary(window: SEVEN_DAYS) { delegatedStake } }
        ... on StakeAuthoritySummary { window delegatedStake authority { id } } } }`,
      { ids: [...ids, 'StakeAuthoritySummary:nobody', 'StakeAuthoritySummary:7d:nobody'].map(idOf) },
    );
    expect(errors).toBeUndefined();
    const [now, then, week, ...none] = data.nodes;
    expect(now).toMatchObject({
      __typename: 'StakeAuthority',
      id: idOf(ids[0] as string),
      stakeAuthority: address,
    });
    expect(then).toEqual(now);
    expect(week).toEqual({
      __typename: 'StakeAuthoritySummary',
      id: idOf(ids[2] as string),
      window: 'SEVEN_DAYS',
      delegatedStake: now.summary.delegatedStake,
      authority: { id: now.id },
    });
    expect(none).toEqual([null, null]);
  });

  it('is null when it does not exist, and refuses figures and a summary without a window', async () => {
    expect((await ask('{ stakeAuthority(stakeAuthority: "nobody") { id } }')).data).toEqual({
      stakeAuthority: null,
    });
    const { stakeAuthority: address } = await largest();
    for (const [field, name] of [
      ['delegatedStake', 'delegatedStake needs a window; ask for summary(window:) { delegatedStake }.'],
      ['timeWindow', 'timeWindow needs a window; ask for summary(window:) { window }.'],
      [
        'summary { id }',
        'window is required here, because the stake authority was not asked for in a window.',
      ],
    ]) {
      const { errors } = await ask(`{ stakeAuthority(stakeAuthority: "${address}") { ${field} } }`);
      expect(errors?.[0]).toMatchObject({ message: name, extensions: { code: 'BAD_INPUT' } });
    }
  });
});

describe('a page of stake authorities with their summaries', () => {
  const list = 'window: SEVEN_DAYS, first: 10';

  it.each([
    ['nodes { stakeAuthority summary { networkPenetration window } }', ['stakeAuthorityPages']],
    ['nodes { id summary { id networkPenetration authority { poolName } } }', ['stakeAuthorityPages']],
    [
      'nodes { summary { id } other: summary(window: ALL) { sumRewards } }',
      ['stakeAuthorityPages', 'stakeAuthoritiesByKey'],
    ],
  ])('takes as many statements as it has windows: %s', async (selection, statements) => {
    for (const time of [1, 2, 3]) {
      const found = await ask(`{ stakeAuthorities(${list}) { ${selection} } }`);
      expect(found.errors, `time ${time}`).toBeUndefined();
      expect(found.statements, `time ${time}`).toEqual(statements);
    }
  });

  it('shows the figures that the deprecated fields show, with ratios as doubles', async () => {
    for (const _time of [1, 2]) {
      const { data } =
        await ask(`{ new: stakeAuthorities(${list}) { nodes { stakeAuthority summary { ${figures} } } }
        old: stakeAuthorities(${list}) { nodes { stakeAuthority ${figures} } } }`);
      const { old } = data;
      expect(data.new.nodes).toEqual(
        old.nodes.map(({ stakeAuthority, ...summary }: any) => ({
          stakeAuthority,
          summary: {
            ...summary,
            ...Object.fromEntries(ratios.map((name) => [name, Number(summary[name])])),
          },
        })),
      );
    }
  });
});

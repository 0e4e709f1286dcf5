import { describe, expect, it } from 'vitest';
import { fifthOfDay, load, refreshed, validator, validatorDay } from '../refresh/facts.ts';
import { useGateway } from '../support/gateway.ts';

const figures =
  'validatorCount sumEndEpochBalance sumEndEpochEffectiveBalance avgValidatorEffectiveness participationRatio targetParticipationRatio proposedCount missedProposalCount missedProposalRatio sumConsensusRewards sumExecutionRewards aprPercentage';

describe('networkOverview of the sample data', () => {
  const gateway = useGateway();
  const ask = async (text: string) => {
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(text);
    expect(errors).toBeUndefined();
    return data;
  };

  it('answers APR over time, participation, blocks and client diversity in three statements', async () => {
    const { networkOverview } = await ask(`{ networkOverview(network: MAINNET, window: SEVEN_DAYS) {
      id network window asOf { epoch slot time } startDay endDay endEpoch endSlot endTimestamp ${figures} clients { client validatorCount percentage }
      history(first: 1000, orderBy: { field: PERIOD, direction: DESC }) { totalCount nodes { id day date ${figures} } } } }`);
    expect([...gateway.statements].sort()).toEqual(['networkClients', 'networkHistory', 'networkOverviews']);
    expect(networkOverview).toMatchObject({
      network: 'MAINNET',
      window: 'SEVEN_DAYS',
      validatorCount: 1_112_500,
    });
    expect(networkOverview.endDay - networkOverview.startDay).toBe(6);
    expect(networkOverview.asOf).toEqual({
      epoch: networkOverview.endEpoch,
      slot: networkOverview.endSlot,
      time: networkOverview.endTimestamp,
    });
    const { clients, history } = networkOverview;
    expect(clients.reduce((sum: number, one: any) => sum + one.percentage, 0)).toBeCloseTo(100, 9);
    expect(clients[0].client).toBe('Lighthouse');
    expect(history.totalCount).toBe(history.nodes.length);
    expect(new Set(history.nodes.map((row: any) => row.id)).size).toBe(history.nodes.length);
    const week = history.nodes.slice(0, 7);
    const sum = (name: string) => week.reduce((all: number, row: any) => all + Number(row[name]), 0);
    for (const name of ['proposedCount', 'missedProposalCount', 'sumConsensusRewards'])
      expect(Number(networkOverview[name]), name).toBe(sum(name));
    expect(networkOverview.aprPercentage).toBeCloseTo(
      (36_500 * (sum('sumConsensusRewards') + sum('sumExecutionRewards'))) /
        sum('sumEndEpochEffectiveBalance'),
      9,
    );
    expect(networkOverview.missedProposalRatio).toBeCloseTo(
      sum('missedProposalCount') / (sum('missedProposalCount') + sum('proposedCount')),
      9,
    );
    const daily = await gateway.get('/v0/eth/network/chainDailyRewards?size=1');
    expect(week[0]).toMatchObject({
      day: daily.json.data[0].day,
      sumConsensusRewards: String(daily.json.data[0].sumConsensusRewards),
    });
  });

  it('is the same by its id, by default of the last day, and of the network of the header', async () => {
    const { networkOverview: one } = await ask(
      '{ networkOverview { id window network aprPercentage startDay endDay } }',
    );
    expect(one).toMatchObject({ window: 'ONE_DAY', network: 'MAINNET' });
    expect(one.startDay).toBe(one.endDay);
    const { node } = await ask(
      `{ node(id: "${one.id}") { ... on NetworkOverview { id window network aprPercentage startDay endDay } } }`,
    );
    expect(node).toEqual(one);
    const hoodi = await gateway.graphql(
      '{ networkOverview(window: ALL) { network aprPercentage validatorCount participationRatio } }',
      {},
      { 'x-service-network': 'hoodi' },
    );
    // Daily rewards alone are stored of it.
    expect(hoodi.data.networkOverview).toMatchObject({
      network: 'HOODI',
      validatorCount: null,
      participationRatio: null,
    });
    expect(hoodi.data.networkOverview.aprPercentage).toBeGreaterThan(0);
  });

  it('pages its history by any granularity, order and bounds', async () => {
    const rows = async (args: string, selection = 'nodes { date startDate day aprPercentage }') =>
      (await ask(`{ networkOverview { history(${args}) { ${selection} } } }`)).networkOverview.history;
    const months = (await rows('granularity: MONTH, utc: true, first: 5')).nodes;
    expect(months.length).toBeGreaterThan(1);
    expect(months[0]).toMatchObject({ day: null, aprPercentage: expect.any(Number) });
    const best = (await rows('orderBy: { field: APR_PERCENTAGE, direction: DESC }, first: 5')).nodes;
    const values = best.map((row: any) => row.aprPercentage);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    const bounded = (await rows('fromDate: "2025-09-01", toDate: "2025-09-03"')).nodes;
    expect(bounded.map((row: any) => row.date)).toEqual(['2025-09-01', '2025-09-02', '2025-09-03']);
    const first = await rows('first: 2', 'nodes { day } pageInfo { endCursor hasNextPage }');
    expect(first.pageInfo.hasNextPage).toBe(true);
    const next = (await rows(`first: 2, after: "${first.pageInfo.endCursor}"`)).nodes;
    expect(next[0].day).toBe(first.nodes[1].day + 1);
    const refused = await gateway.graphql('{ networkOverview { history(first: 1001) { totalCount } } }');
    expect(refused.errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', 'first'] }],
    });
  });
});

describe('networkOverview of a day that is not over', () => {
  const gateway = useGateway({ template: 'empty' });

  it.each(['ONE_DAY', 'SEVEN_DAYS', 'ALL'])('has the APR of %s of what is stored of it', async (window) => {
    const rewards = { sumAttestationRewards: 1_000_000, sumSyncRewards: 0, sumProposalRewards: 0 };
    const days = [
      validatorDay(0, 1_500, { ...rewards, sumMissedAttestations: 0 }),
      fifthOfDay(0, 1_501, { ...rewards, sumAttestationRewards: 200_000 }),
    ];
    await load(gateway, 'validators', [validator(0)]);
    await load(gateway, 'validator-days', days);
    await refreshed(gateway, { only: ['attestations', 'operators'], networks: ['mainnet'] });
    const { data } = await gateway.graphql(
      `{ networkOverview(window: ${window}) { sumConsensusRewards aprPercentage } }`,
    );
    expect(data.networkOverview.aprPercentage).toBeCloseTo((36_500 * 1_000_000) / 32_000_000_000, 9);
  });
});

describe('networkOverview of days of validators', () => {
  const gateway = useGateway({ template: 'empty' });
  const overview = async (window = 'ALL') =>
    (
      await gateway.graphql(
        `{ networkOverview(window: ${window}) { ${figures} startDay endDay clients { client percentage } } }`,
      )
    ).data.networkOverview;

  it('needs every validator, follows from their days, and changes nothing when refreshed again', async () => {
    expect(await overview()).toBeNull();
    const validators = [0, 1, 2, 3].map((index) => validator(index, { depositAddress: null, pool: null }));
    const days = [1_500, 1_501].flatMap((day) =>
      [0, 1, 2, 3].map((index) =>
        validatorDay(index, day, {
          ...{
            totalUniqueAttestations: 225 - index,
            sumMissedAttestations: index,
            sumInclusionDelay: 225 - index,
          },
          ...{ sumCorrectHead: 200, sumCorrectTarget: 210, sumCorrectSource: 225 - index },
          ...{ proposedCount: index === 1 ? 3 : 0, missedProposalCount: index === 2 ? 1 : 0 },
          ...{ sumPriorityFees: index === 1 ? 9_000_000 : 0, endEpochBalance: 32_000_000_000 + day },
        }),
      ),
    );
    const options = { only: ['attestations', 'operators'] as const, networks: ['mainnet'] as const };
    await load(gateway, 'validators', validators.slice(0, 3));
    await load(gateway, 'validator-days', days);
    await load(gateway, 'validator-clients', [
      { validatorIndex: 0, client: 'Teku' },
      { validatorIndex: 1, client: 'Prysm' },
      { validatorIndex: 2, client: 'Prysm' },
    ]);
    await refreshed(gateway, options);
    expect(await overview()).toBeNull(); // one validator of the chain is not known

    await load(gateway, 'validators', validators);
    await refreshed(gateway, { ...options, allDays: true });
    const due = 8 * 225;
    expect(await overview()).toEqual({
      ...{ validatorCount: 4, startDay: 1_500, endDay: 1_501 },
      ...{ sumEndEpochBalance: String(4 * 32_000_001_501), sumEndEpochEffectiveBalance: '128000000000' },
      avgValidatorEffectiveness: expect.any(Number),
      participationRatio: expect.closeTo((due - 12) / due, 12),
      targetParticipationRatio: expect.closeTo(1_680 / due, 12),
      ...{ proposedCount: '6', missedProposalCount: '2', missedProposalRatio: 0.25 },
      ...{ sumConsensusRewards: String(8 * 2_500_000), sumExecutionRewards: '18000000' },
      aprPercentage: expect.closeTo((36_500 * 38_000_000) / 256_000_000_000, 9),
      clients: [
        { client: 'Prysm', percentage: expect.closeTo(200 / 3, 9) },
        { client: 'Teku', percentage: expect.closeTo(100 / 3, 9) },
      ],
    });
    expect((await overview('ONE_DAY')).proposedCount).toBe('3');
    for (const report of await refreshed(gateway, { ...options, allDays: true }))
      if (report.state === 'done') expect(report).toMatchObject({ inserted: 0, updated: 0, removed: 0 });

    await load(gateway, 'chain-daily-rewards', [
      {
        day: 1_501,
        sumConsensusRewards: '7',
        sumExecutionRewards: '1.5',
        sumPriorityFees: '1',
        sumBaselineMev: '0.5',
        sumEffectiveBalance: '1000',
      },
    ]);
    expect(await overview('ONE_DAY')).toMatchObject({
      ...{ sumConsensusRewards: '7', sumExecutionRewards: '1.5', sumEndEpochEffectiveBalance: '1000' },
      ...{ aprPercentage: expect.closeTo(310.25, 9), validatorCount: 4 },
    });
  });
});

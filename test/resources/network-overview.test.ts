import { describe, expect, it } from 'vitest';
import { fifthOfDay, load, refreshed, validator, validatorDay } from '../refresh/facts.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

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
      id network window asOf { epoch slot time } startDay endDay endEpoch endSlot endTimestamp ${figures} clients { client validatorCount ratio }
      history(first: 1000, orderBy: { field: PERIOD, direction: DESC }) { totalCount nodes { id day date ${figures} } } } }`);
    expect([...gateway.statements].sort()).toEqual(['networkClients', 'networkHistory', 'networkOverviews']);
    expect(networkOverview).toMatchObject({
      network: 'MAINNET',
      window: 'SEVEN_DAYS',
      validatorCount: 988_889,
    });
    expect(networkOverview.endDay - networkOverview.startDay).toBe(6);
    expect(networkOverview.asOf).toEqual({
      epoch: networkOverview.endEpoch,
      slot: networkOverview.endSlot,
      time: networkOverview.endTimestamp,
    });
    const { clients, history } = networkOverview;
    expect(clients.reduce((sum: number, one: any) => sum + one.ratio, 0)).toBeCloseTo(1, 11);
    expect(clients[0].client).toBe('Lighthouse');
    expect(history.totalCount).toBe(history.nodes.length);
    expect(new Set(history.nodes.map((row: any) => row.id)).size).toBe(history.nodes.length);
    const week = history.nodes.slice(0, 7);
    const sum = (name: string) => week.reduce((all: number, row: any) => all + Number(row[name]), 0);
    for (const name of ['proposedCount', 'missedProposalCount', 'sumConsensusRewards'])
      expect(Number(networkOverview[name]), name).toBe(sum(name));
    const stake = (at: number) => Number(history.nodes[at].sumEndEpochEffectiveBalance);
    const meanStakes = week.map((_: unknown, at: number) => (stake(at) + stake(at + 1)) / 2);
    expect(networkOverview.aprPercentage).toBeCloseTo(
      (36_500 * (sum('sumConsensusRewards') + sum('sumExecutionRewards'))) /
        meanStakes.reduce((all: number, one: number) => all + one, 0),
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
    expect(bounded.map((row: any) => row.date)).toEqual(['2025-09-03', '2025-09-02', '2025-09-01']);
    const first = await rows('first: 2', 'nodes { day } pageInfo { endCursor hasNextPage }');
    expect(first.pageInfo.hasNextPage).toBe(true);
    const next = (await rows(`first: 2, after: "${first.pageInfo.endCursor}"`)).nodes;
    expect(next[0].day).toBe(first.nodes[1].day - 1);
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
        `{ networkOverview(window: ${window}) { ${figures} startDay endDay clients { client ratio } } }`,
      )
    ).data.networkOverview;

  slow(
    'needs every validator, follows from their days, and changes nothing when refreshed again',
    async () => {
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
          { client: 'Prysm', ratio: expect.closeTo(2 / 3, 11) },
          { client: 'Teku', ratio: expect.closeTo(1 / 3, 11) },
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
    },
  );
});

describe('the APR of a network whose stake changes', () => {
  const gateway = useGateway({ template: 'empty' });
  const ETH = 1_000_000_000;
  const apr = async (window: string) =>
    (await gateway.graphql(`{ networkOverview(window: ${window}) { aprPercentage } }`)).data.networkOverview
      .aprPercentage;
  const refresh = (...only: ('attestations' | 'chain-daily-rewards')[]) =>
    refreshed(gateway, { only, networks: ['mainnet'] });
  const topUp = {
    ...{ endEpochEffectiveBalance: 64 * ETH, sumAttestationRewards: 4_000_000 },
    effectiveBalanceEpochs: (100 * 32 + 125 * 64) * ETH,
  };
  const stake = (225 * 32 + 100 * 32 + 125 * 64) * ETH;
  const of = (rewards: number, stake: number) => expect.closeTo((36_500 * 225 * rewards) / stake, 9);

  slow(
    'is of the epochs of its validators, also by UTC day, and of those of a computed chain day',
    async () => {
      await load(
        gateway,
        'validators',
        [0, 1].map((index) => validator(index)),
      );
      const whole = { effectiveBalanceEpochs: 225 * 32 * ETH, sumAttestationRewards: 2_000_000 };
      const days = [validatorDay(0, 1_500, whole), validatorDay(1, 1_500, topUp)];
      await load(gateway, 'validator-days', days);
      const epochs = { startEpoch: 337_388, endEpoch: 337_612 };
      await load(
        gateway,
        'validator-days',
        days.map((day) => ({ ...day, ...epochs, utc: true })),
      );
      await refresh('attestations');
      expect(await apr('ONE_DAY')).toEqual(of(6_000_000, stake));
      const { data } = await gateway.graphql(
        '{ networkOverview { history(utc: true, first: 5) { nodes { aprPercentage } } } }',
      );
      expect(data.networkOverview.history.nodes).toEqual([{ aprPercentage: of(6_000_000, stake) }]);
      await refresh('chain-daily-rewards');
      expect((await gateway.get('/v0/eth/network/chainDailyRewards')).json.total).toBe(1);
      expect(await apr('ONE_DAY')).toEqual(of(6_000_000, stake));
      const balances = Array.from({ length: 225 }, (_, at) => ({
        ...{ epoch: 1_500 * 225 + at, totalActiveBalance: (at < 50 ? 64 : 96) * ETH },
      }));
      await load(gateway, 'chain-balances', balances);
      await refreshed(gateway, { only: ['chain-daily-rewards'], networks: ['mainnet'], allDays: true });
      expect(await apr('ONE_DAY')).toEqual(of(6_000_000, (50 * 64 + 175 * 96) * ETH));
    },
  );

  it('is of the sum of an imported day, else of the mean of both ends of the day', async () => {
    const day = (day: number, eth: number, more: object = {}) => ({
      ...{
        day,
        sumConsensusRewards: 6_000_000,
        sumExecutionRewards: 0,
        sumPriorityFees: 0,
        sumBaselineMev: 0,
      },
      ...{ sumEffectiveBalance: eth * ETH, ...more },
    });
    await load(gateway, 'chain-daily-rewards', [day(1_601, 100), day(1_602, 150)]);
    expect(await apr('ONE_DAY')).toEqual(of(6_000_000, 225 * 125 * ETH));
    await load(gateway, 'chain-daily-rewards', [
      day(1_602, 150, { effectiveBalanceEpochs: 225 * 140 * ETH }),
    ]);
    expect(await apr('ONE_DAY')).toEqual(of(6_000_000, 225 * 140 * ETH));
  });
});

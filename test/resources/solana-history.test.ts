import { beforeEach, describe, expect, it } from 'vitest';
import { load, refreshed, revisions } from '../refresh/facts.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { sampleSolanaOverviews } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const query = async (text: string, values: unknown[] = []) =>
  (await gateway.database.pool.query({ text, values })).rows;
beforeEach(() => query('truncate solana_overviews, solana_overview_history, datasets cascade'));

const today = () => new Date().toISOString().slice(0, 10);
const daysBefore = (days: number) =>
  new Date(Date.parse(today()) - days * 86_400_000).toISOString().slice(0, 10);
const rows = [...sampleSolanaOverviews()].map(({ asOfEpoch: _epoch, asOfTime: _time, ...row }) => row);
const imported = (change: object = {}) =>
  load(
    gateway,
    'solana-overview',
    rows.map((row) => ({ ...row, ...change })),
  );
const FAR = 100_000;
/** In two steps, because a row may not move to the date of another one that has not moved yet. */
async function age(days: number) {
  for (const by of [FAR, days - FAR])
    await query('update solana_overview_history set date = date - $1::int', [by]);
}

const figures = `activeValidatorCount activeValidatorCountDiff networkEffectiveness delegatorApy rewardsSolanaMev
  totalDelegatedStake giniCoefficient stakeAccountWithdrawAuthorityRatio networkEffectivenessDiff deactivatingStakeAccounts asOf { epoch time }`;
async function overview(fields: string, window = 'SEVEN_DAYS') {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(
    `{ solanaNetworkOverview(window: ${window}) { ${fields} } }`,
  );
  expect(errors).toBeUndefined();
  return data.solanaNetworkOverview;
}
const datesOf = ({ history }: any) => history.nodes.map(({ date }: any) => date);

describe('the history of the Solana network overview', () => {
  it('has all figures of each day on which they were imported, of every window', async () => {
    await imported({ activeValidatorCount: 7, giniCoefficient: '0.5' });
    await age(1);
    await imported();
    for (const window of ['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL']) {
      const found = await overview(
        `${figures} history { totalCount nodes { id date window ${figures} } }`,
        window,
      );
      expect(gateway.statements).toEqual(['solanaOverviewsOf', 'solanaHistory', 'solanaHistoryTotals']);
      const { history, ...now } = found;
      expect(history.totalCount).toBe(2);
      expect(history.nodes).toMatchObject([
        { date: today(), window, ...now },
        { date: daysBefore(1), window, activeValidatorCount: 7, giniCoefficient: 0.5, asOf: null },
      ]);
      for (const node of history.nodes) {
        const { data } = await gateway.graphql(
          `query ($id: ID!) { node(id: $id) { id ... on SolanaNetworkHistoryRecord { date window ${figures} } } }`,
          { id: node.id },
        );
        expect(data.node).toEqual(node);
      }
    }
  });

  it('keeps the last figures of a day, and is not written again by an import of the same rows', async () => {
    await imported({ activeValidatorCount: 7 });
    await imported();
    const found = await overview('activeValidatorCount history { nodes { date activeValidatorCount } }');
    expect(found.history.nodes).toEqual([
      { date: today(), activeValidatorCount: found.activeValidatorCount },
    ]);
    const places = () => query('select ctid, time_window from solana_overview_history order by 2');
    const before = [await places(), await revisions(gateway)];
    await imported();
    expect([await places(), await revisions(gateway)]).toEqual(before);
    await age(1);
    await imported();
    expect(datesOf(await overview('history { nodes { date } }'))).toEqual([today(), daysBefore(1)]);
    expect(await revisions(gateway)).not.toEqual(before[1]); // cached responses are dropped
  });

  it('takes dates, both inclusive, and walks both ways by cursors', async () => {
    for (let day = 0; day < 5; day += 1) {
      await imported({ activeValidatorCount: day });
      if (day < 4) await age(1);
    }
    const all = datesOf(await overview('history { nodes { date } }'));
    expect(all).toEqual([0, 1, 2, 3, 4].map(daysBefore));
    const part = await overview(
      `history(fromDate: "${all[3]}", toDate: "${all[1]}") { totalCount nodes { date } }`,
    );
    expect([part.history.totalCount, datesOf(part)]).toEqual([3, all.slice(1, 4)]);
    const page = (args: string) =>
      overview(
        `history(${args}) { nodes { date } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`,
      );
    const first = await page('first: 3');
    const next = await page(`first: 3, after: "${first.history.pageInfo.endCursor}"`);
    expect([datesOf(first), datesOf(next), next.history.pageInfo.hasNextPage]).toEqual([
      all.slice(0, 3),
      all.slice(3),
      false,
    ]);
    const last = await page('last: 2');
    const before = await page(`last: 2, before: "${last.history.pageInfo.startCursor}"`);
    expect([datesOf(before), datesOf(last)]).toEqual([all.slice(1, 3), all.slice(3)]);
  });

  it('of all windows is one statement', async () => {
    await imported();
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(
      '{ solanaNetworkOverviews { window history { nodes { window } } } }',
    );
    for (const { window, history } of data.solanaNetworkOverviews)
      expect(history.nodes).toEqual([{ window }]);
    expect(gateway.statements).toEqual(['solanaOverviewsOf', 'solanaHistory']);
  });

  it.each([
    ['first: 1001', 'first'],
    ['after: "x"', 'after'],
    ['fromDate: "2025-01-02", toDate: "2025-01-01"', 'fromDate'],
  ])('refuses %s', async (args, name) => {
    await imported();
    const { errors } = await gateway.graphql(
      `{ solanaNetworkOverview(window: ONE_DAY) { history(${args}) { nodes { date } } } }`,
    );
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
    expect(errors?.[0].message).toContain(name);
  });

  it.each(['7d', '7d:x', '2d:2025-01-01', '7d:2025-01-01', '7d:2025-01-01:x'])(
    'has no node of the id %s',
    async (inner) => {
      const id = Buffer.from(`SolanaNetworkHistoryRecord:${inner}`).toString('base64url');
      const { data } = await gateway.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
      expect(data.node).toBeNull();
    },
  );

  slow('of a refresh is dated by the end of the newest epoch, and changes with its facts', async () => {
    await query('truncate solana_epochs, solana_validator_epochs');
    const epoch = {
      stakeAccountCount: 3,
      withdrawAuthorityCount: 2,
      stakeAuthorityCount: 2,
      deactivatingStakeAccountCount: 0,
    };
    const validator = {
      ...{ voteAccount: '1'.repeat(32), validatorName: null, activeStake: '1000.0', effectiveness: '0.9' },
      ...{
        voteCommissionRate: '0.05',
        mevCommissionRate: '0.05',
        votesDue: 10,
        votesLanded: 9,
        sumVotingLatency: '9',
      },
      ...{
        leaderSlots: 4,
        producedBlocks: 4,
        votingRewards: '1.0',
        votingCommission: '0.1',
        mevRewards: '0.2',
      },
      ...{ mevCommission: '0.1', proposalRewards: '0.3', rentRewards: '0.0', votingCosts: '0.1' },
    };
    const facts = async (at: number, change: object = {}) => {
      const times = { startedAt: `2025-03-0${at}T01:00:00Z`, endedAt: `2025-03-0${at + 2}T01:00:00Z` };
      await load(gateway, 'solana-epochs', [{ ...epoch, epoch: at, ...times }]);
      await load(gateway, 'solana-validator-epochs', [{ ...validator, epoch: at, ...change }]);
      await refreshed(gateway, { only: ['solana'] });
    };
    const nodes = async () =>
      (await overview('history { nodes { date networkEffectiveness asOf { epoch time } } }', 'ONE_DAY'))
        .history.nodes;
    const dated = (at: number) => ({
      date: `2025-03-0${at + 2}`,
      asOf: { epoch: at, time: `2025-03-0${at + 2}T01:00:00Z` },
    });
    await facts(1);
    await facts(3, { effectiveness: '0.8' });
    expect(await nodes()).toEqual([
      { ...dated(3), networkEffectiveness: 0.8 },
      { ...dated(1), networkEffectiveness: 0.9 },
    ]);
    const before = await revisions(gateway);
    await refreshed(gateway, { only: ['solana'] });
    expect(await revisions(gateway)).toEqual(before);
    await facts(3, { effectiveness: '0.7' });
    expect((await nodes())[0]).toEqual({ ...dated(3), networkEffectiveness: 0.7 });
  });

  it('of the sample begins with the overview, dated by the end of its figures', async () => {
    const sample = await gatewayForTest();
    const { data } = await sample.graphql(
      '{ solanaNetworkOverview(window: ALL) { delegatorApy asOf { epoch time } history(first: 200) { nodes { date delegatorApy asOf { epoch time } } } } }',
    );
    const { history, ...now } = data.solanaNetworkOverview;
    expect(history.nodes).toHaveLength(90);
    expect(history.nodes[0]).toEqual({ date: now.asOf.time.slice(0, 10), ...now });
    expect(new Set(history.nodes.map((row: any) => row.delegatorApy)).size).toBe(90);
  });
});

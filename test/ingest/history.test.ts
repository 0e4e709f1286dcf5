import { beforeAll, describe, expect, it } from 'vitest';
import { publish } from '../../src/indexer/store/publish.ts';
import { load, pubkeyOf, refreshed, revisions, validatorDay } from '../refresh/facts.ts';
import { useGateway } from '../support/gateway.ts';
import { mirrorFrom, pageV0, reply, serviceForTest } from '../support/mirror.ts';
import { sampleStakeAuthorities } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';
import { operator } from './rows.ts';

const day = (days: number, from = Date.now()) =>
  new Date(from - days * 86_400_000).toISOString().slice(0, 10);

describe('history', () => {
  const gateway = useGateway({ template: 'empty' });
  const query = async (text: string, values: unknown[] = []) =>
    (await gateway.database.pool.query({ text, values })).rows;
  const places = async () => [
    await query('select ctid, date, series from operator_history order by 2, 3'),
    await query('select ctid, date, series from stake_authority_history order by 2, 3'),
    await revisions(gateway),
  ];

  it('comes from a mirror, and a second run that finds nothing new changes nothing', async () => {
    const service = await serviceForTest((request, response) =>
      reply(
        response,
        pageV0([operator('A', { timeWindow: request.url.searchParams.get('window') })], request),
      ),
    );
    const run = () =>
      mirrorFrom(gateway.database.pool, service.url, { resources: ['operators'], classes: ['pool'] });
    await run();
    const { data } = await gateway.graphql(`{ operator(operatorId: "A", idType: POOL) {
      history(window: SEVEN_DAYS) { nodes { date validatorCount asOf { epoch } } }
    } }`);
    expect(data.operator.history.nodes).toEqual([{ date: day(0), validatorCount: 10, asOf: null }]);
    const before = await places();
    await run();
    expect(await places()).toEqual(before);
  });

  slow('comes from what an index publishes, and a second publication changes nothing', async () => {
    const validator = {
      ...{ validatorIndex: 0, validatorPubkey: pubkeyOf(0), depositAddress: null, withdrawalAddress: null },
      ...{ nodeOperator: 'N', pool: null, activationEpoch: 0, exitEpoch: null, slashed: false },
    };
    await load(gateway, 'validators', [validator]);
    await load(gateway, 'validator-days', [validatorDay(0, 1_700)], { utc: false });
    await publish(gateway.database.pool, 'mainnet');
    const { data } = await gateway.graphql(`{ operator(operatorId: "N", idType: NODE_OPERATOR) {
      history(window: ONE_DAY) { nodes { date asOf { epoch } } }
    } }`);
    expect(data.operator.history.nodes).toEqual([{ date: '2025-07-28', asOf: { epoch: 1_701 * 225 - 1 } }]);
    const before = await places();
    await publish(gateway.database.pool, 'mainnet');
    expect(await places()).toEqual(before);
  });

  it('is stored of stake authorities too, with changes', async () => {
    const [first] = sampleStakeAuthorities();
    const { asOfEpoch: _, asOfTime: __, ...row } = first as NonNullable<typeof first>;
    const of = (change: object) =>
      load(gateway, 'stake-authorities', [{ ...row, timeWindow: '7d', ...change }]);
    await of({ delegatedStake: '100.500000000', networkPenetration: '0.25' });
    await query(`select stake_authority_history_parts(array(select date - 7 from stake_authority_history))`);
    await query(`update stake_authority_history set date = date - 7`);
    await query(`update stake_authority_history_days set date = date - 7`);
    await of({ delegatedStake: '90.250000000', networkPenetration: '0.20' });
    const before = await places();
    await of({ delegatedStake: '90.250000000', networkPenetration: '0.20' });
    expect(await places()).toEqual(before);
    const { data } = await gateway.graphql(
      `query ($address: String!) { stakeAuthority(stakeAuthority: $address) {
        summary(window: SEVEN_DAYS) { asOf { time } change(over: SEVEN_DAYS) {
          since delegatedStake networkPenetration delegatorApy aggregateValidatorEffectiveness
        } }
        history(window: SEVEN_DAYS, fromDate: "2025-01-01", toDate: "2999-12-31", first: 5) {
          totalCount edges { cursor node { id date window delegatedStake networkPenetration delegatorApy
            aggregateValidatorEffectiveness asOf { epoch } } }
        }
      } }`,
      { address: row.stakeAuthority },
    );
    const { summary, history } = data.stakeAuthority;
    expect(summary.asOf).toBeNull();
    expect(summary.change).toMatchObject({ since: day(7), delegatedStake: '-10.250000000', delegatorApy: 0 });
    expect(summary.change.networkPenetration).toBeCloseTo(-0.05, 12);
    const nodes = history.edges.map(({ node }: any) => node);
    expect([history.totalCount, nodes.map((node: any) => node.date)]).toEqual([2, [day(0), day(7)]]);
    expect(nodes[1]).toMatchObject({ window: 'SEVEN_DAYS', delegatedStake: '100.500000000', asOf: null });
    const found = await gateway.graphql(
      `query ($id: ID!) { node(id: $id) { ... on StakeAuthorityHistoryRecord { date delegatedStake } } }`,
      { id: nodes[0].id },
    );
    expect(found.data.node).toEqual({ date: day(0), delegatedStake: '90.250000000' });
    const [newer, older] = history.edges.map(({ cursor }: any) => cursor);
    const walk = await gateway.graphql(
      `query ($address: String!, $newer: String, $older: String) { stakeAuthority(stakeAuthority: $address) {
        after: history(window: SEVEN_DAYS, fromDate: "2025-01-01", toDate: "2999-12-31", after: $newer) { nodes { date } }
        before: history(window: SEVEN_DAYS, fromDate: "2025-01-01", toDate: "2999-12-31", last: 1, before: $older) {
          nodes { date } pageInfo { hasPreviousPage }
        }
      } }`,
      { address: row.stakeAuthority, older, newer },
    );
    expect(walk.data.stakeAuthority).toEqual({
      after: { nodes: [{ date: day(7) }] },
      before: { nodes: [{ date: day(0) }], pageInfo: { hasPreviousPage: false } },
    });
  });

  slow('of Solana is dated by the end of the newest epoch, which is also where figures end', async () => {
    const stakeAuthority = 'Stake1'.padEnd(43, '1');
    const voteAccount = 'Vote1'.padEnd(43, '1');
    const [startedAt, endedAt] = ['2025-05-01T10:00:00Z', '2025-05-03T09:30:00Z'];
    const counts = { stakeAccountCount: 9, withdrawAuthorityCount: 5, stakeAuthorityCount: 5 };
    await load(gateway, 'solana-epochs', [
      { epoch: 780, startedAt, endedAt, ...counts, deactivatingStakeAccountCount: 0 },
    ]);
    await load(gateway, 'solana-validator-epochs', [
      {
        ...{ epoch: 780, voteAccount, validatorName: null, activeStake: '1000', effectiveness: '0.9' },
        ...{ voteCommissionRate: '0', mevCommissionRate: '0', votesDue: 10, votesLanded: 10 },
        ...{ sumVotingLatency: 10, leaderSlots: 4, producedBlocks: 4, votingRewards: '0.1' },
        ...{ votingCommission: '0', mevRewards: '0', mevCommission: '0', proposalRewards: '0' },
        ...{ rentRewards: '0', votingCosts: '0' },
      },
    ]);
    const own = {
      stakingRewards: '0.1',
      mevRewards: '0',
      stakingCommissionPaid: '0',
      mevCommissionPaid: '0',
    };
    await load(gateway, 'solana-stake-authority-epochs', [
      { epoch: 780, stakeAuthority, voteAccount, poolName: null, delegatedStake: '1000', ...own },
    ]);
    await refreshed(gateway, { only: ['solana'] });
    const { data } = await gateway.graphql(
      `query ($address: String!) {
        solanaNetworkOverview(window: SEVEN_DAYS) { asOf { epoch slot time } }
        stakeAuthority(stakeAuthority: $address) {
          summary(window: SEVEN_DAYS) { asOf { epoch slot time } }
          history(window: SEVEN_DAYS) { nodes { date asOf { epoch slot time } } }
        }
      }`,
      { address: stakeAuthority },
    );
    const asOf = { epoch: 780, slot: null, time: endedAt };
    expect(data.solanaNetworkOverview.asOf).toEqual(asOf);
    expect(data.stakeAuthority.summary.asOf).toEqual(asOf);
    expect(data.stakeAuthority.history.nodes).toEqual([{ date: '2025-05-03', asOf }]);
    const before = await places();
    await refreshed(gateway, { only: ['solana'] });
    expect(await places()).toEqual(before);
  });
});

describe('the sample data', () => {
  const gateway = useGateway();
  let pools: any[];
  beforeAll(async () => {
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(`{ operators(idType: POOL, window: SEVEN_DAYS, first: 20) { nodes {
      operatorId summary(window: SEVEN_DAYS) { asOf { epoch } avgValidatorEffectiveness change(over: SEVEN_DAYS) { avgValidatorEffectiveness } }
      history(window: SEVEN_DAYS, first: 90) { nodes { date avgValidatorEffectiveness networkPenetration } }
    } } }`);
    pools = data.operators.nodes;
  });

  it('has 90 days of history of the largest pools, which begins where their summaries do', () => {
    expect(gateway.statements).toEqual(['operatorPages', 'operatorHistory']);
    for (const { history, summary } of pools) {
      expect(history.nodes).toHaveLength(90);
      expect(history.nodes[0].avgValidatorEffectiveness).toBe(summary.avgValidatorEffectiveness);
      expect(summary.change.avgValidatorEffectiveness).toBe(
        summary.avgValidatorEffectiveness - history.nodes[7].avgValidatorEffectiveness,
      );
    }
  });

  it('keeps no series of private sets, whose history is made of their days', async () => {
    const { data } = await gateway.graphql(`{ operators(idType: PRIVATE_SET, window: SEVEN_DAYS) { nodes {
      summary(window: SEVEN_DAYS) { asOf { epoch } change(over: SEVEN_DAYS) { since } } history(window: SEVEN_DAYS) { totalCount }
    } } }`);
    expect(data.operators.nodes.length).toBeGreaterThan(0);
    for (const { summary, history } of data.operators.nodes) {
      expect(summary).toEqual({ asOf: null, change: null });
      expect(history.totalCount).toBeGreaterThan(0);
    }
    const { rows } = await gateway.database.pool.query({
      text: `select count(*)::int as rows from operator_series where id_type = 'privateSet'`,
      values: [],
    });
    expect(rows).toEqual([{ rows: 0 }]);
  });
});

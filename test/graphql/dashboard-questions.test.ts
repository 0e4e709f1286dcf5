import { readFileSync } from 'node:fs';
import { NoDeprecatedCustomRule, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';

const page = readFileSync(new URL('../../docs/dashboards.md', import.meta.url), 'utf8');
type Rows = [Record<string, any>, ...Record<string, any>[]];
type Question = { document: string; units: number; statements: number };
const questions = new Map<string, Question>(
  [
    ...page.matchAll(/```graphql\n(query (\w+)[\s\S]*?)```\n\nSample: (\d+) units?, (\d+) statements?\./g),
  ].map(([, document, name, units, statements]) => [
    name as string,
    { document: document as string, units: Number(units), statements: Number(statements) },
  ]),
);
const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';

describe('a question of docs/dashboards.md, with its cost and its number of statements', () => {
  const gateway = useGateway();
  const rowsOf = async (text: string, values: unknown[] = []) =>
    (await gateway.database.pool.query({ text, values })).rows as Rows;
  /** Data of a document of the page, which costs what the page says. */
  async function ask(name: string, variables: object = {}) {
    const { document, units, statements } = questions.get(name) as Question;
    gateway.statements.length = 0;
    const { data, errors, json } = await gateway.graphql(document, variables);
    expect(errors).toBeUndefined();
    expect({ units: json.extensions.cost.charged, statements: gateway.statements.length }).toEqual({
      units,
      statements,
    });
    return data;
  }

  it('has fourteen documents', () => {
    expect(questions.size).toBe(14);
    expect(page.match(/```graphql/g)).toHaveLength(14);
  });

  it.each([...questions])('%s uses nothing deprecated', (_name, { document }) => {
    expect(validate(schema, parse(document), [NoDeprecatedCustomRule])).toEqual([]);
  });

  it('top 20 pools with trend and APR', async () => {
    const { nodes } = (await ask('TopPools')).operators;
    const { json } = await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=20');
    expect(nodes.map((row: any) => [row.operatorId, row.summary.validatorCount])).toEqual(
      json.data.map((row: any) => [row.id, row.validatorCount]),
    );
    for (const { summary, history } of nodes) {
      expect(history.nodes).toHaveLength(30);
      const [newest, weekBefore] = [history.nodes[0], history.nodes[7]];
      expect(newest.aprPercentage).toBe(summary.aprPercentage);
      expect(weekBefore.date).toBe(summary.change.since);
      expect(summary.change.networkPenetration).toBeCloseTo(
        newest.networkPenetration - weekBefore.networkPenetration,
        12,
      );
    }
  });

  it('three operators over 90 days', async () => {
    const { data } = await gateway.graphql(
      '{ operators(window: THIRTY_DAYS, idType: POOL, first: 3) { nodes { id } } }',
    );
    const ids = data.operators.nodes.map((row: any) => row.id).reverse();
    const { nodes } = (await ask('CompareOperators', { ids })).operators;
    expect(nodes.map((row: any) => row.id)).toEqual(ids);
    for (const { history } of nodes) {
      const times = history.nodes.map(({ date }: any) => Date.parse(date));
      expect(times).toHaveLength(90);
      expect(times[0] - times.at(-1)).toBe(89 * 86_400_000);
    }
  });

  it('last slashings with names', async () => {
    const { totalCount, nodes } = (await ask('LastSlashings')).slashings;
    const stored = await rowsOf(
      `select s.slashing_epoch as epoch, v.pool from slashings s left join validators v using (network, validator_index)
       where network = 'mainnet' order by 1 desc`,
    );
    expect(totalCount).toBe(stored.length);
    expect(nodes.map((row: any) => row.slashingEpoch)).toEqual(stored.slice(0, 10).map((row) => row.epoch));
    for (const { operators } of nodes) expect(operators.length).toBeGreaterThan(0);
  });

  it('the page of a validator', async () => {
    const [{ index, pubkey, day }] = await rowsOf(
      `select validator_index as index, validator_pubkey as pubkey, max(date)::text as day
       from private_set_members join validator_days using (validator_index) where not utc
       group by 1, 2 order by 1 limit 1`,
    );
    const { validator } = await ask('ValidatorPage', { by: { index } });
    expect(validator).toMatchObject({ validatorIndex: index, validatorPubkey: pubkey });
    for (const name of ['effectiveness', 'attestations', 'rewards']) {
      expect(validator[name].nodes).toHaveLength(30);
      expect(validator[name].nodes[0].date).toBe(day);
    }
    expect((await ask('ValidatorPage', { by: { pubkey } })).validator).toEqual(validator);
  });

  it('Solana concentration', async () => {
    const { solanaNetworkOverview, stakeAuthorities, networkValidators, networkRewards } =
      await ask('SolanaConcentration');
    expect(solanaNetworkOverview.giniCoefficient).toBeGreaterThan(0);
    expect(solanaNetworkOverview.history.nodes).toHaveLength(30);
    expect(solanaNetworkOverview.history.nodes[0].giniCoefficient).toBe(
      solanaNetworkOverview.giniCoefficient,
    );
    const [{ share, count }] = await rowsOf(
      `with days as (
         select vote_account, total_voting_rewards + total_proposal_rewards + total_mev_rewards as earned
         from solana_validator_rewards where day = (select max(day) from solana_validator_rewards)
       ), largest as (select * from days order by earned desc, vote_account desc limit 20)
       select (select sum(earned) from largest)::float8 / (
         select (total_voting_rewards + total_proposal_rewards + total_mev_rewards)::float8
         from solana_network_rewards order by day desc limit 1
       ) as share, (select count(*)::int from days) as count`,
    );
    const [whole] = networkRewards.nodes;
    const sum = networkValidators.nodes.reduce(
      (all: number, row: any) => all + Number(row.validatorRewards),
      0,
    );
    expect(networkValidators.totalCount).toBe(count);
    expect(networkValidators.nodes.every((row: any) => row.date === whole.date)).toBe(true);
    expect(sum / Number(whole.validatorRewards)).toBeCloseTo(share, 12);
    const largest = await rowsOf(
      `select stake_authority as key from stake_authority_summaries where time_window = '7d'
       order by delegated_stake desc, 1 limit 10`,
    );
    expect(stakeAuthorities.nodes.map((row: any) => row.stakeAuthority)).toEqual(
      largest.map(({ key }) => key),
    );
    for (const { summary } of stakeAuthorities.nodes) expect(summary.delegations.length).toBeGreaterThan(0);
  });

  it('the month of a set', async () => {
    const month = { fromDate: '2025-10-01', toDate: '2025-10-31' };
    const { privateSet } = await ask('SetMonth', { setId: SET, ...month });
    const [{ members, missed, proposed }] = await rowsOf(
      `select count(distinct validator_index)::int as members, sum(sum_missed_attestations) as missed,
         sum(proposed_count) as proposed
       from validator_days join private_set_members using (validator_index)
       where set_id = $1 and utc and date between $2 and $3`,
      [SET, month.fromDate, month.toDate],
    );
    expect(privateSet.validators.totalCount).toBe(members);
    expect(privateSet.rewards.nodes).toMatchObject([{ startDate: month.fromDate, endDate: month.toDate }]);
    expect(privateSet.proposals.nodes[0].proposedCount).toBe(proposed);
    expect(privateSet.effectiveness.nodes).toHaveLength(31);
    const days = privateSet.attestations.nodes;
    expect(days.reduce((sum: number, row: any) => sum + Number(row.sumMissedAttestations), 0)).toBe(
      Number(missed),
    );
  });

  it('network APR over time', async () => {
    const { aprPercentage, history } = (await ask('NetworkApr', { fromDate: '2025-01-01' })).networkOverview;
    expect(history.nodes.length).toBeGreaterThan(10);
    const aprs = history.nodes.map((week: any) => week.aprPercentage);
    expect(aprPercentage).toBeGreaterThan(Math.min(...aprs));
    expect(aprPercentage).toBeLessThan(Math.max(...aprs));
  });

  it('who missed most blocks yesterday', async () => {
    const { nodes } = (await ask('WhoMissedBlocks')).operators;
    const most = await rowsOf(
      `select operator_id as id, missed_proposal_count::text as missed from operator_summaries
       where network = 'mainnet' and id_type = 'pool' and time_window = '1d' order by missed_proposal_count desc, 1 desc limit 10`,
    );
    expect(nodes.map((row: any) => row.operatorId)).toEqual(most.map(({ id }) => id));
    expect(nodes.map((row: any) => row.summary.missedProposalCount)).toEqual(
      most.map(({ missed }) => missed),
    );
    for (const { summary } of nodes)
      expect(Number(summary.proposerDutyCount)).toBeGreaterThanOrEqual(Number(summary.missedProposalCount));
  });

  it('who lost stake this week', async () => {
    const { nodes } = (await ask('WhoLostStake')).operators;
    const lost = await rowsOf(
      `select operator_id as id, sum_end_epoch_effective_balance_change_7d::text as change from operator_summaries
       where network = 'mainnet' and id_type = 'pool' and time_window = '7d'
       order by sum_end_epoch_effective_balance_change_7d nulls last, 1 limit 10`,
    );
    expect(nodes.map((row: any) => row.operatorId)).toEqual(lost.map(({ id }) => id));
    expect(nodes.map((row: any) => row.summary.change.sumEndEpochEffectiveBalance)).toEqual(
      lost.map(({ change }) => change),
    );
    expect(Number(lost[0].change)).toBeLessThan(0);
  });

  it('who got worse this week', async () => {
    const { nodes } = (await ask('WhoGotWorse')).operators;
    const worst = await rowsOf(
      `select operator_id as id, avg_validator_effectiveness_change_7d as change from operator_summaries
       where network = 'mainnet' and id_type = 'pool' and time_window = '7d' and validator_count >= 100
       order by 2 nulls last, 1 limit 10`,
    );
    expect(nodes.map((row: any) => row.operatorId)).toEqual(worst.map(({ id }) => id));
    expect(nodes.map((row: any) => row.summary.change.avgValidatorEffectiveness)).toEqual(
      worst.map(({ change }) => change),
    );
    expect(worst[0].change).toBeLessThan(0);
  });

  it('a search box', async () => {
    const { search } = await ask('SearchBox', { text: 'Aldr Liquid' });
    expect(search[0]).toMatchObject({ kind: 'OPERATOR', node: { operatorId: 'Alder Liquid' } });
  });

  it('the missed blocks of a pool on one day', async () => {
    const [{ pool, date, slots }] = await rowsOf(
      `select pool, (to_timestamp(1606824023 + slot::bigint * 12) at time zone 'UTC')::date::text as date, array_agg(slot order by slot desc) as slots
       from blocks join validators using (network, validator_index)
       where network = 'mainnet' and consensus_proposer_duty = 'missed' and pool is not null
       group by 1, 2 order by count(*) desc, 1, 2 limit 1`,
    );
    const { operator, blocks } = await ask('MissedBlocks', { operatorId: pool, date });
    expect(blocks.nodes.map((row: any) => row.consensusSlot)).toEqual(slots);
    expect(operator.proposalCounts.missed).toBe(slots.length);
    expect(operator.proposalCounts.proposed).toBeGreaterThan(0);
  });

  it('client diversity of the network', async () => {
    const { clients } = (await ask('ClientDiversity')).networkOverview;
    const stored = await rowsOf(
      `select client, validator_count as "validatorCount" from network_clients where network = 'mainnet' order by 2 desc`,
    );
    expect(clients.map(({ client, validatorCount }: any) => ({ client, validatorCount }))).toEqual(stored);
    expect(clients.reduce((sum: number, row: any) => sum + row.ratio, 0)).toBeCloseTo(1, 9);
  });

  it('the consolidation queue', async () => {
    const { pendingConsolidations, consolidationCapacities } = await ask('ConsolidationQueue');
    const stored = await rowsOf(
      `select source_index as source, amount::text from pending_consolidations where network = 'mainnet' order by position`,
    );
    expect(stored.length).toBeGreaterThan(0);
    expect(pendingConsolidations.totalCount).toBe(stored.length);
    expect(
      pendingConsolidations.nodes.map((row: any) => ({
        source: row.sourceValidatorIndex,
        amount: row.amount,
      })),
    ).toEqual(stored.slice(0, 20));
    expect(consolidationCapacities).toHaveLength(4);
  });
});

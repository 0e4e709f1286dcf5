import { beforeEach, describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { load, pubkeyOf, refreshed, revisions, validatorDay } from '../refresh/facts.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const query = async (text: string, values: unknown[] = []) =>
  (await gateway.database.pool.query({ text, values })).rows;
beforeEach(() =>
  query(`truncate operator_summaries, operator_lists, operator_series, operator_history, operator_history_days,
    stake_authority_summaries, stake_authority_lists, stake_authority_series, stake_authority_history,
    stake_authority_history_days, validators, validator_days, validator_day_dates, validator_months, validator_month_sums, datasets cascade`),
);

const today = () => new Date().toISOString().slice(0, 10);
const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);
const partsOf = async (dates: string, values: unknown[] = []) => {
  for (const name of ['operator', 'stake_authority'])
    await query(`select ${name}_history_parts(array(select distinct ${dates} from ${name}_history))`, values);
};
/** Moves what is stored so many days back, as if it had been published then. */
async function age(days: number) {
  await partsOf('date - $1::int + 10000', [days]);
  await partsOf('date - $1::int', [days]);
  for (const name of ['operator', 'stake_authority']) {
    for (const table of [`${name}_history`, `${name}_history_days`])
      await query(`update ${table} set date = date - $1::int + 10000`, [days]);
    for (const table of [`${name}_history`, `${name}_history_days`])
      await query(`update ${table} set date = date - 10000`);
  }
}
const imported = (...rows: unknown[]) => load(gateway, 'operators', rows);
const rowsOf = (table: string) => query(`select * from ${table} order by 1, 2`);
/** Where each row lies: a row that was written again lies elsewhere. */
const places = async () => [
  await query('select ctid, date, series from operator_history order by 2, 3'),
  await query('select ctid, summary_id from operator_summaries order by 2'),
  await revisions(gateway),
];

const history = `history(window: SEVEN_DAYS, first: 1000) {
  totalCount
  nodes { id date window validatorCount avgValidatorEffectiveness aprPercentage networkPenetration sumEndEpochEffectiveBalance asOf { epoch slot time } }
}`;
const change = `summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { since validatorCount avgValidatorEffectiveness aprPercentage networkPenetration } }`;
async function poolOf(fields: string, id = 'P', idType = 'POOL') {
  const { data, errors } = await gateway.graphql(
    `query ($id: String!) { operator(operatorId: $id, idType: ${idType}) { ${fields} } }`,
    { id },
  );
  expect(errors).toBeUndefined();
  return data.operator;
}
const datesOf = (found: any) => found.history.nodes.map((node: any) => node.date);

describe('the history of an operator', () => {
  it('has the figures of each day on which they were imported, of the windows up to 30 days', async () => {
    await imported(...['1d', '7d', '30d', 'all'].map((timeWindow) => operator('P', { timeWindow })));
    await age(1);
    await imported(operator('P', { validatorCount: 12, aprPercentage: null }));
    const found = await poolOf(history);
    expect(found.history.totalCount).toBe(2);
    expect(found.history.nodes.toReversed()).toMatchObject([
      {
        ...{ date: daysBefore(today(), 1), window: 'SEVEN_DAYS', validatorCount: 10, aprPercentage: 3.1 },
        ...{ avgValidatorEffectiveness: 97.5, networkPenetration: 0.01, asOf: null },
        sumEndEpochEffectiveBalance: '320000000000',
      },
      { date: today(), validatorCount: 12, aprPercentage: null },
    ]);
    expect(await query('select distinct time_window from operator_series order by 1')).toEqual([
      { time_window: '1d' },
      { time_window: '30d' },
      { time_window: '7d' },
    ]);
    for (const node of found.history.nodes) {
      const { data } = await gateway.graphql(
        `query ($id: ID!) { node(id: $id) { id ... on OperatorHistoryRecord { date validatorCount } } }`,
        { id: node.id },
      );
      expect(data.node).toEqual({ id: node.id, date: node.date, validatorCount: node.validatorCount });
    }
  });

  it('keeps the last figures of a day, and none of a row that a whole list no longer has', async () => {
    await load(gateway, 'operators', [operator('P'), operator('Q')], { replace: true });
    await load(gateway, 'operators', [operator('P', { validatorCount: 11 })], { replace: true });
    expect((await poolOf(history)).history.nodes).toMatchObject([{ date: today(), validatorCount: 11 }]);
    expect(await query('select count(*)::int as rows from operator_history')).toEqual([{ rows: 1 }]);
  });

  it('is not written again by an import of the same rows', async () => {
    const rows = [operator('P'), operator('Q', { networkPenetration: null })];
    await imported(...rows);
    await age(7);
    await imported(...rows);
    const before = await places();
    await imported(...rows);
    expect(await places()).toEqual(before);
  });

  it('is changed, and so the revision, by an import of the same rows on another day', async () => {
    await imported(operator('P'));
    await age(1);
    const before = await revisions(gateway);
    await imported(operator('P'));
    expect(await revisions(gateway)).not.toEqual(before);
    expect(datesOf(await poolOf(history))).toEqual([today(), daysBefore(today(), 1)]);
  });

  slow('takes dates, both inclusive, and walks both ways by cursors', async () => {
    for (let day = 0; day < 5; day += 1) {
      await imported(operator('P', { validatorCount: day }));
      if (day < 4) await age(1);
    }
    const all = datesOf(await poolOf(history));
    expect(all).toEqual([0, 1, 2, 3, 4].map((days) => daysBefore(today(), days)));
    const part = await poolOf(`history(window: SEVEN_DAYS, fromDate: "${all[3]}", toDate: "${all[1]}") {
      totalCount nodes { date }
    }`);
    expect([part.history.totalCount, datesOf(part)]).toEqual([3, all.slice(1, 4)]);
    const edges = await poolOf(
      `history(window: SEVEN_DAYS) { edges { cursor node { date } } pageInfo { endCursor } }`,
    );
    expect(edges.history.edges.map(({ node }: any) => node.date)).toEqual(all);
    expect(edges.history.edges.at(-1).cursor).toBe(edges.history.pageInfo.endCursor);
    const page = (args: string) =>
      poolOf(`history(window: SEVEN_DAYS, ${args}) {
        nodes { date } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }`);
    const first = await page('first: 2');
    const next = await page(`first: 2, after: "${first.history.pageInfo.endCursor}"`);
    const last = await page(`first: 2, after: "${next.history.pageInfo.endCursor}"`);
    expect([first, next, last].flatMap(datesOf)).toEqual(all);
    expect([first, next, last].map(({ history }) => history.pageInfo.hasNextPage)).toEqual([
      true,
      true,
      false,
    ]);
    const oldest = await page('last: 2');
    const before = await page(`last: 2, before: "${oldest.history.pageInfo.startCursor}"`);
    expect([datesOf(before), datesOf(oldest)]).toEqual([all.slice(1, 3), all.slice(3)]);
  });

  it.each([
    ['window: ALL', 'window'],
    ['window: SEVEN_DAYS, first: 1001', 'first'],
    ['window: SEVEN_DAYS, after: "x"', 'after'],
    ['window: SEVEN_DAYS, fromDate: "2025-01-02", toDate: "2025-01-01"', 'fromDate'],
  ])('refuses %s', async (args, name) => {
    await imported(operator('P'));
    const { errors } = await gateway.graphql(
      `{ operator(operatorId: "P") { id }
        p: operator(operatorId: "P", idType: POOL) { history(${args}) { nodes { date } } } }`,
    );
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
    expect(errors?.[0].message).toContain(name);
  });

  it('of 20 operators over 90 days is one statement, and so is its count', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `P${at}`);
    await imported(...ids.map((id) => operator(id)));
    await query(`insert into operator_history_days select network, id_type, time_window, date - d
      from operator_history_days, generate_series(1, 89) d`);
    for (const days of [30, 60, 89]) await partsOf('date - $1::int', [days]);
    await query(`insert into operator_history select date - d, series, avg_validator_effectiveness + d, apr_percentage,
      network_penetration, validator_count, as_of_epoch from operator_history, generate_series(1, 89) d`);
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(`{
      operators(idType: POOL, window: SEVEN_DAYS, first: 20) {
        nodes { operatorId summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { since } asOf { epoch } } history(window: SEVEN_DAYS, first: 90) { nodes { date } } }
      }
    }`);
    expect(data.operators.nodes.map((node: any) => node.history.nodes.length)).toEqual(ids.map(() => 90));
    expect(gateway.statements).toEqual(['operatorPages', 'operatorHistory']);
    gateway.statements.length = 0;
    await gateway.graphql(`{ operators(idType: POOL, window: SEVEN_DAYS, first: 20) {
      nodes { history(window: SEVEN_DAYS, first: 1) { totalCount } }
    } }`);
    expect(gateway.statements.toSorted()).toEqual([
      'operatorHistory',
      'operatorHistoryTotals',
      'operatorPages',
    ]);
  });

  it('is not stored of single validators', async () => {
    await imported(operator('7', { idType: 'validator' }));
    expect((await poolOf(history, '7', 'VALIDATOR')).history).toEqual({ totalCount: 0, nodes: [] });
    expect(await rowsOf('operator_series')).toEqual([]);
  });
});

describe('the change of an operator', () => {
  it('is null until its list has history of then', async () => {
    await imported(operator('P'));
    expect((await poolOf(change)).summary.change).toBeNull();
    await age(6);
    await imported(operator('P'));
    expect((await poolOf(change)).summary.change).toBeNull();
  });

  it('compares with the figures of the same window a week earlier', async () => {
    await imported(operator('P'), operator('Q', { aprPercentage: null }));
    await age(7);
    const now = { validatorCount: 7, avgValidatorEffectiveness: 97, networkPenetration: 0.015 };
    await imported(operator('P', now), operator('Q'), operator('New'));
    const { change: changed } = (await poolOf(change)).summary;
    expect(changed.networkPenetration).toBeCloseTo(0.005, 12);
    expect(changed).toMatchObject({
      since: daysBefore(today(), 7),
      ...{ validatorCount: -3, avgValidatorEffectiveness: -0.5, aprPercentage: 0 },
    });
    expect((await poolOf(change, 'Q')).summary.change).toMatchObject({
      validatorCount: 0,
      aprPercentage: null,
    });
    expect((await poolOf(change, 'New')).summary.change).toBeNull();
    const others =
      await poolOf(`summary(window: SEVEN_DAYS) { day: change(over: ONE_DAY) { since } month: change(over: THIRTY_DAYS) { since }
      ever: change(over: ALL) { since } week: change(over: SEVEN_DAYS) { since } }`);
    expect(others.summary).toEqual({
      ...{ day: null, month: null, ever: null },
      week: { since: daysBefore(today(), 7) },
    });
  });

  it('has the stake to the Gwei, also beyond what a float holds, and orders by what was lost', async () => {
    const stakes = (...gwei: (string | null)[]) =>
      imported(
        ...gwei.map((sum, at) => operator('PQRS'[at] as string, { sumEndEpochEffectiveBalance: sum })),
      );
    await stakes('2000000000000000003', '5', null, '7');
    await age(7);
    await stakes('1', '2000000000000000008', '9', null);
    const { data } = await gateway.graphql(
      `{ operators(idType: POOL, window: SEVEN_DAYS, orderBy: {field: SUM_END_EPOCH_EFFECTIVE_BALANCE_CHANGE, direction: ASC}) {
        nodes { operatorId summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { sumEndEpochEffectiveBalance validatorCount } } } } }`,
    );
    const found = data.operators.nodes.map(({ operatorId, summary: { change: by } }: any) => [
      operatorId,
      by.sumEndEpochEffectiveBalance,
      by.validatorCount,
    ]);
    expect(found).toEqual([
      ['P', '-2000000000000000002', 0],
      ['Q', '2000000000000000003', 0],
      ['R', null, 0],
      ['S', null, 0],
    ]);
  });

  it('compares with the newest day before, but not one twice as long ago or more', async () => {
    await imported(operator('P'));
    await age(4);
    await imported(operator('P', { validatorCount: 11 }));
    await age(10);
    await imported(operator('P', { validatorCount: 13 }));
    expect((await poolOf(change)).summary.change).toMatchObject({
      since: daysBefore(today(), 10),
      validatorCount: 2,
    });
    await age(15);
    await imported(operator('P'));
    expect((await poolOf(change)).summary.change).toBeNull();
  });

  it('is that of the row in lists too, and in both forms of rows', async () => {
    await imported(operator('P'));
    await age(7);
    await imported(operator('P', { validatorCount: 15 }));
    const { data } = await gateway.graphql(
      `{ operators(idType: POOL, window: SEVEN_DAYS) { nodes { ${change.replace('{', '{ validatorCount')} } edges { node { ${change} } } } }`,
    );
    expect(data.operators.nodes[0].summary).toMatchObject({
      validatorCount: 15,
      change: { validatorCount: 5 },
    });
    expect(data.operators.edges[0].node.summary.change.validatorCount).toBe(5);
  });
});

describe('what a refresh publishes', () => {
  const FIRST = 1_700;
  const date = (day: number) => daysBefore('2020-12-01', -day);
  const days = (from: number, to: number, change: (day: number) => object) =>
    Array.from({ length: to - from + 1 }, (_, at) => validatorDay(0, from + at, change(from + at)));
  const facts = (rows: unknown[]) => load(gateway, 'validator-days', rows, { utc: false });
  const validator = {
    ...{ validatorIndex: 0, validatorPubkey: pubkeyOf(0), depositAddress: null, withdrawalAddress: null },
    ...{ nodeOperator: 'N', pool: 'P', activationEpoch: 0, exitEpoch: null, slashed: false },
  };
  const missing = (missed: number) => ({
    totalUniqueAttestations: 225 - missed,
    sumMissedAttestations: missed,
    ...{ sumCorrectHead: 225 - missed, sumCorrectTarget: 225 - missed, sumCorrectSource: 225 - missed },
    sumInclusionDelay: 225 - missed,
  });

  beforeEach(() => load(gateway, 'validators', [validator]));

  slow('is dated by the last day of its facts, and ends with their last epoch', async () => {
    await facts(days(FIRST, FIRST + 6, () => ({})));
    await refreshed(gateway, { only: ['operators'] });
    const open = { endEpoch: (FIRST + 7) * 225 + 100, sumInclusionDelay: 101, totalUniqueAttestations: 101 };
    const votes = { sumCorrectHead: 101, sumCorrectTarget: 101, sumCorrectSource: 101 };
    await facts([validatorDay(0, FIRST + 7, { ...open, ...votes })]);
    await refreshed(gateway, { only: ['operators'] });
    const epoch = (FIRST + 7) * 225 + 100;
    const time = new Date((1_606_824_023 + (epoch * 32 + 31) * 12) * 1_000).toISOString().replace('.000', '');
    const asOf = { epoch, slot: epoch * 32 + 31, time };
    const found = await poolOf(`summary(window: SEVEN_DAYS) { asOf { epoch slot time } } ${history}`);
    expect(found.summary.asOf).toEqual(asOf);
    expect(datesOf(found)).toEqual([date(FIRST + 7), date(FIRST + 6)]);
    expect(found.history.nodes[0].asOf).toEqual(asOf);
  });

  slow('is written again by no second refresh', async () => {
    await facts(days(FIRST, FIRST + 3, () => ({})));
    await refreshed(gateway, { only: ['operators'] });
    await facts(days(FIRST + 4, FIRST + 4, () => missing(5)));
    await refreshed(gateway, { only: ['operators'] });
    const before = await places();
    const reports = await refreshed(gateway, { only: ['operators'] });
    expect(await places()).toEqual(before);
    for (const { inserted = 0, updated = 0 } of reports) expect(inserted + updated).toBe(0);
  });

  slow('changes what the day has when its facts change', async () => {
    await facts(days(FIRST, FIRST, () => ({})));
    await refreshed(gateway, { only: ['operators'] });
    await facts(days(FIRST, FIRST, () => missing(45)));
    await refreshed(gateway, { only: ['operators'] });
    const { nodes } = (await poolOf(history)).history;
    expect(nodes).toMatchObject([{ date: date(FIRST), avgValidatorEffectiveness: 80 }]);
  });

  slow('tells who got worse within a week', async () => {
    await facts(days(FIRST, FIRST + 6, () => ({})));
    await refreshed(gateway, { only: ['operators'] });
    await facts(days(FIRST + 7, FIRST + 13, () => missing(45)));
    await refreshed(gateway, { only: ['operators'] });
    const { change: changed } = (await poolOf(change)).summary;
    expect(changed).toMatchObject({ since: date(FIRST + 6), avgValidatorEffectiveness: -20 });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { load, syncDay, validator, validatorDay } from '../refresh/facts.ts';
import { type Account, accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { storeDays } from '../support/set-days.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const query = async (text: string, values: unknown[] = []) =>
  (await gateway.database.pool.query({ text, values })).rows;

const FIRST = 1_500;
const date = (day: number) =>
  new Date(Date.parse('2020-12-01') + day * 86_400_000).toISOString().slice(0, 10);
const windows = ['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS'];
const figures =
  'validatorCount avgValidatorEffectiveness aprPercentage networkPenetration sumEndEpochEffectiveBalance';

let account: Account;
beforeEach(async () => {
  await query(
    `truncate validators, validator_days, validator_day_dates, archived_day_dates, validator_months,
      validator_month_sums, chain_balances, attestation_entities, attestation_days, kept_network_days, private_sets cascade`,
  );
  account ??= await accountOf(gateway);
});

async function setOf(validators: number[], by = account): Promise<string> {
  const { status, json, text } = await by.post('/v1/eth/tags', { name: 'x', validators });
  expect(status, text).toBe(201);
  return json.id;
}

async function asked(id: string, fields: string, by = account): Promise<any> {
  const { data, errors } = await by.graphql(`query ($id: ID!) { privateSet(setId: $id) { ${fields} } }`, {
    id,
  });
  expect(errors).toBeUndefined();
  return data.privateSet;
}

/** Three validators of different quality: one earns more, one leaves the chain, and no day 1504 to 1506 is stored. */
const days = Array.from({ length: 40 }, (_, at) => FIRST + at).filter((day) => day < 1_504 || day > 1_506);
const factsOf = (day: number) => {
  const missed = (day * 7) % 50;
  const attested = 225 - missed;
  return [
    validatorDay(0, day, { sumAttestationRewards: 2_000_000 + day }),
    validatorDay(1, day, {
      ...{ totalUniqueAttestations: attested, sumMissedAttestations: missed, sumInclusionDelay: attested },
      ...{ sumCorrectHead: attested, sumCorrectTarget: attested, sumCorrectSource: attested },
      ...{ endEpochEffectiveBalance: 64_000_000_000, sumAttestationRewards: 3_000_000 - day },
      effectiveBalanceEpochs: 225 * (60 + (day % 5)) * 1_000_000_000,
    }),
    ...(day < 1_530 ? [validatorDay(2, day)] : day < 1_532 ? [syncDay(2, day)] : []),
    validatorDay(3, day), // in no set
  ];
};
const balanceOf = (day: number) =>
  query(`insert into chain_balances values ('mainnet', $1, $2)`, [
    day * 225 + 224,
    (200 + day) * 1_000_000_000,
  ]);

describe('the history of a private set', () => {
  slow('has on each day what its summaries said when the day was the newest', async () => {
    await load(
      gateway,
      'validators',
      [0, 1, 2, 3].map((index) => validator(index)),
    );
    const id = await setOf([0, 1, 2]);
    const then: Record<string, any[]> = Object.fromEntries(windows.map((window) => [window, []]));
    for (const day of days) {
      await load(gateway, 'validator-days', factsOf(day));
      // The share is the day's alone: one with and one without a balance of the chain, as before an index followed it.
      if (day !== 1_510) await balanceOf(day);
      const found = await asked(
        id,
        windows.map((window) => `${window}: summary(window: ${window}) { ${figures} }`).join(' '),
      );
      for (const window of windows) {
        const { validatorCount, ...rest } = found[window];
        expect(validatorCount).toBe(3);
        then[window]?.unshift({ date: date(day), validatorCount: day < 1_530 ? 3 : 2, ...rest });
      }
    }
    for (const window of windows) {
      const { history } = await asked(
        id,
        `history(window: ${window}, first: 1000) { totalCount storedFrom storedTo nodes { date ${figures} window asOf { epoch } } }`,
      );
      expect([window, history]).toEqual([
        window,
        {
          ...{ totalCount: days.length, storedFrom: date(FIRST), storedTo: date(1_539) },
          nodes: then[window]?.map((row) => ({
            ...row,
            window,
            asOf: { epoch: ((Date.parse(row.date) - Date.parse('2020-12-01')) / 86_400_000) * 225 + 224 },
          })),
        },
      ]);
    }
    // the windows differ, and so do the days of each
    expect(new Set(windows.map((window) => then[window]?.[0].avgValidatorEffectiveness)).size).toBe(3);
    expect(new Set(then.SEVEN_DAYS?.map((row) => row.aprPercentage)).size).toBeGreaterThan(20);
    expect(then.ONE_DAY?.at(-1)).toMatchObject({ networkPenetration: 128 / 1_700 });
  });

  it('has shares of days that are kept of the network alone', async () => {
    await load(
      gateway,
      'validators',
      [0, 3].map((index) => validator(index)),
    );
    for (const day of [FIRST, FIRST + 1])
      await load(gateway, 'validator-days', [validatorDay(0, day), validatorDay(3, day)]);
    const id = await setOf([0]);
    const shares = async () =>
      (await asked(id, `history(window: ONE_DAY) { nodes { networkPenetration } }`)).history.nodes.map(
        (node: any) => node.networkPenetration,
      );
    expect(await shares()).toEqual([null, null]);
    const [{ entity_key: key }] = (await query(`insert into attestation_entities (network, id_type, entity_id)
      values ('mainnet', 'network', 'mainnet') returning entity_key`)) as [any];
    const columns = `(entity_key, utc, day, date, validator_count, total_unique_attestations, sum_missed_attestations,
      sum_correct_head, sum_correct_target, sum_correct_source, sum_wrong_head_votes, sum_wrong_target_votes,
      sum_late_target_votes, sum_late_source_votes, avg_attester_effectiveness, sum_inclusion_delay,
      sum_end_epoch_balance, sum_end_epoch_effective_balance, start_epoch, end_epoch, sum_uptime)`;
    await query(
      `insert into kept_network_days ${columns}
      values ($1, false, $2, $3, 4, 900, 0, 0, 0, 0, 0, 0, 0, 0, 100, 900, 128000000000, 128000000000, 0, 0, 4)`,
      [key, FIRST, date(FIRST)],
    );
    expect(await shares()).toEqual([null, 0.25]);
  });

  slow('takes dates, both inclusive, has both orders, and walks both ways by cursors', async () => {
    await load(gateway, 'validators', [validator(0)]);
    for (const day of [0, 1, 2, 3, 4]) await load(gateway, 'validator-days', [validatorDay(0, FIRST + day)]);
    const id = await setOf([0]);
    const all = [4, 3, 2, 1, 0].map((day) => date(FIRST + day));
    const page = async (args: string) => {
      const { history } = await asked(
        id,
        `history(window: SEVEN_DAYS, ${args}) { totalCount nodes { date } edges { cursor node { date } }
          pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`,
      );
      return { ...history, dates: history.nodes.map((node: any) => node.date) };
    };
    const oldestFirst = 'orderBy: { field: DATE, direction: ASC }';
    expect((await page('first: 1000')).dates).toEqual(all);
    expect((await page(oldestFirst)).dates).toEqual(all.toReversed());
    expect((await page(`${oldestFirst}, last: 2`)).dates).toEqual([all[1], all[0]]);
    const part = await page(`fromDate: "${all[3]}", toDate: "${all[1]}"`);
    expect([part.totalCount, part.dates]).toEqual([3, all.slice(1, 4)]);
    for (const order of ['', `${oldestFirst}, `]) {
      const first = await page(`${order}first: 2`);
      const next = await page(`${order}first: 2, after: "${first.pageInfo.endCursor}"`);
      const last = await page(`${order}first: 2, after: "${next.pageInfo.endCursor}"`);
      const walked = [first, next, last];
      expect(walked.flatMap(({ dates }) => dates)).toEqual(order ? all.toReversed() : all);
      expect(walked.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
      const before = await page(`${order}last: 2, before: "${last.pageInfo.startCursor}"`);
      expect([before.dates, before.pageInfo.hasPreviousPage]).toEqual([next.dates, true]);
    }
  });

  it.each([
    ['window: ALL', 'window'],
    ['window: SEVEN_DAYS, first: 1001', 'first'],
    ['window: SEVEN_DAYS, after: "x"', 'after'],
    ['window: SEVEN_DAYS, fromDate: "2025-01-02", toDate: "2025-01-01"', 'fromDate'],
  ])('refuses %s', async (args, name) => {
    const id = await setOf([]);
    const { errors } = await account.graphql(
      `{ privateSet(setId: "${id}") { history(${args}) { nodes { date } } } }`,
    );
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
    expect(errors?.[0].message).toContain(name);
  });

  it('is empty of a set without validators, and then has no ends unless days of the network are stored', async () => {
    const id = await setOf([]);
    const fields = 'history(window: ONE_DAY) { totalCount storedFrom storedTo nodes { id } }';
    const none = { totalCount: 0, nodes: [] };
    expect((await asked(id, fields)).history).toEqual({ ...none, storedFrom: null, storedTo: null });
    await load(gateway, 'validator-days', [validatorDay(3, FIRST), validatorDay(3, FIRST + 1)]);
    const ends = { storedFrom: date(FIRST), storedTo: date(FIRST + 1) };
    expect((await asked(id, fields)).history).toEqual({ ...none, ...ends });
  });

  it('is seen by its account alone, also as the history of its operator and as a node', async () => {
    await load(gateway, 'validators', [validator(0)]);
    await load(gateway, 'validator-days', [validatorDay(0, FIRST)]);
    const id = await setOf([0]);
    const own = await asked(
      id,
      `history(window: ONE_DAY) { nodes { id date } }
        summary(window: ONE_DAY) { operator { id history(window: ONE_DAY) { totalCount storedTo nodes { id date } } } }`,
    );
    const [record] = own.history.nodes;
    expect(record.date).toBe(date(FIRST));
    expect(own.summary.operator.history).toEqual({ totalCount: 1, storedTo: date(FIRST), nodes: [record] });
    const text = `query ($id: ID!, $operator: ID!) {
      node(id: $id) { ... on OperatorHistoryRecord { id date validatorCount } }
      operator: node(id: $operator) { ... on Operator { history(window: ONE_DAY) { totalCount nodes { date } } } }
    }`;
    const variables = { id: record.id, operator: own.summary.operator.id };
    const found = await account.graphql(text, variables);
    expect(found.data).toEqual({
      node: { ...record, validatorCount: 1 },
      operator: { history: { totalCount: 1, nodes: [{ date: date(FIRST) }] } },
    });
    const other = await accountOf(gateway);
    const refused = await other.graphql(text, variables);
    expect(refused.errors).toBeUndefined();
    expect(refused.data.node).toBeNull();
    expect(refused.data.operator?.history ?? null).toBeNull();
  });

  it('leaves out windows with a day on which not all validators are summed yet', async () => {
    await storeDays(gateway.database.pool, 1, 20);
    await query(`insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
      values ('mainnet', 0, '0x' || repeat('0', 96), 0, false)`);
    const id = await setOf([0]);
    const state = async (window: string) => {
      const { history } = await asked(
        id,
        `history(window: ${window}, first: 100) { totalCount storedFrom storedTo nodes { date } }`,
      );
      const { totalCount, storedFrom, storedTo, nodes } = history;
      expect(nodes).toHaveLength(totalCount);
      return [nodes.at(-1)?.date ?? null, storedFrom, totalCount, storedTo];
    };
    const [first, last] = ['2025-01-21', '2025-02-09'];
    expect(await state('SEVEN_DAYS')).toEqual([first, first, 20, last]);
    await query(`update private_sets set complete_from = '2025-01-31'`);
    expect(await state('ONE_DAY')).toEqual(['2025-01-31', '2025-01-31', 10, last]);
    expect(await state('SEVEN_DAYS')).toEqual(['2025-02-06', '2025-02-06', 4, last]);
    expect(await state('THIRTY_DAYS')).toEqual([null, null, 0, null]);
  });

  slow('keeps days of which the network keeps no validators', async () => {
    await load(gateway, 'validators', [validator(0)]);
    for (const day of days) await load(gateway, 'validator-days', factsOf(day).slice(0, 1));
    const id = await setOf([0]);
    const nodes = async () =>
      (await asked(id, `history(window: SEVEN_DAYS, first: 100) { nodes { date ${figures} } }`)).history
        .nodes;
    const before = await nodes();
    await query(`delete from validator_days where day < 1520`);
    await query(`delete from validator_day_dates where day < 1520`);
    expect(await nodes()).toEqual(before);
  });

  slow(
    'of several sets is one statement, its count and its ends one more each, and costs a unit a row',
    async () => {
      const { pool } = gateway.database;
      await storeDays(pool, 3, 400);
      await query(`insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
      select 'mainnet', i, '0x' || lpad(i::text, 96, '0'), 0, false from generate_series(0, 2) i`);
      for (const index of [0, 1, 2]) await setOf([index]);
      const ask = async (fields: string) => {
        gateway.statements.length = 0;
        const { data, errors, headers } = await account.graphql(`{ privateSets { nodes { ${fields} } } }`);
        expect(errors).toBeUndefined();
        return { nodes: data.privateSets.nodes, units: Number(headers?.get('x-service-compute-units')) };
      };
      const plain = await ask('setId');
      const found = await ask('history(window: THIRTY_DAYS, first: 365) { nodes { date } }');
      expect(gateway.statements).toEqual(['setPage', 'setHistory']);
      expect(found.nodes.map((node: any) => node.history.nodes.length)).toEqual([365, 365, 365]);
      expect(found.units - plain.units).toBe(3 * (5 + 365));
      await ask('history(window: THIRTY_DAYS, first: 1) { totalCount storedFrom nodes { date } }');
      expect(gateway.statements.toSorted()).toEqual(
        ['setHistory', 'setHistoryTotals', 'setPage', 'storedSetHistory'].toSorted(),
      );
    },
  );
});

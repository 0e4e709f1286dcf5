import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const SAMPLE = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const figures = ['effectiveness', 'attestations', 'proposals', 'rewards'] as const;

const gateway = useGateway();

const path = (name: string, query = '') => `/v1/eth/sets/${SAMPLE}/${name}?${query}`;
const get = async (name: string, query = '') => {
  const { status, json, text } = await gateway.get(path(name, query));
  expect(status, text).toBe(200);
  return json;
};

describe.each(figures)('GET /v1/eth/sets/{id}/%s', (name) => {
  it('answers days of the chain calendar in order, ten a page', async () => {
    const { results, next, pages } = await get(name);
    expect(results).toHaveLength(10);
    expect(next).toContain('offset=10');
    expect(pages).toBe(6);
    const [first] = results;
    expect(results.map((row: any) => row.day)).toEqual(results.map((_: any, at: number) => first.day + at));
    expect(first).toMatchObject({ id: SAMPLE, validatorCount: 300, startDay: null, endDate: null });
    expect(first.endSlot - first.startSlot).toBe(225 * 32 - 1);
    expect(first.startTimestamp).toMatch(/^\d{4}-\d\d-\d\dT12:00:23Z$/);
  });

  it('answers each increment, either calendar, and the bounds', async () => {
    const rows = async (query: string) => (await get(name, `limit=1000&${query}`)).results;
    const all = await rows('');
    expect(all).toHaveLength(60);
    expect(await rows('granularity=all')).toMatchObject([
      { startDay: all[0].day, endDay: all.at(-1).day, day: null },
    ]);
    expect((await rows('granularity=week')).length).toBeGreaterThanOrEqual(9);
    expect((await rows('utc=true'))[0].startTimestamp).not.toMatch(/12:00:23Z$/);
    const [from, to] = [all[3].day, all[8].day];
    expect(await rows(`fromDay=${from}&toDay=${to}`)).toEqual(all.slice(3, 9));
    expect(await rows(`fromDate=${all[3].date}&toDay=${to}`)).toEqual(all.slice(3, 9));
    expect(await rows('sortOrder=desc')).toEqual([...all].reverse());
    expect(await rows('fromDay=0&toDay=1')).toEqual([]);
  });

  it('takes dates at both ends, the narrower of dates and days, on whatever network the header names', async () => {
    const all = (await get(name, 'limit=1000')).results;
    const [from, to] = [all[3], all[8]];
    expect((await get(name, `fromDate=${from.date}&toDate=${to.date}`)).results).toEqual(all.slice(3, 9));
    const both = `fromDay=${from.day}&toDay=${to.day + 5}&toDate=${to.date}&utc=false`;
    expect((await get(name, both)).results).toEqual(all.slice(3, 9));
    const hoodi = await gateway.get(path(name, both), { 'x-service-network': 'hoodi' });
    expect([hoodi.status, hoodi.json.results]).toEqual([200, all.slice(3, 9)]);
  });

  it.each([
    ['granularity=minute', 'granularity'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['offset=-1', 'offset'],
    ['sortBy=id', 'sortBy'],
    ['utc=1', 'utc'],
    ['fromDate=2025-02-30', 'fromDate'],
    ['fromDay=9&toDay=8', 'fromDay'],
    ['sortOrder=up', 'sortOrder'],
  ])('refuses %s', async (query, parameter) => {
    const { status, json } = await gateway.get(path(name, query));
    expect([status, json.detail[0].loc]).toEqual([400, ['query', parameter]]);
  });

  it('has no rows of hours', async () => {
    for (const query of ['granularity=hour', 'granularity=hour&sortBy=startEpoch&sortOrder=desc&fromDay=1']) {
      const { status, json } = await gateway.get(path(name, query));
      expect([status, json]).toEqual([200, { previous: null, next: null, pages: 0, results: [] }]);
    }
  });

  slow('sorts by each of its fields, those without a value last', async () => {
    const fields = Object.keys((await get(name)).results[0]).filter(
      (field) => field !== 'id' && field !== 'hour',
    );
    for (const field of fields) {
      const { results } = await get(name, `limit=1000&sortBy=${field}&sortOrder=desc`);
      const values = results.map((row: any) => row[field]).filter((value: any) => value !== null);
      if (field === 'day') continue;
      expect(values, field).toEqual([...values].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
    }
  });

  it('takes two statements, whatever the page', async () => {
    gateway.statements.length = 0;
    await get(name, 'limit=1000&granularity=month');
    const statement =
      name === 'attestations' ? 'setAttestationPages' : `set${name[0]?.toUpperCase()}${name.slice(1)}`;
    expect(gateway.statements).toEqual(['setsById', statement]);
  });

  it('walks to the end by next, and past it is empty', async () => {
    const seen: number[] = [];
    let next: string | null = path(name, 'limit=23');
    while (next) {
      const { json }: { json: any } = await gateway.get(next.replace(gateway.url, ''));
      seen.push(...json.results.map((row: any) => row.day));
      next = json.next;
    }
    expect(new Set(seen).size).toBe(60);
    expect(await get(name, 'offset=60')).toMatchObject({ results: [], next: null, pages: 6 });
  });
});

describe('private sets among the operators', () => {
  let account: Account;
  const ids: string[] = [];
  beforeAll(async () => {
    account = await accountOf(gateway);
    const { rows } = await gateway.database.pool.query({
      text: 'select validator_index as index from private_set_members where set_id = $1 order by 1',
      values: [SAMPLE],
    });
    for (const size of [2, 5, 1]) {
      const validators = rows.slice(0, size).map((row) => row.index);
      ids.push((await account.post('/v1/eth/tags', { name: `set of ${size}`, validators })).json.id);
    }
    ids.push((await account.post('/v1/eth/tags', { name: 'empty' })).json.id);
  });

  it("are the caller's, those of most validators first", async () => {
    const { json } = await account.get('/v0/eth/operators?window=7d&idType=privateSet');
    expect(json.data.map((row: any) => row.displayName)).toEqual([
      'set of 5',
      'set of 2',
      'set of 1',
      'empty',
    ]);
    expect(json).toMatchObject({ total: 4, next: null, page: { from: 0, to: 4, size: 15 } });
    const page = await account.get('/v0/eth/operators?window=7d&idType=privateSet&from=1&size=2');
    expect(page.json.data).toEqual(json.data.slice(1, 3));
    expect(page.json.next).toContain('from=3');
    expect((await account.get('/v0/eth/operators?window=7d&idType=privateSet&from=9')).json).toMatchObject({
      total: 4,
      data: [],
    });
  });

  it('have the figures of the last days that are stored, and null where nothing is known', async () => {
    const [row] = (await account.get('/v0/eth/operators?window=7d&idType=privateSet&size=1')).json.data;
    const week = (await account.get(`/v1/eth/sets/${row.id}/effectiveness?limit=7&sortOrder=desc`)).json
      .results;
    const mean = (name: string) => week.reduce((all: number, day: any) => all + day[name], 0) / 7;
    expect(row).toMatchObject({
      idType: 'privateSet',
      timeWindow: '7d',
      validatorCount: 5,
      nodeOperatorCount: null,
      operatorTags: [],
    });
    for (const name of ['avgUptime', 'avgCorrectness', 'avgValidatorEffectiveness'])
      expect(row[name]).toBeCloseTo(mean(name), 9);
    const money = (await account.get(`/v1/eth/sets/${row.id}/rewards?limit=7&sortOrder=desc`)).json.results;
    expect(row.sumEndEpochBalance).toBe(money[0].sumEndEpochBalance);
    const total = (name: string) => money.reduce((all: number, day: any) => all + day[name], 0);
    expect(row.aprPercentage).toBeCloseTo(
      (36_500 * total('sumRewards')) / total('sumEndEpochEffectiveBalance'),
      9,
    );
    const { json } = await account.get(`/v0/eth/operators/${ids[3]}/summary?window=all&idType=privateSet`);
    expect(json).toMatchObject({
      id: ids[3],
      validatorCount: 0,
      avgInclusionDelay: null,
      aprPercentage: null,
      sumEndEpochBalance: null,
    });
  });

  it('are the same in GraphQL, from either end, in two statements', async () => {
    const rest = (await account.get('/v0/eth/operators?window=all&idType=privateSet')).json.data.map(
      (row: any) => row.id,
    );
    gateway.statements.length = 0;
    const read = (page: string) =>
      account.graphql(
        `{ operators(window: ALL, idType: PRIVATE_SET, ${page}) { totalCount pageInfo { startCursor endCursor hasNextPage hasPreviousPage } nodes { operatorId attestations(first: 2) { nodes { day validatorCount } } } } }`,
      );
    const { data } = await read('first: 3');
    expect(gateway.statements).toEqual(['setTotal', 'setSummaries', 'setsById', 'setAttestationPages']);
    const { operators } = data;
    expect([operators.totalCount, operators.nodes.map((row: any) => row.operatorId)]).toEqual([
      4,
      rest.slice(0, 3),
    ]);
    expect(operators.nodes[0].attestations.nodes[0].validatorCount).toBe(5);
    const after = await read(`first: 3, after: "${operators.pageInfo.endCursor}"`);
    expect(after.data.operators.nodes.map((row: any) => row.operatorId)).toEqual(rest.slice(3));
    const back = await read('last: 3');
    expect(back.data.operators.nodes.map((row: any) => row.operatorId)).toEqual(rest.slice(1));
    const before = await read(`last: 3, before: "${back.data.operators.pageInfo.startCursor}"`);
    expect(before.data.operators.nodes.map((row: any) => row.operatorId)).toEqual(rest.slice(0, 1));
  });

  it('answer attestations as an entity like those of the set', async () => {
    const entity = (query: string) =>
      account.get(`/v1/eth/entities/${ids[1]}/attestations?entityType=privateSet&${query}`);
    expect((await entity('granularity=week')).json.results).toEqual(
      (await account.get(`/v1/eth/sets/${ids[1]}/attestations?granularity=week`)).json.results,
    );
    const { status, json } = await entity('granularity=hour');
    expect([status, json.results]).toEqual([200, []]);
  });
});

describe('private sets in GraphQL', () => {
  it('have a summary in each window, that of the operator of their class, in one statement for a page', async () => {
    const account = await accountOf(gateway);
    const { rows } = await gateway.database.pool.query({
      text: 'select validator_index as index from private_set_members where set_id = $1 limit 2',
      values: [SAMPLE],
    });
    for (const { index } of rows) await account.post('/v1/eth/tags', { name: 'x', validators: [index] });
    gateway.statements.length = 0;
    const figures = 'id window validatorCount avgUptime aprPercentage networkPenetration sumEndEpochBalance';
    const { data, errors } = await account.graphql(
      `{ privateSets { nodes { setId summary(window: SEVEN_DAYS) { ${figures} } } } }`,
    );
    expect(errors).toBeUndefined();
    expect(gateway.statements).toEqual(['setPage', 'setSummaries']);
    for (const { setId, summary } of data.privateSets.nodes) {
      const operator = await account.graphql(
        `{ operator(operatorId: "${setId}", idType: PRIVATE_SET) { summary(window: SEVEN_DAYS) { ${figures} } } }`,
      );
      expect(summary).toEqual(operator.data.operator.summary);
      const node = await account.graphql(
        `{ node(id: "${summary.id}") { ... on OperatorSummary { ${figures} } } }`,
      );
      expect(node.data.node).toEqual(summary);
    }
  });

  it('have a summary whose clients and relays are looked up, and charged, only where they are asked for', async () => {
    const ask = async (fields: string) => {
      gateway.statements.length = 0;
      const { data } = await gateway.graphql(
        `{ privateSet(setId: "${SAMPLE}") { day: summary(window: ONE_DAY) { avgUptime }
          month: summary(window: THIRTY_DAYS) { ${fields} } } }`,
      );
      return { ...data.privateSet, statements: [...gateway.statements] };
    };
    await gateway.database.pool.query({
      text: `insert into validator_clients (network, validator_index, client)
        select 'mainnet', validator_index, 'Teku' from private_set_members where set_id = $1
        on conflict do nothing`,
      values: [SAMPLE],
    });
    const without = await ask('avgUptime missedProposalCount proposerDutyCount');
    expect(without.statements).toEqual(['setsById', 'setSummaries', 'setSummaries']);
    const whole = await ask(
      'avgUptime missedProposalCount proposerDutyCount clientPercentages { client ratio } relayerPercentages { ratio }',
    );
    expect(whole.month).toMatchObject(without.month);
    expect(whole.month.clientPercentages.length).toBeGreaterThan(0);
    const through = await ask(
      'operator { summary(window: THIRTY_DAYS) { clientPercentages { client ratio } } }',
    );
    expect(through.month.operator.summary.clientPercentages).toEqual(whole.month.clientPercentages);
    const { data } = await gateway.graphql(`{ privateSet(setId: "${SAMPLE}") { proposals(first: 30) { nodes {
      proposerDutyCount missedProposalCount } } } }`);
    const sum = (name: string) =>
      String(data.privateSet.proposals.nodes.reduce((all: number, day: any) => all + Number(day[name]), 0));
    expect(Number(without.month.proposerDutyCount)).toBeGreaterThan(0);
    expect(without.month).toMatchObject({
      proposerDutyCount: sum('proposerDutyCount'),
      missedProposalCount: sum('missedProposalCount'),
    });
  });

  it('have their figures and validators, those of a page of sets in one statement each', async () => {
    const account = await accountOf(gateway);
    const { rows } = await gateway.database.pool.query({
      text: 'select validator_index as index from private_set_members where set_id = $1 limit 4',
      values: [SAMPLE],
    });
    for (const { index } of rows) await account.post('/v1/eth/tags', { name: 'x', validators: [index] });
    gateway.statements.length = 0;
    const { data, errors } = await account.graphql(`{ privateSets { totalCount nodes { setId name
      validators { totalCount nodes { validatorIndex addedAt validator { nodeOperator slashing { slashingEpoch } } } }
      effectiveness(first: 3) { totalCount nodes { operatorId day avgUptime } }
      rewards(granularity: ALL) { nodes { sumRewards startDay endDay } }
      proposals(last: 2) { nodes { proposedCount } } attestations(first: 1) { nodes { operatorId } } } } }`);
    expect(errors).toBeUndefined();
    expect(data.privateSets.totalCount).toBe(4);
    for (const set of data.privateSets.nodes) {
      expect([
        set.validators.totalCount,
        set.effectiveness.totalCount,
        set.effectiveness.nodes.length,
        set.proposals.nodes.length,
      ]).toEqual([1, 60, 3, 2]);
      expect(set.attestations.nodes[0].operatorId).toBe(set.setId);
      expect(set.rewards.nodes[0].sumRewards).toMatch(/^-?\d+$/);
    }
    expect([...gateway.statements].sort()).toEqual(
      [
        'memberPages',
        'memberTotals',
        'setAttestationPages',
        'setEffectiveness',
        'setProposals',
        'setRewards',
        'slashingsByValidator',
        'setPage',
        'setTotal',
        'setsById',
        'validatorsByIndex',
      ].sort(),
    );
  });

  it('have no rows of hours', async () => {
    for (const name of figures) {
      const { data } = await gateway.graphql(
        `{ privateSet(setId: "${SAMPLE}") { ${name}(granularity: HOUR) { totalCount nodes { day } } } }`,
      );
      expect(data.privateSet).toEqual({ [name]: { totalCount: 0, nodes: [] } });
    }
  });

  it('refuse what is no UUID', async () => {
    const { errors } = await gateway.graphql('{ privateSet(setId: "x") { name } }');
    expect(errors?.[0]).toMatchObject({
      message: 'setId is "x"; a UUID is needed.',
      extensions: { code: 'BAD_INPUT' },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { chainDayOfEpoch, dateOfDay, epochStart } from '../../src/chain/calendar.ts';
import { encodeCursor } from '../../src/kernel/cursor.ts';
import { chainDailyRewardFields } from '../../src/resources/chain-daily-rewards/record.ts';
import { networks } from '../../src/sample/chain.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { headEpoch } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';
import { parsed } from '../support/typed.ts';
import { walkCursor, walkNext } from '../support/walk.ts';

const gateway = useGateway();

const path = '/v0/eth/network/chainDailyRewards';
/** The last whole day of the sample data, of two years. */
const newest = chainDayOfEpoch(headEpoch.mainnet) - 1;
const oldest = newest - 729;
const list = (query = '', headers = {}) => gateway.get(`${path}?${query}`, headers);
const one = (day: number | string, headers = {}) => gateway.get(`${path}/${day}`, headers);
const everything = (headers = {}) => walkNext(gateway, `${path}?size=200`, headers);
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
const statementsOf = async (run: () => Promise<unknown>) => {
  gateway.statements.length = 0;
  await run();
  return gateway.statements.toSorted();
};

describe('GET /v0/eth/network/chainDailyRewards', () => {
  it('answers the documented envelope, fifteen days from the newest down, with the documented keys in order', async () => {
    const { status, json, headers } = await list();
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(json)).toEqual(['page', 'total', 'data', 'next']);
    expect(json).toMatchObject({ page: { from: newest, to: newest - 15, size: 15 }, total: 730 });
    expect(json.next).toBe(`${path}?from=${newest - 15}&size=15`);
    for (const row of json.data) expect(Object.keys(row)).toEqual(chainDailyRewardFields);
  });

  slow('has every day, newest first, once each at any page size', async () => {
    const rows = await everything();
    expect(rows.map((row) => row.day)).toEqual(Array.from({ length: 730 }, (_, index) => newest - index));
    for (const size of [7, 111]) expect(await walkNext(gateway, `${path}?size=${size}`)).toEqual(rows);
  });

  it.each(networks)('derives date, epochs and moments of %s from the day', async (network) => {
    for (const row of await everything({ 'x-service-network': network })) {
      const startEpoch = row.day * 225;
      expect(row).toMatchObject({
        startEpoch,
        endEpoch: startEpoch + 224,
        startTimestamp: iso(epochStart(network, startEpoch)),
        endTimestamp: iso(epochStart(network, startEpoch + 225) - 12),
        date: iso(epochStart(network, startEpoch)).slice(0, 10),
      });
    }
  });

  it('answers Gwei with every digit, past 2^53', async () => {
    const { text } = await list('size=200');
    const { rows } = await gateway.database.pool.query({
      text: `select sum_effective_balance::text as balance from chain_daily_rewards where network = 'mainnet'
        order by day desc limit 200`,
      values: [],
    });
    const answered = parsed<{ data: { sumEffectiveBalance: object }[] }>(text).data.map((row) =>
      row.sumEffectiveBalance.toString(),
    );
    expect(answered).toEqual(rows.map((row) => row.balance));
    expect(answered.some((digits: string) => BigInt(digits) > 2n ** 53n)).toBe(true);
  });

  it('goes down from a chain day, its date or a moment in it', async () => {
    const day = newest - 100;
    const { json, text } = await list(`from=${day}&size=3`);
    expect(json.page).toEqual({ from: day, to: day - 3, size: 3 });
    expect(json.data[0].day).toBe(day);
    const from = async (given: string) => (await list(`from=${encodeURIComponent(given)}&size=3`)).text;
    const start = epochStart('mainnet', day * 225);
    expect(await from(dateOfDay('mainnet', day))).toBe(text);
    expect(await from(iso(start))).toBe(text);
    expect(await from(iso(start + 86_399))).toBe(text);
    expect(await from(new Date((start + 1) * 1000).toISOString().replace('Z', '+00:00'))).toBe(text);
    // a second before the day begins it is the day before, also where the date is the same
    const before = JSON.parse(await from(iso(start - 1)));
    expect([before.page.from, before.data[0].day]).toEqual([day - 1, day - 1]);
  });

  it('begins with the newest day for days to come, and is empty below the first one stored', async () => {
    const { data } = (await list()).json;
    for (const from of [String(newest + 1), '2900000', '2100-01-01', '9999-12-31', '9999-12-31T23:59:59Z']) {
      const { status, json } = await list(`from=${from}`);
      expect([status, json.data]).toEqual([200, data]);
    }
    expect((await list('from=2900000')).json.page).toEqual({ from: 2_900_000, to: newest - 15, size: 15 });
    for (const from of ['0', String(oldest - 1), '2020-12-01', '2020-12-01T12:00:23Z']) {
      const { status, json } = await list(`from=${from}`);
      expect([status, json.total, json.data, json.next]).toEqual([200, 730, [], null]);
      expect(json.page.to).toBe(json.page.from);
    }
    expect((await list(`from=${oldest}`)).json.page).toEqual({ from: oldest, to: oldest - 1, size: 15 });
  });

  it('ends its last page at day 0 where that is stored', async () => {
    const headers = { 'x-service-network': 'hoodi' };
    const { json } = await list('from=1', headers);
    expect([json.page, json.next]).toEqual([{ from: 1, to: 0, size: 15 }, null]);
    expect(json.data.map((row: any) => row.day)).toEqual([1, 0]);
    expect((await list('from=2025-03-17', headers)).json.data[0].date).toBe('2025-03-17');
  });

  it('takes an empty or null from as absent', async () => {
    const { text } = await list();
    for (const query of ['from=', 'from=null', 'size=15', `from=${newest}`])
      expect((await list(query)).text).toBe(text);
  });

  it.each([
    ['from', '-1'],
    ['from', '1.5'],
    ['from', '1e3'],
    ['from', '2900001'],
    ['from', '9223372036854775808'],
    ['from', '9'.repeat(400)],
    ['from', 'yesterday'],
    ['from', 'NaN'],
    ['from', '%00'],
    ['from', '2024-02-30'],
    ['from', '0000-01-01'],
    ['from', '20240101'],
    ['from', '2024-01-01T25:00:00Z'],
    ['from', '2024-01-01T00:00:00'],
    ['size', '0'],
    ['size', '201'],
    ['size', '-1'],
    ['size', '1.5'],
    ['size', ''],
    ['size', 'null'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const { status, json } = await list(`${name}=${value}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
    expect(json.detail[0].msg).toMatch(/is .* is needed\./);
  });

  it.each(['2020-11-30', '0001-01-01', '2020-12-01T12:00:22Z', '1970-01-01T00:00:00Z'])(
    'refuses from=%s, before the first day, and says when that starts',
    async (from) => {
      const { status, json } = await list(`from=${from}`);
      expect(status).toBe(400);
      const msg = `from is "${from}"; day 0 of mainnet starts on 2020-12-01.`;
      expect(json.detail).toEqual([{ loc: ['query', 'from'], msg, type: 'out_of_range' }]);
    },
  );

  it.each(['from', 'size'])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect([status, json.detail[0].type]).toEqual([400, 'repeated']);
  });

  it('tells all faults at once, those of the header too', async () => {
    const { json } = await list('from=a&size=0', { 'X-Service-Network': 'goerli' });
    expect(json.detail.map((fault: any) => fault.loc[1])).toEqual(['X-Service-Network', 'from', 'size']);
  });

  it('answers nothing of an empty database', async () => {
    const empty = await gatewayForTest({ template: 'empty' });
    const page = { from: 0, to: 0, size: 15 };
    expect((await empty.get(path)).json).toEqual({ page, total: 0, data: [], next: null });
    expect((await empty.get('/v0/eth/blocks')).json).toEqual({ page, total: 0, data: [], next: null });
  });

  it('is read in two statements, wherever the page lies', async () => {
    for (const query of ['', `from=${oldest + 3}`, 'from=0'])
      expect(await statementsOf(() => list(query))).toEqual([
        'chainDailyRewardPage',
        'chainDailyRewardTotal',
      ]);
  });
});

describe('GET /v0/eth/network/chainDailyRewards/{day}', () => {
  it('answers one record by day, date or moment, the same as in the list', async () => {
    const rows = await everything();
    for (const row of [rows[0], rows[300], rows.at(-1)]) {
      for (const given of [row.day, row.date, row.startTimestamp, row.endTimestamp]) {
        const { status, json } = await one(encodeURIComponent(given));
        expect([status, json]).toEqual([200, row]);
        expect(Object.keys(json)).toEqual(chainDailyRewardFields);
      }
    }
    expect(await statementsOf(() => one(newest))).toEqual(['chainDailyRewardsByDay']);
  });

  it.each(networks)('answers the network %s', async (network) => {
    const headers = { 'x-service-network': network };
    const row = (await list('size=1', headers)).json.data[0];
    expect((await one(row.day, headers)).json).toEqual(row);
  });

  it('is 404 for a day that is not stored', async () => {
    for (const day of ['0', newest + 1, 2_900_000, '2100-01-01', '2020-12-01']) {
      const { status, json } = await one(day);
      expect(status).toBe(404);
      expect(json.detail).toMatch(/^Chain day \d+ was not found on mainnet\.$/);
    }
    expect((await one(newest, { 'x-service-network': 'holesky' })).status).toBe(404);
  });

  it.each([
    '-1',
    '1.5',
    '2900001',
    '9223372036854775808',
    'today',
    'null',
    '%20',
    '2024-02-30',
    '2020-11-30',
  ])('refuses the day %s', async (day) => {
    const { status, json } = await one(day);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['path', 'day']]);
  });
});

describe('REST and GraphQL', () => {
  const fields = chainDailyRewardFields.join(' ');
  const asRest = (node: any) =>
    Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, name.startsWith('sum') ? Number(value) : value]),
    );
  it('begin at the same day or date, which is a place in the one list', async () => {
    const day = newest - 10;
    const rest = (await list(`from=${day}`)).json;
    for (const args of [`startAtDay: ${day}`, `startAtDate: "${dateOfDay('mainnet', day)}"`]) {
      const { data } = await gateway.graphql(
        `{ chainDailyRewards(${args}, first: 15) { totalCount nodes { ${fields} } } }`,
      );
      expect(data.chainDailyRewards.nodes.map(asRest)).toEqual(rest.data);
      expect(data.chainDailyRewards.totalCount).toBe(rest.total);
    }
  });

  it('find one day by day, by date and by global id', async () => {
    const row = (await one(newest)).json;
    const { data } = await gateway.graphql(`{
      byDay: chainDailyReward(day: ${newest}) { id network ${fields} }
      byDate: chainDailyReward(date: "${row.date}") { id network ${fields} }
      none: chainDailyReward(day: ${newest + 1}) { id }
    }`);
    expect(data.byDate).toEqual(data.byDay);
    expect(data.none).toBeNull();
    const { id, network, ...node } = data.byDay;
    expect([network, asRest(node)]).toEqual(['MAINNET', row]);
    const again = await gateway.graphql(`{ node(id: "${id}") { ... on ChainDailyReward { day } } }`);
    expect(again.data.node).toEqual({ day: newest });
    for (const inner of ['mainnet:', 'mainnet:01', 'mainnet:-1', 'mainnet:99999999', 'goerli:1']) {
      const globalId = Buffer.from(`ChainDailyReward:${inner}`).toString('base64url');
      expect((await gateway.graphql(`{ node(id: "${globalId}") { id } }`)).data).toEqual({ node: null });
    }
  });
});

describe('GraphQL', () => {
  it.each([
    'chainDailyReward { id }',
    'chainDailyReward(day: 1, date: "2024-01-01") { id }',
    'chainDailyReward(day: -1) { id }',
    'chainDailyReward(day: 2900001) { id }',
    'chainDailyReward(date: "2020-11-30") { id }',
    'chainDailyRewards(startAtDay: 1, startAtDate: "2024-01-01") { totalCount }',
    'chainDailyRewards(startAtDay: -1) { totalCount }',
    'chainDailyRewards(startAtDay: 2900001) { totalCount }',
    'chainDailyRewards(startAtDate: "2020-11-30") { totalCount }',
    'chainDailyRewards(startAtDate: "2020-02-30") { totalCount }',
    'chainDailyRewards(first: 0) { totalCount }',
    'chainDailyRewards(first: 201) { totalCount }',
    'chainDailyRewards(first: 1, last: 1) { totalCount }',
    'chainDailyRewards(after: "x") { totalCount }',
    `chainDailyRewards(after: "${encodeCursor('chainDailyRewards:hoodi', [1])}") { totalCount }`,
    `chainDailyRewards(after: "${encodeCursor('chainDailyRewards:mainnet', [-1])}") { totalCount }`,
  ])('refuses %s', async (field) => {
    const { errors } = await gateway.graphql(`{ ${field} }`);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it.each([
    ['fromDay: -1', 'fromDay is -1; an integer >= 0 is needed.'],
    ['toDay: -1', 'toDay is -1; an integer >= 0 is needed.'],
    [
      'fromDay: 5, toDay: 4, first: 0',
      'fromDay is 5, after toDay 4. first is 0; an integer from 1 to 200 is needed.',
    ],
    ['fromDate: "2024-01-02", toDate: "2024-01-01"', 'fromDate is 2024-01-02, after toDate 2024-01-01.'],
  ])('refuses the range %s', async (args, message) => {
    const { errors } = await gateway.graphql(`{ chainDailyRewards(${args}) { totalCount } }`);
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });

  slow('lists the days of a range, both ends included, in both directions and orders', async () => {
    const rows = (await everything()).map(({ day }: any) => day);
    const [low, high] = [newest - 50, newest - 20];
    const dates = `fromDate: "${dateOfDay('mainnet', low)}", toDate: "${dateOfDay('mainnet', high)}"`;
    for (const [args, expected] of [
      [`fromDay: ${low}, toDay: ${high}`, rows.filter((day) => day >= low && day <= high)],
      [dates, rows.filter((day) => day >= low && day <= high)],
      [`fromDay: ${low}, toDate: "${dateOfDay('mainnet', low)}"`, [low]],
      [`toDay: ${newest - 700}`, rows.filter((day) => day <= newest - 700)],
      [`fromDay: ${newest - 3}`, rows.slice(0, 4)],
      [`fromDay: 2147483647`, []],
      ['toDate: "2020-11-30"', []],
    ] as const) {
      for (const direction of ['DESC', 'ASC']) {
        const order = `${args}, orderBy: { field: DAY, direction: ${direction} }`;
        const sorted = direction === 'DESC' ? expected : expected.toReversed();
        for (const [walk, page] of [
          ['forward', 'first: 7, after: $cursor'],
          ['backward', 'last: 7, before: $cursor'],
        ] as const) {
          const query = `query ($cursor: String) { chainDailyRewards(${order}, ${page}) { totalCount edges { node { day } }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
          const nodes = await walkCursor(gateway, 'chainDailyRewards', query, walk, {});
          expect(nodes.map(({ day }) => day)).toEqual(sorted);
        }
        const { data } = await gateway.graphql(`{ chainDailyRewards(${order}) { totalCount } }`);
        expect(data.chainDailyRewards.totalCount).toBe(expected.length);
      }
    }
  });

  it('begins at startAtDay in either order, within the range', async () => {
    const ask = async (args: string) =>
      (
        await gateway.graphql(
          `{ chainDailyRewards(${args}, first: 2) { totalCount nodes { day } pageInfo { hasPreviousPage } } }`,
        )
      ).data.chainDailyRewards;
    const range = `fromDay: ${newest - 50}, toDay: ${newest - 20}`;
    expect(await ask(`${range}, startAtDay: ${newest - 30}`)).toEqual({
      totalCount: 31,
      nodes: [{ day: newest - 30 }, { day: newest - 31 }],
      pageInfo: { hasPreviousPage: true },
    });
    const up = `${range}, orderBy: { field: DAY, direction: ASC }`;
    expect(await ask(`${up}, startAtDate: "${dateOfDay('mainnet', newest - 30)}"`)).toEqual({
      totalCount: 31,
      nodes: [{ day: newest - 30 }, { day: newest - 29 }],
      pageInfo: { hasPreviousPage: true },
    });
    expect((await ask(`${up}, startAtDay: 0`)).pageInfo).toEqual({ hasPreviousPage: false });
  });

  it('reads a page in one statement, two with totalCount, and many days in one', async () => {
    const page = (select: string) => gateway.graphql(`{ chainDailyRewards(first: 200) { ${select} } }`);
    expect(await statementsOf(() => page('nodes { day }'))).toEqual(['chainDailyRewardPage']);
    expect(await statementsOf(() => page('totalCount nodes { day }'))).toEqual([
      'chainDailyRewardPage',
      'chainDailyRewardTotal',
    ]);
    const many = [0, 1, 2, 3].map((back) => `d${back}: chainDailyReward(day: ${newest - back}) { date }`);
    expect(await statementsOf(() => gateway.graphql(`{ ${many.join(' ')} }`))).toEqual([
      'chainDailyRewardsByDay',
    ]);
  });
});

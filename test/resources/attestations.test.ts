import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dateOfDay, dayOfDate } from '../../src/chain/calendar.ts';
import { granularities } from '../../src/periods/record.ts';
import { attestationFields, sortFields } from '../../src/resources/attestations/record.ts';
import { idTypes } from '../../src/resources/operators/record.ts';
import { exact } from '../support/exact.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

let gateway: Gateway;
let pool: string;
/** The last day of the sample, in the chain calendar. */
let lastDay: number;
beforeAll(async () => {
  gateway = await startGateway();
  pool = (await gateway.get('/v0/eth/operators?window=30d&idType=pool&size=1')).json.data[0].id;
  lastDay = (await list('sortOrder=desc&limit=1')).json.results[0].day;
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.statements.length = 0;
});

const pathOf = (id = pool) => `/v1/eth/entities/${encodeURIComponent(id)}/attestations`;
const list = (query: string, headers = {}) => gateway.get(`${pathOf()}?entityType=pool&${query}`, headers);
type Row = { day: number; startEpoch: number; endEpoch: number; startTimestamp: string } & Record<
  'totalUniqueAttestations' | 'sumCorrectHead' | 'sumInclusionDelay',
  string
>;
const results = async (query: string) =>
  exact((await list(`limit=1000&${query}`)).text).results as [Row, ...Row[]];

describe('GET /v1/eth/entities/{entity_id}/attestations', () => {
  it('answers the documented envelope, ten rows by default, with the documented keys in order', async () => {
    const { status, json } = await list('');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['previous', 'next', 'pages', 'results']);
    expect(json.results).toHaveLength(10);
    for (const row of json.results) expect(Object.keys(row)).toEqual(attestationFields);
  });

  it('answers chain days in order, first page, when nothing is asked', async () => {
    const { text } = await list('');
    const spelled = 'limit=10&offset=0&utc=false&sortBy=day&sortOrder=asc&granularity=day';
    const asked = JSON.parse((await list(spelled)).text);
    expect(asked.results).toEqual(JSON.parse(text).results);
    const days = asked.results.map((row: any) => row.day);
    expect(days).toEqual([...days].sort((a, b) => a - b));
  });

  it.each(['fromDate', 'toDate', 'fromDay', 'toDay', 'utc', 'sortOrder', 'granularity'])(
    'takes an empty or null %s as absent',
    async (name) => {
      const { results: bare } = (await list('')).json;
      expect((await list(`${name}=`)).json.results).toEqual(bare);
      expect((await list(`${name}=null`)).json.results).toEqual(bare);
    },
  );

  it.each([
    ['hour', ['hour', 'day', 'date']],
    ['day', ['day', 'date']],
    ['week', ['startDay', 'endDay', 'startDate', 'endDate']],
    ['month', ['startDay', 'endDay', 'startDate', 'endDate']],
    ['quarter', ['startDay', 'endDay', 'startDate', 'endDate']],
    ['year', ['startDay', 'endDay', 'startDate', 'endDate']],
    ['all', ['startDay', 'endDay', 'startDate', 'endDate']],
  ])('sets on %s rows the keys that belong to them, the others null', async (granularity, keys) => {
    const places = ['hour', 'day', 'startDay', 'endDay', 'startDate', 'endDate', 'date'];
    const rows = await results(`granularity=${granularity}`);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows)
      expect(places.filter((name) => (row as Record<string, unknown>)[name] !== null).sort()).toEqual(
        [...keys].sort(),
      );
  });

  it('gives hours that sum up to their day', async () => {
    const [day] = await results(`fromDay=${lastDay}`);
    const hours = await results(`granularity=hour&fromDay=${lastDay}&toDay=${lastDay}`);
    expect(hours).toHaveLength(24);
    for (const field of ['totalUniqueAttestations', 'sumCorrectHead', 'sumInclusionDelay'] as const) {
      expect(hours.reduce((sum, row) => sum + BigInt(row[field]), 0n)).toBe(BigInt(day[field]));
    }
    expect([hours[0].startEpoch, hours[23]?.endEpoch]).toEqual([day.startEpoch, day.endEpoch]);
  });

  it('answers by UTC days for utc=true, in any letter case', async () => {
    const [chain] = await results(`fromDay=${lastDay}`);
    const [utc] = await results(`utc=true&fromDate=${dateOfDay('mainnet', lastDay)}&sortOrder=asc`);
    expect(utc.startTimestamp < chain.startTimestamp).toBe(true);
    expect((await list('utc=True')).json.results).toEqual((await list('utc=true')).json.results);
    const { results: days } = (await list('')).json;
    expect(days).not.toEqual((await list('utc=true')).json.results);
    for (const word of ['false', 'FALSE']) expect((await list(`utc=${word}`)).json.results).toEqual(days);
  });

  it('is empty before the first UTC date', async () => {
    const { status, json } = await list('utc=true&toDate=2024-09-30');
    expect([status, json.results, json.pages]).toEqual([200, [], 0]);
  });

  it('takes fromDay, toDay, fromDate and toDate inclusively, and the narrower range of both', async () => {
    const [first, last] = [lastDay - 9, lastDay - 3];
    const days = async (query: string) => (await results(query)).map((row) => row.day);
    const expected = Array.from({ length: 7 }, (_, index) => first + index);
    const dates = [dateOfDay('mainnet', first), dateOfDay('mainnet', last)];
    expect(await days(`fromDay=${first}&toDay=${last}`)).toEqual(expected);
    expect(await days(`fromDate=${dates[0]}&toDate=${dates[1]}`)).toEqual(expected);
    expect(await days(`fromDay=${first}&toDate=${dates[1]}&fromDate=2023-01-01&toDay=90000`)).toEqual(
      expected,
    );
    expect(await days(`fromDay=${last}&toDay=${last}`)).toEqual([last]);
    expect(await days(`fromDay=${last}&toDate=${dates[0]}`)).toEqual([]);
    expect(dayOfDate('mainnet', dates[0] as string)).toBe(first);
  });

  it.each(sortFields)('sorts by %s in both orders, ties by period', async (field) => {
    const rows = await results('granularity=day');
    const value = (row: any) => row[field];
    const compare = (a: any, b: any) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
      if (typeof x === 'number') return x - y;
      const [p, q] = /^\d+$/.test(x) ? [BigInt(x), BigInt(y)] : [x, y];
      return p < q ? -1 : p > q ? 1 : 0;
    };
    const asc = rows.toSorted((a, b) => compare(a, b) || a.day - b.day);
    const desc = rows.toSorted((a, b) => {
      if (value(a) === null || value(b) === null) return compare(a, b) || a.day - b.day;
      return compare(b, a) || a.day - b.day;
    });
    expect(await results(`sortBy=${field}`)).toEqual(asc);
    expect(await results(`sortBy=${field}&sortOrder=desc`)).toEqual(desc);
  });

  it.each([
    ['entityType', 'Pool', 'entityType=Pool'],
    ['entityType', 'empty', 'entityType='],
    ['entityType', 'null', 'entityType=null'],
    ['limit', '0', 'entityType=pool&limit=0'],
    ['limit', '1001', 'entityType=pool&limit=1001'],
    ['limit', '1.5', 'entityType=pool&limit=1.5'],
    ['limit', 'empty', 'entityType=pool&limit='],
    ['limit', '-1', 'entityType=pool&limit=-1'],
    ['limit', 'null', 'entityType=pool&limit=null'],
    ['limit', 'text', 'entityType=pool&limit=ten'],
    ['offset', '-1', 'entityType=pool&offset=-1'],
    ['offset', '1.5', 'entityType=pool&offset=1.5'],
    ['offset', 'empty', 'entityType=pool&offset='],
    ['offset', 'null', 'entityType=pool&offset=null'],
    ['offset', '2^31', 'entityType=pool&offset=2147483648'],
    ['offset', '2^63', 'entityType=pool&offset=9223372036854775808'],
    ['fromDate', 'not a date', 'entityType=pool&fromDate=yesterday'],
    ['fromDate', '30 February', 'entityType=pool&fromDate=2024-02-30'],
    ['toDate', 'a date-time', 'entityType=pool&toDate=2024-01-01T00:00:00Z'],
    ['toDate', 'not a date', 'entityType=pool&toDate=tomorrow'],
    ['toDate', '31 April', 'entityType=pool&toDate=2024-04-31'],
    ['fromDay', '-1', 'entityType=pool&fromDay=-1'],
    ['fromDay', '2^31', 'entityType=pool&fromDay=2147483648'],
    ['fromDay', 'a date', 'entityType=pool&fromDay=2024-01-01'],
    ['fromDay', '1.5', 'entityType=pool&fromDay=1.5'],
    ['toDay', '-1', 'entityType=pool&toDay=-1'],
    ['toDay', '2^31', 'entityType=pool&toDay=2147483648'],
    ['toDay', 'text', 'entityType=pool&toDay=last'],
    ['toDay', '1e3', 'entityType=pool&toDay=1e3'],
    ['utc', 'yes', 'entityType=pool&utc=yes'],
    ['utc', '1', 'entityType=pool&utc=1'],
    ['sortBy', 'id', 'entityType=pool&sortBy=id'],
    ['sortBy', 'empty', 'entityType=pool&sortBy='],
    ['sortOrder', 'up', 'entityType=pool&sortOrder=up'],
    ['granularity', 'decade', 'entityType=pool&granularity=decade'],
    ['fromDay', 'after toDay', 'entityType=pool&fromDay=2&toDay=1'],
    ['fromDate', 'after toDate', 'entityType=pool&fromDate=2024-02-02&toDate=2024-02-01'],
  ])('refuses %s: %s', async (name, _what, query) => {
    const { status, json } = await gateway.get(`${pathOf()}?${query}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
    expect(json.detail[0].msg).toMatch(new RegExp(`^${name} `));
  });

  it('lists what results can be sorted by when it refuses', async () => {
    const { json } = await list('sortBy=nonsense');
    for (const name of sortFields) expect(json.detail[0].msg).toContain(name);
  });

  it('requires entityType', async () => {
    const { status, json } = await gateway.get(pathOf());
    expect([status, json.detail[0].type]).toEqual([400, 'missing']);
  });

  it.each([
    'entityType',
    'limit',
    'offset',
    'fromDate',
    'toDate',
    'fromDay',
    'toDay',
    'utc',
    'sortBy',
    'sortOrder',
    'granularity',
  ])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect(status).toBe(400);
    expect(json.detail[0]).toMatchObject({ loc: ['query', name], type: 'repeated' });
  });

  it('takes each allowed bound of limit and each class, 404 where the entity is of another', async () => {
    expect((await list('limit=1')).json.results).toHaveLength(1);
    expect((await list('limit=1000')).status).toBe(200);
    for (const idType of idTypes) {
      const { status } = await gateway.get(`${pathOf()}?entityType=${idType}`);
      expect([idType, status]).toEqual([idType, idType === 'pool' ? 200 : 404]);
    }
  });

  it('takes each allowed bound of offset and of days', async () => {
    const { status, json } = await list('offset=2147483647');
    expect([status, json.results, json.next]).toEqual([200, [], null]);
    expect(json.pages).toBeGreaterThan(0);
    expect((await list('fromDay=2147483647')).json).toEqual({
      previous: null,
      next: null,
      pages: 0,
      results: [],
    });
    expect(await results('toDay=2147483647')).toEqual(await results(''));
    expect(await results('fromDay=0')).toEqual(await results(''));
    expect(await results('toDay=0')).toEqual([]);
  });

  it('answers an empty list for an entity without rows, 404 for none', async () => {
    const pools = (await gateway.get('/v0/eth/operators?window=30d&idType=pool&size=200')).json.data;
    const quiet = pools.at(-1).id;
    const { status, json } = await gateway.get(`${pathOf(quiet)}?entityType=pool`);
    expect([status, json]).toEqual([200, { previous: null, next: null, pages: 0, results: [] }]);
    expect((await gateway.get(`${pathOf('nobody')}?entityType=pool`)).status).toBe(404);
  });

  it('answers for each network its own', async () => {
    const before = (await list('')).json;
    const [{ hour, day, ...figures }] = before.results;
    const row = { ...figures, network: 'hoodi', entityType: 'pool', hour: null, day: 7 };
    for (const name of ['date', 'startTimestamp', 'endTimestamp', 'startSlot', 'endSlot']) delete row[name];
    const own = { ...row, startEpoch: 1_575, endEpoch: 1_799, validatorCount: 77 };
    expect(await importText(gateway, 'attestations', JSON.stringify([own]))).toMatchObject({ inserted: 1 });
    const hoodi = (await list('', { 'x-service-network': 'hoodi' })).json;
    expect(hoodi).toMatchObject({ pages: 1, results: [{ id: pool, day: 7, validatorCount: 77 }] });
    expect(hoodi.results).toHaveLength(1);
    expect(hoodi.results[0].date).toBe('2025-03-24');
    expect((await list('', { 'x-service-network': 'mainnet' })).json).toEqual(before);
  });

  it.each(['goerli', 'Hoodi', ''])('refuses the network "%s"', async (network) => {
    const { status, json } = await list('', { 'x-service-network': network });
    expect(status).toBe(400);
    expect(json.detail).toMatchObject([{ loc: ['header', 'X-Service-Network'], type: 'enum' }]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])(
    'walks forward and back by %i, every row once',
    async (limit) => {
      const query = `granularity=day&limit=${limit}&fromDay=${lastDay - 22}`;
      const everything = (await results(`fromDay=${lastDay - 22}`)).map((row) => row.day);
      const walk = async (start: string, direction: 'next' | 'previous') => {
        const found: number[] = [];
        let url: string | null = start;
        while (url) {
          const { json } = await gateway.get(url.replace(gateway.url, ''));
          expect(json.pages).toBe(Math.ceil(everything.length / Number(/limit=(\d+)/.exec(url)?.[1])));
          const days = json.results.map((row: any) => row.day);
          if (direction === 'next') found.push(...days);
          else found.unshift(...days);
          url = json[direction];
        }
        return found;
      };
      const first = `${pathOf()}?entityType=pool&${query}`;
      expect(await walk(first, 'next')).toEqual(everything);
      const past = (await gateway.get(`${first}&offset=100`)).json;
      expect([past.results, past.next]).toEqual([[], null]);
      expect(await walk(past.previous, 'previous')).toEqual(everything);
    },
  );

  it("keeps the caller's own query in absolute links", async () => {
    const { json } = await list('limit=2&mine=1&sortOrder=desc');
    expect(json.next).toBe(
      `${gateway.url}${pathOf()}?entityType=pool&limit=2&mine=1&sortOrder=desc&offset=2`,
    );
  });
});

const figures = attestationFields.filter((name) => name !== 'id').join(' ');
const enumName = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();

describe('REST and GraphQL', () => {
  const bigger = (node: any) => {
    const { operatorId, ...rest } = node;
    return { id: operatorId, ...rest };
  };

  it.each(granularities.flatMap((granularity) => [false, true].map((utc) => ({ granularity, utc }))))(
    'give the same rows by $granularity, utc $utc, both ways',
    async ({ granularity, utc }) => {
      const rows = await results(`granularity=${granularity}&utc=${utc}`);
      const query = (args: string) => `query ($pool: String!, $cursor: String) {
        attestations(operatorId: $pool, idType: POOL, granularity: ${enumName(granularity)}, utc: ${utc},
          orderBy: { field: PERIOD, direction: ASC }, ${args}) {
          totalCount edges { node { operatorId ${figures} } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }`;
      const walk = async (args: string, step: 'next' | 'previous') => {
        const found: any[] = [];
        let cursor: string | null = null;
        for (;;) {
          const { data, errors } = await gateway.graphql(query(args), { pool, cursor });
          expect(errors).toBeUndefined();
          const { edges, pageInfo, totalCount } = data.attestations;
          expect(totalCount).toBe(rows.length);
          const nodes = edges.map((edge: any) => bigger(edge.node));
          if (step === 'next') found.push(...nodes);
          else found.unshift(...nodes);
          if (!(step === 'next' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return found;
          cursor = step === 'next' ? pageInfo.endCursor : pageInfo.startCursor;
        }
      };
      expect(await walk('first: 23, after: $cursor', 'next')).toEqual(rows);
      expect(await walk('last: 23, before: $cursor', 'previous')).toEqual(rows);
    },
  );

  it('give the same rows for every filter and order', async () => {
    const { data } = await gateway.graphql(
      `query ($pool: String!, $from: Date, $to: Int) {
        attestations(operatorId: $pool, idType: POOL, fromDate: $from, toDay: $to,
          orderBy: { field: SUM_MISSED_ATTESTATIONS }, first: 50) { nodes { operatorId ${figures} } }
      }`,
      { pool, from: dateOfDay('mainnet', lastDay - 20), to: lastDay - 5 },
    );
    const query = `fromDate=${dateOfDay('mainnet', lastDay - 20)}&toDay=${lastDay - 5}&sortBy=sumMissedAttestations&sortOrder=desc`;
    expect(data.attestations.nodes.map(bigger)).toEqual(await results(query));
  });
});

describe('GraphQL attestations', () => {
  it.each([1, 10, 40])('of a page of %i operators are one more statement', async (first) => {
    const { data, errors } = await gateway.graphql(`{
      operators(window: THIRTY_DAYS, idType: POOL, first: ${first}) {
        nodes { operatorId attestations(first: 30) { totalCount nodes { operatorId day sumCorrectHead } } }
      }
    }`);
    expect(errors).toBeUndefined();
    expect(gateway.statements).toEqual(['operatorPages', 'attestationPages']);
    const top = data.operators.nodes[0];
    expect(top.attestations.nodes).toHaveLength(30);
    expect(top.attestations.nodes[0]).toMatchObject({ operatorId: top.operatorId, day: lastDay });
  });

  it.each([
    ['fromDay: -1', 'fromDay'],
    ['fromDay: 3, toDay: 2', 'fromDay'],
    ['fromDate: "2024-01-02", toDate: "2024-01-01"', 'fromDate'],
    ['first: 1001', 'first'],
    ['after: "x"', 'after'],
  ])('refuse %s', async (args, name) => {
    const { errors } = await gateway.graphql(
      `query ($pool: String!) { attestations(operatorId: $pool, idType: POOL, ${args}) { totalCount } }`,
      { pool },
    );
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });

  it('are NOT_FOUND for an entity that does not exist', async () => {
    const { errors } = await gateway.graphql(
      '{ attestations(operatorId: "nobody", idType: POOL) { totalCount } }',
    );
    expect(errors?.[0].extensions.code).toBe('NOT_FOUND');
  });
});

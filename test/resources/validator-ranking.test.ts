import { describe, expect, it, onTestFinished } from 'vitest';
import { useLayout } from '../../src/db/distributed/layout.ts';
import { transaction } from '../../src/db/pool.ts';
import { validatorDay } from '../maintenance/retain/retained.ts';
import { accountOf } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';
import { COUNT, LARGE, listOf, ORDERS, RANGES, useRankedDays, whereOf } from './ranked-days.ts';

const { gateway, started, run, walk } = useRankedDays();

async function restWalk(query: string): Promise<any[]> {
  const rows: any[] = [];
  for (let path: string | null = `/v1/eth/validators/ranking?${query}`; path; ) {
    const { status, json } = await gateway.get(path.replace(gateway.url, ''));
    expect([status, path]).toEqual([200, path]);
    rows.push(...json.results);
    path = json.next;
  }
  return rows;
}

/** The figures that each validator has over a range in its own lists. */
async function figuresWithin(range: string): Promise<Map<number, any>> {
  const known = new Map<number, any>();
  for (let at = 0; at < COUNT; at += 10) {
    const args = `(granularity: ALL, ${range})`;
    const each = Array.from({ length: Math.min(10, COUNT - at) }, (_, n) => at + n).map(
      (index) => `v${index}: validator(by: { index: ${index} }) {
        effectiveness${args} { nodes { avgValidatorEffectiveness } }
        rewards${args} { nodes { sumRewards } }
        attestations${args} { nodes { sumMissedAttestations } } }`,
    );
    const { data, errors } = await gateway.graphql(`{ ${each.join(' ')} }`);
    expect(errors).toBeUndefined();
    for (const [name, of] of Object.entries<any>(data))
      if (of.rewards.nodes.length > 0)
        known.set(Number(name.slice(1)), {
          avgValidatorEffectiveness: of.effectiveness.nodes[0].avgValidatorEffectiveness,
          sumRewards: of.rewards.nodes[0].sumRewards,
          sumMissedAttestations: of.attestations.nodes[0].sumMissedAttestations,
        });
  }
  return known;
}

const figureOf = (row: any, field: string): number | null =>
  field === 'EFFECTIVENESS'
    ? row.avgValidatorEffectiveness
    : Number(field === 'REWARDS' ? row.sumRewards : row.sumMissedAttestations);

/** Without a value last; ties by index. */
const sorted = (rows: any[], { field, direction }: (typeof ORDERS)[number]) =>
  rows.toSorted((a, b) => {
    const [x, y] = [figureOf(a, field), figureOf(b, field)];
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    if (x !== null && y !== null && x !== y) return direction === 'ASC' ? x - y : y - x;
    return a.validatorIndex - b.validatorIndex;
  });

describe('a ranking of validators', () => {
  slow.each(Object.entries(RANGES))(
    'over %s has the figures that each validator has, in each order, there and back, in both APIs',
    async (_name, range) => {
      const figures = await figuresWithin(range);
      for (const order of ORDERS) {
        const rows = await walk(
          `${range} orderBy: { field: ${order.field}, direction: ${order.direction} }`,
          'first',
          60,
        );
        expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, n) => n + 1));
        expect(new Set(rows.map(({ validatorIndex }) => validatorIndex))).toEqual(new Set(figures.keys()));
        expect(rows).toEqual(sorted(rows, order));
        for (const { validatorIndex, avgValidatorEffectiveness, dayCount, ...row } of rows) {
          const own = figures.get(validatorIndex);
          expect(row).toMatchObject({
            sumRewards: own.sumRewards,
            sumMissedAttestations: own.sumMissedAttestations,
          });
          // A validator without attestation duties has 0 in its own list, and none here.
          if (dayCount === 0)
            expect([avgValidatorEffectiveness, own.avgValidatorEffectiveness]).toEqual([null, 0]);
          else expect(avgValidatorEffectiveness).toBeCloseTo(own.avgValidatorEffectiveness, 10);
        }
        const args = `${range} orderBy: { field: ${order.field}, direction: ${order.direction} }`;
        expect(await walk(args, 'last', 100)).toEqual(rows);
        const params = [...range.matchAll(/(\w+): "?([\w-]+)"?/g)].map(
          ([, name, value]) => `${name}=${value}`,
        );
        const query = `sortBy=${order.field.toLowerCase()}&sortOrder=${order.direction.toLowerCase()}`;
        const rest = await restWalk([...params, query, 'limit=200'].join('&'));
        const asText = (row: any) => ({
          ...row,
          sumRewards: String(row.sumRewards),
          sumMissedAttestations: String(row.sumMissedAttestations),
        });
        expect(rest.map(asText)).toEqual(rows);
      }
    },
  );

  it('is scanned once for all its pages, and again when days are imported', async () => {
    const page = (args: string) => gateway.ask(`{ ${listOf('fromDate: "2025-01-31",', args)} }`);
    const first = await page('first: 5');
    expect(first.statements).toEqual(['rankStored', 'rankingFigures']);
    const { endCursor } = first.data.validatorRanking.pageInfo;
    expect((await page(`first: 5, after: "${endCursor}"`)).statements).toEqual(['rankingFigures']);
    const linked = await gateway.ask(
      `{ validatorRanking(fromDate: "2025-01-31", first: 5) { nodes { validator { validatorIndex nodeOperator } } } }`,
    );
    expect(linked.statements).toEqual(['rankingFigures', 'validatorsByIndex']);
    expect(linked.data.validatorRanking.nodes.map(({ validator }: any) => validator.validatorIndex)).toEqual(
      first.data.validatorRanking.nodes.map(({ validatorIndex }: any) => validatorIndex),
    );
    const last = Number((await run('select max(validator_index) as last from validators'))[0]?.last);
    const better = {
      ...{ validatorIndex: last, sumCorrectHead: 224, sumCorrectTarget: 224, sumInclusionDelay: 224 },
      ...{ sumWrongHeadVotes: 0, sumWrongTargetVotes: 0 },
    };
    await importText(gateway, 'validator-days', JSON.stringify([validatorDay('2025-08-02', better)]));
    await eventually(async () => {
      const again = await page('first: 1');
      expect(again.data.validatorRanking.nodes[0].validatorIndex).toBe(last);
    });
    await run(`delete from validator_days where validator_index = ${last}`);
    await importText(
      gateway,
      'validator-days',
      JSON.stringify([validatorDay('2025-08-02', { validatorIndex: 219, sumBaselineMev: 999 })]),
    );
    await eventually(async () => {
      const { data } = await page('first: 1');
      expect(data.validatorRanking.nodes[0].validatorIndex).not.toBe(last);
    });
  });

  it('of an operator or of some validators has those alone, and finds nothing of one that does not exist', async () => {
    const small = await walk(`${whereOf('Small')}`, 'first', 100);
    expect(small.map(({ validatorIndex }) => validatorIndex).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 15 }, (_, n) => LARGE + n),
    );
    const all = await walk('', 'first', 200);
    const placed = (rows: any[]) => rows.map(({ rank: _, ...row }) => row);
    const among = (indices: number[]) => all.filter(({ validatorIndex }) => indices.includes(validatorIndex));
    expect(placed(small)).toEqual(placed(among(small.map(({ validatorIndex }) => validatorIndex))));
    const large = await walk(`${whereOf('Large')}`, 'first', 200);
    expect(placed(large)).toEqual(placed(all.filter(({ validatorIndex }) => validatorIndex < LARGE)));
    const some = await walk('where: { indices: [9, 3, 223, 4, 9, 2000] }', 'first', 2);
    expect(placed(some)).toEqual(placed(among([3, 4, 9])));
    const inBoth = whereOf('Small').replace('} }', '}, indices: [1, 206, 205] }');
    expect((await walk(inBoth, 'first', 2)).map(({ validatorIndex }) => validatorIndex).sort()).toEqual([
      205, 206,
    ]);
    expect(await walk(whereOf('Nobody'), 'first', 2)).toEqual([]);
    const { json } = await gateway.get(
      '/v1/eth/validators/ranking?entityId=Small&entityType=nodeOperator&limit=200',
    );
    expect(json.results.map(({ validatorIndex }: any) => validatorIndex)).toEqual(
      small.map(({ validatorIndex }) => validatorIndex),
    );
  });

  it('of the newest days has those of the dates up to the newest one, in one more statement, and goes on after a day is added', async () => {
    const page = 'first: 20';
    for (const [days, from] of [
      [1, '2025-08-02'],
      [2, '2025-08-01'],
      [115, '2025-04-10'],
      [10_000, '2020-12-01'],
    ] as const) {
      const newest = await gateway.ask(`{ ${listOf(`days: ${days},`, page)} }`);
      const { data } = await gateway.graphql(`{ ${listOf(`fromDate: "${from}",`, page)} }`);
      const { nodes, totalCount } = newest.data.validatorRanking;
      expect([days, nodes, totalCount]).toEqual([
        days,
        data.validatorRanking.nodes,
        data.validatorRanking.totalCount,
      ]);
      expect(newest.statements[0]).toBe('rankingDates');
    }
    const { statements, data } = await gateway.ask(
      '{ validatorRanking(days: 2, first: 3) { storedTo pageInfo { endCursor } nodes { rank } } }',
    );
    expect(statements).toEqual(['rankingDates', 'rankingFigures']);
    const { storedTo, pageInfo } = data.validatorRanking;
    expect(storedTo).toBe('2025-08-02');
    await importText(
      gateway,
      'validator-days',
      JSON.stringify([validatorDay('2025-08-03', { validatorIndex: 1 })]),
    );
    onTestFinished(async () => {
      await run(`delete from validator_days where date = '2025-08-03'`);
      await run(`delete from validator_day_dates where date = '2025-08-03'`);
    });
    await eventually(async () => {
      const next = await gateway.graphql(
        `{ validatorRanking(days: 2, first: 3, after: "${pageInfo.endCursor}") { storedTo nodes { rank } } }`,
      );
      expect(next.errors).toBeUndefined();
      expect(next.data.validatorRanking.storedTo).toBe('2025-08-03');
    });
  });

  it('refuses wrong input by its name', async () => {
    const told = async (args: string) => {
      const { errors } = await gateway.graphql(`{ validatorRanking(${args}) { totalCount } }`);
      return errors?.map(({ message }: any) => message).join(' ');
    };
    const many = Array.from({ length: 201 }, (_, n) => n).join();
    expect(await told(`where: { indices: [${many}] }`)).toBe(
      'where.indices has 201 entries; at most 200 are accepted.',
    );
    expect(await told('where: { indices: [4, -1] }')).toBe('where.indices has -1; integers >= 0 are needed.');
    expect(await told('where: { operator: { operatorId: "x", idType: ENTITY } }')).toContain(
      'where.operator.idType is ENTITY; one of DEPOSIT_ADDRESS',
    );
    expect(await told('fromDay: -1, first: 201')).toBe(
      'fromDay is -1; an integer >= 0 is needed. first is 201; an integer from 1 to 200 is needed.',
    );
    expect(await told('fromDate: "2025-02-02", toDate: "2025-02-01"')).toBe(
      'fromDate is 2025-02-02, after toDate 2025-02-01.',
    );
    expect(await told('days: 0')).toBe('days is 0; an integer from 1 to 10000 is needed.');
    expect(await told('days: 10001')).toBe('days is 10001; an integer from 1 to 10000 is needed.');
    expect(await told('days: 7, toDate: "2025-02-01"')).toBe(
      'days is 7 and toDate is 2025-02-01; give only one of them.',
    );
    const { data } = await gateway.graphql(`{ ${listOf('', 'first: 1')} }`);
    const { endCursor } = data.validatorRanking.pageInfo;
    expect(await told(`utc: true, after: "${endCursor}"`)).toBe(
      'after is not a cursor of this list with these arguments.',
    );
    const wrong = async (query: string) => {
      const { status, json } = await gateway.get(`/v1/eth/validators/ranking?${query}`);
      return [status, json.detail.map(({ loc, msg }: any) => `${loc.join('.')}: ${msg}`)];
    };
    expect(await wrong('sortBy=apr&limit=201&entityId=Small')).toEqual([
      400,
      [
        'query.limit: limit is "201"; an integer from 1 to 200 is needed.',
        'query.sortBy: sortBy is "apr"; one of effectiveness, rewards, missed is needed.',
        'query.entityType: entityType is required together with entityId.',
      ],
    ]);
  });

  slow('costs what it scans, once; a range that would scan too much is refused', async () => {
    await run('update validator_counts set validators = 10000 where activated');
    const own = await gatewayForTest({ database: gateway.database });
    const account = await accountOf(own, 'build');
    const cost = async (args: string) => {
      const { json } = await account.graphql(`{ validatorRanking(${args} first: 2) { nodes { rank } } }`);
      return json.extensions.cost as { estimated: number; charged: number };
    };
    // 2025-07-01 to 2025-08-02: 33 days of 10,000 validators, one unit for each thousand, and a page of two rows.
    const first = await cost('fromDate: "2025-07-01", toDate: "2025-08-02"');
    expect(first).toMatchObject({ estimated: 337, charged: 337 });
    expect(await cost('fromDate: "2025-07-01", toDate: "2025-08-02"')).toMatchObject({
      estimated: 337,
      charged: 7,
    });
    expect(await cost('fromDate: "2025-07-02", toDate: "2025-08-02"')).toMatchObject({ charged: 327 });
    expect(await cost('fromDate: "2025-07-03", where: { indices: [1, 2] }')).toMatchObject({
      estimated: 7,
      charged: 7,
    });
    const path = '/v1/eth/validators/ranking?fromDate=2025-07-05&limit=2';
    const units = [(await account.get(path)).headers, (await account.get(path)).headers];
    expect(units.map((headers) => headers.get('x-service-compute-units'))).toEqual(['297', '7']);

    await run('update validator_counts set validators = 1000000 where activated');
    onTestFinished(
      async () => void (await run(`update validator_counts set validators = ${COUNT + 1} where activated`)),
    );
    const large = await gatewayForTest({ database: gateway.database });
    const refused = await large.graphql('{ validatorRanking(fromDay: 1500) { totalCount } }');
    expect(refused.errors?.map(({ message, extensions }: any) => [message, extensions.code])).toEqual([
      [
        'fromDay is 1500: 185,000,000 days of validators would be scanned, and at most 10,000,000 are, where 20 archived rows count as one. Ask for a shorter range, or for one operator.',
        'BAD_INPUT',
      ],
    ]);
    const ofDays = await large.graphql('{ validatorRanking(days: 40) { totalCount } }');
    expect(ofDays.errors?.[0].message).toMatch(/^days is 40: 40,000,000 days of validators would be scanned/);
    const { status, json } = await large.get('/v1/eth/validators/ranking?fromDate=2025-07-01');
    expect([status, json.detail[0].loc]).toEqual([400, ['query', 'fromDate']]);
    const free = await accountOf(large, 'free');
    const { errors } = await free.graphql('{ validatorRanking { totalCount } }');
    expect(errors?.[0].extensions.code).toBe('COST_LIMIT');
  });

  it('is refused where days are distributed', async () => {
    onTestFinished(() => useLayout('plain'));
    useLayout('distributed');
    const { status, json } = await gateway.get('/v1/eth/validators/ranking');
    expect([status, json.detail]).toEqual([
      503,
      'Validators are not ranked while their days are distributed.',
    ]);
  });

  it('is scanned for one request of an account at a time, beside that of another account', async () => {
    const [greedy, other] = [await accountOf(gateway), await accountOf(gateway)];
    started.length = 0;
    const scans = () => started.filter((text) => text.includes('rankStored')).length;
    const lock = await new Promise<() => void>((locked) => {
      void transaction(gateway.database.pool, async (client) => {
        await client.query('lock validator_days in access exclusive mode');
        await new Promise<void>((resolve) => locked(resolve));
      });
    });
    const ask = (account: typeof greedy, day: string) =>
      account.graphql(`{ validatorRanking(toDate: "${day}") { totalCount } }`);
    const answered = [
      ...['2025-03-01', '2025-03-02', '2025-03-03'].map((day) => ask(greedy, day)),
      ask(other, '2025-03-04'),
    ];
    await eventually(() => expect(scans()).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(scans()).toBe(2);
    lock();
    for (const { data } of await Promise.all(answered)) expect(data.validatorRanking.totalCount).toBe(219);
    expect(scans()).toBe(4);
  });

  slow('tells a request that waited too long that its account makes another ranking', async () => {
    const account = await accountOf(gateway);
    const lock = await new Promise<() => void>((locked) => {
      void transaction(gateway.database.pool, async (client) => {
        await client.query('lock validator_days in access exclusive mode');
        await new Promise<void>((resolve) => locked(resolve));
      });
    });
    const ask = (day: string) => account.graphql(`{ validatorRanking(toDate: "${day}") { totalCount } }`);
    // The statement of the first one ends after 15 s; the second one then begins.
    const before = [ask('2025-03-11'), ask('2025-03-12')];
    const { errors } = await ask('2025-03-13');
    lock();
    expect(errors?.[0].extensions.code).toBe('RATE_LIMITED');
    expect(errors?.[0].message).toMatch(/^An account makes one ranking at a time/);
    await Promise.all(before);
  });
});

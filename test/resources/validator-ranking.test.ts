import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAllMonths } from '../../src/archive/read.ts';
import { agesOf } from '../../src/config/ages.ts';
import { useLayout } from '../../src/db/distributed/layout.ts';
import { transaction } from '../../src/db/pool.ts';
import { addFeesOfMonth } from '../../src/indexer/store/restored-fees.ts';
import { sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { restoreMonth } from '../../src/maintenance/archive/restore.ts';
import { retain } from '../../src/maintenance/retain/index.ts';
import { validatorDay } from '../maintenance/retain/retained.ts';
import { accountOf } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import {
  createDatabase,
  type Gateway,
  gatewayForTest,
  startGateway,
  type TestDatabase,
} from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow, thorough } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-ranking-'));
const started: string[] = [];
let database: TestDatabase;
let gateway: Gateway;
const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);

const DAYS = ['2025-01-30', '2025-01-31', '2025-02-01', '2025-04-10', '2025-08-01', '2025-08-02'];
const COUNT = 225;
/** From this number of validators on, DuckDB and PostgreSQL rank them; fewer are ranked from their figures. */
const LARGE = 205;
const RANGES = {
  'all days': '',
  'days across the border of the archive': 'fromDate: "2025-02-01", toDate: "2025-08-01"',
  'archived days': 'fromDate: "2025-01-31", toDate: "2025-04-30"',
  'days of the database': 'fromDate: "2025-05-01"',
  'one UTC day': 'utc: true, fromDate: "2025-04-10", toDate: "2025-04-10"',
  'all UTC days': 'utc: true',
};
const ORDERS = ['EFFECTIVENESS', 'REWARDS', 'MISSED'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({ field, direction })),
);

/** Validator 3 has no attestation duties, 4 a single day, 5 and 6 the same figures, and the last ones no day. */
beforeAll(async () => {
  database = await createDatabase('empty');
  await run(`insert into validators (network, validator_index, validator_pubkey, slashed, activation_epoch, node_operator)
    select 'mainnet', v, '0x' || lpad(to_hex(v), 96, '0'), false, 0,
      case when v < ${LARGE} then 'Large' when v < ${LARGE + 15} then 'Small' end
    from generate_series(0, ${COUNT}) v`);
  const rows = DAYS.flatMap((date, n) =>
    Array.from({ length: COUNT - 5 }, (_, index) => index)
      .filter((index) => index !== 4 || n === 3)
      .map((validatorIndex) => {
        const seed = validatorIndex === 6 ? 5 : validatorIndex;
        const missed = (seed * 7 + n) % 11;
        return validatorDay(date, {
          validatorIndex,
          ...{ totalUniqueAttestations: 225 - missed, sumMissedAttestations: missed },
          ...{ sumCorrectHead: 200 - missed - (seed % 13), sumCorrectTarget: 210, sumCorrectSource: 212 },
          ...{ sumInclusionDelay: 230 + (seed % 17), proposedCount: seed % 5 === n % 5 ? 1 : 0 },
          ...{
            missedProposalCount: seed % 9 === n ? 1 : 0,
            sumAttestationRewards: 1_000 * ((seed * 31) % 97) - 20_000,
          },
          ...{
            sumProposerRewards: seed === 7 ? 9_007_199_219 : 0,
            sumPriorityFees: seed % 3,
            sumBaselineMev: n,
          },
        });
      }),
  );
  const before = await startGateway({ database });
  await importText(before, 'validator-days', JSON.stringify(rows));
  await run(`update validator_days set total_unique_attestations = 0, sum_missed_attestations = 0, sum_correct_head = 0,
    sum_correct_target = 0, sum_correct_source = 0, sum_inclusion_delay = 0 where validator_index = 3`);
  await run(`insert into validator_days
    select (jsonb_populate_record(d, jsonb_build_object('utc', true, 'sum_missed_attestations', d.sum_missed_attestations + 1))).*
    from validator_days d`);
  await run(`insert into validator_day_dates (network, utc, day, date)
    select network, true, day, date from validator_day_dates`);
  await run('update validator_day_dates set attestations_due = false, rewards_due = false');
  while (await transaction(database.pool, (client) => sumDueMonth(client, 'mainnet')));
  await run('analyze validators');
  await before.close();
  gateway = await startGateway({ database, onStatement: ({ text }) => started.push(text) });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const archive = async () => {
  const reports: any[] = [];
  const ages = agesOf(['validator-days=90d']) as { 'validator-days': number };
  await retain(
    database.pool,
    { ages, dryRun: false, archive: folder, now: new Date('2025-09-02') },
    (report) => reports.push(report),
  );
  expect(reports.map(({ state, error }) => error ?? state)).toEqual(Array(reports.length).fill('archived'));
};

const ROW = 'rank validatorIndex dayCount avgValidatorEffectiveness sumRewards sumMissedAttestations';
const listOf = (args: string, page: string) =>
  `validatorRanking(${args} ${page}) { totalCount nodes { ${ROW} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

/** All rows, page by page in one direction. */
async function walk(args: string, direction: 'first' | 'last', size: number): Promise<any[]> {
  const rows: any[] = [];
  let cursor = '';
  for (;;) {
    const { data, errors } = await gateway.graphql(`{ ${listOf(args, `${direction}: ${size} ${cursor}`)} }`);
    expect(errors).toBeUndefined();
    const { nodes, totalCount, pageInfo } = data.validatorRanking;
    if (direction === 'first') rows.push(...nodes);
    else rows.unshift(...nodes);
    if (!(direction === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) {
      expect(rows).toHaveLength(totalCount);
      return rows;
    }
    cursor = direction === 'first' ? `after: "${pageInfo.endCursor}"` : `before: "${pageInfo.startCursor}"`;
  }
}

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

/** First pages of each range and order, of all validators and of two operators. */
async function answers() {
  const found: Record<string, unknown> = {};
  for (const [name, range] of Object.entries(RANGES))
    for (const { field, direction } of ORDERS)
      for (const [where, page] of [
        ['', 'first: 20'],
        [whereOf('Large'), 'last: 9'],
        ...(field === 'EFFECTIVENESS' ? [[whereOf('Small'), 'first: 5']] : []),
      ]) {
        const args = `${range} ${where} orderBy: { field: ${field}, direction: ${direction} }`;
        const { data, errors } = await gateway.graphql(`{ ${listOf(args, page as string)} }`);
        found[`${name} ${args} ${page}`] = errors ?? data;
      }
  return found;
}
const whereOf = (name: string) => `where: { operator: { operatorId: "${name}", idType: NODE_OPERATOR } }`;

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
    const own = await gatewayForTest({ database });
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
    const large = await gatewayForTest({ database });
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
      void transaction(database.pool, async (client) => {
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
      void transaction(database.pool, async (client) => {
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

/** Rankings are cached by the revision of the days, which archiving does not raise. */
async function forgetRankings() {
  for (const sumBaselineMev of [998, 999])
    await importText(
      gateway,
      'validator-days',
      JSON.stringify([validatorDay('2025-08-02', { validatorIndex: 219, sumBaselineMev })]),
    );
  await eventually(async () => {
    const { statements } = await gateway.ask(`{ ${listOf('', 'first: 1')} }`);
    expect(statements).toContain('rankingSums');
  });
}

describe.runIf(thorough)('once months are archived, a ranking', () => {
  it('is the same, in all ranges and orders, of all validators and of operators', async () => {
    const before = await answers();
    expect(JSON.stringify(before)).not.toContain('errors');
    await archive();
    expect(await run('select count(*)::int as n from archived_months')).toEqual([{ n: 3 }]);
    const own = gateway;
    gateway = await startGateway({ database, onStatement: ({ text }) => started.push(text) });
    await own.close();
    await forgetRankings();
    const after = await answers();
    for (const [name, answer] of Object.entries(after)) expect([name, answer]).toEqual([name, before[name]]);
    const all = await walk('', 'first', 60);
    expect(await walk('', 'last', 100)).toEqual(all);
  });

  it('is the same of months without sums', async () => {
    const sums = await run(
      'select file, sums_file, sums_version, sums_bytes, sums_sha256 from archived_months',
    );
    const withSums = await answers();
    await run(
      'update archived_months set sums_file = null, sums_version = null, sums_bytes = null, sums_sha256 = null',
    );
    onTestFinished(async () => {
      for (const { file, sums_file, sums_version, sums_bytes, sums_sha256 } of sums)
        await database.pool.query({
          text: `update archived_months set sums_file = $2, sums_version = $3, sums_bytes = $4, sums_sha256 = $5 where file = $1`,
          values: [file, sums_file, sums_version, sums_bytes, sums_sha256],
        });
      await readAllMonths(database.pool);
    });
    await forgetRankings();
    for (const [name, answer] of Object.entries(await answers()))
      expect([name, answer]).toEqual([name, withSums[name]]);
  });

  it('takes a statement for the days of the database, and one for the figures of a page', async () => {
    await forgetRankings();
    const page = () => gateway.ask('{ validatorRanking(fromDay: 1, first: 3) { nodes { rank } } }');
    expect((await page()).statements).toEqual(['rankingSums', 'rankingFigures']);
    expect((await page()).statements).toEqual(['rankingFigures']);
    const archived = (day: number) =>
      gateway.ask(`{ validatorRanking(toDay: ${day}, first: 3) { nodes { rank } } }`);
    await archived(1529); // where the rows of a validator are in a file is read once
    expect((await archived(1530)).statements).toEqual([
      'rankingSums',
      'checkMonths',
      'rankingFigures',
      'checkMonths',
    ]);
  });

  it('costs a twentieth of the archived rows that are read', async () => {
    const stored = await run('select file, rows from archived_months');
    onTestFinished(async () => {
      for (const { file, rows } of stored)
        await run(`update archived_months set rows = ${rows} where file = '${file}'`);
      await readAllMonths(database.pool);
    });
    await run('update archived_months set rows = 6200000');
    const own = await gatewayForTest({ database });
    const ask = async (args: string) => {
      const { json } = await own.graphql(`{ validatorRanking(${args} first: 2) { nodes { rank } } }`);
      return json.errors?.[0].message ?? json.extensions.cost;
    };
    expect(await ask('toDate: "2025-01-30"')).toMatchObject({ estimated: 307, charged: 307 });
    // For a whole month, its sums are read: one row for each validator.
    expect(await ask('toDate: "2025-01-31"')).toMatchObject({ estimated: 12, charged: 12 });
    // Half of a month of 28 days, on which no validator has a day.
    expect(await ask('fromDate: "2025-02-15", toDate: "2025-02-28"')).toMatchObject({
      estimated: 162,
      charged: 160,
    });
    await run('update archived_months set rows = 6200000000');
    const large = await gatewayForTest({ database });
    const refused = await large.graphql('{ validatorRanking(toDate: "2025-01-29") { totalCount } }');
    expect(refused.errors?.[0].message).toContain('290,000,000 days of validators would be scanned');
  });

  it('of a file that is missing or changed is an error that names the month and the file', async () => {
    const path = join(folder, 'validator_days-mainnet-2025-02.parquet');
    const pathOfSums = join(folder, '_validator_sums-mainnet-2025-02.parquet');
    const [whole, wholeSums] = [readFileSync(path), readFileSync(pathOfSums)];
    onTestFinished(() => {
      writeFileSync(path, whole);
      writeFileSync(pathOfSums, wholeSums);
    });
    const named =
      'The days of mainnet in 2025-02 are archived in validator_days-mainnet-2025-02.parquet, which';
    renameSync(path, `${path}.away`);
    const { errors } = await gateway.graphql('{ validatorRanking(fromDay: 2) { totalCount } }');
    expect(errors?.map(({ message, extensions }: any) => [message, extensions.code])).toEqual([
      [`${named} is missing.`, 'UNAVAILABLE'],
    ]);
    renameSync(`${path}.away`, path);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] as number) ^ 1;
    writeFileSync(path, changed);
    // One month is requested in part, so its days are read; the other is requested whole, so its sums are read.
    const { status, json } = await gateway.get(
      '/v1/eth/validators/ranking?fromDate=2025-02-01&toDate=2025-02-27',
    );
    expect([status, json.detail]).toEqual([503, `${named} was changed.`]);
    wholeSums[wholeSums.length >> 1] = (wholeSums[wholeSums.length >> 1] as number) ^ 1;
    writeFileSync(pathOfSums, wholeSums);
    wholeSums[wholeSums.length >> 1] = (wholeSums[wholeSums.length >> 1] as number) ^ 1;
    const summed = await gateway.get('/v1/eth/validators/ranking?fromDay=3');
    expect([summed.status, summed.json.detail]).toEqual([
      503,
      'The sums of days of mainnet in 2025-02 are archived in _validator_sums-mainnet-2025-02.parquet, which was changed.',
    ]);
    rmSync(pathOfSums);
    const lost = await gateway.get('/v1/eth/validators/ranking?fromDay=4');
    expect([lost.status, lost.json.detail]).toEqual([
      503,
      expect.stringContaining('2025-02.parquet, which is missing'),
    ]);
    // Other months are ranked as before.
    const { data } = await gateway.graphql(
      '{ validatorRanking(fromDate: "2025-01-02", toDate: "2025-01-30") { totalCount } }',
    );
    expect(data.validatorRanking.totalCount).toBe(219);
  });

  it('counts each day once while a month moves back into the database', async () => {
    const before = await walk('fromDay: 4', 'first', 200);
    await restoreMonth(database.pool, '2025-04', () => {}, addFeesOfMonth);
    const { data } = await gateway.graphql(`{ ${listOf('fromDay: 5', 'first: 200')} }`);
    expect(data.validatorRanking.nodes).toEqual(before.slice(0, 200));
  });
});

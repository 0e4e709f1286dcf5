import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOfEpoch } from '../../src/chain/calendar.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import {
  consolidationHistoryPage,
  entityConsolidationPage,
  entityConsolidationTotal,
  entityTotals,
} from '../../src/resources/consolidation-totals/queries.ts';
import { consolidationPages, consolidationTotals } from '../../src/resources/consolidations/queries.ts';
import { consolidationSortFields, entityClasses } from '../../src/resources/consolidations/record.ts';
import { hexDigits, pick, stream, whole } from '../../src/sample/random.ts';
import { share } from '../ingest/rows.ts';
import {
  createDatabase,
  type Gateway,
  gatewayForTest,
  startGateway,
  type TestDatabase,
} from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';
import { blocksIn, rowsOf } from '../support/typed.ts';

const ELECTRA = 364_032;
const LIST = '/v1/eth/validators/consolidations';
const ENTITIES = '/v1/eth/entityConsolidations';
const random = stream(11, 'places');

type Row = {
  network: string;
  epoch: number;
  sourceValidatorIndex: number;
  sourceValidatorPubkey: string;
  targetValidatorIndex: number;
  targetValidatorPubkey: string;
  consolidatedBalance: string;
};
const keys = Array.from({ length: 1_100 }, () => `0x${hexDigits(random, 96)}`);
const row = (index: number, change: Partial<Row> = {}): Row => {
  const target = whole(random, 1_000, 1_020);
  return {
    network: 'mainnet',
    epoch: ELECTRA + whole(random, 0, 300) * 15, // several in an epoch, days apart
    sourceValidatorIndex: index,
    sourceValidatorPubkey: keys[index] as string,
    targetValidatorIndex: target,
    targetValidatorPubkey: keys[target] as string,
    consolidatedBalance: String(pick(random, [32, 32, 33, 2_000]) * 1_000_000_000 + whole(random, 0, 3)),
    ...change,
  };
};
const load = async (
  gateway: Gateway,
  resource: Parameters<typeof importText>[1],
  rows: unknown[],
  more = {},
) => {
  const report = await importText(gateway, resource, JSON.stringify(rows), more);
  expect(report).toMatchObject({ faults: [], loaded: true });
};

describe('an offset into the consolidations of a network', () => {
  let gateway: Gateway;
  const rows = Array.from({ length: 730 }, (_, index) => row(index));
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
    // not at once: places are kept up to date
    await load(gateway, 'consolidations', rows.slice(0, 333));
    await load(gateway, 'consolidations', rows.slice(333));
    await load(gateway, 'consolidations', [row(730, { network: 'hoodi', epoch: 100_000 })]);
  });
  afterAll(() => gateway.close());

  const dayOf = ({ epoch }: Row) => dayOfEpoch('mainnet', 'chain', epoch);
  const figureOf = (one: Row, name: (typeof consolidationSortFields)[number]) =>
    name === 'consolidatedBalance'
      ? Number(one.consolidatedBalance)
      : name === 'sourceValidatorIndex' || name === 'targetValidatorIndex'
        ? one[name]
        : one.epoch;
  const day = fc.option(fc.integer({ min: 1_616, max: 1_640 }), { freq: 2 });

  slow('leaves out that many, in each order and range of days, and counts all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          sortBy: fc.constantFrom(...consolidationSortFields),
          sortOrder: fc.constantFrom('asc' as const, 'desc' as const),
          offset: fc.integer({ min: 0, max: 760 }),
          limit: fc.constantFrom(1, 7, 20),
          fromDay: day,
          toDay: day,
        }),
        async ({ sortBy, sortOrder, offset, limit, fromDay, toDay }) => {
          fc.pre(fromDay === null || toDay === null || fromDay <= toDay);
          const within = rows
            .filter((one) => dayOf(one) >= (fromDay ?? 0) && dayOf(one) <= (toDay ?? 1e9))
            .toSorted(
              (one, other) =>
                figureOf(one, sortBy) - figureOf(other, sortBy) ||
                one.epoch - other.epoch ||
                one.sourceValidatorIndex - other.sourceValidatorIndex,
            );
          if (sortOrder === 'desc') within.reverse();
          const days = `${fromDay === null ? '' : `&fromDay=${fromDay}`}${toDay === null ? '' : `&toDay=${toDay}`}`;
          const { json } = await gateway.get(
            `${LIST}?sortBy=${sortBy}&sortOrder=${sortOrder}&limit=${limit}&offset=${offset}${days}`,
          );
          expect(json.results.map((one: Row) => one.sourceValidatorIndex)).toEqual(
            within.slice(offset, offset + limit).map((one) => one.sourceValidatorIndex),
          );
          expect(json.pages).toBe(Math.ceil(within.length / limit));
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
  });
});

describe('what is read for 20,000 consolidations', () => {
  let database: TestDatabase;
  let served: Pool; // plans statements as the gateway does
  beforeAll(async () => {
    database = await createDatabase('empty');
    served = createPool({ url: database.url, readOnly: true, max: 1, prepared: true });
    const run = (text: string) => database.pool.query({ text, values: [] });
    await run(`insert into validators (network, validator_index, validator_pubkey, node_operator, pool, slashed)
      select 'mainnet', i, '0x' || i, 'Operator ' || i % 20, 'Large', false from generate_series(1, 20000) i`);
    await run(`insert into consolidations
      select 'mainnet', i, '0x' || i, 30000 + i % 700, '0x' || 30000 + i % 700, ${ELECTRA} + i * 7919 % 20000,
        32000000000 + i * 104729::bigint % 1000000
      from generate_series(1, 20000) i`);
    await run('analyze validators, consolidations'); // without statistics, the next statement takes seconds
    await run('select store_consolidation_totals($$mainnet$$)');
    await run('vacuum analyze');
  });
  afterAll(async () => {
    await served.end();
    await database.drop();
  });

  /** The most rows that a page may read, of the 20,000 entries of an index. */
  const MOST = 400;

  /** Runs a statement by the plan for any values, which the gateway uses. */
  async function explained(ask: (db: Pick<Pool, 'query'>) => Promise<unknown>) {
    let plan: Record<string, unknown>[] = [];
    await ask({
      async query({ text, values = [] }) {
        await served.query({ text: `prepare asked as ${text}`, values: [] });
        const plain = (value: unknown) => (Array.isArray(value) ? `{"${value.join('","')}"}` : value);
        const given = values.map((value) => (value === null ? 'null' : `'${plain(value)}'`)).join();
        const execute = `execute asked ${given && `(${given})`}`;
        const { rows } = await served.query({
          text: `explain (analyze, buffers, format json) ${execute}`,
          values: [],
        });
        await served.query({ text: 'deallocate asked', values: [] });
        plan = rows;
        return { rows: [] };
      },
    });
    return plan;
  }
  const blocksRead = async (ask: Parameters<typeof explained>[0]) => blocksIn(await explained(ask));
  const mostRows = async (ask: Parameters<typeof explained>[0]) =>
    Math.max(
      ...[...JSON.stringify(await explained(ask)).matchAll(/"Actual Rows":(\d+)/g)].map(([, n]) => Number(n)),
    );
  const network = 'mainnet' as const;
  const scopes = [
    { network, validatorIndex: null, entity: null },
    { network, validatorIndex: null, entity: { idType: 'pool' as const, id: 'Large' } },
  ];
  const epochs = { first: 0, last: 2 ** 31 - 1 };
  const list = { network, idType: 'nodeOperator' as const, epochs };
  const columnsOf = {
    epoch: 'epoch, source_index',
    sourceValidatorIndex: 'source_index',
    targetValidatorIndex: 'target_index, epoch, source_index',
    consolidatedBalance: 'consolidated_balance, epoch, source_index',
  };

  it.each(consolidationSortFields.flatMap((sortBy) => [[sortBy, 'asc'] as const, [sortBy, 'desc'] as const]))(
    'is a page by %s %s, for the network and for a pool of all, and at an offset the entries of an index',
    async (sortBy, sortOrder) => {
      const { [sortBy as 'epoch']: columns = columnsOf.epoch } = columnsOf;
      const [middle] = await rowsOf<{ key: string[] }>(
        database.pool,
        `select array[${columns}]::text[] as key from consolidations order by ${columns} limit 1 offset 10000`,
      );
      for (const scope of scopes) {
        const page = (range: object) => (db: Pick<Pool, 'query'>) =>
          consolidationPages(
            db,
            [scope],
            { epochs, sortBy, sortOrder },
            { limit: 10, rowsOnly: true, ...range },
          );
        for (const range of [{}, { after: middle?.key }, { before: middle?.key, backward: true }]) {
          expect(await blocksRead(page(range))).toBeLessThan(100);
          expect(await mostRows(page(range))).toBeLessThanOrEqual(50); // of 42 entities
        }
        for (const offset of [100, 9_990, 19_990])
          expect(await blocksRead(page({ offset }))).toBeLessThan(MOST);
      }
    },
  );

  it('is little for the number of those in a range of days, and for their history', async () => {
    for (const scope of scopes) {
      expect(await blocksRead((db) => consolidationTotals(db, [scope], epochs))).toBeLessThan(50);
      for (const first of [0, ELECTRA + 500])
        for (const last of [epochs.last, ELECTRA + 15_000])
          expect(await blocksRead((db) => consolidationTotals(db, [scope], { first, last }))).toBeLessThan(
            MOST,
          );
      const query = { granularity: 'day', calendar: 'chain', sortBy: 'day', sortOrder: 'desc' } as const;
      const bounds = { fromDate: null, toDate: null, fromDay: null, toDay: null };
      const history = (db: Pick<Pool, 'query'>) =>
        consolidationHistoryPage(
          db,
          { network, operator: scope.entity, epochs },
          { ...query, ...bounds },
          { limit: 10 },
          ['consolidationCount'],
        );
      expect(await blocksRead(history)).toBeLessThan(MOST);
    }
  });

  it('is little for entities, whose totals are stored, and for their number', async () => {
    const order = { calendar: 'chain', sortBy: 'consolidatedBalance', sortOrder: 'desc' } as const;
    const page = (db: Pick<Pool, 'query'>) => entityConsolidationPage(db, list, order, { limit: 10 });
    expect(await blocksRead(page)).toBeLessThan(100);
    expect(await blocksRead((db) => entityConsolidationTotal(db, list))).toBeLessThan(100);
    expect(await mostRows((db) => entityConsolidationTotal(db, list))).toBeLessThan(100);
  });
});

describe('the consolidations of entities in a range of epochs', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase('empty');
    const run = (text: string) => database.pool.query({ text, values: [] });
    // validators that are not stored or have no entities, shares without a name, with several, and of one name
    await run(`insert into validators (network, validator_index, validator_pubkey, deposit_address, withdrawal_address,
        node_operator, pool, slashed)
      select network, i, '0x' || i, nullif('0xd' || i % 11, '0xd3'), nullif('0xw' || i % 7, '0xw2'),
        nullif('Operator ' || i % 5, 'Operator 4'), nullif('Pool ' || i % 4, 'Pool 3'), false
      from generate_series(1, 380) i, unnest(array['mainnet', 'hoodi']) network`);
    await run(`insert into operator_summaries (network, id_type, time_window, operator_id, validator_count, avg_correctness,
        avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags, pool_id,
        node_operator_id, superseded)
      select 'mainnet', id_type, time_window, name, 1, 1, 1, 1, '{}', '{}', '[]', pool, operator, superseded
      from (values
        ('poolShare', '7d', 'Both', 'Pool 0', 'Operator 0', false),
        ('poolShare', 'all', 'Both', 'Pool 1', 'Operator 1', false),
        ('poolShare', '7d', 'b', 'Pool 2', 'Operator 2', false),
        ('poolShare', 'all', 'a', 'Pool 2', 'Operator 2', false),
        ('poolShare', '30d', 'C', 'Pool 2', 'Operator 2', false),
        ('poolShare', 'all', 'A', 'Pool 2', 'Operator 2', true),
        ('poolShare', 'all', 'Gone', 'Pool 0', 'Operator 1', true),
        ('poolShare', 'all', 'Third', 'Pool 0', 'Operator 2', false),
        ('nodeOperator', 'all', 'No share', 'Pool 1', 'Operator 2', false)
      ) s (id_type, time_window, name, pool, operator, superseded)`);
    await run(`insert into consolidations
      select network, i, '0x' || i, 1000 + i % 6, '0x' || 1000 + i % 6, ${ELECTRA} + i * 31 % 100, 32000000000 + i
      from generate_series(1, 400) i, unnest(array['mainnet', 'hoodi']) network where network = 'mainnet' or i % 9 = 0`);
    await run('analyze validators, operator_summaries, consolidations'); // as above
    for (const network of ['mainnet', 'hoodi']) await run(`select store_consolidation_totals('${network}')`);
  });
  afterAll(() => database.drop());

  const order = { calendar: 'chain', sortBy: 'id', sortOrder: 'asc' } as const;
  const ranges = [
    [0, 2 ** 31 - 1],
    [0, ELECTRA + 98],
    [ELECTRA + 1, 2 ** 31 - 1],
    [ELECTRA, ELECTRA + 99],
    [ELECTRA + 20, ELECTRA + 60],
    [ELECTRA + 7, ELECTRA + 7],
    [0, ELECTRA - 1],
  ] as const;

  it.each(entityClasses.flatMap((idType) => ranges.map((range) => [idType, ...range] as const)))(
    'are those of the validators of each: %s, %s to %s',
    async (idType, first, last) => {
      for (const network of ['mainnet', 'hoodi'] as const) {
        const list = { network, idType, epochs: { first, last } };
        const expected = await rowsOf<{ id: string }>(
          database.pool,
          `select e.entity_id as id, count(*)::int as "consolidationCount", count(*)::int as "sourceValidatorCount",
            count(distinct target_index)::int as "targetValidatorCount",
            sum(consolidated_balance)::text as "consolidatedBalance",
            min(epoch) / 225 as "startDay", max(epoch) / 225 as "endDay"
          from consolidations c join validator_entities e
            on (e.network, e.validator_index) = (c.network, c.source_index)
          where c.network = $1 and e.id_type = $2 and epoch between $3 and $4
          group by 1 order by 1`,
          [network, idType, first, last],
        );
        const page = await entityConsolidationPage(database.pool, list, order, { limit: 100 });
        expect(page).toEqual(expected.map((row, position) => ({ ...row, position })));
        expect(await entityConsolidationTotal(database.pool, list)).toBe(expected.length);
        const ids = expected.map(({ id }) => id).slice(0, 3);
        const totals = await entityTotals(database.pool, ids, list);
        expect(totals.map(({ id }) => id).toSorted()).toEqual(ids);
        expect(page).toEqual(expect.arrayContaining(totals.map((row) => expect.objectContaining(row))));
      }
    },
  );
});

describe('what is stored of the consolidations of entities', () => {
  const validator = (validatorIndex: number, change: object = {}) => ({
    network: 'mainnet',
    validatorIndex,
    validatorPubkey: keys[validatorIndex],
    depositAddress: null,
    withdrawalAddress: null,
    nodeOperator: 'Able',
    pool: 'Pool A',
    activationEpoch: 1,
    exitEpoch: null,
    slashed: false,
    ...change,
  });
  const to = (target: number) => ({
    targetValidatorIndex: target,
    targetValidatorPubkey: keys[target] as string,
    consolidatedBalance: '32000000000',
  });
  const told = async (gateway: Gateway, entityType: string) =>
    (await gateway.get(`${ENTITIES}?entityType=${entityType}&sortBy=id&sortOrder=asc`)).json.results.map(
      (one: any) => [one.id, one.consolidationCount, one.targetValidatorCount, one.consolidatedBalance],
    );

  slow(
    'follows what is imported: validators that change hands, consolidations corrected and removed',
    async () => {
      const gateway = await gatewayForTest({ template: 'empty' });
      await load(gateway, 'consolidations', [row(1, to(1_000)), row(2, to(1_000)), row(3, to(1_001))]);
      expect(await told(gateway, 'nodeOperator')).toEqual([]);
      await load(gateway, 'validators', [
        validator(1),
        validator(2),
        validator(3, { nodeOperator: 'Baker' }),
      ]);
      const once = ['Baker', 1, 1, 32_000_000_000];
      expect(await told(gateway, 'nodeOperator')).toEqual([['Able', 2, 1, 64_000_000_000], once]);
      await load(gateway, 'validators', [validator(2, { nodeOperator: 'Charlie' })]);
      const charlie = ['Charlie', 1, 1, 32_000_000_000];
      expect(await told(gateway, 'nodeOperator')).toEqual([['Able', 1, 1, 32_000_000_000], once, charlie]);
      await load(gateway, 'consolidations', [row(3, { ...to(1_001), consolidatedBalance: '33000000000' })]);
      const corrected = ['Baker', 1, 1, 33_000_000_000];
      expect(await told(gateway, 'nodeOperator')).toEqual([
        ['Able', 1, 1, 32_000_000_000],
        corrected,
        charlie,
      ]);
      await load(gateway, 'consolidations', [row(2, to(1_000))], { replace: true });
      expect(await told(gateway, 'nodeOperator')).toEqual([charlie]);
      expect((await gateway.get(`${LIST}?limit=1`)).json.pages).toBe(1);
    },
  );

  slow('of two pool shares of one name counts a target that both have once', async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    await load(gateway, 'validators', [validator(1), validator(2, { nodeOperator: 'Baker' })]);
    await load(gateway, 'consolidations', [row(1, to(1_000)), row(2, to(1_000))]);
    const named = (nodeOperatorId: string, timeWindow: string) =>
      share('Both', { poolId: 'Pool A', nodeOperatorId, timeWindow });
    await load(gateway, 'operators', [named('Able', '7d'), named('Baker', 'all')]);
    expect(await told(gateway, 'poolShare')).toEqual([['Both', 2, 1, 64_000_000_000]]);
  });

  slow('is made by imports at the same time as if one came after the other', async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    const indices = Array.from({ length: 40 }, (_, index) => index);
    const rows = indices.map((index) => row(index, to(1_000)));
    await Promise.all([
      ...[0, 20].map((at) =>
        load(
          gateway,
          'validators',
          indices.slice(at, at + 20).map((i) => validator(i)),
        ),
      ),
      ...[0, 20].map((at) => load(gateway, 'consolidations', rows.slice(at, at + 20))),
    ]);
    expect(await told(gateway, 'nodeOperator')).toEqual([['Able', 40, 1, 40 * 32_000_000_000]]);
    expect(await told(gateway, 'pool')).toEqual([['Pool A', 40, 1, 40 * 32_000_000_000]]);
  });
});

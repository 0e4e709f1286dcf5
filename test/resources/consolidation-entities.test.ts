import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pool } from '../../src/db/pool.ts';
import {
  consolidatedIn,
  consolidationHistoryPage,
  entityConsolidationPage,
  entityConsolidationTotal,
  entityTotals,
} from '../../src/resources/consolidation-totals/queries.ts';
import {
  consolidationPages,
  consolidationTotals,
  type EntityKey,
} from '../../src/resources/consolidations/queries.ts';
import { entityClasses } from '../../src/resources/consolidations/record.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs } from '../support/thorough.ts';

const ELECTRA = 364_032;
const network = 'mainnet' as const;
const pubkey = (index: number) => `0x${String(index).padStart(96, '0')}`;
const address = (letter: string) => `0x${letter.repeat(40)}`;
const indices = Array.from({ length: 14 }, (_, index) => index);

const owner = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 4 });
const validators = fc.uniqueArray(
  fc.record({
    validatorIndex: fc.constantFrom(...indices),
    depositAddress: owner(address('a'), address('b')),
    withdrawalAddress: owner(address('c'), address('d')),
    nodeOperator: owner('N', 'M'),
    pool: owner('P', 'Q'),
  }),
  { selector: (row) => row.validatorIndex, minLength: 1 },
);
const consolidations = fc.uniqueArray(
  fc
    .record({
      sourceValidatorIndex: fc.constantFrom(...indices),
      targetValidatorIndex: fc.constantFrom(...indices),
      epoch: fc.integer({ min: ELECTRA, max: ELECTRA + 700 }),
      consolidatedBalance: fc.integer({ min: 32, max: 35 }).map((eth) => eth * 1_000_000_000),
    })
    .filter((row) => row.sourceValidatorIndex !== row.targetValidatorIndex),
  { selector: (row) => row.sourceValidatorIndex, minLength: 1 },
);
const step = fc.oneof(
  fc.record({ kind: fc.constant('validators' as const), rows: validators, replace: fc.boolean() }),
  fc.record({ kind: fc.constant('consolidations' as const), rows: consolidations, replace: fc.boolean() }),
  fc.record({
    kind: fc.constant('deleted' as const),
    rows: fc.uniqueArray(fc.constantFrom(...indices), { minLength: 1, maxLength: 3 }),
  }),
);

let gateway: Gateway;
let database: TestDatabase;
let db: Pool;
beforeAll(async () => {
  database = await createDatabase('empty');
  db = database.pool;
  gateway = await startGateway({ database });
  await run(`insert into operator_summaries (network, id_type, time_window, operator_id, validator_count, avg_correctness,
      avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags, pool_id,
      node_operator_id, superseded)
    select 'mainnet', 'poolShare', time_window, name, 1, 1, 1, 1, '{}', '{}', '[]', pool, operator, false
    from (values ('7d', 'N in P', 'P', 'N'), ('7d', 'Both', 'P', 'M'), ('all', 'Both', 'Q', 'M')) s (time_window, name, pool, operator)`);
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});
const run = async (text: string, values: unknown[] = []) =>
  (await database.pool.query({ text, values })).rows;

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function apply(change: Step): Promise<void> {
  if (change.kind === 'deleted') {
    await run('delete from consolidations where source_index = any($1)', [change.rows]);
    await run('delete from validators where validator_index = any($1)', [change.rows.slice(1)]);
    await run('select store_consolidation_totals($1, sources => $2)', [network, change.rows]);
    await run('select store_consolidation_totals($1, owned => $2)', [network, change.rows]);
    return;
  }
  const rows =
    change.kind === 'validators'
      ? change.rows.map((row) => ({
          ...{ network, activationEpoch: 1, exitEpoch: null, slashed: false },
          ...{ validatorPubkey: pubkey(row.validatorIndex), ...row },
        }))
      : change.rows.map((row) => ({
          ...{ network, sourceValidatorPubkey: pubkey(row.sourceValidatorIndex) },
          ...{ targetValidatorPubkey: pubkey(row.targetValidatorIndex), ...row },
        }));
  const report = await importText(gateway, change.kind, JSON.stringify(rows), { replace: change.replace });
  expect(report).toMatchObject({ faults: [], loaded: true });
}

/** The consolidations of an entity, read from the base tables. */
const ofEntity = (entity: EntityKey | null) => {
  const member = (side: string) => `exists (
    select from validator_entities e where (e.network, e.validator_index) = (c.network, c.${side})
      and e.id_type = '${entity?.idType}' and e.entity_id = '${entity?.id}')`;
  return {
    either: entity ? `${member('source_index')} or ${member('target_index')}` : 'true',
    source: entity ? member('source_index') : 'true',
  };
};

const entities: (EntityKey | null)[] = [
  null,
  { idType: 'depositAddress', id: address('a') },
  { idType: 'withdrawalAddress', id: address('c') },
  { idType: 'nodeOperator', id: 'N' },
  { idType: 'pool', id: 'P' },
  { idType: 'poolShare', id: 'N in P' },
  { idType: 'pool', id: 'nobody' },
];
const ranges = [
  [0, 2 ** 31 - 1],
  [ELECTRA + 100, 2 ** 31 - 1],
  [ELECTRA + 100, ELECTRA + 400],
  [0, ELECTRA + 350],
] as const;
const orders = {
  epoch: ['epoch', 'source_index'],
  sourceValidatorIndex: ['source_index'],
  targetValidatorIndex: ['target_index', 'epoch', 'source_index'],
  consolidatedBalance: ['consolidated_balance', 'epoch', 'source_index'],
} as const;

async function compareLists(first: number, last: number): Promise<void> {
  const within = `c.network = 'mainnet' and c.epoch between ${first} and ${last}`;
  for (const entity of entities) {
    const scope = { network, validatorIndex: null, entity };
    const { either } = ofEntity(entity);
    for (const sortBy of Object.keys(orders) as (keyof typeof orders)[])
      for (const sortOrder of ['asc', 'desc'] as const) {
        const by = orders[sortBy].map((column) => `c.${column} ${sortOrder}`).join(', ');
        const expected = await run(
          `select c.* from consolidations c where ${within} and (${either}) order by ${by}`,
        );
        const page = (range: object) =>
          consolidationPages(
            db,
            [scope],
            { epochs: { first, last }, sortBy, sortOrder },
            {
              ...{ limit: 4, rowsOnly: true },
              ...range,
            },
          );
        const sources = (rows: { sourceValidatorIndex: number }[]) =>
          rows.map((row) => row.sourceValidatorIndex);
        const wanted = expected.map((row) => row.source_index);
        expect(sources(await page({}))).toEqual(wanted.slice(0, 4));
        expect(sources(await page({ offset: 2 }))).toEqual(wanted.slice(2, 6));
        const third = expected[2];
        if (!third) continue;
        const place = orders[sortBy].map((column) => String(third[column]));
        expect(sources(await page({ after: place }))).toEqual(wanted.slice(3, 7));
        expect(sources(await page({ before: place, backward: true }))).toEqual(wanted.slice(0, 2).reverse());
      }
    const [counted] = await run(
      `select count(*)::int as total from consolidations c where ${within} and (${either})`,
    );
    expect(await consolidationTotals(db, [scope], { first, last })).toEqual([{ list: 0, ...counted }]);
    const history = await consolidationHistoryPage(
      db,
      { network, operator: entity, epochs: { first, last } },
      {
        ...{ granularity: 'day', calendar: 'chain', sortBy: 'day', sortOrder: 'asc' },
        ...{ fromDate: null, toDate: null, fromDay: null, toDay: null },
      },
      { limit: 10 },
      ['day', 'consolidationCount', 'consolidatedBalance'],
    );
    const days = await run(`select c.epoch / 225 as day, count(*)::int as "consolidationCount",
        sum(c.consolidated_balance)::text as "consolidatedBalance"
      from consolidations c where ${within} and (${either}) group by 1 order by 1`);
    expect(history.filter((row) => row.consolidationCount !== 0)).toMatchObject(days);
  }
  const [all] = await run(`select 0 as list, count(*)::int as "consolidationCount",
      coalesce(sum(consolidated_balance), 0)::text as "consolidatedBalance" from consolidations c where ${within}`);
  expect(await consolidatedIn(db, [{ network, epochs: { first, last } }])).toEqual([all]);
}

async function compareTotals(first: number, last: number): Promise<void> {
  for (const idType of entityClasses) {
    const expected = await run(`select e.entity_id as id, count(*)::int as "consolidationCount",
        count(*)::int as "sourceValidatorCount", count(distinct c.target_index)::int as "targetValidatorCount",
        sum(c.consolidated_balance)::text as "consolidatedBalance", min(c.epoch) / 225 as "startDay",
        max(c.epoch) / 225 as "endDay", (row_number() over (order by e.entity_id collate "C") - 1)::int as position
      from consolidations c
      join validator_entities e on (e.network, e.validator_index) = (c.network, c.source_index)
      where c.network = 'mainnet' and c.epoch between ${first} and ${last} and e.id_type = '${idType}'
      group by e.entity_id order by e.entity_id collate "C"`);
    const list = { network, idType, epochs: { first, last } };
    const order = { calendar: 'chain', sortBy: 'id', sortOrder: 'asc' } as const;
    expect(await entityConsolidationPage(db, list, order, { limit: 20 })).toEqual(expected);
    expect(await entityConsolidationTotal(db, list)).toBe(expected.length);
    const named = await entityTotals(
      db,
      expected.map((row) => row.id as string),
      list,
    );
    expect(named.map((row) => row.id).sort()).toEqual(expected.map((row) => row.id));
  }
}

const stored = async () => {
  const entity = 'network, id_type, operator_id, share_of';
  return {
    entities:
      await run(`select ${entity}, listed_count, consolidation_count, target_count, consolidated_balance, first_epoch,
      last_epoch from consolidation_entities order by 1, 2, 3, 4`),
    rows: await run(`select ${entity}, source_index, target_index, epoch, c.consolidated_balance, as_source, earlier_epoch
      from entity_consolidations c join consolidation_entities using (entity) order by 1, 2, 3, 4, 5`),
    epochs: await run(`select ${entity}, epoch, s.consolidation_count, s.consolidated_balance
      from consolidation_epochs s join consolidation_entities using (entity) order by 1, 2, 3, 4, 5`),
  };
};

it('what is kept of entities gives the lists, counts and sums of the base tables after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      for (const change of steps) await apply(change);
      for (const [first, last] of ranges) {
        await compareLists(first, last);
        await compareTotals(first, last);
      }
      const kept = await stored();
      await run('delete from consolidation_entities');
      await run('delete from entity_consolidations');
      await run('delete from consolidation_epochs');
      await run('select store_consolidation_totals($1)', [network]);
      expect(await stored()).toEqual(kept);
      await run('select store_consolidation_totals($1)', [network]); // writes nothing
      expect(await stored()).toEqual(kept);
    }),
    { ...runs(8), endOnFailure: true },
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLayout, useLayout } from '../../src/db/distributed/layout.ts';
import { slashing } from '../ingest/rows.ts';
import { pubkeyOf, refreshed, revisions, validator, validatorDay } from '../refresh/facts.ts';
import { createDistributed } from '../support/citus.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { recordQueries } from '../support/sent.ts';
import { brokenOnReference, namesReference, writesReference } from './rules.ts';

/** Statements that write reference tables, by their names; Citus 13.0.3 executed the upsert, then with `returning`. */
const writing = { 'an upsert': ['upsertStaged'], constants: ['removeRows'] };

const DAY = 1_500;
const SLOT = DAY * 7_200;
const indices = [0, 1, 2, 3, 4, 5, 6, 7];
const owner = fc.constantFrom(null, 'A', 'B');
const someIndices = fc.uniqueArray(fc.constantFrom(...indices), { minLength: 1 });
const given = someIndices.chain((some) =>
  fc.tuple(
    ...some.map((index) =>
      fc
        .record({ nodeOperator: owner, pool: owner, slashed: fc.boolean() })
        .map((change) => validator(index, change)),
    ),
  ),
);
const blocks = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...indices, 99)), {
    minLength: 1,
    selector: ([slot]) => slot,
  })
  .map((rows) =>
    rows.map(([slot, validatorIndex]) => ({
      ...{ consensusSlot: SLOT + slot, validatorIndex, consensusBlockRoot: `0x${'a'.repeat(64)}` },
      consensusProposerDuty: 'proposed',
    })),
  );
const consolidations = someIndices.map((some) =>
  some.map((source) => ({
    ...{ epoch: 380_000, sourceValidatorIndex: source, sourceValidatorPubkey: pubkeyOf(source) },
    ...{ targetValidatorIndex: 50, targetValidatorPubkey: pubkeyOf(50), consolidatedBalance: 32_000_000_000 },
  })),
);
const clients = fc
  .tuple(someIndices, fc.constantFrom('teku', 'lodestar'))
  .map(([some, client]) => some.map((validatorIndex) => ({ validatorIndex, client })));
const step = fc
  .oneof(
    fc.record({ resource: fc.constant('validators' as const), rows: given }),
    fc.record({ resource: fc.constant('blocks' as const), rows: blocks }),
    fc.record({ resource: fc.constant('consolidations' as const), rows: consolidations }),
    fc.record({ resource: fc.constant('validator-clients' as const), rows: clients }),
  )
  .chain((loaded) => fc.boolean().map((replace) => ({ ...loaded, replace })));
const steps = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), { seed: 11, numRuns: 1 }).flat();

const kept = [
  'select * from validators order by network, validator_index',
  'select * from validator_clients order by network, validator_index',
  'select * from block_operators order by network, slot',
  'select * from validator_counts where validators > 0 order by network, activated, leaving, slashed',
  `select to_jsonb(e) - 'entity' from consolidation_entities e order by network, id_type, operator_id, share_of`,
];
const strays = `select count(*)::int as count from (
  (select network, slot, deposit_address, withdrawal_address, node_operator, pool from block_operators
  except select b.network, b.slot, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
    from blocks b join validators v using (network, validator_index))
  union all
  (select b.network, b.slot, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
    from blocks b join validators v using (network, validator_index)
  except select network, slot, deposit_address, withdrawal_address, node_operator, pool from block_operators)) s`;

const lists = `{ validator(by: { index: 3 }) { validatorPubkey operators { operatorId } consolidations { totalCount } }
  validators(first: 10) { totalCount nodes { validatorIndex nodeOperator } }
  ended: validators(where: { status: EXITED }, orderBy: { field: EXIT_EPOCH }) { totalCount }
  active: validators(where: { status: ACTIVE }, orderBy: { field: ACTIVATION_EPOCH }, first: 5) { nodes { validatorIndex } }
  search(query: "${pubkeyOf(3)}") { __typename }
  slashings(first: 5) { totalCount nodes { validatorIndex } }
  operator(operatorId: "A", idType: NODE_OPERATOR) {
    validators(first: 3) { totalCount nodes { validatorIndex } } slashings(first: 3) { totalCount }
    consolidations { totalCount } proposalCounts { __typename } } }`;
const paths = [
  '/v0/eth/slashings',
  '/v0/eth/operators?window=all&size=100',
  '/v0/eth/operators/A/summary?window=all&idType=nodeOperator',
  '/v1/eth/validators/consolidations',
  '/v1/eth/entityConsolidations?entityId=A&entityType=nodeOperator',
  '/v1/eth/consolidationCapacity/entity?window=all&entityId=A&entityType=nodeOperator',
  '/v1/eth/entities/A/attestations?entityType=nodeOperator',
];

type Told = { reports: unknown[]; rows: unknown[]; answers: string[] };

async function story(gateway: Gateway): Promise<Told> {
  const told: Told = { reports: [], rows: [], answers: [] };
  const run = async (text: string) => (await gateway.database.pool.query({ text, values: [] })).rows;
  for (const { resource, rows, replace } of steps) {
    const report = await importText(gateway, resource, JSON.stringify(rows), { replace });
    told.reports.push({ ...report, file: resource });
    expect([resource, report.faults, await run(strays)]).toEqual([resource, [], [{ count: 0 }]]);
  }
  const load = (resource: 'validators' | 'slashings' | 'validator-days', rows: unknown[]) =>
    importText(gateway, resource, JSON.stringify(rows));
  await load(
    'validators',
    indices.map((index) => validator(index, { nodeOperator: index % 2 ? 'A' : 'B', pool: 'P' })),
  );
  await load('slashings', [slashing(7, { slashingEpoch: DAY * 225 })]);
  await load(
    'validator-days',
    [0, 1].flatMap((more) => indices.map((index) => validatorDay(index, DAY + more))),
  );
  for (const { seconds: _, ...report } of await refreshed(gateway)) told.reports.push(report);
  for (const text of kept) told.rows.push(await run(text));
  told.rows.push(await revisions(gateway));
  for (const path of paths) {
    const { status, text } = await gateway.get(path);
    expect([path, status]).toEqual([path, 200]);
    told.answers.push(text);
  }
  const { text, errors } = await gateway.graphql(lists);
  expect(errors).toBeUndefined();
  told.answers.push(text);
  return told;
}

let onPlain: Told;
let onCitus: Told;
const sent = { plain: [] as string[], citus: [] as string[] };

async function recorded(into: string[], work: () => Promise<Told>): Promise<Told> {
  const stop = recordQueries((text) => into.push(text));
  return await work().finally(stop);
}

beforeAll(async () => {
  const plain = await startGateway({ template: 'empty' });
  onPlain = await recorded(sent.plain, () => story(plain)).finally(plain.close);
  const database = await createDistributed();
  await openLayout(database.pool);
  const gateway = await startGateway({ database });
  try {
    onCitus = await recorded(sent.citus, () => story(gateway));
  } finally {
    useLayout('plain');
    await gateway.close();
    await database.drop();
  }
}, 120_000);
afterAll(() => useLayout('plain'));

const nameOf = (text: string) => /\/\* (\w+) \*\//.exec(text)?.[1] ?? text;
const inOrder = (found: Iterable<string>) => [...new Set(found)].sort();

describe('a database with reference tables', () => {
  it('gets the same counts from imports and refreshes', () => {
    for (const count of ['inserted', 'updated', 'removed'])
      expect(onPlain.reports).toContainEqual(
        expect.objectContaining({ file: 'validators', [count]: expect.toSatisfy((rows) => rows > 0) }),
      );
    expect(onCitus.reports).toEqual(onPlain.reports);
  });

  it('gets the same rows and revisions', () => {
    expect(onCitus.rows).toEqual(onPlain.rows);
  });

  it('gives the same responses', () => {
    expect(onCitus.answers).toEqual(onPlain.answers);
  });

  it('has its reference tables written by the statements that are known to Citus', () => {
    const found = sent.citus.filter((text) => writesReference(text));
    expect(inOrder(found.map(nameOf))).toEqual(Object.values(writing).flat().sort());
  });

  it('gets no statement on reference tables that Citus refuses', () => {
    const found = sent.citus.filter((text) => namesReference.test(text));
    for (const text of found) expect([nameOf(text), brokenOnReference(text)]).toEqual([nameOf(text), []]);
  });

  it('gets statements of which a plain database gets none', () => {
    const own = [
      'absentRows',
      'countValidators',
      'removeBlockOperators',
      'removeRows',
      'replacedNetworks',
      'storeBlockOperators',
    ];
    expect(inOrder(sent.citus.map(nameOf))).toEqual(expect.arrayContaining([...own, 'upsertStaged']));
    expect(sent.plain.map(nameOf).filter((name) => [...own, 'upsertStaged'].includes(name))).toEqual([]);
  });
});

/** Statements of each module that name a reference table, or a view of one, and what else they read. */
const naming: Record<string, string> = {
  'indexer/execution/deposit-store.ts': 'selects with waiting deposits, and an update from arrays',
  'indexer/store/day-rows.ts': 'selects with late penalties',
  'indexer/store/hour-rows.ts': 'a select with an hour of days, into a temporary table',
  'indexer/store/labels.ts': 'selects with labels, and an update from arrays',
  'indexer/store/validator-table.ts': 'selects by validators, an upsert of arrays, and COPY',
  'ingest/merge/block-operators.ts': 'selects with blocks, into a local table',
  'ingest/merge/validator-counts.ts': 'an insert of counts of the table alone, into a local table',
  'ingest/importers/validators.ts': 'selects with staged validators, one into a temporary table',
  'ingest/index-guard.ts': 'selects with staged validators, one into a temporary table',
  'refresh/attestations.ts': 'selects with local copies of days, into temporary tables',
  'refresh/known.ts': 'selects with local copies of days and blocks, into temporary tables',
  'refresh/owners.ts': 'a select of labels alone, into a temporary table',
  'refresh/validators.ts': 'a select with sums of days, into a temporary table',
  'maintenance/retain/needed.ts': 'selects with local copies of days',
  'resources/consolidations/queries.ts': 'selects with consolidations and summaries of operators',
  'resources/operators/queries.ts': 'selects with summaries of operators',
  'resources/private-sets/queries.ts': 'a select with constants',
  'resources/private-sets/summary-queries.ts': 'a select with members of sets, blocks and days of sets',
  'resources/search/queries.ts': 'a select of the table alone',
  'resources/slashings/queries.ts': 'selects with slashings and summaries of operators',
  'resources/validator-ranking/queries.ts': 'rankings are refused',
  'resources/validators/queries.ts': 'selects with constants and summaries of operators',
  'sample/load-private-set.ts': 'the sample is for an embedded database',
  'sample/network.ts': 'the sample is for an embedded database',
};

describe('the sources', () => {
  it('name reference tables only in modules that were checked for Citus', () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url));
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && namesReference.test(readFileSync(join(root, name), 'utf8')),
    );
    expect(found.map((name) => name.replaceAll('\\', '/')).sort()).toEqual(Object.keys(naming).sort());
  });
});

describe('the rules for statements on reference tables', () => {
  it.each([
    ['an update or deletion by a join', 'update validators v set pool = s.pool from staged s'],
    ['an update or deletion by a join', 'delete from validators v where not exists (select from staged)'],
    ['an update or deletion by a join', 'delete from staged s where exists (select from validators v)'],
    ['a WITH query that changes rows', 'with a as (select 1) delete from validators v'],
    ['a WITH query that changes rows', 'with a as (delete from a returning 1) select from validators v'],
    ['rows that are not counted', 'insert into validators select from staged on conflict do nothing'],
    ['a row in memory for each validator', 'insert into validators select from staged returning xmax = 0'],
    ['a lock of rows', 'select from validators v for update'],
    [
      'a cast to text in an upsert',
      'insert into validators as t select 1 on conflict do update where a::text <> b',
    ],
  ])('find %s', (rule, text) => expect(brokenOnReference(text)).toContain(rule));
});

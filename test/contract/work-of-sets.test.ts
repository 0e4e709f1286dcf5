import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, expect } from 'vitest';
import { fieldTexts } from '../../scripts/bench/calls.mjs';
import type { Statement } from '../../src/db/pool.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { paramDocument } from '../../src/kernel/params.ts';
import { routes } from '../../src/resources/index.ts';
import { MAX_ADDED, MAX_VALIDATORS } from '../../src/resources/private-sets/record.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { known } from '../support/heavy-calls.ts';
import { FIRST, LARGE } from '../support/large-operator.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow, thorough } from '../support/thorough.ts';
import { heaviest, MOST_WORK_A_UNIT, workOf } from '../support/work.ts';

// What PostgreSQL does for private sets, mutations and events is bounded by what they cost, as for other requests.

/** A day of the sample data, which has later ones: what is removed is summed up again from today on. */
const NOW = new Date('2025-10-30T13:00:00Z');

let database: TestDatabase;
let gateway: Gateway;
let statements: Statement[] = [];
let ofTransactions = 0;
const query = async (text: string) => (await database.pool.query({ text, values: [] })).rows;

/** Makes all days for the first thousand validators of the operator, and the last day for the others. */
async function makeDays() {
  const [sample] = await query(
    `select validator_index as index from validator_days group by 1 order by count(*) desc, 1 limit 1`,
  );
  const columns = (
    await query(`select attname as name from pg_attribute where attrelid = 'validator_days'::regclass and attnum > 0
    and not attisdropped and attname <> 'validator_index'`)
  ).map(({ name }) => `a.${name}`);
  const copy = (from: number, to: number, which: string) =>
    query(`insert into validator_days (validator_index, ${columns.join().replaceAll('a.', '')})
      select ${FIRST} + n, ${columns} from generate_series(${from}, ${to}) n
      cross join (select * from validator_days where validator_index = ${sample?.index} ${which}) a`);
  await copy(0, MAX_ADDED - 1, '');
  await copy(MAX_ADDED, MAX_VALIDATORS + MAX_ADDED, `and date >= '2025-10-30'`);
  await query('vacuum analyze validator_days');
}

const create = async () => {
  const { data } = await gateway.graphql(
    'mutation { createPrivateSet(input: { name: "x" }) { privateSet { setId } } }',
  );
  return data.createPrivateSet.privateSet.setId as string;
};

/** A set of so many validators of the operator, with two years of days, as if it were two years old. */
async function makeSet(validators: number, from = MAX_ADDED): Promise<string> {
  const id = await create();
  await query(`insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select '${id}', validator_index, validator_pubkey, '2024-01-01', '-infinity' from validators
    where network = 'mainnet' and validator_index >= ${FIRST + from} and validator_index < ${FIRST + from + validators}`);
  const { data } = await gateway.graphql(
    `mutation { addPrivateSetValidators(input: { setId: "${id}", validators: [{ index: ${FIRST}}] }) { userErrors { message } } }`,
  );
  expect(data.addPrivateSetValidators.userErrors).toEqual([]);
  const columns = (
    await query(`select attname as name from pg_attribute where attrelid = 'private_set_days'::regclass and attnum > 0
    and not attisdropped and attgenerated = '' and attname not in ('day', 'date', 'start_epoch', 'end_epoch')`)
  ).map(({ name }) => name);
  await query(`insert into private_set_days (day, date, start_epoch, end_epoch, ${columns})
    select day - 60 * k, date - 60 * k, start_epoch - 13500 * k, end_epoch - 13500 * k, ${columns}
    from private_set_days cross join generate_series(1, 11) k where set_id = '${id}'`);
  await query('vacuum analyze private_set_members');
  await query('vacuum analyze private_set_days');
  return id;
}

beforeAll(async () => {
  if (!thorough) return;
  database = await createDatabase('large');
  await makeDays();
  gateway = await startGateway({
    database,
    now: () => NOW,
    onStatement: (statement) => statements.push(statement),
    onTransaction: (work) => (ofTransactions += work),
  });
  known.setId = JSON.stringify(await makeSet(MAX_VALIDATORS - 1));
});
afterAll(async () => {
  delete known.setId;
  await gateway?.close();
  await database?.drop();
});

const asking =
  (ask: (text: string) => Promise<{ status: number; headers: Headers }>) => async (text: string) => {
    statements = [];
    const { status, headers } = await ask(text);
    const own = statements;
    const units = Number(headers.get('x-service-compute-units'));
    return status === 200 && units > 0 ? { units, work: () => workOf(database, own) } : undefined;
  };

const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;

slow('The work of each field of a private set of the largest size is bounded by its cost', async () => {
  const fields = [...fieldTexts(typeOf('PrivateSet'), known)].map(
    (text) => `{ privateSet(setId: ${known.setId}) { ${text} } }`,
  );
  const lists = ['', ', orderBy: { field: NETWORK_PENETRATION, direction: DESC }'].map(
    (order) =>
      `{ operators(window: ALL, idType: PRIVATE_SET, first: 1${order}) { totalCount nodes { summary(window: ALL) { aprPercentage } } } }`,
  );
  const named = `{ operator(operatorId: ${known.setId}, idType: PRIVATE_SET) { summary(window: SEVEN_DAYS) { aprPercentage } } }`;
  const { answered, over } = await heaviest(
    [...fields, ...lists, named],
    asking((text) => gateway.graphql(text)),
  );
  expect(over).toEqual([]);
  expect(answered).toBeGreaterThan(30);
});

function* paths(id: string): Generator<string> {
  for (const { path, method = 'GET', query } of routes) {
    if (method !== 'GET' || !/:id\b/.test(path)) continue;
    const own = path.replace(':id', id);
    yield own;
    for (const [name, type] of Object.entries(query.shape))
      for (const value of (paramDocument(type)?.schema.enum ?? []) as string[])
        yield `${own}?limit=1&${name}=${value}`;
    if ('offset' in query.shape) yield `${own}?limit=1&offset=${MAX_VALIDATORS - 2}`;
  }
  for (const window of ['1d', 'all']) {
    yield `/v0/eth/operators?idType=privateSet&window=${window}&size=1`;
    yield `/v0/eth/operators/${id}/summary?idType=privateSet&window=${window}`;
  }
}

slow('The work of each REST path of a private set of the largest size is bounded by its cost', async () => {
  const id = JSON.parse(known.setId as string);
  const { answered, over } = await heaviest(
    [...paths(id)],
    asking((path) => gateway.get(path)),
  );
  expect(over).toEqual([]);
  expect(answered).toBeGreaterThan(30);
});

const range = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ index: FIRST + from + n }));

async function makeView(name: string): Promise<string> {
  const { data } = await gateway.graphql(
    'mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { savedView { viewId } } }',
    { input: { name, path: '/explore/operators' } },
  );
  return data.createSavedView.savedView.viewId;
}

slow('The work of each mutation, and of one that is refused, is bounded by its cost', async () => {
  const full = await makeSet(MAX_VALIDATORS - 1);
  const nearly = await makeSet(MAX_VALIDATORS - MAX_ADDED, 2 * MAX_ADDED);
  const first = range(1, MAX_ADDED);
  const cases: [name: string, input: object][] = [
    ['createPrivateSet', { name: 'x', validators: range(0, MAX_ADDED) }],
    ['createPrivateSet', { name: 'x', validators: [...first.slice(1), { index: 99_999_999 }] }],
    ['addPrivateSetValidators', { setId: nearly, validators: first.slice(0, MAX_ADDED - 1) }],
    ['addPrivateSetValidators', { setId: nearly, validators: first.slice(0, MAX_ADDED - 1) }],
    ['addPrivateSetValidators', { setId: full, validators: range(MAX_VALIDATORS + MAX_ADDED, MAX_ADDED) }],
    ['removePrivateSetValidators', { setId: full, validators: range(2 * MAX_ADDED, MAX_ADDED) }],
    ['removePrivateSetValidators', { setId: full, validators: range(0, 1) }],
    ['removePrivateSetValidators', { setId: full, validators: range(2 * MAX_VALIDATORS, MAX_ADDED) }],
    ['renamePrivateSet', { setId: full, name: 'y' }],
    ['deletePrivateSet', { setId: full }],
    ['createSavedView', { name: 'x', path: '/explore/operators?range=7d' }],
    ['renameSavedView', { viewId: await makeView('y'), name: 'z' }],
    ['deleteSavedView', { viewId: await makeView('w') }],
  ];
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  expect([...new Set(cases.map(([name]) => name))].toSorted()).toEqual(
    fields.map(({ name }) => name).toSorted(),
  );
  const over: object[] = [];
  for (const [at, [name, input]] of cases.entries()) {
    const type = fields.find((field) => field.name === name)?.args[0]?.type;
    [statements, ofTransactions] = [[], 0];
    const { headers } = await gateway.graphql(
      `mutation ($input: ${type}) { ${name}(input: $input) { userErrors { message } } }`,
      { input },
    );
    const units = Number(headers.get('x-service-compute-units'));
    const work = ofTransactions + (await workOf(database, statements));
    const perUnit = Math.round(work / units);
    if (perUnit > MOST_WORK_A_UNIT) over.push({ at, name, perUnit, units, work });
    expect([at, ofTransactions > 0]).toEqual([at, true]);
  }
  expect(over).toEqual([]);
});

slow(
  'The work of an event of each subscription, with each field of what it has, is bounded by its cost',
  async () => {
    const all = Object.values(schema.getSubscriptionType()?.getFields() ?? {});
    const given: Record<string, string> = {
      blockAdded: '(after: 0)',
      slashingAdded: '(after: 0)',
      operatorChanged: `(operatorId: ${JSON.stringify(LARGE)}, idType: NODE_OPERATOR, window: ALL)`,
      privateSetChanged: `(setId: ${known.setId})`,
      datasetChanged: '',
    };
    expect(all.map(({ name }) => name).toSorted()).toEqual(Object.keys(given).toSorted());
    const texts = all.flatMap(({ name, type }) => {
      const payload = Object.values((getNamedType(type) as GraphQLObjectType).getFields());
      return payload.flatMap((field) => {
        const inner = getNamedType(field.type);
        if (!isObjectType(inner)) return [`subscription { ${name}${given[name]} { ${field.name} } }`];
        const of = new Map(
          [...fieldTexts(inner, known)].map((text) => [text.replace(/\W.*/, ''), text]).toReversed() as [
            string,
            string,
          ][],
        );
        return [...of.values()].map(
          (text) => `subscription { ${name}${given[name]} { ${field.name} { ${text} } } }`,
        );
      });
    });
    const { answered, over } = await heaviest(texts, async (text) => {
      statements = [];
      const stream = await subscribe(gateway, text);
      if (stream.status !== 200) return undefined;
      const { extensions, errors } = await stream.next();
      const own = statements;
      stream.close();
      await stream.ended;
      if (errors) {
        expect([text, errors[0].extensions.code]).toEqual([text, 'BAD_INPUT']);
        return undefined;
      }
      return { units: Math.max(1, extensions.cost.charged), work: () => workOf(database, own) };
    });
    expect(over).toEqual([]);
    expect(answered).toBeGreaterThan(30);
  },
);

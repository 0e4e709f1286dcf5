import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Statement } from '../../src/db/pool.ts';
import { isConnection } from '../../src/fast-rows/rewrite.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { paramDocument } from '../../src/kernel/params.ts';
import { routes } from '../../src/resources/index.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { LARGE, makeLargeOperator } from '../support/large-operator.ts';
import { slow, thorough } from '../support/thorough.ts';

// What PostgreSQL does for a request is bounded by what the request costs, whatever a caller asks for. The work is what
// the plans count, the rows of all their nodes and the blocks, which no machine changes.

/** Rows and blocks for each compute unit. */
const MOST_WORK_A_UNIT = 20_000;
const MANY_UNITS = 50;

let database: TestDatabase;
let gateway: Gateway;
let statements: Statement[] = [];
beforeAll(async () => {
  if (!thorough) return;
  database = await createDatabase('sample');
  await makeLargeOperator(database.pool);
  gateway = await startGateway({ database, onStatement: (statement) => statements.push(statement) });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

type Plan = Record<string, number | Plan[]> & { Plans?: Plan[] };
const rowsIn = (plan: Plan): number => {
  const rows = [
    'Actual Rows',
    'Rows Removed by Filter',
    'Rows Removed by Index Recheck',
    'Rows Removed by Join Filter',
  ];
  const once = rows.reduce((sum, name) => sum + Number(plan[name] ?? 0), 1);
  return once * Number(plan['Actual Loops']) + (plan.Plans ?? []).reduce((sum, one) => sum + rowsIn(one), 0);
};

const measured = new Map<string, number>();

/** Runs the statements of a request again, and adds up their work. */
async function workOf(asked: readonly Statement[]): Promise<number> {
  let work = 0;
  for (const { text, values } of asked) {
    const key = JSON.stringify([text, values]);
    const before = measured.get(key);
    if (before !== undefined) {
      work += before;
      continue;
    }
    const explained = { text: `explain (analyze, buffers, timing off, format json) ${text}`, values };
    const { rows } = await database.pool.query(explained);
    const { Plan: plan } = (rows as { 'QUERY PLAN': [{ Plan: Plan }] }[]).flatMap(
      (row) => row['QUERY PLAN'],
    )[0] as {
      Plan: Plan;
    };
    const own = rowsIn(plan) + Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
    measured.set(key, own);
    work += own;
  }
  return work;
}

/** Values that find most in the data, by the name of an argument. */
const known: Record<string, string> = {
  operatorId: JSON.stringify(LARGE),
  parentId: JSON.stringify(LARGE),
  idType: 'NODE_OPERATOR',
  window: 'ALL',
  query: '"a"',
  text: '"a"',
  fromDay: '1600',
  fromEpoch: '1',
  fromDate: '"2024-01-01"',
  fromSlot: '1',
  slashed: 'false',
};
const texts: Record<string, string> = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  BigInt: '"1"',
  Decimal: '"1"',
  Date: '"2024-10-01"',
  DateTime: '"2024-10-01T00:00:00Z"',
  ID: '"x"',
};
const partners: Record<string, string> = {
  operatorId: 'idType',
  idType: 'operatorId',
};

/** Given together, they are one filter. */
const hasPartner = (field: GraphQLField<unknown, unknown>, { name }: GraphQLArgument) =>
  field.args.some((arg) => arg.name === partners[name] && !isRequiredArgument(arg));

/** All values of an enum or of an order, one value of anything else. */
function valuesOf(name: string, type: GraphQLInputType): string[] {
  const inner = getNullableType(type);
  if (isListType(inner)) return valuesOf(name, inner.ofType).map((value) => `[${value}]`);
  if (isEnumType(inner)) return known[name] ? [known[name]] : inner.getValues().map((value) => value.name);
  if (isInputObjectType(inner)) {
    const fields = Object.values(inner.getFields());
    const needed = fields.filter(isRequiredInputField);
    if (inner.isOneOf) return fields.map((one) => `{ ${one.name}: ${valuesOf(one.name, one.type)[0]} }`);
    if (needed.length === fields.length) {
      const own = needed.map((one) => valuesOf(one.name, one.type).map((value) => `${one.name}: ${value}`));
      const longest = Math.max(0, ...own.map(({ length }) => length));
      // Each value of each field at least once: the fields of an order, in one direction each.
      return Array.from(
        { length: longest },
        (_, at) => `{ ${own.map((values) => values[at % values.length]).join(', ')} }`,
      );
    }
    const each = fields.flatMap((one) =>
      valuesOf(one.name, one.type).map((value) => ({ name: one.name, text: `${one.name}: ${value}` })),
    );
    const narrowed = each.filter(({ name }) => name !== fields[0]?.name);
    return [
      ...each.map(({ text }) => `{ ${text} }`),
      ...narrowed.map(({ text }) => `{ ${each[0]?.text}, ${text} }`),
    ];
  }
  return [known[name] ?? texts[getNamedType(inner).name] ?? '"x"'];
}

const written = ({ name, type }: GraphQLArgument, value = valuesOf(name, type)[0]) => `${name}: ${value}`;

/** Of more filters times orders, all orders are taken without a filter and with the first one. */
const MOST_PRODUCTS = 60;

/** The arguments of a field: those that it needs, and with them each other one in turn, each with each order. */
function argumentsOf(field: GraphQLField<unknown, unknown>): string[] {
  const needed = field.args.filter(isRequiredArgument);
  const paging = new Set(['first', 'last', 'after', 'before', 'ids', 'indices', 'network', 'utc']);
  const others = field.args.filter((arg) => !isRequiredArgument(arg) && !paging.has(arg.name));
  const base = needed.map((arg) => written(arg));
  const order = others.find(({ name }) => name === 'orderBy');
  const orders = order
    ? ['', ...valuesOf(order.name, order.type).map((value) => written(order, value))]
    : [''];
  const filters = others
    .filter((arg) => arg !== order && !(arg.name === 'idType' && hasPartner(field, arg)))
    .flatMap((arg) =>
      valuesOf(arg.name, arg.type).map((value) => {
        const partner = field.args.find(
          ({ name }) => name === partners[arg.name] && !needed.some((one) => one.name === name),
        );
        return [written(arg, value), ...(partner ? [written(partner)] : [])].join(', ');
      }),
    );
  const all = ['', ...new Set(filters)];
  const isMuch = all.length * orders.length > MOST_PRODUCTS;
  return all.flatMap((filter, at) =>
    (isMuch && at > 1 ? [''] : orders).map((one) => [...base, filter, one].filter(Boolean).join(', ')),
  );
}

function selectionOf(field: GraphQLField<unknown, unknown>, totals: boolean): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  if (!isConnection(field)) return '{ __typename }';
  const row = getNamedType((type as GraphQLObjectType).getFields().nodes?.type as GraphQLInputType);
  const leaf = isObjectType(row)
    ? Object.values(row.getFields()).find(
        (one) => isLeafType(getNamedType(one.type)) && one.args.length === 0,
      )?.name
    : '__typename';
  return `{ ${totals ? 'totalCount' : ''} nodes { ${leaf ?? '__typename'} } }`;
}

function* fieldTexts(type: GraphQLObjectType): Generator<string> {
  for (const field of Object.values(type.getFields())) {
    for (const args of argumentsOf(field))
      for (const totals of isConnection(field) ? [true, false] : [false]) {
        const page = isConnection(field) ? ['first: 1'] : [];
        const all = [...page, args].filter(Boolean).join(', ');
        yield `${field.name}${all ? `(${all})` : ''} ${selectionOf(field, totals)}`;
      }
  }
}

function* documents(): Generator<string> {
  yield* [...fieldTexts(schema.getQueryType() as GraphQLObjectType)].map((text) => `{ ${text} }`);
  const operator = `operator(operatorId: ${known.operatorId}, idType: NODE_OPERATOR)`;
  for (const text of fieldTexts(schema.getType('Operator') as GraphQLObjectType))
    if (text.includes('first: 1')) yield `{ ${operator} { ${text} } }`;
}

const inPath: Record<string, string> = {
  operator_id: encodeURIComponent(LARGE),
  entity_id: encodeURIComponent(LARGE),
  consensus_slot: '1',
  day: '1600',
  validator_id: 'x',
};
const inQuery: Record<string, string> = {
  entityId: `${encodeURIComponent(LARGE)}&entityType=nodeOperator`,
  parentId: encodeURIComponent(LARGE),
  fromDay: '1600',
  fromDate: '2024-01-01',
  window: 'all',
};

function* paths(): Generator<string> {
  for (const { path, method = 'GET', query } of routes) {
    if (method !== 'GET' || /:id\b/.test(path)) continue;
    const own = path.replace(/:(\w+)/g, (_, name: string) => inPath[name] ?? 'x');
    const options = Object.entries(query.shape).map(([name, type]) => {
      const document = paramDocument(type);
      const given = (document?.schema.enum as string[] | undefined) ?? [];
      const values = inQuery[name] !== undefined ? [inQuery[name]] : given;
      return { name, required: document?.required, values };
    });
    const base = options.filter(({ required }) => required).map(({ name, values }) => `${name}=${values[0]}`);
    const others = options.filter(({ required, values }) => !required && values.length > 0);
    yield `${own}?${base.join('&')}`;
    for (const { name, values } of others)
      for (const value of values) {
        yield `${own}?${[...base, `${name}=${value}`].join('&')}`;
        if (name !== 'entityId' && 'entityId' in query.shape)
          yield `${own}?${[...base, `${name}=${value}`, `entityId=${inQuery.entityId}`].join('&')}`;
      }
  }
}

async function heaviest(
  asked: Iterable<string>,
  ask: (text: string) => Promise<{ status: number; headers: Headers }>,
) {
  const over: { text: string; perUnit: number; units: number; work: number }[] = [];
  const heavy = new Set<string>();
  let answered = 0;
  for (const text of asked) {
    const alike = text.replace(
      /,? ?(orderBy: \{[^}]*\}|(from|to)Da(y|te): [^,)]+)|&?(sort\w+|fromDa\w+)=[^&]*/g,
      '',
    );
    if (heavy.has(alike)) continue;
    statements = [];
    const { status, headers } = await ask(text);
    const own = statements;
    const units = Number(headers.get('x-service-compute-units'));
    if (status !== 200 || units === 0) continue;
    answered += 1;
    // Where the work is paid by its size, one order and period stands for all: each takes seconds.
    if (units > MANY_UNITS) heavy.add(alike);
    const work = await workOf(own);
    const perUnit = Math.round(work / units);
    if (perUnit > MOST_WORK_A_UNIT) over.push({ text, perUnit, units, work });
  }
  return { answered, over: over.toSorted((one, other) => other.perUnit - one.perUnit) };
}

slow(
  'The work of each GraphQL field, with each filter, order and total, is bounded by its cost',
  async () => {
    const { answered, over } = await heaviest([...documents()], (text) => gateway.graphql(text));
    expect(over).toEqual([]);
    expect(answered).toBeGreaterThan(300);
  },
);

slow('The work of each REST path, with each parameter, is bounded by its cost', async () => {
  const { answered, over } = await heaviest([...paths()], (path) => gateway.get(path));
  expect(over).toEqual([]);
  expect(answered).toBeGreaterThan(60);
});

import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { isConnection } from '../../src/fast-rows/rewrite.ts';
import { limits } from '../../src/graphql/run/limits.ts';
import { costOf } from '../../src/graphql/run/query-cost.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { fieldsIn } from '../support/answers.ts';
import { useGateway } from '../support/gateway.ts';
import { every, slow } from '../support/thorough.ts';

const gateway = useGateway();

type Field = GraphQLField<unknown, unknown>;
const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const fieldsOf = (type: Field['type']): Field[] => {
  const named = getNamedType(type);
  return isObjectType(named) || isInterfaceType(named) ? Object.values(named.getFields()) : [];
};
const isLeaf = (field: Field) => isLeafType(getNamedType(field.type));
/** A list or an object that has only leaves: a row can contain it besides its own leaves. */
const isPlain = (field: Field) => !isLeaf(field) && !field.resolve && fieldsOf(field.type).every(isLeaf);
const rowOf = (page: Field): Field['type'] =>
  (getNamedType(page.type) as GraphQLObjectType).getFields().nodes?.type as Field['type'];

/** What finds most in the sample data. */
const given: Record<string, string> = {
  operators: 'window: ALL, idType: DEPOSIT_ADDRESS',
  attestations: 'operatorId: "Alder Liquid", idType: POOL, granularity: HOUR',
  stakeAuthorities: 'window: ALL',
  syncCommitteeRewards: 'slot: 1',
  validatorRewards: 'network: SOLANA, validatorId: "x"',
  networkRewards: 'network: SOLANA',
  networkValidators: 'network: SOLANA',
  operatorConsolidationCapacities: 'window: ALL',
};
const pages = fieldsOf(schema.getQueryType() as GraphQLObjectType).filter(isConnection);

/** All leaves of a row, and its lists; each so many times. */
function row(type: Field['type'], again: number): string {
  const named = getNamedType(type);
  if (isInterfaceType(named)) {
    return schema
      .getPossibleTypes(named)
      .map((one) => `... on ${one.name} ${row(one, 0)}`)
      .join(' ')
      .replace(/^/, '{ ')
      .concat(' }');
  }
  const own = fieldsOf(type).filter((field) => isLeaf(field) || isPlain(field));
  const text = (field: Field) =>
    `${field.name}${
      isLeaf(field)
        ? ''
        : ` { ${fieldsOf(field.type)
            .map(({ name }) => name)
            .join(' ')} }`
    }`;
  const widest = own.filter(isPlain).at(-1) ?? own[0];
  return `{ ${own.map(text).join(' ')} ${widest ? times(again, (i) => `x${i}: ${text(widest)}`) : ''} }`;
}

type Shape = { name: string; write: (size: number) => string };
/** Documents that grow with a size: a page and pages within it, rows and aliases of them, with fragments. */
function* shapes(): Generator<Shape> {
  for (const page of pages) {
    const args = (size: number) =>
      `(${[given[page.name], `first: ${Math.min(size, 200)}`].filter(Boolean).join(', ')})`;
    const type = rowOf(page);
    const named = getNamedType(type).name;
    const rows = (again: number) => `fragment F on ${named} ${row(type, again)}`;
    yield {
      name: `${page.name}: roots, nodes and edges`,
      write: (size) =>
        `{ ${times(Math.max(1, Math.min(19, Math.floor(size / 20))), (i) => `r${i}: ${page.name}${args(size)} { totalCount nodes { ...F } edges { cursor node { ...F } } pageInfo { endCursor } }`)} } ${rows(0)}`,
    };
    yield {
      name: `${page.name}: aliases of rows`,
      write: (size) =>
        `{ ${page.name}${args(size)} { ${times(Math.min(29, Math.ceil(size / 7)), (i) => `n${i}: nodes { ...F }`)} } } ${rows(0)}`,
    };
    yield {
      name: `${page.name}: aliases within rows`,
      write: (size) =>
        `{ ${page.name}${args(size)} { nodes { ...F } } } ${rows(Math.min(29, Math.ceil(size / 7)))}`,
    };
    for (const inner of fieldsOf(type).filter(isConnection)) {
      const window = inner.args.some(({ name }) => name === 'window') ? 'window: ONE_DAY, ' : '';
      yield {
        name: `${page.name}: ${inner.name} of each`,
        write: (size) =>
          `{ ${page.name}${args(size)} { nodes { ${inner.name}(${window}first: ${Math.max(1, Math.floor(size / 2))}) { nodes { ...F } edges { cursor } } } } } fragment F on ${getNamedType(rowOf(inner)).name} ${row(rowOf(inner), 0)}`,
      };
    }
    for (const link of fieldsOf(type).filter(
      (field) =>
        !isLeaf(field) && !isConnection(field) && !isPlain(field) && isObjectType(getNamedType(field.type)),
    )) {
      const window = link.args.some(({ name }) => name === 'window') ? '(window: ALL)' : '';
      yield {
        name: `${page.name}: aliases of ${link.name}`,
        write: (size) =>
          `{ ${page.name}${args(size)} { nodes { ${times(Math.min(29, Math.ceil(size / 7)), (i) => `l${i}: ${link.name}${window} { ...F }`)} } } } fragment F on ${getNamedType(link.type).name} ${row(link.type, 0)}`,
      };
    }
  }
}

const estimate = (query: string) => costOf(schema, parse(query, { maxTokens: limits.tokens }), null, {});
const found = new Map<string, string>();

/** The largest document of a shape that is accepted. */
function largest({ name, write }: Shape): string {
  const known = found.get(name);
  if (known) return known;
  let [low, high] = [1, 200];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimate(write(middle)).passed) high = middle - 1;
    else low = middle;
  }
  found.set(name, write(low));
  return write(low);
}

describe('the largest accepted document of each shape', () => {
  it.each(
    every(
      9,
      [...shapes()].map((shape): [string, Shape] => [shape.name, shape]),
    ),
  )('is answered within the limits, and with no more than estimated: %s', async (_name, shape) => {
    const query = largest(shape);
    const { fields, bytes } = estimate(query);
    const { data, errors, text } = await gateway.graphql(query);
    for (const error of errors ?? []) expect(error.extensions.code).toBe('BAD_INPUT');
    expect(fieldsIn(data)).toBeLessThanOrEqual(fields);
    expect(text.length).toBeLessThanOrEqual(bytes + 2_000);
    expect(fields).toBeLessThanOrEqual(limits.fields);
    expect(bytes).toBeLessThanOrEqual(limits.bytes);
  });

  it('is near a limit, or has all rows of its list', () => {
    const used = [...shapes()].map((shape) => {
      const cost = estimate(largest(shape));
      return Math.max(cost.fields / limits.fields, cost.bytes / limits.bytes, cost.rows / limits.rows);
    });
    expect(used.filter((share) => share > 0.5).length).toBeGreaterThan(used.length / 2);
  });
});

/** The names of a type's leaves. */
const leaves = (name: string) =>
  fieldsOf(schema.getType(name) as GraphQLObjectType)
    .filter((field) => isLeaf(field))
    .map((field) => field.name)
    .join(' ');

const attestations = (size: number, of = 0) =>
  `a${of}: attestations(operatorId: "Alder Liquid", idType: POOL, granularity: HOUR, first: ${size})`;
const fields = 'day date hour startEpoch endEpoch validatorCount sumCorrectHead sumCorrectSource';

describe('a large answer', () => {
  const page = 'operators(window: ALL, first: 200)';
  const large = `{ ${page} { nodes { operatorId attestations(first: 14) { nodes { ${fields} } } slashings(first: 3) { nodes { id } } } } wrong: slashings(first: 0) { totalCount } }`;

  it('is the same compiled and not, also with errors', async () => {
    expect(estimate(large).fields).toBeGreaterThan(30_000);
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push((await gateway.graphql(large)).text);
    expect(answers[0]).toContain('first is 0');
    expect(answers.slice(1)).toEqual([answers[0], answers[0]]);
  });

  it('is the answer that its parts have by themselves', async () => {
    const several = `{ ${times(5, (i) => `${attestations(400 + i, i)} { nodes { ${fields} } }`)} }`;
    expect(estimate(several).fields).toBeGreaterThan(15_000);
    const whole = await gateway.graphql(several);
    for (let i = 0; i < 5; i += 1) {
      const { data } = await gateway.graphql(`{ ${attestations(400 + i, i)} { nodes { ${fields} } } }`);
      expect(whole.data[`a${i}`]).toEqual(data[`a${i}`]);
    }
  });

  it('takes no more statements than a small one: one a level', async () => {
    gateway.statements.length = 0;
    await gateway.graphql(large);
    const counts = [...new Set(gateway.statements)].map(
      (name) => gateway.statements.filter((other) => other === name).length,
    );
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});

describe('the limits of answers', () => {
  it.each([
    [
      'fields',
      `{ operators(window: ALL, first: 200) { ${times(29, (i) => `a${i}: nodes { ...F }`)} } }
       fragment F on Operator { summary(window: ALL) ${row(schema.getType('OperatorSummary') as GraphQLObjectType, 0)} }`,
    ],
    [
      'bytes',
      `{ operators(window: ALL, first: 100) { nodes { validators(first: 190) { nodes {
         ${times(4, (i) => `a${i}: validatorPubkey`)} } } } } }`,
    ],
  ])('refuse a document before a statement runs, compiled or not: %s', async (limit, query) => {
    for (let time = 0; time < 3; time += 1) {
      gateway.statements.length = 0;
      const { errors } = await gateway.graphql(query);
      const max = limits[limit as 'fields'];
      expect(errors?.[0].extensions).toMatchObject({ code: 'QUERY_LIMIT', limit, max });
      expect(errors?.[0].message).toContain(`${max} ${limit} in the answer`);
      expect(gateway.statements).toEqual([]);
    }
  });

  // The arguments name the operator; ids are for caches.
  const periods = leaves('AttestationRecord').replace(/\b(id|operatorId) /g, '');
  it.each([
    ['1,000 periods, thrice', `{ ${times(3, (i) => `${attestations(1_000, i)} { nodes { ${periods} } }`)} }`],
    [
      '100 operators with 30 days each',
      `{ operators(window: ALL, first: 100) { nodes { operatorId attestations(first: 30) { nodes { ${periods} } } } } }`,
    ],
    [
      '200 operators',
      `{ operators(window: ALL, first: 200) { nodes ${row(schema.getType('Operator') as never, 0)} } }`,
    ],
    [
      '200 stake authorities',
      `{ stakeAuthorities(window: ALL, first: 200) { nodes ${row(schema.getType('StakeAuthority') as never, 0)} } }`,
    ],
    [
      '200 days of whichever network',
      `{ networkRewards(network: SOLANA, first: 200) { nodes ${row(schema.getType('NetworkReward') as never, 0)} } }`,
    ],
  ])('let pass what a client asks for, with all fields: %s', async (_name, query) => {
    expect((await gateway.graphql(query)).errors).toBeUndefined();
  });
});

describe('an answer with very many errors', () => {
  slow('lists 100 of them, compiled or not, and says how many more there are', async () => {
    const query =
      '{ validators(first: 200) { nodes { operators { history(window: ALL) { totalCount } } } } }';
    for (const _ of [1, 2, 3]) {
      const { errors = [] } = await gateway.graphql(query);
      expect(errors).toHaveLength(101);
      expect(errors.at(-1)).toMatchObject({
        message: expect.stringMatching(/^\d+ more errors are not listed\.$/),
        extensions: { code: 'BAD_INPUT' },
      });
    }
  });
});

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { routes } from '../../src/resources/index.ts';
import { useGateway } from '../support/gateway.ts';
import { numbers, texts, unstorable } from '../support/hostile.ts';
import { every } from '../support/thorough.ts';

/** Values that a cast, a column or JSON in SQL may not take, for every place of the interface that takes a value. */
const gateway = useGateway();

type Given = Record<string, unknown>;
const given: Given = { window: 'ALL', idType: 'POOL', first: 1, validatorIndex: 1, slot: 1 };

/** A valid value, for the other values that a request needs. */
function fitting(name: string, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return fitting(name, type.ofType);
  if (isListType(type)) return [fitting(name, type.ofType)];
  if (isEnumType(type)) {
    const names = type.getValues().map((value) => value.name);
    return names.find((value) => value === given[name]) ?? names[0];
  }
  if (isInputObjectType(type)) {
    const all = Object.values(type.getFields());
    const fields = type.isOneOf ? all.slice(0, 1) : all.filter(isRequiredInputField);
    return Object.fromEntries(fields.map((field) => [field.name, fitting(field.name, field.type)]));
  }
  const values: Given = { Int: 1, Float: 1.5, Boolean: true, BigInt: '1', Decimal: '1.5' };
  const more: Given = { Date: '2026-01-01', DateTime: '2026-01-01T00:00:00Z' };
  return given[name] ?? values[type.name] ?? more[type.name] ?? 'x';
}

/** Each place inside a value of the type, as a function that puts a value there. */
type Place = { path: string; put: (value: unknown) => unknown };
function placesOf(name: string, type: GraphQLInputType): Place[] {
  if (isNonNullType(type)) return placesOf(name, type.ofType);
  if (isListType(type))
    return placesOf(name, type.ofType).map(({ path, put }) => ({ path, put: (value) => [put(value)] }));
  if (!isInputObjectType(type)) return [{ path: name, put: (value) => value }];
  return Object.values(type.getFields()).flatMap((field) =>
    placesOf(field.name, field.type).map(({ path, put }) => ({
      path: `${name}.${path}`,
      put: (value) => ({
        ...(type.isOneOf ? {} : (fitting(name, type) as object)),
        [field.name]: put(value),
      }),
    })),
  );
}

type Field = GraphQLField<unknown, unknown>;
type Step = { field: Field; own: Given };
const argumentsOf = ({ args }: Field, but?: GraphQLArgument): Given =>
  Object.fromEntries(
    args
      .filter((arg) => arg !== but && (isRequiredArgument(arg) || arg.name === 'first'))
      .map(({ name, type }) => [name, fitting(name, type)]),
  );

/** The shortest way from a root type to each object type. */
function waysFrom(root: GraphQLObjectType): Map<GraphQLObjectType, Step[]> {
  const ways = new Map<GraphQLObjectType, Step[]>([[root, []]]);
  for (const [type, way] of ways)
    for (const field of Object.values(type.getFields())) {
      const inner = getNamedType(field.type);
      if (isObjectType(inner) && !ways.has(inner))
        ways.set(inner, [...way, { field, own: argumentsOf(field) }]);
    }
  return ways;
}

const takesMore = (arg: GraphQLArgument) => getNamedType(arg.type).name !== 'Boolean';

function literal(value: unknown, type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(value, type.ofType);
  if (isListType(type)) return `[${(value as unknown[]).map((each) => literal(each, type.ofType)).join()}]`;
  if (isEnumType(type)) return String(value);
  if (!isInputObjectType(type)) return JSON.stringify(value);
  const fields = type.getFields();
  return `{ ${Object.entries(value as object).map(([key, each]) => `${key}: ${literal(each, fields[key]?.type as never)}`)} }`;
}

function callText(field: Field, own: Given, inner: string, arg?: GraphQLArgument): string {
  const texts = Object.entries(own).map(([name, value]) => {
    const { type } = field.args.find((each) => each.name === name) as GraphQLArgument;
    return `${name}: ${literal(value, type)}`;
  });
  if (arg) texts.push(`${arg.name}: $value`);
  return `${field.name}${texts.length > 0 ? `(${texts.join(', ')})` : ''} ${inner}`;
}

/** A query whose variable `$value` is an argument. */
function queryFor(kind: string, way: Step[], field: Field, arg: GraphQLArgument): string {
  const plain = getNamedType(field.type);
  const isLeaf = !('getFields' in plain || 'getTypes' in plain);
  const own = callText(field, argumentsOf(field, arg), isLeaf ? '' : selectionOf(plain as never), arg);
  const text = way.reduceRight((inner, step) => callText(step.field, step.own, `{ ${inner} }`), own);
  return `${kind} ($value: ${arg.type}) { ${text} }`;
}

/** Fields that make a resolver read: rows of a list, not its type alone. */
function selectionOf(type: { getFields?: () => Record<string, Field> }): string {
  const fields = type.getFields?.() ?? {};
  const nodes = fields.nodes;
  const leaf = (of: Record<string, Field>) =>
    Object.values(of).find((each) => each.args.length === 0 && !('getFields' in getNamedType(each.type)))
      ?.name;
  if (nodes)
    return `{ nodes { ${leaf((getNamedType(nodes.type) as GraphQLObjectType).getFields?.() ?? {}) ?? '__typename'} } }`;
  return `{ ${leaf(fields) ?? '__typename'} }`;
}

type Case = { name: string; query: string; put: Place['put']; path: string; kind: string };
const cases: Case[] = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = (kind === 'query' ? schema.getQueryType() : schema.getMutationType()) as GraphQLObjectType;
  return [...waysFrom(root)].flatMap(([type, way]) =>
    Object.values(type.getFields()).flatMap((field) =>
      field.args.filter(takesMore).flatMap((arg) =>
        placesOf(arg.name, arg.type).map(({ path, put }) => ({
          name: `${type.name}.${field.name}(${path})`,
          ...{ kind, query: queryFor(kind, way, field, arg), put, path },
        })),
      ),
    ),
  );
});

/** Each place is tried with a quarter of the values, the next place with the next quarter; each type has many places. */
const quarter = <T>(values: readonly T[], place: number): T[] =>
  values.filter((_, index) => (index + place) % 4 === 0);
const others = texts.filter((text) => !unstorable.includes(text));

const codesOf = (errors: any[] = []) => errors.map(({ extensions }) => extensions.code);

it('every argument is found', () => {
  expect(cases.length).toBeGreaterThan(300);
});

it.each(every(24, cases).map((each, index) => [each.name, each, index] as const))(
  'of GraphQL: %s refuses what it cannot take, by a code of its own',
  async (_name, { query, put, path }, index) => {
    for (const value of [...unstorable, ...quarter([...others, ...numbers, {}, []], index)]) {
      const { status, json } = await gateway.graphql(query, { value: put(value) });
      expect([query, value, status, codesOf(json.errors)]).toEqual([
        query,
        value,
        expect.toSatisfy((code: number) => code < 500),
        expect.not.arrayContaining(['INTERNAL', 'UNAVAILABLE']),
      ]);
      if (typeof value !== 'string' || !unstorable.includes(value)) continue;
      expect([query, value, codesOf(json.errors)]).toEqual([query, value, ['BAD_INPUT']]);
      const [{ message }] = json.errors;
      const inner = path.split('.').slice(1);
      expect(message.replaceAll('.0', '')).toContain(['$value', ...inner].join('.'));
      expect(message).toContain(`is ${JSON.stringify(value)}, which contains `);
    }
  },
  120_000,
);

const places = routes.flatMap((route) => {
  const { method = 'GET', example } = route;
  const [path = '', query = ''] = example.split('?');
  const at = (change: (search: URLSearchParams) => void) => {
    const search = new URLSearchParams(query);
    change(search);
    return `${path}?${search}`;
  };
  const parts = route.path.split('/');
  return [
    ...Object.keys(route.query.shape).map((name) => ({
      name: `${method} ${route.path} ?${name}`,
      method,
      url: (value: string) => at((search) => search.set(name, value)),
    })),
    ...Object.keys(route.params.shape).map((name) => ({
      name: `${method} ${route.path} ${name}`,
      method,
      url: (value: string) =>
        path
          .split('/')
          .map((part, index) => (parts[index] === `:${name}` ? encodeURIComponent(value) : part))
          .join('/'),
    })),
  ];
});

const wellFormed = texts.filter((text) => !/\p{Cs}/u.test(text));
/** Bytes that are not UTF-8: a lone surrogate, and other text. */
const bytes = ['%ed%a0%80', '%ff', '%c0%80', '%f8%88%80%80%80'];

it.each(every(24, places).map((each, index) => [each.name, each, index] as const))(
  'of REST: %s refuses what it cannot take',
  async (_name, { method, url }, index) => {
    const urls = [
      ...quarter(wellFormed, index).map(url),
      ...bytes.map((text) => url('BYTES').replace('BYTES', text)),
    ];
    for (const asked of urls) {
      const { status } = await gateway.fetch(asked, {
        method,
        headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
        ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
      });
      expect([asked, status < 500]).toEqual([asked, true]);
    }
  },
  120_000,
);

import { readFileSync } from 'node:fs';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, gql as urqlDocument } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import {
  type DocumentNode,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseType,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import relay from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { exampleQueries } from '../../src/http/pages/examples.ts';
import { useGateway } from '../support/gateway.ts';
import { compileRelay, relayEnvironment } from '../support/relay.ts';
import { every } from '../support/thorough.ts';

const { createOperationDescriptor, fetchQuery, getRequest }: Record<string, any> = relay;
const gateway = useGateway();

const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const blocksOf = (file: string) =>
  [...textOf(file).matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text]) => text as string);
const documents: { from: string; text: string; variables?: object }[] = [
  ...[...textOf('README.md').matchAll(/-d '(\{"query".*\})'/g)].map(([, body]) => ({
    from: 'README.md',
    text: JSON.parse(body as string).query as string,
  })),
  ...['docs/graphql.md', 'docs/dashboards.md'].flatMap((from) =>
    blocksOf(from).map((text) => ({ from, text })),
  ),
  ...exampleQueries.map(({ query: text, variables }) => ({
    from: 'GraphiQL',
    text,
    ...(variables && { variables }),
  })),
];
/** Documents with a window whose response comes in one part. */
const windowed = documents.filter(({ text }) => /window:/.test(text) && !text.includes('@defer'));

/** Named as Relay needs it, with the ids that clients ask for, and with its first window as the variable `window`. */
function withWindow(text: string, name: string): DocumentNode {
  const info = new TypeInfo(schema);
  let first: string | undefined;
  const document: DocumentNode = visit(
    parse(text),
    visitWithTypeInfo(info, {
      Argument(node) {
        if (node.name.value !== 'window' || node.value.kind !== Kind.ENUM) return undefined;
        first ??= node.value.value;
        if (node.value.value !== first) return undefined;
        return { ...node, value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: 'window' } } };
      },
      SelectionSet(node) {
        const type = info.getParentType();
        if (!(isObjectType(type) || isInterfaceType(type)) || !type.getFields().id) return undefined;
        if (node.selections.some((one) => one.kind === Kind.FIELD && one.name.value === 'id'))
          return undefined;
        const id = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } } as const;
        return { ...node, selections: [id, ...node.selections] };
      },
    }),
  );
  const [operation] = document.definitions as OperationDefinitionNode[];
  const { variableDefinitions = [] } = operation as OperationDefinitionNode;
  const own = {
    kind: Kind.VARIABLE_DEFINITION,
    variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: 'window' } },
    type: parseType('TimeWindow!'),
  } as const;
  const given = variableDefinitions.some(({ variable }) => variable.name.value === 'window');
  const definitions = given ? variableDefinitions : [...variableDefinitions, own];
  const named = { kind: Kind.NAME, value: `${name}Query` } as const;
  return {
    ...document,
    definitions: [{ ...operation, name: named, variableDefinitions: definitions } as OperationDefinitionNode],
  };
}

const cases = windowed.map(({ from, text, variables }, index) => ({
  title: `${from}: ${/query (\w+)/.exec(text)?.[1] ?? text.trim().slice(0, 60)}`,
  name: `documented${index}`,
  document: withWindow(text, `documented${index}`),
  variables: { fromDate: '2025-01-01', ...variables } as Record<string, unknown>,
}));

let compiled: ReturnType<typeof compileRelay>;
beforeAll(async () => {
  const { data } = await gateway.graphql(
    '{ operators(window: ALL, idType: POOL, first: 3) { nodes { id } } }',
  );
  for (const { variables } of cases) variables.ids = data.operators.nodes.map(({ id }: { id: string }) => id);
  compiled = compileRelay(
    Object.fromEntries(cases.map(({ name, document }) => [name, `graphql\`${print(document)}\`;`])),
  );
});
afterAll(() => compiled?.remove());

type Ask = (one: (typeof cases)[number], variables: Record<string, unknown>) => Promise<unknown>;

function apollo(): Ask {
  const link = new HttpLink({
    uri: `${gateway.url}/graphql`,
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  return async ({ document }, variables) =>
    (await client.query({ query: gql(print(document)), variables })).data;
}

function urql(): Ask {
  const parts = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && !('id' in type.getFields()),
  );
  const client = new Client({
    url: `${gateway.url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${gateway.token}` } },
    exchanges: [
      cacheExchange({ keys: Object.fromEntries(parts.map(({ name }) => [name, () => null])) }),
      fetchExchange,
    ],
  });
  return async ({ document }, variables) => {
    const { data, error } = await client.query(urqlDocument(print(document)), variables).toPromise();
    if (error) throw error;
    return data;
  };
}

function relayStore(): Ask {
  const environment = relayEnvironment(gateway);
  return async ({ name }, variables) => {
    const query = await compiled.artifact(`${name}Query`);
    environment.retain(createOperationDescriptor(getRequest(query), variables));
    return fetchQuery(environment, query, variables, { fetchPolicy: 'store-or-network' }).toPromise();
  };
}

/** Without the names of types that clients add. */
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_key, one) => {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return one;
    const { __typename, ...rest } = one;
    return rest;
  });

describe.each([
  ['Apollo Client', apollo],
  ["urql's graphcache", urql],
  ['Relay', relayStore],
] as const)('the cache of %s', (_client, clientOf) => {
  it.each(every(3, cases))(
    'has the figures of a window again after those of another one: $title',
    async (one) => {
      const ask = clientOf();
      const used = new Set(
        one.document.definitions.flatMap((definition) =>
          (definition as OperationDefinitionNode).variableDefinitions?.map(
            ({ variable }) => variable.name.value,
          ),
        ),
      );
      const given = (window: string) =>
        Object.fromEntries(Object.entries({ ...one.variables, window }).filter(([name]) => used.has(name)));
      const [week, month] = [given('SEVEN_DAYS'), given('THIRTY_DAYS')];
      const uncached = async (variables: object) => {
        const { data, errors } = await gateway.graphql(print(one.document), variables);
        expect(errors).toBeUndefined();
        return data;
      };
      const [ofWeek, ofMonth] = [await uncached(week), await uncached(month)];
      expect(plain(await ask(one, week))).toEqual(ofWeek);
      expect(plain(await ask(one, month))).toEqual(ofMonth);
      gateway.statements.length = 0;
      expect(plain(await ask(one, week))).toEqual(ofWeek);
      expect(gateway.statements).toEqual([]);
    },
  );

  it('is asked for documents of each of the places', () => {
    expect(cases.length).toBeGreaterThan(8);
    expect(new Set(windowed.map(({ from }) => from)).size).toBe(4);
  });
});

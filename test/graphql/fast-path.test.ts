import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as jit from '../../src/graphql/run/compiled-queries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// Whether a request was answered in the quick way is seen on the compiled queries that were run.
const ran = vi.hoisted(() => ({ count: 0 }));
vi.mock('../../src/graphql/run/compiled-queries.ts', async (original) => {
  const real = await original<typeof jit>();
  return {
    compiledQueries() {
      const find = real.compiledQueries();
      return (text: string, name: string | null | undefined) => {
        const query = find(text, name);
        if (!query) return undefined;
        return {
          ...query,
          run(...args: Parameters<typeof query.run>) {
            ran.count += 1;
            return query.run(...args);
          },
        };
      };
    },
  };
});

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { CACHE: false } }); // or kept answers would be compared
});
afterAll(() => gateway.close());

type Asked = { body: Record<string, unknown>; headers?: Record<string, string> };

async function ask({ body, headers }: Asked) {
  const before = ran.count;
  const answer = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.token}`,
      'content-type': 'application/json',
      'x-request-id': 'the-same',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const shown = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'));
  return { quick: ran.count > before, answer: { status: answer.status, headers: shown, text: answer.text } };
}

/** Asks the same four times: a document is compiled when it comes again, so the first is Yoga's and the last is not. */
async function firstAndLast(asked: Asked) {
  const first = await ask(asked);
  await ask(asked);
  await ask(asked);
  return { first, last: await ask(asked) };
}

const page = 'operators(window: SEVEN_DAYS, idType: POOL, first: 3)';
const rows = `{ ${page} { totalCount edges { cursor node { id operatorId summary(window: SEVEN_DAYS) { validatorCount aprPercentage } } } pageInfo { endCursor hasNextPage } } }`;
const named = `query A($n: Int = 2, $w: TimeWindow!) { operators(window: $w, idType: POOL, first: $n) { nodes { displayName } } }
  query B { slashings(first: 1) { nodes { id slashingPenalties } } }`;
const unique = (index: number) => ` # ${index}`; // a document of its own for each case

const plain: [string, Asked][] = [
  ['rows', { body: { query: rows } }],
  [
    'rows, with everything that may be given',
    { body: { query: rows, variables: null, operationName: null, extensions: {} } },
  ],
  ['variables', { body: { query: named, operationName: 'A', variables: { w: 'ALL', n: 4 } } }],
  ['the default of a variable', { body: { query: named, operationName: 'A', variables: { w: 'ONE_DAY' } } }],
  ['another operation', { body: { query: named, operationName: 'B' } }],
  ['nothing', { body: { query: '{ slashing(by: { index: 2147483647 }) { id } }' } }],
  [
    'one of two names',
    {
      body: {
        query: 'query ($by: ValidatorBy!) { validator(by: $by) { id } }',
        variables: { by: { index: 1 } },
      },
    },
  ],
  ['__typename', { body: { query: '{ __typename }' } }],
  [
    'a refused argument',
    {
      body: {
        query: '{ operators(window: ALL, first: 0) { totalCount } slashings(first: 1) { totalCount } }',
      },
    },
  ],
  [
    'two refused arguments',
    {
      body: {
        query: '{ a: operators(window: ALL, first: 500) { totalCount } b: operator(operatorId: "") { id } }',
      },
    },
  ],
  ['refused global ids', { body: { query: '{ nodes(ids: ["garbage"]) { id } }' } }],
  [
    'a fragment with directives',
    {
      body: {
        query: `query ($yes: Boolean!) { ${page} { ...F } } fragment F on OperatorConnection { nodes { displayName @skip(if: $yes) operatorId @include(if: $yes) } }`,
        variables: { yes: true },
      },
    },
  ],
  [
    'lines of their own',
    {
      body: {
        query:
          '{\r\n  operators(window: ALL,\n first: 0) { totalCount }\r  slashings(first: -1) { totalCount } }',
      },
    },
  ],
  [
    'relations of which all or one is refused, beside others',
    {
      body: {
        query: `{ ${page} { nodes { displayName bad: attestations(first: 5000) { nodes { day } } good: attestations(first: 2) { nodes { day } } } } }`,
      },
    },
  ],
  ...[
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/*',
    'application/graphql-response+json, application/json;q=0.9',
    'application/json;q=0.1, application/graphql-response+json',
    'text/html, application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'multipart/mixed, application/json',
  ].map((accept): [string, Asked] => [
    `rows to Accept: ${accept}`,
    { body: { query: rows }, headers: { accept } },
  ]),
  ['rows of another network', { body: { query: rows }, headers: { 'x-service-network': 'hoodi' } }],
  ['rows in brotli', { body: { query: rows.replace('3', '60') }, headers: { 'accept-encoding': 'br' } }],
  ['rows to another origin', { body: { query: rows }, headers: { origin: 'https://example.org' } }],
];

const other: [string, Asked][] = [
  ['a syntax error', { body: { query: '{' } }],
  ['an unknown field', { body: { query: '{ nope }' } }],
  ['no such operation', { body: { query: named, operationName: 'C' } }],
  ['an operation that is not named', { body: { query: named } }],
  ['a variable of the wrong kind', { body: { query: named, operationName: 'A', variables: { w: 'WEEK' } } }],
  ['a variable that is missing', { body: { query: named, operationName: 'A' } }],
  [
    'null in place of the default of a directive',
    {
      body: {
        query: `query ($no: Boolean = true) { datasets @skip(if: $no) { name } ${page} { totalCount } }`,
        variables: { no: null },
      },
    },
  ],
  [
    'null in place of the default of an entry',
    { body: { query: 'query ($id: ID = "x") { nodes(ids: [$id]) { id } }', variables: { id: null } } },
  ],
  ...[{}, { index: 1, pubkey: '0x' }, { index: null }, 5].map((by): [string, Asked] => [
    `${JSON.stringify(by)} in place of one of two names`,
    {
      body: { query: 'query ($by: ValidatorBy!) { validator(by: $by) { id } }', variables: { by } },
    },
  ]),
  ['a variable with a NUL', { body: { query: rows, variables: { x: 'a\0' } } }],
  ['variables that are no object', { body: { query: rows, variables: [1] } }],
  ['an operation name that is no text', { body: { query: rows, operationName: 5 } }],
  ['a key that is not known', { body: { query: rows, id: 1 } }],
  [
    'too many rows',
    {
      body: {
        query:
          '{ operators(window: ALL, first: 200) { nodes { attestations(first: 1000) { nodes { day } } } } }',
      },
    },
  ],
  [
    'too many fields',
    { body: { query: `{ ${Array.from({ length: 25 }, (_, index) => `a${index}: __typename`).join(' ')} }` } },
  ],
  ['introspection', { body: { query: '{ __schema { queryType { name } } }' } }],
  [
    'a mutation',
    { body: { query: 'mutation { deletePrivateSet(input: { setId: "x" }) { userErrors { code } } }' } },
  ],
  ['an Accept of nothing here', { body: { query: rows }, headers: { accept: 'application/xml' } }],
  ['a network that is not one', { body: { query: rows }, headers: { 'x-service-network': 'other' } }],
];

describe('a query that comes again', () => {
  it.each(plain)('is answered as at first, header for header and byte for byte: %s', async (name, asked) => {
    const query = String(asked.body.query) + unique(plain.findIndex(([known]) => known === name));
    const { first, last } = await firstAndLast({ ...asked, body: { ...asked.body, query } });
    expect([first.quick, last.quick]).toEqual([false, true]);
    expect(last.answer).toEqual(first.answer);
  });

  it.each(other)('is left to Yoga where it is not plain or not well: %s', async (_name, asked) => {
    const { first, last } = await firstAndLast(asked);
    expect(first.answer).toEqual(last.answer);
  });

  slow('is 503 with Retry-After at any time when the database is away', async () => {
    const own = await startGateway();
    try {
      const query = { query: rows };
      for (let time = 0; time < 3; time += 1) await own.graphql(query.query);
      await own.database.drop();
      const { status, headers, errors } = await own.graphql(query.query);
      expect([status, headers.get('retry-after'), errors?.[0].extensions]).toEqual([
        503,
        '5',
        { code: 'UNAVAILABLE' },
      ]);
    } finally {
      await own.close().catch(() => undefined);
    }
  });
});

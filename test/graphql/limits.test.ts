import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/graphql/schema/index.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Asks, and fails when the answer takes longer than any honest one does. */
const ask = async (query: string, more: object = {}, headers: Record<string, string> = {}) => {
  const start = performance.now();
  const { json } = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, ...more }),
  });
  expect(performance.now() - start).toBeLessThan(5_000);
  return json;
};
/** The bounds that a query passes; what is answered is none. */
const passed = async (query: string, more: object = {}) => {
  const { errors } = await ask(query, more);
  for (const error of errors ?? []) expect(error.extensions.code).toBe('QUERY_LIMIT');
  return errors?.map((error: any) => `${error.extensions.limit} ${error.extensions.max}`) ?? [];
};

describe('a query of 2,000 tokens', () => {
  // Five tokens an operation; one is run, all are counted.
  const operations = (more: string) => times(400, (i) => `query Q${i} { __typename ${i === 0 ? more : ''} }`);
  const operationName = 'Q1';

  it('is answered', async () => {
    expect((await ask(operations(''), { operationName })).data).toEqual({ __typename: 'Query' });
  });

  it('and one more is refused', async () => {
    expect(await passed(operations('__typename'), { operationName })).toEqual(['tokens 2000']);
  });

  it('is not made longer by comments, commas and spaces', async () => {
    expect(await passed(`{ __typename ${'# a comment,,,  \n'.repeat(5_000)} }`)).toEqual([]);
  });
});

describe('a query of 15 levels', () => {
  /** operators, nodes and `in` below one another: so many levels with the leaf. */
  const inner = (levels: number): string =>
    levels === 1 ? 'validatorCount' : `in(window: ALL) { ${inner(levels - 1)} }`;
  const shapes: [string, (levels: number) => string][] = [
    ['plain fields', (levels) => `{ operators(window: ALL) { nodes { ${inner(levels - 2)} } } }`],
    [
      'inline fragments',
      (levels) =>
        `{ ... { operators(window: ALL) { nodes { ... on Operator { ... { ${inner(levels - 2)} } } } } } }`,
    ],
    [
      'fragments',
      (levels) => `fragment A on Operator { ...B } fragment B on Operator { in(window: ALL) { ...C } }
        fragment C on Operator { ${inner(levels - 3)} } { operators(window: ALL) { nodes { ...A } } }`,
    ],
  ];

  it.each(shapes)('is answered, and of 16 refused: %s', async (_name, query) => {
    expect(await passed(query(15))).toEqual([]);
    expect(await passed(query(16))).toEqual(['depth 15']);
  });
});

describe('a query of 30 aliases', () => {
  const shapes: [string, (count: number) => string][] = [
    ['of fields', (count) => `{ slashings { ${times(count, (i) => `a${i}: totalCount`)} } }`],
    [
      'at several levels',
      (count) => `{ a: slashings { b: nodes { ${times(count - 2, (i) => `c${i}: id`)} } } }`,
    ],
    ['as __typename', (count) => `{ slashings { ${times(count, () => '__typename')} } }`],
    ['of __typename', (count) => `{ slashings { ${times(count, (i) => `a${i}: __typename`)} } }`],
    [
      'in inline fragments',
      (count) => `{ slashings { ${times(count, (i) => `... { a${i}: totalCount }`)} } }`,
    ],
    [
      'in a fragment spread twice',
      (
        count,
      ) => `fragment F on SlashingConnection { ${times(Math.floor(count / 2), (i) => `a${i}: totalCount`)} }
        { slashings { ...F ...F ${count % 2 ? 'b: totalCount' : ''} } }`,
    ],
    ['in introspection', (count) => `{ __schema { ${times(count, (i) => `a${i}: queryType { name }`)} } }`],
  ];

  it.each(shapes)('is answered, and of 31 refused: %s', async (_name, query) => {
    expect(await passed(query(30))).toEqual([]);
    expect(await passed(query(31))).toEqual(['aliases 30']);
  });
});

describe('a query of 20 root fields', () => {
  const field = () => 'slashings { totalCount }';
  const shapes: [string, (count: number) => string][] = [
    ['plain', (count) => `{ ${times(count, field)} }`],
    ['in an inline fragment', (count) => `{ ${field()} ... on Query { ${times(count - 1, field)} } }`],
    ['in a fragment', (count) => `fragment F on Query { ${times(count - 1, field)} } { ${field()} ...F }`],
  ];

  it.each(shapes)('is answered, and of 21 refused: %s', async (_name, query) => {
    expect(await passed(query(20))).toEqual([]);
    expect(await passed(query(21))).toEqual(['rootFields 20']);
  });
});

describe('a hostile query', () => {
  const chain = (type: string, count: number, last: string) =>
    times(
      count,
      (i) => `fragment F${i} on ${type} { ${i < count - 1 ? `...F${i + 1} ...F${i + 1}` : last} }`,
    );

  it('of 100 fragments that each spread the next twice is refused quickly', async () => {
    expect(await passed(`{ ...F0 } ${chain('Query', 100, '__typename')}`)).toEqual([
      'aliases 30',
      'rootFields 20',
    ]);
  });

  it('of such fragments below the bounds is answered quickly', async () => {
    const query = `{ slashings { nodes { ...F0 } } } ${chain('Slashing', 100, 'validatorIndex')}`;
    expect((await ask(query)).data).toEqual({ slashings: { nodes: [] } });
  });

  it('whose fragments spread themselves is a bad query', async () => {
    for (const query of [
      'fragment A on Query { ...A } { ...A }',
      'fragment A on Query { ...B } fragment B on Query { ...A } { ...A }',
      'fragment A on Operator { in(window: ALL) { ...A } } { operators(window: ALL) { nodes { ...A } } }',
    ]) {
      const { errors } = await ask(query);
      expect(errors[0].extensions.code).toBe('BAD_QUERY');
      expect(errors[0].message).toMatch(/itself/);
    }
  });

  it.each([
    ['selections', 660, (count: number) => `${'{ a '.repeat(count)}${'}'.repeat(count)}`],
    ['inline fragments', 650, (count: number) => `${'{ ... '.repeat(count)}{ a }${'}'.repeat(count)}`],
    ['lists', 990, (count: number) => `{ nodes(ids: ${'['.repeat(count)}${']'.repeat(count)}) { id } }`],
    ['objects', 490, (count: number) => `{ nodes(ids: ${'{a:'.repeat(count)}1${'}'.repeat(count)}) { id } }`],
  ])('of 10,000 nested %s is refused, and of %i by name too', async (_name, within, query) => {
    expect(await passed(query(10_000))).toEqual([expect.stringMatching(/^(tokens|depth) /)]);
    expect((await ask(query(within))).errors[0].extensions.code).toMatch(/^(QUERY_LIMIT|BAD_QUERY)$/);
  });

  it.each([
    ['one field 1,900 times', `{ slashings { nodes { ${'id '.repeat(1_900)} } } }`],
    ['two fields in turn', `{ slashings { ${'nodes { id } '.repeat(450)} } }`],
    ['a fragment spread 900 times', `fragment F on Query { __typename } { ${'...F '.repeat(900)} }`],
    ['unknown fields', `{ ${times(1_900, (i) => `x${i}`)} }`],
    ['undefined variables', `{ nodes(ids: [${times(900, (i) => `$v${i}`)}]) { id } }`],
  ])('of %s is answered or refused quickly', async (_name, query) => {
    for (const error of (await ask(query)).errors ?? []) expect(error.extensions.code).not.toBe('INTERNAL');
  });

  it('is refused with 400 as application/graphql-response+json', async () => {
    const headers = { authorization: `Bearer ${gateway.token}`, accept: 'application/graphql-response+json' };
    for (const query of [`{ ${'a '.repeat(2_000)} }`, `{ ${'__typename '.repeat(31)} }`]) {
      const answer = await gateway.fetch('/graphql', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([400, 'QUERY_LIMIT']);
    }
  });
});

describe('introspection', () => {
  it('gives the whole schema, asked as graphql-js and GraphiQL ask', async () => {
    for (const options of [
      {},
      { descriptions: false },
      {
        schemaDescription: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        inputValueDeprecation: true,
        oneOf: true,
      },
    ]) {
      const { data, errors } = await ask(getIntrospectionQuery(options));
      expect(errors).toBeUndefined();
      if (!options.inputValueDeprecation) continue; // what is deprecated is not told without
      expect(`${printSchema(lexicographicSortSchema(buildClientSchema(data)))}\n`).toBe(schemaText());
    }
  });

  it('of lists within lists of types is refused', async () => {
    const fields = (depth: number): string => (depth ? `fields { type { ${fields(depth - 1)} } }` : 'name');
    const { errors } = await ask(`{ __schema { types { ${fields(4)} } } }`);
    expect(errors[0].extensions.code).toBe('BAD_QUERY');
  });
});

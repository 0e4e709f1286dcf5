import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/graphql/run/schema.ts';
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
/** The limits that a query exceeds; none if it is answered. */
const passed = async (query: string, more: object = {}) => {
  const { errors } = await ask(query, more);
  for (const error of errors ?? []) expect(error.extensions.code).toBe('QUERY_LIMIT');
  return errors?.map((error: any) => `${error.extensions.limit} ${error.extensions.max}`) ?? [];
};

describe('a query of 2,000 tokens', () => {
  // Each operation counts five tokens, without its first __typename. One operation is run, all are counted.
  const operations = (more: string) =>
    times(400, (i) => `query Q${i} { __typename __typename ${i === 0 ? more : ''} }`);
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
  /** Summaries and their operators below one another: so many levels with the leaf. */
  const inner = (levels: number): string =>
    levels <= 2
      ? (['operatorId', 'operatorTags { name }'][levels - 1] as string)
      : `summary(window: ALL) { operator { ${inner(levels - 2)} } }`;
  const shapes: [string, (levels: number) => string][] = [
    ['plain fields', (levels) => `{ operators(window: ALL) { nodes { ${inner(levels - 2)} } } }`],
    [
      'inline fragments',
      (levels) =>
        `{ ... { operators(window: ALL) { nodes { ... on Operator { ... { ${inner(levels - 2)} } } } } } }`,
    ],
    [
      'fragments',
      (
        levels,
      ) => `fragment A on Operator { ...B } fragment B on Operator { summary(window: ALL) { operator { ...C } } }
        fragment C on Operator { ${inner(levels - 4)} } { operators(window: ALL) { nodes { ...A } } }`,
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
    ['as __typename after the first', (count) => `{ slashings { ${times(count + 1, () => '__typename')} } }`],
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

describe('a plain __typename', () => {
  /** Fields at several levels, in fragments and in inline fragments. */
  const selection = (typename: string, levels: number): string =>
    `${typename} operatorId ... on Operator { ${typename} displayName ...F }
      ${levels ? `summary(window: ALL) { ${typename} operator { ${selection(typename, levels - 1)} } }` : ''}`;
  const document = (typename: string) => `query ($first: Int!) { ${typename}
    ${times(19, (i) => `slashings(first: $first) { ${typename} nodes { ${typename} id } pageInfo { ${typename} endCursor } }`.replace('slashings', i ? `a${i}: slashings` : 'slashings'))}
    operators(window: ALL, first: $first) { ${typename} nodes { ${selection(typename, 5)} } } }
    fragment F on Operator { ${typename} network operatorTags { ${typename} name } }`;

  it('in every selection set of a document changes neither limits nor costs', async () => {
    const variables = { first: 3 };
    for (let time = 0; time < 3; time += 1) {
      const plain = await ask(document(''), { variables });
      const typed = await ask(document('__typename'), { variables });
      expect([plain.errors, typed.errors]).toEqual([undefined, undefined]);
      expect(typed.data.__typename).toBe('Query');
      expect(typed.extensions).toEqual(plain.extensions);
    }
  });

  it('is free within 2,000 tokens, and only once in a selection set', async () => {
    // Five tokens, and five in each fragment, of which one is free.
    const query = (more: string) =>
      `{ slashings { ${times(498, () => `... { __typename totalCount }`)} ${more} } }`;
    const total = (count: number) => 'totalCount '.repeat(count);
    expect(await passed(query(total(3)))).toEqual([]);
    expect(await passed(query(total(4)))).toEqual(['tokens 2000']);
    expect(await passed(query(`__typename ${total(3)}`))).toEqual([]);
    expect(await passed(query(`__typename ${total(2)} __typename __typename`))).toEqual(['tokens 2000']);
  });

  it('is free at the 15th level and in introspection', async () => {
    const deep = (levels: number): string =>
      levels ? `summary(window: ALL) { operator { __typename ${deep(levels - 1)} } }` : 'operatorId';
    expect(await passed(`{ operators(window: ALL) { nodes { ${deep(6)} } } }`)).toEqual([]);
    const fields = (typename: string) =>
      `{ __schema { ${typename} types { ${typename} name fields { ${typename} name } } } }`;
    const [plain, typed] = [await ask(fields('')), await ask(fields('__typename'))];
    expect(typed.extensions.cost).toEqual(plain.extensions.cost);
  });

  it('counts with an alias', async () => {
    expect(await passed(`{ slashings { ${times(31, (i) => `a${i}: __typename`)} } }`)).toEqual([
      'aliases 30',
    ]);
  });
});

describe('a hostile query', () => {
  const chain = (type: string, count: number, last: string) =>
    times(
      count,
      (i) => `fragment F${i} on ${type} { ${i < count - 1 ? `...F${i + 1} ...F${i + 1}` : last} }`,
    );

  it('of 100 fragments that each spread the next twice is refused quickly', async () => {
    expect(await passed(`{ ...F0 } ${chain('Query', 100, 'a: __typename')}`)).toEqual([
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
      'fragment A on Operator { summary(window: ALL) { operator { ...A } } } { operators(window: ALL) { nodes { ...A } } }',
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

  it.each([
    ['a text of 200,000 characters among 50 unknown keys', 50, 200_000],
    ['20,000 unknown keys', 20_000, 10],
  ])('with %s in its variables gets a short answer, compiled or not', async (_name, keys, characters) => {
    const unknown = Object.fromEntries(Array.from({ length: keys }, (_, at) => [`x${at}`, 1]));
    const variables = { where: { ...unknown, text: 'x'.repeat(characters) } };
    const query = 'query ($where: OperatorWhere) { operators(window: ALL, where: $where) { totalCount } }';
    for (const _ of [1, 2, 3]) {
      const answer = await ask(query, { variables });
      expect(answer.errors[0].extensions.code).toBe('BAD_INPUT');
      expect(JSON.stringify(answer).length).toBeLessThan(12_000);
    }
  });

  it('with more than 30 fields of the same name in a selection is refused', async () => {
    const nodes = (count: number) => `{ slashings { ${'nodes { id } '.repeat(count)} } }`;
    expect(await passed(nodes(30))).toEqual([]);
    expect(await passed(nodes(31))).toEqual(['repeats 30']);
  });

  it('with a name of more than 100 characters, which each row and error would repeat, is refused', async () => {
    const long = 'a'.repeat(101);
    expect(await passed(`{ ${long}: slashings { totalCount } }`)).toEqual(['nameLength 100']);
    expect(await passed(`query ($${long}: Int) { slashings(first: $${long}) { totalCount } }`)).toEqual([
      'nameLength 100',
    ]);
  });

  it.each([
    [
      '20,000 datasets',
      `subscription ($ids: [String!]) { datasetChanged(names: $ids) { __typename } }`,
      20_000,
    ],
    ['9,900 ids', `query ($ids: [ID!]) { operators(ids: $ids, window: ALL) { totalCount } }`, 9_900],
  ])('that names %s gets a short answer', async (_name, query, count) => {
    const accept = { accept: 'application/json, text/event-stream' };
    const variables = { ids: Array(count).fill('x') };
    const { text } = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        ...accept,
      },
      body: JSON.stringify({ query, variables }),
    });
    expect(text).toContain(`has ${count} entries`);
    expect(text.length).toBeLessThan(1_000);
  });

  it('is refused with 400 as application/graphql-response+json', async () => {
    const headers = { authorization: `Bearer ${gateway.token}`, accept: 'application/graphql-response+json' };
    for (const query of [`{ ${'a '.repeat(2_000)} }`, `{ ${'__typename '.repeat(32)} }`]) {
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
      if (!options.inputValueDeprecation) continue; // without this option, deprecated arguments are left out
      expect(`${printSchema(lexicographicSortSchema(buildClientSchema(data)))}\n`).toBe(schemaText());
    }
  });

  it('of lists within lists of types is refused', async () => {
    const fields = (depth: number): string => (depth ? `fields { type { ${fields(depth - 1)} } }` : 'name');
    const { errors } = await ask(`{ __schema { types { ${fields(4)} } } }`);
    expect(errors[0].extensions.code).toBe('BAD_QUERY');
  });
});

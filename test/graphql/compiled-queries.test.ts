import fc from 'fast-check';
import {
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { compiledQueries } from '../../src/graphql/run/compiled-queries.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { jsonPieces } from '../../src/kernel/json-text.ts';
import { contextOn } from '../support/context.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { randomQuery } from '../support/random-query.ts';
import { runs, slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('sample');
});
afterAll(() => database.drop());

/**
 * A result as it is compared: errors in no order of their own, since fields of one level fail when they fail, and each
 * once for all rows of a list: graphql-js tells that of the first row which takes the list with it, graphql-jit each.
 */
const shown = ({ data, errors = [] }: ExecutionResult) => {
  const told = errors.map(({ message, locations, path }) => {
    const fields = path?.filter((step) => typeof step === 'string');
    return JSON.stringify([message.replace(unknownType, 'no such type'), locations, fields]);
  });
  return { data: JSON.stringify(data), errors: [...new Set(told)].sort() };
};
/** The only error whose text differs between the two: an object whose type the schema cannot find. */
const unknownType =
  /Abstract type .* must resolve to an Object type .* function\.|Runtime Object type is not a possible type for "Node"\./;

/** A database that fails where it is asked a statement of this name. */
const failing = (name: string | undefined, note?: (text: string) => void): Context['db'] => ({
  query(statement) {
    note?.(statement.text);
    if (name && statement.text.includes(`/* ${name} */`)) throw new Error(`${name} failed`);
    return database.pool.query(statement);
  },
});

/** The query compiled and by graphql-js, each in a context of its own. */
async function bothWays(query: string, variables: Record<string, unknown>, fails?: string) {
  const find = compiledQueries();
  find(query, null);
  const compiled = find(query, null);
  if (!compiled) return undefined;
  let written = false;
  const note = (text: string) => {
    if (text.includes('as "text"')) written = true;
  };
  const contexts = [1, 2].map(() => contextOn(database.pool, failing(fails, note))) as [Context, Context];
  const document = parse(query);
  const plain = await execute({
    schema,
    document,
    variableValues: variables,
    contextValue: contexts[0],
  });
  const quick = await compiled.run(contexts[1], variables);
  const text = jsonPieces({ data: quick.data }).join('');
  return { plain, quick, text, written, charged: contexts.map(({ metering }) => metering.charged) };
}

/** What random queries ask for: names that are there and that are not. */
async function givenValues() {
  const pools = (await database.pool.query({
    text: `select operator_id as id from operator_summaries where network = 'mainnet' and id_type = 'pool' limit 5`,
    values: [],
  })) as { rows: { id: string }[] };
  const names = [...pools.rows.map(({ id }) => id), 'nobody', ''];
  const globalId = (text: string) => Buffer.from(text).toString('base64url');
  return {
    text: { operatorId: names, parentId: names, after: ['garbage'] },
    ids: [
      globalId(`Operator:mainnet:pool:${names[0]}`),
      globalId('Operator:mainnet:pool:nobody'),
      globalId('Slashing:mainnet:1'),
      'garbage',
    ],
  };
}

const failingStatements = [
  'operatorPages',
  'operatorsByKey',
  'attestationPages',
  undefined,
  undefined,
  undefined,
];

/** Compares random queries, and returns the share of each kind among them. */
async function compareRandom(plain: boolean) {
  const { numRuns } = runs(400);
  const seen = { valid: 0, errors: 0, nulls: 0, written: 0 };
  await fc.assert(
    fc.asyncProperty(
      randomQuery(schema, await givenValues(), { plain }),
      fc.constantFrom(...failingStatements),
      async (asked, fails) => {
        const { query, variables } = asked;
        fc.pre(validate(schema, parse(query), specifiedRules).length === 0);
        const both = await bothWays(query, variables, fails);
        if (!both) return; // passes a limit
        seen.valid += 1;
        if (both.plain.errors) seen.errors += 1;
        if (JSON.stringify(both.plain.data)?.includes('null')) seen.nulls += 1;
        if (both.written) seen.written += 1;
        // What graphql-js refuses before anything runs is not answered in this way at all.
        if (!('data' in both.plain)) {
          expect(both.quick).not.toHaveProperty('data');
          return;
        }
        expect(shown(both.quick)).toEqual(shown(both.plain));
        expect(JSON.parse(both.text)).toEqual(JSON.parse(JSON.stringify({ data: both.plain.data })));
        // After an error that ends it, graphql-js does not wait for the fields that are still being read.
        if (!both.plain.errors) expect(both.charged[1]).toBe(both.charged[0]);
      },
    ),
    // the same queries at every run; another seed is another few hundred
    { numRuns, seed: 20_261_121, endOnFailure: true },
  );
  const { valid, ...rest } = seen;
  expect(valid / numRuns).toBeGreaterThan(0.6);
  return Object.fromEntries(Object.entries(rest).map(([name, count]) => [name, count / numRuns]));
}

describe('compiled queries', () => {
  /** A query of some 700 fields in 1,300 characters. */
  const large = (name: string) => {
    const fields = Object.values((schema.getType('OperatorSummary') as GraphQLObjectType).getFields())
      .filter(({ type }) => isLeafType(getNamedType(type)))
      .map((field) => field.name);
    let nodes = 'operatorId';
    for (let level = 0; level < 6; level += 1) nodes = `summary(window: ALL) { ...F operator { ${nodes} } }`;
    const roots = [...'abcdefgh'].map((alias) => `${alias}: operators(window: ALL) { nodes { ${nodes} } }`);
    return `query ${name} { ${roots.join(' ')} } fragment F on OperatorSummary { ${fields.join(' ')} }`;
  };

  slow('are kept as many as have 200,000 fields together, those that were asked last', () => {
    const find = compiledQueries();
    const compiled = (name: string) => {
      find(large(name), null);
      return find(large(name), null);
    };
    const first = compiled('First');
    expect(first).toBeDefined();
    for (let index = 0; index < 50; index += 1) compiled(`Few${index}`);
    expect(find(large('First'), null)).toBe(first);
    for (let index = 0; index < 250; index += 1) compiled(`Many${index}`);
    expect(find(large('First'), null)).not.toBe(first);
  });

  slow('count by their text too, whose arguments are kept with it', () => {
    const find = compiledQueries();
    const compiled = (index: number) => {
      const text = `{ nodes(ids: [${'"a",'.repeat(1_900)}]) { __typename } q${index}: __typename }`;
      find(text, null);
      return find(text, null);
    };
    const first = compiled(0);
    expect(first).toBeDefined();
    for (let index = 1; index < 20; index += 1) compiled(index);
    expect(compiled(0)).toBe(first);
    for (let index = 100; index < 200; index += 1) compiled(index);
    expect(compiled(0)).not.toBe(first);
  });

  it('are not made of what is refused every time for its size', () => {
    const find = compiledQueries();
    const query =
      '{ operators(window: ALL, first: 200) { nodes { poolShares(window: ALL, first: 200) { nodes { operatorId } } } } }';
    find(query, null);
    expect(find(query, null)).toBeUndefined();
  });
});

describe('a compiled query', () => {
  slow('answers what graphql-js does, for random queries', async () => {
    const seen = await compareRandom(false);
    expect(seen.errors).toBeGreaterThan(0.06);
    expect(seen.nulls).toBeGreaterThan(0.06);
  });

  slow('answers so where rows come as texts, for as many more', async () => {
    const seen = await compareRandom(true);
    expect(seen.written).toBeGreaterThan(0.25);
    expect(seen.errors).toBeGreaterThan(0.06);
    expect(seen.nulls).toBeGreaterThan(0.06);
  });
});

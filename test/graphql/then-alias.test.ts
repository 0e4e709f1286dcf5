import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

const page = 'operators(window: ALL, idType: POOL, first: 2)';
/** Queries with a given alias. With the alias `then`, JavaScript could take an object for a promise. */
const queries: [string, (alias: string) => string][] = [
  ['at the root', (alias) => `{ ${alias}: __typename }`],
  ['of a page', (alias) => `{ ${alias}: ${page} { totalCount } }`],
  ['beside what is read', (alias) => `{ ${page} { totalCount } ${alias}: __typename }`],
  ['of a list', (alias) => `{ ${page} { ${alias}: nodes { operatorId } } }`],
  ['in rows', (alias) => `{ ${page} { nodes { ${alias}: operatorId idType } } }`],
  ['in an edge', (alias) => `{ ${page} { edges { ${alias}: cursor node { operatorId } } } }`],
  [
    'in a linked object',
    (alias) => `{ ${page} { nodes { summary(window: ONE_DAY) { operator { ${alias}: operatorId } } } } }`,
  ],
  [
    'in plain objects',
    (alias) =>
      `{ ${page} { nodes { summary(window: ONE_DAY) { clientPercentages { ${alias}: client } } } } }`,
  ],
  ['of null', (alias) => `{ ${page} { nodes { ${alias}: idType } } block(slot: 0) { ${alias}: epoch } }`],
  ['beside an error', (alias) => `{ ${alias}: slashings(first: 0) { totalCount } ${page} { totalCount } }`],
  ['in introspection', (alias) => `{ __schema { queryType { ${alias}: name } } }`],
];

describe('the alias then', () => {
  it.each(queries)('is answered as any other, however often it is asked: %s', async (_name, query) => {
    const other = (await gateway.graphql(query('than'))).text.replaceAll('"than"', '"then"');
    for (let time = 0; time < 3; time += 1) {
      const { status, text } = await gateway.graphql(query('then'));
      expect([status, text]).toEqual([200, other]);
    }
    const url = `/graphql?query=${encodeURIComponent(query('then'))}`;
    const { status, text } = await gateway.get(url, { accept: 'application/json' });
    expect([status, text]).toEqual([200, other]);
  });

  it('is answered in mutations too', async () => {
    const query = 'mutation { deletePrivateSet(input: { setId: "x" }) { userErrors { then: code } } }';
    const { status, errors, text } = await gateway.graphql(query);
    expect([status, errors]).toEqual([200, undefined]);
    expect(text).toMatch(/"userErrors":\[\{"then":"\w+"\}\]/);
  });
});

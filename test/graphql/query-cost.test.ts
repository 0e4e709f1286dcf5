import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/graphql/run/limits.ts';
import { costOf } from '../../src/graphql/run/query-cost.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { hasOpenSizes } from '../../src/graphql/run/size-arguments.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const rows = (query: string, variables = {}) => costOf(schema, parse(query), null, variables).rows;
const page = (first: number | string, inner: string) =>
  `operators(window: ALL, idType: POOL, first: ${first}) { nodes { id ${inner} } }`;

describe('the rows that a query asks for', () => {
  it.each([
    ['a page', `{ ${page(10, '')} }`, 10],
    ['a page without a size', '{ operators(window: ALL) { nodes { id } } }', 20],
    ['pages within a page', `{ ${page(10, 'poolShares(window: ALL, first: 5) { nodes { id } }')} }`, 60],
    [
      'edges like nodes',
      '{ operators(window: ALL, last: 3) { edges { node { poolShares(window: ALL, first: 2) { edges { node { id } } } } } } }',
      9,
    ],
    ['two aliases', `{ a: ${page(10, '')} b: ${page(10, '')} }`, 20],
    [
      'a fragment at each use',
      `{ a: ${page(2, '...f')} b: ${page(3, '...f')} } fragment f on Operator { poolShares(window: ALL, first: 4) { nodes { id } } }`,
      25,
    ],
    [
      'inline fragments',
      `{ node(id: "x") { ... on Operator { poolShares(window: ALL, first: 7) { nodes { id } } } } }`,
      7,
    ],
    [
      'the largest of fragments on different types, of which an object has one',
      `{ node(id: "x") { ... on Operator { poolShares(window: ALL, first: 7) { nodes { id } } } ... on Block { syncCommitteeRewards(first: 3) { nodes { epoch } } } } }`,
      7,
    ],
    [
      'a fragment that is spread twice at a place once',
      `{ ${page(2, '...f ...f')} } fragment f on Operator { poolShares(window: ALL, first: 4) { nodes { id } } }`,
      10,
    ],
    [
      'global ids',
      '{ nodes(ids: ["a", "b"]) { ... on Operator { poolShares(window: ALL, first: 3) { nodes { id } } } } }',
      8,
    ],
    ['a committee without a size', '{ syncCommitteeRewards(slot: 1) { nodes { epoch } } }', 20],
    [
      'a committee of each block',
      '{ blocks(first: 2) { nodes { syncCommitteeRewards { nodes { epoch } } } } }',
      2 * 21,
    ],
    ['one object', '{ operator(operatorId: "x") { id } }', 0],
    ['introspection', '{ __schema { types { fields { name } } } }', 0],
  ])('count %s', (_what, query, expected) => {
    expect(rows(query)).toBe(expected);
  });

  it('count variables like literals, and their defaults', () => {
    const query = `query ($n: Int = 20) { ${page('$n', '')} }`;
    expect(rows(query, { n: 7 })).toBe(7);
    expect(rows(query)).toBe(20);
    expect(rows('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 'b', 'c'] })).toBe(3);
  });
});

describe('the fields that a query asks for', () => {
  const fields = (query: string) => costOf(schema, parse(query), null, {}).fields;
  it.each([
    [
      'a page, which counts as 20, its list, and its rows',
      '{ slashings(first: 10) { nodes { slashingEpoch } } }',
      20 + 1 + 10 * 2,
    ],
    ['nothing with each row that is asked for once', '{ slashings(first: 10) { totalCount } }', 20 + 2],
    [
      'aliases of rows',
      '{ slashings(first: 10) { nodes { slashingEpoch } a: nodes { slashingEpoch } } }',
      20 + 2 * (1 + 10 * 2),
    ],
    ['cursors as 5', '{ slashings(first: 10) { edges { cursor } } }', 20 + 1 + 10 * 6],
    [
      'an object that is looked up as 8',
      '{ slashings(first: 10) { nodes { validator { validatorIndex } } } }',
      20 + 1 + 10 * (1 + 8 + 1 + 1),
    ],
    [
      'the rows of pages within pages',
      `{ ${page(2, 'poolShares(window: ALL, first: 3) { nodes { idType } }')} }`,
      20 + 1 + 2 * (1 + 2 + 20 + 1 + 3 * 2),
    ],
  ])('count %s', (_what, query, expected) => {
    expect(fields(query)).toBe(expected);
  });
});

describe('what is skipped', () => {
  const query = (directive: string) =>
    `query ($x: Boolean) { ${page(10, '')} ...f ${directive} } fragment f on Query { slashings(first: 5) { totalCount } }`;
  it.each([
    ['@skip(if: true)', {}, 10],
    ['@skip(if: false)', {}, 15],
    ['@include(if: false)', {}, 10],
    ['@include(if: true)', {}, 15],
    ['@skip(if: $x)', { x: true }, 10],
    ['@skip(if: $x)', { x: false }, 15],
    ['@include(if: $x)', { x: false }, 10],
    ['@include(if: $x) @skip(if: $x)', { x: true }, 10],
    ['@include(if: $x)', { x: null }, 15],
  ])('counts no rows: %s with %j', (directive, variables, expected) => {
    expect(rows(query(directive), variables)).toBe(expected);
  });
});

describe('what a query may read', () => {
  it.each([
    ['query ($n: Int) { operators(window: ALL, first: $n) { totalCount } }', true],
    [
      'query ($n: Int) { operators(window: ALL, first: 3) { nodes { attestations(last: $n) { totalCount } } } }',
      true,
    ],
    ['query ($id: ID!) { nodes(ids: [$id, "b"]) { id } }', true],
    ['query ($n: Int) { ...f } fragment f on Query { slashings(first: $n) { totalCount } }', true],
    ['query ($after: String) { operators(window: ALL, first: 3, after: $after) { totalCount } }', false],
    ['query ($id: String!) { operator(operatorId: $id) { id } }', false],
    ['query ($on: Boolean!) { slashings(first: 3) @include(if: $on) { totalCount } }', true],
    ['query ($on: Boolean!) { ...f @skip(if: $on) } fragment f on Query { slashings { totalCount } }', true],
    ['{ slashings @skip(if: true) { totalCount } }', false],
    ['{ slashings { totalCount } }', false],
  ])('is left to the variables or not: %s', (query, open) => {
    expect(hasOpenSizes(parse(query))).toBe(open);
  });
});

describe('the bound on rows', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ template: 'empty' });
  });
  afterAll(() => gateway.close());

  it('refuses pages within pages that pass it, before a statement runs', async () => {
    gateway.statements.length = 0;
    const query = `query ($n: Int) { ${page(200, 'poolShares(window: ALL, first: $n) { nodes { id } }')} }`;
    const { errors } = await gateway.graphql(query, { n: 100 });
    expect(errors?.[0].extensions).toMatchObject({ code: 'QUERY_LIMIT', limit: 'rows', max: limits.rows });
    expect(gateway.statements).toEqual([]);
    expect((await gateway.graphql(query, { n: 99 })).errors).toBeUndefined();
  });
});

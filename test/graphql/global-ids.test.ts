import { describe, expect, it } from 'vitest';
import { gatewayForTest, useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

const idOf = (text: string) => Buffer.from(text).toString('base64url');
const one = (id: string) => gateway.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
const many = (ids: string[]) => gateway.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });

describe('node', () => {
  it('is null for an object that does not exist', async () => {
    for (const text of ['Slashing:mainnet:1', 'Slashing:nowhere:1', 'Operator:x']) {
      expect((await one(idOf(text))).data).toEqual({ node: null });
    }
  });

  it.each(
    [
      ['', 'x', '5', 'null', '%%%', 'x'.repeat(10_000)],
      ['Slashing', 'slashing:1', ':1', 'Slashing\0:1', 'Slashing:\0'].map(idOf),
      ['Nobody:1', 'PageInfo:1', 'Query:1', 'Node:1', 'String:1', 'toString:1', '__Schema:1'].map(idOf),
    ].flat(),
  )('refuses what is no global id of an object: %s', async (id) => {
    const { data, errors } = await one(id);
    expect(data).toEqual({ node: null });
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', 'id'] }],
    });
    expect(errors?.[0].message.length).toBeLessThan(200);
  });
});

describe('nodes', () => {
  const ids = (count: number) =>
    Array.from({ length: count }, (_, index) => idOf(`Slashing:mainnet:${index}`));

  it('takes 200 ids in one statement and answers them in order, by variable and by literal', async () => {
    gateway.statements.length = 0;
    const expected = { nodes: ids(200).map(() => null) };
    expect((await many(ids(200))).data).toEqual(expected);
    expect(gateway.statements).toEqual(['slashingsByValidator']);
    expect((await gateway.graphql(`{ nodes(ids: ${JSON.stringify(ids(200))}) { id } }`)).data).toEqual(
      expected,
    );
  });

  it('refuses 201 ids, by variable and by literal, without a statement', async () => {
    gateway.statements.length = 0;
    for (const { data, errors } of [
      await many(ids(201)),
      await gateway.graphql(`{ nodes(ids: ${JSON.stringify(ids(201))}) { id } }`),
      await many(Array(201).fill(ids(1)[0])),
    ]) {
      expect(data).toEqual({ nodes: null });
      expect(errors?.[0].extensions).toMatchObject({
        code: 'BAD_INPUT',
        faults: [{ loc: ['argument', 'ids'] }],
      });
    }
    expect(gateway.statements).toEqual([]);
  });

  it('refuses malformed ids among good ones, each by its place, and leaves other fields whole', async () => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } datasets { name } }';
    const { data, errors } = await gateway.graphql(query, { ids: [...ids(2), 'x', ...ids(1), 'y'] });
    expect(data).toEqual({ nodes: null, datasets: expect.any(Array) });
    expect(errors?.[0].message).toBe(
      'ids.2 is "x"; a global id is needed. ids.4 is "y"; a global id is needed.',
    );
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', 'ids', 2] }, { loc: ['argument', 'ids', 4] }],
    });
  });

  it('answers null for an id of a row that is no node, like those of unknown ones', async () => {
    const gateway = await gatewayForTest();
    const pools = '{ operators(window: ONE_DAY, idType: POOL, first: 1) { nodes { operatorId } } }';
    const pool = (await gateway.graphql(pools)).data.operators.nodes[0].operatorId;
    const { data } = await gateway.graphql(`{
      attestations(operatorId: "${pool}", idType: POOL, first: 1) { nodes { id } }
      slashingHistory(first: 1) { nodes { id } }
      consolidationHistory(first: 1) { nodes { id } }
      blocks(first: 1) { nodes { id } } }`);
    const block = data.blocks.nodes[0].id;
    const rows = ['attestations', 'slashingHistory', 'consolidationHistory'].map(
      (name) => data[name].nodes[0].id,
    );
    const query = `query ($id: ID!, $ids: [ID!]!) { node(id: $id) { id } nodes(ids: $ids) { id } }`;
    const { data: found, errors } = await gateway.graphql(query, { id: rows[0], ids: [...rows, block] });
    expect(errors).toBeUndefined();
    expect(found).toEqual({ node: null, nodes: [null, null, null, { id: block }] });
  });

  it('answers none for none', async () => {
    expect((await many([])).data).toEqual({ nodes: [] });
  });
});

it('may be asked for at several places of one query', async () => {
  const gateway = await gatewayForTest();
  const { data } = await gateway.graphql('{ slashings(first: 1) { nodes { id } } }');
  const [{ id }] = data.slashings.nodes;
  const twice = await gateway.graphql(
    `{ a: node(id: "${id}") { id } b: node(id: "${id}") { id } c: nodes(ids: ["${id}", "${id}"]) { id } }`,
  );
  expect(twice.errors).toBeUndefined();
  expect(twice.data).toEqual({ a: { id }, b: { id }, c: [{ id }, { id }] });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { entityClasses } from '../../src/resources/consolidations/record.ts';
import { mainnet, middle } from '../support/expected-consolidations.ts';
import { useGateway } from '../support/gateway.ts';
import { every } from '../support/thorough.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const PATH = '/v1/eth/validators/consolidations';

/** Every result of a question. */
const all = (query: string, headers = {}) => walkNext(gateway, `${PATH}?limit=200&${query}`, headers);

const columns = `day date epoch timestamp sourceValidatorIndex sourceValidatorPubkey targetValidatorIndex
  targetValidatorPubkey sourceEntities { operatorId idType } targetEntities { operatorId idType } consolidatedBalance`;
const enumName = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const asNode = (row: any) => {
  const entities = (found: any[]) =>
    found.map(({ id, idType }) => ({ operatorId: id, idType: enumName(idType) }));
  return {
    ...row,
    sourceEntities: entities(row.sourceEntities),
    targetEntities: entities(row.targetEntities),
    consolidatedBalance: String(row.consolidatedBalance),
  };
};
describe('GraphQL consolidations', () => {
  const sorted = ['epoch', 'sourceValidatorIndex', 'targetValidatorIndex', 'consolidatedBalance'].flatMap(
    (field) =>
      ['ASC', 'DESC'].map((order) => [
        `sortBy=${field}&sortOrder=${order.toLowerCase()}`,
        `orderBy: { field: ${enumName(field)}, direction: ${order} }`,
      ]),
  );

  it.each([
    ...every(5, sorted),
    ['utc=true&sortOrder=desc', 'utc: true'],
    [
      `validator=${middle.targetValidatorIndex}&sortOrder=desc`,
      `by: { index: ${middle.targetValidatorIndex} }`,
    ],
    [
      `entityType=depositAddress&entityId=${middle.sourceEntities[0]?.id}&sortOrder=desc`,
      `idType: DEPOSIT_ADDRESS, operatorId: "${middle.sourceEntities[0]?.id}"`,
    ],
  ])('are those of REST in both directions: %s', async (rest, graphql) => {
    const rows = (await all(rest)).map(asNode);
    const walk = async (args: (cursor: string | null) => string, step: 'next' | 'previous') => {
      const nodes: any[] = [];
      for (let cursor: string | null = null; ; ) {
        const { data } =
          await gateway.ask(`{ consolidations(${graphql}, ${args(cursor)}) { totalCount nodes { ${columns} }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`);
        const page = data.consolidations;
        expect(page.totalCount).toBe(rows.length);
        nodes[step === 'next' ? 'push' : 'unshift'](...page.nodes);
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
        if (!(step === 'next' ? hasNextPage : hasPreviousPage)) return nodes;
        cursor = step === 'next' ? endCursor : startCursor;
      }
    };
    const at = (name: string, cursor: string | null) => (cursor ? `, ${name}: "${cursor}"` : '');
    expect(await walk((cursor) => `first: 61${at('after', cursor)}`, 'next')).toEqual(rows);
    expect(await walk((cursor) => `last: 47${at('before', cursor)}`, 'previous')).toEqual(rows);
  });

  it('lead to both validators and their entities at one statement each', async () => {
    const { data, statements } = await gateway.ask(`{ consolidations(first: 50) { nodes {
      sourceValidatorIndex source { validatorIndex } target { validatorPubkey } targetValidatorPubkey
      sourceEntities { operatorId } targetEntities { operatorId } } } }`);
    for (const row of data.consolidations.nodes) {
      expect(row.source.validatorIndex).toBe(row.sourceValidatorIndex);
      expect(row.target.validatorPubkey).toBe(row.targetValidatorPubkey);
    }
    expect(statements.toSorted()).toEqual(['consolidationPages', 'entitiesByValidator', 'validatorsByIndex']);
    const plain = await gateway.ask('{ consolidations { nodes { day } } }');
    expect(plain.statements).toEqual(['consolidationPages']);
  });

  it('of many validators are one statement, and their counts another', async () => {
    const id = middle.sourceEntities[0]?.id as string;
    const { data, statements } = await gateway.ask(
      `{ operator(operatorId: "${id}", idType: DEPOSIT_ADDRESS) { validators(first: 200) { nodes {
        validatorIndex consolidations(first: 3) { totalCount nodes { sourceValidatorIndex targetValidatorIndex } } } } } }`,
    );
    expect(statements).toEqual([
      'operatorsById',
      'operatorValidatorPages',
      'consolidationPages',
      'consolidationTotals',
    ]);
    const { nodes } = data.operator.validators;
    expect(nodes.some((node: any) => node.consolidations.totalCount > 0)).toBe(true);
    for (const { validatorIndex: index, consolidations } of nodes) {
      const own = mainnet.filter((row) =>
        [row.sourceValidatorIndex, row.targetValidatorIndex].includes(index),
      );
      expect(consolidations.totalCount).toBe(own.length);
      expect(consolidations.nodes.map((row: any) => row.sourceValidatorIndex)).toEqual(
        own
          .slice(-3)
          .toReversed()
          .map((row) => row.sourceValidatorIndex),
      );
    }
  });

  it.each([1, 40])('of a page of %i operators of each class are one statement', async (first) => {
    for (const idType of entityClasses) {
      const { data, statements } = await gateway.ask(
        `{ operators(window: ALL, idType: ${enumName(idType)}, first: ${first}) { nodes { operatorId
          consolidations(first: 4) { totalCount nodes { epoch sourceValidatorIndex } } } } }`,
      );
      expect(statements).toEqual(['operatorPages', 'consolidationPages', 'consolidationTotals']);
      for (const { operatorId, consolidations } of data.operators.nodes) {
        const own = mainnet
          .filter((row) =>
            [...row.sourceEntities, ...row.targetEntities].some(
              (one) => one.idType === idType && one.id === operatorId,
            ),
          )
          .toReversed();
        expect(consolidations.totalCount).toBe(own.length);
        expect(consolidations.nodes).toEqual(
          own.slice(0, 4).map(({ epoch, sourceValidatorIndex }) => ({ epoch, sourceValidatorIndex })),
        );
      }
    }
  });

  it.each([
    ['first: 201', 'first'],
    ['first: 0', 'first'],
    ['first: 1, last: 1', 'last'],
    ['after: "x"', 'after'],
    ['fromDay: -1', 'fromDay'],
    ['fromDay: 3, toDay: 2', 'fromDay'],
    ['by: { pubkey: "me" }', 'by'],
    ['operatorId: "x"', 'idType'],
    ['idType: POOL', 'operatorId'],
    ['idType: PRIVATE_SET, operatorId: "x"', 'idType'],
    ['idType: POOL, operatorId: ""', 'operatorId'],
  ])('refuse %s', async (args, name) => {
    const { errors } = await gateway.graphql(`{ consolidations(${args}) { totalCount } }`);
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: expect.arrayContaining(['argument', name]) }],
    });
  });

  it('refuse a cursor of another order, and are NOT_FOUND for an entity that does not exist', async () => {
    const { data } = await gateway.ask('{ consolidations(first: 1) { pageInfo { endCursor } } }');
    const after = data.consolidations.pageInfo.endCursor;
    const other = await gateway.graphql(
      `{ consolidations(orderBy: { field: CONSOLIDATED_BALANCE }, after: "${after}") { totalCount } }`,
    );
    expect(other.errors?.[0].extensions.code).toBe('BAD_INPUT');
    const nobody = await gateway.graphql(
      '{ consolidations(idType: POOL, operatorId: "nobody") { totalCount } }',
    );
    expect(nobody.errors?.[0].extensions.code).toBe('NOT_FOUND');
  });
});

import { isInputObjectType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';
import {
  connectionOf,
  named,
  newestFirst,
  rising,
  rowsOf,
  type Series,
  variablesOf,
} from '../support/series.ts';
import { every } from '../support/thorough.ts';

const gateway = useGateway();
let variables: Record<string, string | number>;
beforeAll(async () => {
  variables = await variablesOf(gateway);
});
const rows = (one: Series, page: string) => rowsOf(gateway, variables, one, page);

const compare = (a: any, b: any) => (a < b ? -1 : a > b ? 1 : 0);

describe('the first rows of a list that nothing orders', () => {
  it.each(named(newestFirst))('are the newest, newest first: %s', async (_name, one) => {
    const all = await rows(
      one,
      'orderBy: { field: FIELD, direction: ASC } first: 200'.replace('FIELD', one.field),
    );
    expect(all.length).toBeGreaterThan(1);
    expect(all).toEqual(all.toSorted(compare));
    const newest = await rows(one, `orderBy: { field: ${one.field} } first: 200`);
    expect(newest).toEqual(newest.toSorted(compare).reverse());
    expect(await rows(one, 'first: 2')).toEqual(newest.slice(0, 2));
    expect(await rows(one, 'last: 1')).toEqual(all.slice(0, 1));
  });

  it.each(named(rising))('are the smallest where there is no time: %s', async (_name, one) => {
    const found = await rows(one, 'first: 3');
    expect(found).toEqual(found.toSorted(compare));
    const reversed = await rows(one, `orderBy: { field: ${one.field} } last: 3`);
    expect(reversed.toReversed()).toEqual(found);
  });
});

/** Pages of a list by cursor, from one end to the other. */
async function walk(one: Series, direction: 'ASC' | 'DESC', size: number, backward: boolean) {
  const found: any[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 400; pages += 1) {
    const place = cursor === undefined ? '' : `${backward ? 'before' : 'after'}: "${cursor}"`;
    const { found: page, errors } = await connectionOf(
      ...([gateway, variables, one] as const),
      `orderBy: { field: ${one.field}, direction: ${direction} } ${backward ? 'last' : 'first'}: ${size} ${place}`,
      `edges { cursor node { ${one.time} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`,
    );
    expect(errors).toBeUndefined();
    const values = page.edges.map(({ node }: any) => node[one.time]);
    if (backward) found.unshift(...values);
    else found.push(...values);
    cursor = backward ? page.pageInfo.startCursor : page.pageInfo.endCursor;
    if (!(backward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage)) break;
  }
  return found;
}

describe('a list in both orders', () => {
  it.each(every(3, named([...newestFirst, ...rising])))(
    'has the same rows by pages from either end: %s',
    async (_name, one) => {
      const bounds = one.list === 'blocks' || one.list === 'validators' ? 140 : 200;
      const whole = await rows(one, `orderBy: { field: ${one.field}, direction: ASC } first: ${bounds}`);
      const size = Math.max(1, Math.ceil(whole.length / 3) - 1);
      if (whole.length === bounds) return expectEnds(one, whole);
      for (const direction of ['ASC', 'DESC'] as const)
        for (const backward of [false, true]) {
          const found = await walk(one, direction, size, backward);
          expect(direction === 'ASC' ? found : found.toReversed()).toEqual(whole);
        }
    },
  );

  /** Checks the first rows of a long list: they are the last rows in the opposite order. */
  async function expectEnds(one: Series, whole: any[]) {
    const last = await rows(one, `orderBy: { field: ${one.field}, direction: DESC } last: ${whole.length}`);
    expect(last.toReversed()).toEqual(whole);
  }

  it.each(named([...newestFirst, ...rising].filter(({ list }) => list !== 'pendingConsolidations')))(
    'refuses the cursor of one order in the other: %s',
    async (_name, one) => {
      const order = (direction: string) =>
        `orderBy: { field: ${one.field}, direction: ${direction} } first: 1`;
      const { found } = await connectionOf(gateway, variables, one, order('ASC'), 'pageInfo { endCursor }');
      const { errors } = await connectionOf(
        ...([gateway, variables, one] as const),
        `${order('DESC')} after: "${found.pageInfo.endCursor}"`,
        `nodes { ${one.time} }`,
      );
      expect(errors[0].message).toBe('after is not a cursor of this list with these arguments.');
    },
  );
});

describe('the schema', () => {
  const connections = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ type }) => String(type).endsWith('Connection'))
          .map((field) => [`${type.name}.${field.name}`, field] as const)
      : [],
  );
  /** Lists with one order, such as seats of a slot and shares of a pool. */
  const single = ['Block.syncCommitteeRewards', 'Query.syncCommitteeRewards', 'Operator.poolShares'];

  it('has orderBy on every list, which says the default', () => {
    const missing = connections.filter(([, field]) => !field.args.some(({ name }) => name === 'orderBy'));
    expect(missing.map(([name]) => name).sort()).toEqual(single.toSorted());
    for (const [name, field] of connections) {
      const orderBy = field.args.find((arg) => arg.name === 'orderBy');
      if (orderBy) expect(orderBy.description, name).toMatch(/default/);
    }
  });

  it('has one form of orders: a field and a direction, descending by default', () => {
    const orders = Object.values(schema.getTypeMap()).filter(
      (type) => isInputObjectType(type) && type.name.endsWith('Order'),
    );
    expect(orders.length).toBeGreaterThan(10);
    for (const type of orders)
      if (isInputObjectType(type)) {
        const { field, direction, ...more } = type.getFields();
        expect([type.name, String(field?.type).endsWith('OrderField!'), more]).toEqual([type.name, true, {}]);
        expect([String(direction?.type), direction?.defaultValue]).toEqual(['SortOrder', 'desc']);
      }
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { summaries } from '../../src/resources/operators/queries.ts';
import { stakeAuthorityOrders } from '../../src/resources/stake-authorities/queries.ts';
import { useGateway } from '../support/gateway.ts';
import { byOrder, walkOrdered } from '../support/ordered.ts';
import { every } from '../support/thorough.ts';
import { blocksIn } from '../support/typed.ts';
import { walkCursor, walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const enumOf = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
let pools: Promise<any[]> | undefined;
const allPools = () =>
  (pools ??= walkNext(gateway, '/v0/solana/delegators/stakeAuthorities?window=7d&type=pool&size=200'));

const figures = ['delegatedStake', 'delegatorApy', 'aggregateValidatorEffectiveness'];
/** With the changes over the window, which REST does not have. */
async function withChanges(): Promise<any[]> {
  const query = `query ($cursor: String) { stakeAuthorities(window: SEVEN_DAYS, type: POOL, first: 200, after: $cursor) {
    edges { node { stakeAuthority summary(window: SEVEN_DAYS) { change(over: SEVEN_DAYS) { ${figures.join(' ')} } } } }
    pageInfo { hasNextPage endCursor } } }`;
  const nodes = await walkCursor(gateway, 'stakeAuthorities', query, 'forward', {});
  const changes = new Map(nodes.map(({ stakeAuthority, summary }) => [stakeAuthority, summary.change]));
  return (await allPools()).map((row) => {
    const change = changes.get(row.stakeAuthority) ?? {};
    const added = figures.map((name) => [`${name}Change`, change[name] ?? null]);
    return { ...row, ...Object.fromEntries(added) };
  });
}

const page = (
  args: string,
) => `query (${args.includes('$size') ? '$size: Int, ' : ''}${args.includes('$cursor') ? '$cursor: String, ' : ''}$where: StakeAuthorityWhere) {
  stakeAuthorities(window: SEVEN_DAYS, where: $where, ${args}) {
    totalCount edges { node { stakeAuthority } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const walk = async (args: string, direction: 'forward' | 'backward', where: object | null = null) =>
  (await walkOrdered(gateway, 'stakeAuthorities', page, args, { size: 50, direction, where })).map(
    (node) => node.stakeAuthority,
  );
const keys = (rows: any[]) => rows.map((row) => row.stakeAuthority);

describe('stakeAuthorities(orderBy:, where:)', () => {
  const fields = stakeAuthorityOrders.filter((field) => field !== 'networkPenetration');
  const cases = fields.flatMap((field) =>
    (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
  );

  it.each(every(2, cases))(
    'gives each row once, both ways: $field $direction',
    async ({ field, direction }) => {
      const rows = field.endsWith('Change') ? await withChanges() : await allPools();
      const value = (row: any) =>
        field === 'poolName' || row[field] === null ? row[field] : Number(row[field]);
      expect(new Set(rows.map(value)).size).toBeGreaterThan(5);
      const order = keys(byOrder(rows, value, (row) => row.stakeAuthority, direction));
      const args = `type: POOL, orderBy: {field: ${enumOf(field)}, direction: ${direction}}`;
      expect(await walk(args, 'forward')).toEqual(order);
      expect(await walk(args, 'backward')).toEqual(order);
    },
  );

  it.each([
    [{ minStake: '1000' }, (row: any) => row.delegatedStake >= 1000],
    [{ maxStake: '1000.5' }, (row: any) => row.delegatedStake <= 1000.5],
    [{ minApy: 0.065, maxApy: 0.07 }, (row: any) => row.delegatorApy >= 0.065 && row.delegatorApy <= 0.07],
    [
      { minCommission: 0.01, maxCommission: 0.06 },
      (row: any) => row.blendedVoteCommissionRate >= 0.01 && row.blendedVoteCommissionRate <= 0.06,
    ],
    [
      { minValidators: 2, maxValidators: 8 },
      (row: any) => row.validatorDelegates >= 2 && row.validatorDelegates <= 8,
    ],
    [{ name: 'POOL 1' }, (row: any) => row.poolName.toLowerCase().includes('pool 1')],
  ])('%j gives what a filter of all rows gives', async (where, fits) => {
    const rows = (await allPools()).filter(fits);
    expect(await walk('type: POOL', 'forward', where)).toEqual(keys(rows));
    const { data } = await gateway.graphql(page('type: POOL, first: 20'), { where });
    expect(data.stakeAuthorities.totalCount).toBe(rows.length);
  });

  it('are one statement each; names are of pools only', async () => {
    await gateway.graphql(page('orderBy: {field: DELEGATED_STAKE_CHANGE}'), { where: { minValidators: 1 } });
    expect(gateway.statements).toEqual(['stakeAuthoritiesByOrder']);
    const { errors } = await gateway.graphql(page('type: INDIVIDUAL'), { where: { name: 'a' } });
    expect(errors?.[0].extensions.faults).toMatchObject([{ loc: ['argument', 'where', 'name'] }]);
  });
});

describe('lists by ids', () => {
  const lists = { operators: 'OPERATOR', stakeAuthorities: 'STAKE_AUTHORITY' } as const;
  it.each(Object.keys(lists))(
    '%s gives those in their order, in one statement, and refuses others',
    async (list) => {
      const of = (ids: string[], more = '') =>
        gateway.graphql(
          `query ($ids: [ID!]) { ${list}(window: SEVEN_DAYS, ids: $ids${more}) {
        totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`,
          { ids },
        );
      const { data } = await gateway.graphql(`{ ${list}(window: SEVEN_DAYS, first: 40) { nodes { id } } }`);
      const ids = data[list].nodes.map((node: any) => node.id).toReversed();
      gateway.statements.length = 0;
      const found = (await of(ids)).data[list];
      expect(gateway.statements).toHaveLength(1);
      expect(found.nodes.map((node: any) => node.id)).toEqual(ids);
      expect(found).toMatchObject({
        totalCount: 40,
        pageInfo: { hasNextPage: false, hasPreviousPage: false },
      });
      const other = Buffer.from('Block:mainnet:1').toString('base64url');
      const refused: [string[], string, (string | number)[]][] = [
        [[], '', ['ids']],
        [Array(201).fill(ids[0]), '', ['ids']],
        [[ids[0], other], '', ['ids', 1]],
        [[ids[0], ids[0]], '', ['ids', 1]],
        [ids, ', first: 3', ['first']],
        [ids, ', orderBy: {field: NETWORK_PENETRATION}', ['orderBy']],
      ];
      for (const [given, more, loc] of refused) {
        const { errors } = await of(given, more);
        expect(errors?.[0].extensions.faults[0].loc).toEqual(['argument', ...loc]);
      }
    },
  );
});

describe('a deep page of a stored order', () => {
  async function blocksOf(low: number, direction: 'asc' | 'desc', where: object | null) {
    let asked: { text: string; values: unknown[] } | undefined;
    const recorder = {
      query: async (statement: { text: string; values: unknown[] }) => {
        asked = statement;
        return { rows: [] };
      },
    };
    const list = { network: 'mainnet', idType: 'depositAddress', timeWindow: '7d', poolType: 'all' } as const;
    const end = 2 ** 31 - 1;
    const place = {
      ...list,
      parentType: '' as const,
      parentId: '',
      pinned: null,
      valued: direction === 'asc' ? { low, high: end } : { low: -1, high: low },
      others: { low: -1, high: end },
      where: { ...where },
    };
    const order = { field: 'avgValidatorEffectiveness', direction };
    const of = { order, limit: 16, backward: false, counted: false, filtered: where !== null };
    await summaries.byOrder(recorder as never, [place], of, ['aprPercentage']);
    const { rows } = await gateway.database.pool.query({
      text: `explain (analyze, buffers, format json) ${asked?.text}`,
      values: asked?.values as unknown[],
    });
    return blocksIn(rows);
  }

  it('reads as many blocks as the first', async () => {
    const first = await blocksOf(-1, 'asc', null);
    expect(first).toBeLessThan(300);
    for (const where of [null, { minValidators: 0 }]) {
      expect(await blocksOf(1_500, 'asc', where)).toBeLessThan(first + 250);
      expect(await blocksOf(500, 'desc', where)).toBeLessThan(first + 250);
    }
  });
});

import {
  type GraphQLEnumType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
} from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';
import { every } from '../support/thorough.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const lists = rewardLists.flatMap(({ network, id }) => [
  {
    ...{ network, field: 'validatorRewards', path: `/v1/${network}/validators/${id}/rewards` },
    args: `network: ${network.toUpperCase()}, validatorId: "${id}"`,
  },
  {
    ...{ network, field: 'networkRewards', path: `/v1/${network}/network/rewards` },
    args: `network: ${network.toUpperCase()}`,
  },
]);
const ask = async (query: string) => {
  const { data, errors } = await gateway.graphql(query);
  expect(errors).toBeUndefined();
  return data;
};
const refused = async (query: string) => {
  const { errors } = await gateway.graphql(query);
  expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  return errors?.[0].message as string;
};

describe.each(every(3, lists))('$field of $network', ({ field, args, path }) => {
  it.each([
    ['', 'desc'],
    ['orderBy: { field: DATE, direction: ASC },', 'asc'],
  ])('gives the days of REST once each, both ways, by cursor: %s', async (sort, order) => {
    const { json } = await gateway.get(`${path}?limit=200&sortOrder=${order}`);
    const days = json.results.map((row: any) => row.day);
    expect(days).toHaveLength(90);
    for (const direction of ['forward', 'backward'] as const)
      expect(await walkKeys(gateway, [field, 'date'], `${args}, ${sort}`, 7, direction)).toEqual(days);
  });

  it('reads a page in one statement, with its total too', async () => {
    for (const page of ['', 'first: 1', 'last: 200', 'orderBy: { field: DELEGATOR_REWARDS }']) {
      for (const select of ['nodes { date }', 'totalCount nodes { __typename }', 'totalCount']) {
        gateway.statements.length = 0;
        const data = await ask(`{ ${field}(${args}, ${page}) { ${select} } }`);
        expect(gateway.statements).toEqual(['rewardPages']);
        if (select.startsWith('totalCount')) expect(data[field].totalCount).toBe(90);
      }
    }
  });

  it('has twenty days, newest first, by default, in a range of dates', async () => {
    const range = 'fromDate: "2025-08-05", toDate: "2025-09-30"';
    const data = await ask(`{ ${field}(${args}, ${range}) { totalCount nodes { date } } }`);
    expect(data[field].totalCount).toBe(57);
    expect(data[field].nodes.map((node: any) => node.date)).toEqual(
      Array.from({ length: 20 }, (_, index) => `2025-09-${String(30 - index).padStart(2, '0')}`),
    );
    const empty = await ask(`{ ${field}(${args}, fromDate: "2030-01-01") { totalCount nodes { date } } }`);
    expect(empty[field]).toEqual({ totalCount: 0, nodes: [] });
  });

  it('counts the whole list on a page past its end', async () => {
    const last = await ask(`{ ${field}(${args}, last: 1) { pageInfo { endCursor } } }`);
    const after = last[field].pageInfo.endCursor;
    const data = await ask(`{ ${field}(${args}, after: "${after}") { totalCount nodes { date } } }`);
    expect(data[field]).toEqual({ totalCount: 90, nodes: [] });
  });

  it('refuses sizes out of range, a range that ends before it begins, and cursors of other lists', async () => {
    for (const size of [0, 201, -1]) {
      expect(await refused(`{ ${field}(${args}, first: ${size}) { totalCount } }`)).toContain(
        'from 1 to 200',
      );
    }
    expect(await refused(`{ ${field}(${args}, first: 1, last: 1) { totalCount } }`)).toMatch(/^last cannot/);
    const range = 'fromDate: "2025-09-02", toDate: "2025-09-01"';
    expect(await refused(`{ ${field}(${args}, ${range}) { totalCount } }`)).toBe(
      'fromDate is 2025-09-02, after toDate 2025-09-01.',
    );
    const page = await ask(
      `{ ${field}(${args}, orderBy: { field: DATE, direction: ASC }) { pageInfo { endCursor } } }`,
    );
    for (const after of ['x', page[field].pageInfo.endCursor]) {
      expect(await refused(`{ ${field}(${args}, after: "${after}") { totalCount } }`)).toMatch(
        /^after is not/,
      );
    }
  });
});

describe('validators side by side', () => {
  const ids = [27, 38, 49, 60];
  const page = (id: number) => `v${id}: validatorRewards(network: POLYGON, validatorId: "${id}", first: 3)`;

  it('are one statement', async () => {
    const data = await ask(`{ ${ids.map((id) => `${page(id)} { nodes { validator date } }`).join(' ')} }`);
    expect(gateway.statements).toEqual(['rewardPages']);
    for (const id of ids) {
      expect(data[`v${id}`].nodes).toEqual(
        ['31', '30', '29'].map((day) => ({ validator: String(id), date: `2025-10-${day}` })),
      );
    }
  });

  it('leave each other whole when one was never seen', async () => {
    const { data, errors } = await gateway.graphql(
      `{ ${[27, 28].map((id) => `${page(id)} { totalCount }`).join(' ')} }`,
    );
    expect(data).toEqual({ v27: { totalCount: 90 }, v28: null });
    expect(errors).toMatchObject([{ path: ['v28'], extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('the types', () => {
  const typesOf = (name: string) =>
    schema.getPossibleTypes(schema.getType(name) as GraphQLInterfaceType) as GraphQLObjectType[];

  it.each(['ValidatorReward', 'NetworkReward'])('of %s are one for each network', (name) => {
    const networks = (schema.getType('RewardsNetwork') as GraphQLEnumType).getValues();
    expect(
      typesOf(name)
        .map((type) => type.name.toUpperCase())
        .sort(),
    ).toEqual(networks.map((value) => `${value.name}${name.toUpperCase()}`).sort());
  });

  it.each(['ValidatorReward', 'NetworkReward'])(
    'of %s give a field of one name one kind, so that a query can ask all of them',
    (name) => {
      const kinds = new Map<string, string>();
      for (const type of typesOf(name)) {
        for (const field of Object.values(type.getFields())) {
          const kind = kinds.get(field.name) ?? String(field.type);
          expect([type.name, field.name, String(field.type)]).toEqual([type.name, field.name, kind]);
          kinds.set(field.name, kind);
          expect(getNamedType(field.type)).toBeDefined();
        }
      }
    },
  );

  it('say what they are, and whose', async () => {
    for (const { network, id } of rewardLists) {
      const name = network.toUpperCase();
      const data = await ask(
        `{ validatorRewards(network: ${name}, validatorId: "${id}", first: 1) { nodes { __typename network validator } }
           networkRewards(network: ${name}, first: 1) { nodes { __typename network } } }`,
      );
      const title = name[0] + network.slice(1);
      expect(data.validatorRewards.nodes).toEqual([
        { __typename: `${title}ValidatorReward`, network: name, validator: id },
      ]);
      expect(data.networkRewards.nodes).toEqual([{ __typename: `${title}NetworkReward`, network: name }]);
    }
  });
});

describe('days read newest first', () => {
  it('come once each, though a new day lands between two pages', async () => {
    const page = async (after: string | null) =>
      (
        await gateway.graphql(
          `query ($after: String) { networkRewards(network: POLYGON, first: 50, after: $after) {
            nodes { date } pageInfo { endCursor hasNextPage }
          } }`,
          { after },
        )
      ).data.networkRewards;
    const first = await page(null);
    await gateway.database.pool.query({
      text: `insert into polygon_network_rewards select (jsonb_populate_record(r, '{"day":"2025-11-01"}')).*
        from polygon_network_rewards r where day = '2025-10-31'`,
      values: [],
    });
    const second = await page(first.pageInfo.endCursor);
    const days = [...first.nodes, ...second.nodes].map((node: any) => node.date);
    expect(days).toHaveLength(90);
    expect(new Set(days).size).toBe(90);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });
});

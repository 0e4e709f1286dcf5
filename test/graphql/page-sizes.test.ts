import { isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { isConnection } from '../../src/fast-rows/rewrite.ts';
import { costOf } from '../../src/graphql/run/query-cost.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';
import { rootQueries } from '../support/schema-queries.ts';

const gateway = useGateway();

const connections = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields())
        .filter(isConnection)
        .map((field) => [`${type.name}.${field.name}`, field.description ?? ''] as const)
    : [],
);
const roots = connections.map(([name]) => name).filter((name) => name.startsWith('Query.'));

describe('a list without first and last', () => {
  it.each(connections)('%s is described to have 20 rows a page', (_name, description) => {
    expect(description).toMatch(/At most \d+ a page, 20 by default\./);
  });

  it.each(rootQueries.filter(([name]) => (roots as string[]).includes(name)))(
    '%s is estimated as 20 rows',
    (_name, query) => {
      expect(costOf(schema, parse(query), null, {}).rows).toBe(20);
    },
  );

  it.each([
    ['operators', 'operators(window: SEVEN_DAYS)', '/v0/eth/operators?window=7d', 15],
    ['blocks', 'blocks', '/v0/eth/blocks', 15],
    ['chainDailyRewards', 'chainDailyRewards', '/v0/eth/network/chainDailyRewards', 15],
    [
      'attestations',
      'attestations(operatorId: "Alder Liquid", idType: POOL)',
      '/v1/eth/entities/Alder%20Liquid/attestations?entityType=pool',
      10,
    ],
  ])(
    '%s returns 20 rows and is charged for them; REST has its own default',
    async (name, list, path, size) => {
      const { json } = await gateway.graphql(`{ ${list} { nodes { id } pageInfo { hasNextPage } } }`);
      expect(json.data[name].nodes).toHaveLength(20);
      expect(json.data[name].pageInfo).toEqual({ hasNextPage: true });
      expect(json.extensions.cost).toMatchObject({ estimated: 25, charged: 25 });
      const rest = (await gateway.get(path)).json;
      expect(rest.data ?? rest.results).toHaveLength(size);
    },
  );

  it('a sync committee is a list like any other', async () => {
    const slot = (await gateway.get('/v0/eth/blocks?size=1')).json.data[0].consensusSlot;
    const { data } = await gateway.graphql(
      `{ syncCommitteeRewards(slot: ${slot}) { totalCount nodes { id } } all: syncCommitteeRewards(slot: ${slot}, first: 512) { nodes { id } } }`,
    );
    const { totalCount, nodes } = data.syncCommitteeRewards;
    expect(nodes).toHaveLength(Math.min(20, totalCount));
    expect(data.all.nodes).toHaveLength(totalCount);
  });

  it('search has up to 20 hits', async () => {
    const { data, json } = await gateway.graphql('{ search(query: "sample") { id } }');
    expect(data.search.length).toBeLessThanOrEqual(20);
    expect(json.extensions.cost.estimated).toBe(25);
  });
});

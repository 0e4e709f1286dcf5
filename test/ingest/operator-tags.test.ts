import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import { parentsByTags } from '../../src/ingest/importers/operator-tags.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { operator, share } from './rows.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text = 'truncate operator_summaries, operator_lists, operator_profiles cascade';
  await gateway.database.pool.query({ text, values: [] });
});

const load = async (rows: object[], resource: ImportResource = 'operators') => {
  const report = await importText(gateway, resource, JSON.stringify(rows), { replace: false });
  expect(report.faults).toEqual([]);
  return report;
};
const list = (query: string) => gateway.get(`/v0/eth/operators?window=7d&size=200&${query}`);
/** The ids of a list, which both APIs have to answer alike. */
async function ids(idType: 'pool' | 'poolShare', poolType: string): Promise<string[]> {
  const { json } = await list(`idType=${idType}&poolType=${poolType}`);
  const classes = { pool: 'POOL', poolShare: 'POOL_SHARE' };
  const { data } = await gateway.graphql(
    `{ operators(window: SEVEN_DAYS, idType: ${classes[idType]}, poolType: ${poolType.toUpperCase()}, first: 200) { nodes { operatorId } } }`,
  );
  const found = json.data.map((row: any) => row.id);
  expect(data.operators.nodes.map((node: any) => node.operatorId)).toEqual(found);
  return found.toSorted();
}
const revision = async (): Promise<number> => {
  const text = "select revision from datasets where name = 'operators'";
  return Number((await gateway.database.pool.query({ text, values: [] })).rows[0]?.revision);
};
const tag = (name: string, path: string | null = null, idType: string | null = null) => ({
  name,
  path,
  idType,
});

describe('a pool share', () => {
  it('belongs to the node operator in the path of its tag, whose name is a label, and to the pool that a tag names', async () => {
    const operatorTags = [
      tag('operator', '/o/Z%C3%BCri%20%26%20Co', 'nodeOperator'),
      tag('Rocketpool', '/o/elsewhere', 'pool'),
    ];
    await load([
      operator('Züri & Co', { idType: 'nodeOperator' }),
      operator('Rocketpool'),
      share('both', { operatorTags }),
      share('direct', { operatorTags: [tag('operator', '/o/Züri & Co', 'nodeOperator')] }),
    ]);
    const shares = async (id: string) =>
      (await list(`parentId=${encodeURIComponent(id)}`)).json.data.map((row: any) => row.id);
    expect(await shares('Züri & Co')).toEqual(['both', 'direct']);
    expect(await shares('Rocketpool')).toEqual(['both']);
    expect((await list('parentId=operator')).status).toBe(404);
    expect((await list('parentId=elsewhere')).status).toBe(404);
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(`{ operators(window: SEVEN_DAYS, idType: NODE_OPERATOR) { nodes {
      operatorId poolShares(window: SEVEN_DAYS) { totalCount nodes { operatorId operatorTags { name path idType } } } } } }`);
    expect(gateway.statements).toHaveLength(2);
    expect(data.operators.nodes).toMatchObject([
      {
        operatorId: 'Züri & Co',
        poolShares: {
          totalCount: 2,
          nodes: [{ operatorId: 'both', operatorTags }, { operatorId: 'direct' }],
        },
      },
    ]);
  });

  it('belongs to an address in any letter case', async () => {
    const address = `0x${'Ab'.repeat(20)}`;
    await load([share('x', { operatorTags: [tag('operator', `/o/${address}`, 'nodeOperator')] })]);
    expect((await list(`parentId=${address}`)).json.total).toBe(1);
  });

  it('belongs to what is told outright before its tags', async () => {
    const operatorTags = [tag('operator', '/o/X', 'nodeOperator'), tag('P', null, 'pool')];
    await load([share('s', { operatorTags, nodeOperatorId: 'Y', poolId: 'Q' })]);
    expect((await list('parentId=X')).status).toBe(404);
    expect((await list('parentId=Y')).json.total).toBe(1);
    expect((await list('parentId=Q')).json.total).toBe(1);
  });

  it('has any id in a path, encoded or not', () => {
    const id = fc.string({ unit: 'grapheme', minLength: 1 });
    const parent = (path: string) => parentsByTags([tag('label', path, 'nodeOperator')]).nodeOperatorId;
    fc.assert(
      fc.property(id, (name) => {
        expect(parent(`/o/${encodeURIComponent(name)}`)).toBe(name);
        if (!name.includes('%')) expect(parent(`/o/${name}`)).toBe(name);
      }),
    );
    for (const name of ['100%', '50% Stake', '%zz', '%ff%fe']) expect(parent(`/o/${name}`)).toBe(name);
  });
});

describe('the type of a pool', () => {
  it('is lst by a name that is known for liquid staking or by a tag, and cex by a tag whatever its name is', async () => {
    await load([
      ...['Lido', 'Rocket Pool', 'Rocketpool', 'Stader - Permissionless', 'pSTAKE', 'ether.fi'].map((id) =>
        operator(id),
      ),
      operator('by tag', { operatorTags: [tag('Liquid Staking Token')] }),
      operator('Swell', { operatorTags: [tag('pool'), tag('Exchange')] }),
      operator('Coinbase', { operatorTags: [tag('pool'), tag('exchange')] }),
      ...['SSV', 'Lido²', 'Fireblocks', 'Whale 0x5d76a'].map((id) => operator(id)),
      operator('Lido', { idType: 'nodeOperator' }),
    ]);
    expect(await ids('pool', 'lst')).toEqual(
      [
        'Lido',
        'Rocket Pool',
        'Rocketpool',
        'Stader - Permissionless',
        'by tag',
        'ether.fi',
        'pSTAKE',
      ].toSorted(),
    );
    expect(await ids('pool', 'cex')).toEqual(['Coinbase', 'Swell']);
  });

  it('is that of their pool for shares, by its name where the pool is not stored', async () => {
    const of = (pool: string) =>
      share(`share of ${pool}`, { operatorTags: [tag(pool, `/o/${pool}`, 'pool')] });
    await load([of('Lido'), of('Other')]);
    expect(await ids('poolShare', 'lst')).toEqual(['share of Lido']);
    await load([operator('Lido', { operatorTags: [tag('exchange')] })]);
    expect(await ids('poolShare', 'lst')).toEqual([]);
    expect(await ids('poolShare', 'cex')).toEqual(['share of Lido']);
  });

  it('is what a row says outright, before its tags and its name', async () => {
    await load([
      operator('Lido', { poolType: 'none' }),
      operator('Mine', { poolType: 'lst', operatorTags: [tag('exchange')] }),
      operator('Swell', { poolType: null }),
    ]);
    expect(await ids('pool', 'lst')).toEqual(['Mine', 'Swell']);
    expect(await ids('pool', 'cex')).toEqual([]);
    const again = await load([operator('Swell', { poolType: 'none' })]);
    expect(again).toMatchObject({ updated: 1 });
    expect(await ids('pool', 'lst')).toEqual(['Mine']);
  });
});

describe('a profile', () => {
  it('adds pools to liquid staking and takes them out, by poolType or a tag, also of what is stored', async () => {
    const profile = (id: string, change: object) => ({ id, idType: 'pool', ...change });
    await load([
      ...['Lido', 'Swell', 'Mine', 'Other', 'Named'].map((id) => operator(id)),
      share('share of Lido', { poolId: 'Lido' }),
      share('share of Mine', { poolId: 'Mine' }),
    ]);
    expect(await ids('pool', 'lst')).toEqual(['Lido', 'Swell']);
    const before = await revision();
    const profiles = [
      profile('Lido', { poolType: 'none' }),
      profile('Mine', { poolType: 'lst' }),
      profile('Other', { operatorTags: [tag('liquid staking')] }),
      profile('Swell', { operatorTags: [tag('exchange')] }),
      profile('Named', { displayName: 'a name alone' }),
    ];
    await load(profiles, 'operator-profiles');
    expect(await ids('pool', 'lst')).toEqual(['Mine', 'Other']);
    expect(await ids('pool', 'cex')).toEqual(['Swell']);
    expect(await ids('poolShare', 'lst')).toEqual(['share of Mine']);
    expect(await revision()).toBe(before + 1);

    await load(profiles, 'operator-profiles');
    expect(await revision()).toBe(before + 1);
    await load([operator('Lido', { validatorCount: 11 })]); // keeps to its profile
    expect(await ids('pool', 'lst')).toEqual(['Mine', 'Other']);

    await load([profile('Lido', {}), profile('Swell', {})], 'operator-profiles');
    expect(await ids('pool', 'lst')).toEqual(['Lido', 'Mine', 'Other', 'Swell']);
    expect(await ids('poolShare', 'lst')).toEqual(['share of Lido', 'share of Mine']);
  });

  it('of what is no pool has no poolType', async () => {
    const row = { id: 'x', idType: 'nodeOperator', poolType: 'lst' };
    const { faults } = await importText(gateway, 'operator-profiles', JSON.stringify([row]));
    expect(faults).toMatchObject([{ field: 'poolType', msg: expect.stringContaining('nodeOperator') }]);
  });

  it('of a pool share names its node operator by the path of a tag', async () => {
    const operatorTags = [tag('operator', '/o/Kiln', 'nodeOperator'), tag('Lido', '/o/Lido', 'pool')];
    await load([{ id: 's', idType: 'poolShare', operatorTags }], 'operator-profiles');
    const text = 'select pool_id, node_operator_id, operator_tags::text as tags from operator_profiles';
    expect((await gateway.database.pool.query({ text, values: [] })).rows).toEqual([
      { pool_id: 'Lido', node_operator_id: 'Kiln', tags: JSON.stringify(operatorTags) },
    ]);
  });
});

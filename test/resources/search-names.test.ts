import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate/index.ts';
import { operator } from '../ingest/rows.ts';
import { createDatabase, type Gateway, gatewayForTest, useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });

const load = async (rows: object[], replace: boolean, to: Gateway = gateway) => {
  const report = await importText(to, 'operators', JSON.stringify(rows), { replace });
  expect(report.faults).toEqual([]);
};
async function find(query: string, kinds = ['OPERATOR'], to: Gateway = gateway): Promise<[string, string][]> {
  const { data, errors } = await to.graphql(
    `query ($query: String!, $kinds: [SearchKind!]) {
      search(query: $query, kinds: $kinds, first: 50) { text matched node { ... on Operator { operatorId } } }
    }`,
    { query, kinds },
  );
  expect(errors).toBeUndefined();
  return data.search.map((hit: any) => [hit.text, hit.node.operatorId]);
}
const tagged = (...names: string[]) => names.map((name) => ({ name, path: null, idType: null }));

describe('names that a search finds', () => {
  slow('follow each import: new, changed and removed ones', async () => {
    const one = `0x${'1'.repeat(40)}`;
    const address = { idType: 'depositAddress' };
    await load([operator('Fir'), operator('Elm', { displayName: 'Great Elm' })], true);
    await load([operator(one, { ...address, displayName: 'whale.eth' })], true);
    expect(await find('fir')).toEqual([['Fir', 'Fir']]);
    expect(await find('great')).toEqual([['Great Elm', 'Elm']]);
    expect(await find('elm')).toEqual([['Elm', 'Elm']]);
    expect(await find('whale')).toEqual([['whale.eth', one]]);
    expect(await find('eth')).toEqual([['whale.eth', one]]);
    await load([operator('Elm', { displayName: 'Small Elm' }), operator('Oak')], true);
    expect(await find('great')).toEqual([]);
    expect(await find('small')).toEqual([['Small Elm', 'Elm']]);
    expect(await find('fir')).toEqual([]);
    expect(await find('oak')).toEqual([['Oak', 'Oak']]);
    expect(await find('whale')).toEqual([['whale.eth', one]]);
  });

  it('stay while an operator has them in any window', async () => {
    await load([operator('Linden'), operator('Rowan')], true);
    await load([operator('Linden', { timeWindow: '30d' }), operator('Rowan', { timeWindow: '30d' })], true);
    await load([operator('Rowan')], true);
    expect(await find('linden')).toEqual([['Linden', 'Linden']]);
    await load([operator('Rowan', { timeWindow: '30d' })], true);
    expect(await find('linden')).toEqual([]);
    expect(await find('rowan')).toEqual([['Rowan', 'Rowan']]);
  });

  it('are tags too, which lead to the largest operator that has them', async () => {
    const sized = (id: string, validatorCount: number, ...tags: string[]) =>
      operator(id, { idType: 'entity', validatorCount, operatorTags: tagged(...tags) });
    await load(
      [sized('Large', 4_000, 'bank'), sized('Middle', 300, 'bank', 'swiss'), sized('Little', 9, 'bank')],
      true,
    );
    expect(await find('bank', ['TAG'])).toEqual([['bank', 'Large']]);
    expect(await find('swi', ['TAG'])).toEqual([['swiss', 'Middle']]);
    await load([sized('Large', 4_000)], false);
    expect(await find('bank', ['TAG'])).toEqual([['bank', 'Middle']]);
    await load([sized('Little', 9)], false);
    await load([sized('Middle', 300, 'swiss')], false);
    expect(await find('bank', ['TAG'])).toEqual([]);
    await load([sized('Large', 4_000, 'swiss')], false);
    expect(await find('swiss', ['TAG'])).toEqual([['swiss', 'Large']]);
  });

  it('are not tags that name another operator', async () => {
    const operatorTags = [{ name: 'Hazelnut', path: '/o/Hazelnut', idType: 'pool' }];
    await load([operator('Hazelnut - Crow', { idType: 'nodeOperator', operatorTags })], false);
    expect(await find('hazelnut', ['TAG'])).toEqual([]);
  });
});

describe('operator(operatorId:)', () => {
  it('finds an address in any letter case, as REST does', async () => {
    const id = `0x${'aB'.repeat(20)}`;
    await load([operator(id, { idType: 'depositAddress' })], true);
    const forms = [id, id.toLowerCase(), id.toUpperCase(), `0x${id.slice(2).toUpperCase()}`];
    for (const operatorId of forms) {
      const { data } = await gateway.graphql(
        'query ($operatorId: String!) { operator(operatorId: $operatorId) { operatorId } }',
        { operatorId },
      );
      expect(data.operator).toEqual({ operatorId: id.toLowerCase() });
      const { json } = await gateway.get(`/v0/eth/operators/${operatorId}/summary?window=7d`);
      expect(json.id).toBe(id.toLowerCase());
    }
  });
});

/** A database that was migrated by a role which may not install an extension. */
async function withoutTrigrams() {
  const database = await createDatabase();
  const query = (text: string) => database.pool.query({ text, values: [] });
  const role = `plain_${process.pid}`;
  await query('drop schema public cascade');
  await query('drop extension if exists pg_trgm');
  await query('create schema public');
  await query(`create role ${role} login password 'x'`);
  onTestFinished(async () => {
    await query(`drop owned by ${role}`);
    await query(`drop role ${role}`);
    await database.drop();
  });
  await query(`grant all on schema public to ${role}`);
  const url = new URL(database.url);
  Object.assign(url, { username: role, password: 'x' });
  await migrate(url.href);
  return { database, query };
}

describe('a database without pg_trgm', () => {
  slow('is migrated, and finds names by their words alone until it has pg_trgm', async () => {
    const { database, query } = await withoutTrigrams();
    const extensions = () => query(`select from pg_extension where extname = 'pg_trgm'`);
    expect((await extensions()).rows).toEqual([]);
    const plain = await gatewayForTest({ database });
    await load([operator('Sycamore Grove'), operator('Maple')], true, plain);
    expect(await find('SYCAM', ['OPERATOR'], plain)).toEqual([['Sycamore Grove', 'Sycamore Grove']]);
    expect(await find('grove', ['OPERATOR'], plain)).toEqual([['Sycamore Grove', 'Sycamore Grove']]);
    expect(await find('sycamroe', ['OPERATOR'], plain)).toEqual([]);
    expect((await query('select find_similar_names() as can')).rows).toEqual([{ can: true }]);
    expect(await find('sycamroe', ['OPERATOR'], plain)).toEqual([['Sycamore Grove', 'Sycamore Grove']]);
  });

  slow('has the extension in another schema: it is used from there', async () => {
    const { database, query } = await withoutTrigrams();
    await query('create schema extensions');
    await query('create extension pg_trgm schema extensions');
    await query('select find_similar_names()');
    const other = await gatewayForTest({ database });
    await load([operator('Sycamore Grove')], true, other);
    expect(await find('sycamroe', ['OPERATOR'], other)).toEqual([['Sycamore Grove', 'Sycamore Grove']]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { searchKinds } from '../../src/resources/search/record.ts';
import { accountOf } from '../support/account.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { sampleValidators } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const fields = `id kind text matched score node {
  __typename id
  ... on Operator { operatorId idType network }
  ... on Validator { validatorIndex validatorPubkey network }
  ... on Block { consensusSlot }
  ... on StakeAuthority { stakeAuthority }
  ... on PrivateSet { setId }
}`;
const publicKinds = ['OPERATOR', 'VALIDATOR', 'BLOCK', 'STAKE_AUTHORITY', 'TAG'];

type Hit = Record<'id' | 'kind' | 'text' | 'matched', string> & { score: number; node: Record<string, any> };

async function search(variables: object, ask = gateway.graphql): Promise<[Hit, ...Hit[]]> {
  const { data, errors } = await ask(
    `query ($query: String!, $kinds: [SearchKind!], $network: Network, $first: Int) {
      search(query: $query, kinds: $kinds, network: $network, first: $first) { ${fields} }
    }`,
    variables,
  );
  expect(errors).toBeUndefined();
  return data.search;
}
const texts = (hits: Hit[]) => hits.map((hit) => hit.text);

async function stored<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await gateway.database.pool.query({ text, values })).rows as Row[];
}

const validators = [...sampleValidators()];
const validator = validators.find(
  (row) => row.network === 'mainnet' && row.pool,
) as (typeof validators)[number];

describe('search by name', () => {
  it('finds any part of the names of the largest operators, in any letter case, after beginnings', async () => {
    for (const query of ['lde', 'ER LIQ', 'der']) {
      const hits = await search({ query, kinds: ['OPERATOR'], first: 50 });
      const alder = hits.find(({ text, node }) => text === 'Alder Liquid' && node.idType === 'POOL');
      expect(alder, query).toMatchObject({ matched: 'NAME', score: 0.7 });
      const named = hits.filter(({ matched }) => matched === 'NAME');
      for (const { text } of named) expect(text.toLowerCase()).toContain(query.toLowerCase());
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    }
    const percent = await search({ query: '%', kinds: ['OPERATOR'], first: 50 });
    for (const { text } of percent) expect(text).toContain('%');
  });

  it('finds operators by the name, its beginning and that of a word, in this order, in any letter case', async () => {
    const hits = await search({ query: 'alder LIQUID', kinds: ['OPERATOR'] });
    expect(hits[0]).toMatchObject({
      kind: 'OPERATOR',
      text: 'Alder Liquid',
      matched: 'NAME',
      score: 1,
      node: { __typename: 'Operator', operatorId: 'Alder Liquid', network: 'MAINNET' },
    });
    const words = await search({ query: 'liquid', kinds: ['OPERATOR'], first: 50 });
    expect(words[0]).toMatchObject({ text: 'Alder Liquid', score: 0.8 });
    const beginning = await search({ query: 'Alder L', kinds: ['OPERATOR'], first: 50 });
    expect(beginning).toHaveLength(50);
    for (const hit of beginning) {
      expect(hit.text).toMatch(/^Alder L/);
      expect(hit.score).toBe(0.9);
      expect(hit.node.__typename).toBe('Operator');
    }
  });

  it('puts the largest of equal hits first', async () => {
    const hits = await search({ query: 'amber', kinds: ['OPERATOR'], first: 50 });
    const sizes = await stored<{ id: string; size: number }>(
      `select operator_id as id, max(round(ln(validator_count + 1) / ln(2))) as size from operator_summaries
      where network = 'mainnet' and id_type = 'nodeOperator' group by 1`,
    );
    const sizeOf = new Map(sizes.map(({ id, size }) => [id, size]));
    const shown = hits
      .filter((hit) => hit.node.idType === 'NODE_OPERATOR')
      .map((hit) => sizeOf.get(hit.node.operatorId));
    expect(shown.length).toBeGreaterThan(10);
    expect(shown).toEqual(shown.toSorted((a, b) => (b as number) - (a as number)));
  });

  it.each([
    ['zürich', 'Zürich Custody'],
    ['ZÜRICH', 'Zürich Custody'],
    ['Zu\u0308rich', 'Zürich Custody'],
    ['ångström', 'Ångström Custody'],
    ['ебонит', 'Ебонит Wallet'],
    ['東京', '東京 Wallet'],
    ['🦉', '🦉 Owl Exchange'],
    ["o'hara", "O'Hara Custody"],
    ['100%', '100% Staking'],
    ['back\\slash', 'Back\\slash'],
    ['"quorum', '"Quorum"'],
  ])('finds %s as it is written', async (query, name) => {
    const hits = await search({ query, kinds: ['OPERATOR'], first: 50 });
    expect(texts(hits).some((text) => text.includes(name))).toBe(true);
  });

  it.each([
    '%',
    '_',
    'Alder%',
    'Alder_Liquid',
    "'; drop table search_names --",
    '\\',
    '%%%',
    '(',
    '.*',
    '[a-z]+',
  ])('takes %s literally: nothing in it is a wildcard', async (query) => {
    const hits = await search({ query, kinds: publicKinds, first: 50 });
    for (const { text, matched } of hits)
      if (matched === 'NAME') expect(text.toLowerCase()).toContain(query.toLowerCase());
  });

  it('finds names in spite of a typing error, after those that begin so', async () => {
    const [hit] = await search({ query: 'Aldre Liquid', kinds: ['OPERATOR'] });
    expect(hit).toMatchObject({ text: 'Alder Liquid', matched: 'SIMILAR_NAME' });
    expect(hit.score).toBeLessThan(0.7);
    const mixed = await search({ query: 'alder', first: 50 });
    expect(mixed.map((one) => one.score)).toEqual(mixed.map((one) => one.score).toSorted((a, b) => b - a));
  });

  it('scores even a name of the same words below the bound of similar names', async () => {
    const { data } = await gateway.graphql(
      '{ search(query: "Alder Liquid Alder", kinds: [OPERATOR], first: 1) { text matched score } }',
    );
    expect(data.search).toEqual([
      { text: 'Alder Liquid', matched: 'SIMILAR_NAME', score: expect.closeTo(0.69, 6) },
    ]);
  });

  it('finds stake authorities by the name of their pool', async () => {
    const [pool] = await stored<{ name: string; id: string }>(
      `select pool_name as name, stake_authority as id from stake_authority_summaries
      where pool_name is not null order by 1 limit 1`,
    );
    const [hit] = await search({ query: pool?.name, kinds: ['STAKE_AUTHORITY'] });
    expect(hit).toMatchObject({
      ...{ kind: 'STAKE_AUTHORITY', text: pool?.name, score: 1 },
      node: { __typename: 'StakeAuthority', stakeAuthority: pool?.id },
    });
  });

  it('finds a tag once, with a large operator that has it', async () => {
    const hits = await search({ query: 'exchan', kinds: ['TAG'] });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ kind: 'TAG', text: 'exchange', node: { __typename: 'Operator' } });
    const [found] = await stored<{ tagged: boolean }>(
      `select operator_tags::jsonb @> '[{"name": "exchange"}]' as tagged from operator_summaries
      where operator_id = $1 and network = 'mainnet'`,
      [hits[0].node.operatorId],
    );
    expect(found?.tagged).toBe(true);
  });

  it('finds what a network has, that of the header unless one is named', async () => {
    const hits = await search({ query: 'alder liquid', kinds: ['OPERATOR'], network: 'HOODI' });
    expect(hits.length).toBeGreaterThan(0);
    for (const { node } of hits) expect(node.network).toBe('HOODI');
    const { data } = await gateway.graphql(
      '{ search(query: "alder liquid", kinds: OPERATOR) { node { ... on Operator { network } } } }',
      {},
      { 'x-service-network': 'hoodi' },
    );
    expect(data.search[0].node.network).toBe('HOODI');
  });
});

describe('search by key', () => {
  it('finds a validator by its index and a block by its slot', async () => {
    const [{ slot } = { slot: 0 }] = await stored<{ slot: number }>(
      `select max(slot) as slot from blocks where network = 'mainnet'`,
    );
    const [block] = await search({ query: String(slot), kinds: ['BLOCK'] });
    expect(block).toMatchObject({
      ...{ kind: 'BLOCK', matched: 'SLOT', score: 1 },
      node: { __typename: 'Block', consensusSlot: slot },
    });
    const index = validator.validatorIndex;
    const [hit] = await search({ query: ` ${index} `, kinds: ['VALIDATOR', 'BLOCK'] });
    expect(hit).toMatchObject({
      ...{ kind: 'VALIDATOR', text: String(index), matched: 'INDEX', score: 1 },
      node: { validatorIndex: index },
    });
  });

  it.each([
    ['whole', (key: string) => key, 1],
    ['a part of it', (key: string) => key.slice(0, 40), 0.75],
    ['in capitals', (key: string) => `0x${key.slice(2).toUpperCase()}`, 1],
    ['without 0x', (key: string) => key.slice(2), 1],
    ['a part without 0x', (key: string) => key.slice(2, 42), 0.75],
  ])('finds a validator by its public key: %s', async (_, given, score) => {
    const [hit] = await search({ query: given(validator.validatorPubkey), kinds: ['VALIDATOR'] });
    expect(hit).toMatchObject({
      ...{ kind: 'VALIDATOR', text: validator.validatorPubkey, matched: 'PUBLIC_KEY', score },
      node: { __typename: 'Validator', validatorIndex: validator.validatorIndex, network: 'MAINNET' },
    });
  });

  it.each([
    ['whole', (key: string) => key, 1],
    ['a part of it', (key: string) => key.slice(0, 30), 0.75],
    ['in capitals', (key: string) => key.toUpperCase(), 1],
    ['without 0x', (key: string) => key.slice(2), 1],
  ])('finds operators by their address: %s', async (_, given, score) => {
    const hits = await search({ query: given(validator.depositAddress), kinds: ['OPERATOR'] });
    const one = hits.find((hit) => hit.node.idType === 'DEPOSIT_ADDRESS');
    expect(one).toMatchObject({
      ...{ text: validator.depositAddress, matched: 'ADDRESS', score },
      node: { operatorId: validator.depositAddress },
    });
  });

  it('finds a block by its root and by its execution hash', async () => {
    const [block] = await stored<{ slot: number; root: string; hash: string }>(
      `select slot, consensus_block_root as root, execution_block_hash as hash from blocks
      where network = 'mainnet' and execution_block_hash is not null order by slot limit 1`,
    );
    for (const hash of [block?.root, block?.hash, block?.hash.toUpperCase(), block?.root.slice(2)]) {
      const [hit] = await search({ query: hash, kinds: ['BLOCK'] });
      expect(hit).toMatchObject({ matched: 'BLOCK_HASH', node: { consensusSlot: block?.slot } });
    }
    expect(await search({ query: block?.root.slice(0, 30), kinds: ['BLOCK'] })).toEqual([]);
  });

  it('finds a stake authority by its address, whose letter case matters', async () => {
    const [row] = await stored<{ id: string }>(
      'select stake_authority as id from stake_authority_summaries order by 1 limit 1',
    );
    const id = row?.id as string;
    const [hit] = await search({ query: id.slice(0, 20), kinds: ['STAKE_AUTHORITY'] });
    expect(hit).toMatchObject({ text: id, matched: 'ADDRESS', score: 0.75, node: { stakeAuthority: id } });
    expect((await search({ query: id, kinds: ['STAKE_AUTHORITY'] }))[0].score).toBe(1);
    expect(texts(await search({ query: id.toLowerCase(), kinds: ['STAKE_AUTHORITY'] }))).not.toContain(id);
  });

  it.each(['2147483647', '2147483648', '99999999999999999999', '-1', '0x', 'no such thing at all', '0x00zz'])(
    'finds nothing for %s',
    async (query) => {
      expect(await search({ query, kinds: ['VALIDATOR', 'BLOCK'] })).toEqual([]);
    },
  );
});

describe('search of private sets', () => {
  it('finds the own ones by name, and nobody else’s', async () => {
    const [mine, other] = [await accountOf(gateway), await accountOf(gateway)];
    const { json } = await mine.post('/v1/eth/tags', { name: 'Ünique Validators' });
    const asked = { query: 'validators', kinds: ['PRIVATE_SET'] };
    const [hit] = await search(asked, mine.graphql);
    expect(hit).toMatchObject({
      ...{ kind: 'PRIVATE_SET', text: 'Ünique Validators', matched: 'NAME', score: 0.8 },
      node: { __typename: 'PrivateSet', setId: json.id },
    });
    expect((await search({ query: 'ÜNIQUE val' }, mine.graphql))[0].node.setId).toBe(json.id);
    expect(await search({ ...asked, network: 'HOODI' }, mine.graphql)).toEqual([]);
    expect(await search(asked, other.graphql)).toEqual([]);
    expect(JSON.stringify(await search({ query: 'Ünique' }, other.graphql))).not.toContain(json.id);
  });

  slow('is never answered from the cache; a search of other kinds is', async () => {
    const cached = await gatewayForTest({ settings: { CACHE: true } });
    const [mine, other] = [await accountOf(cached), await accountOf(cached)];
    await mine.post('/v1/eth/tags', { name: 'Ünique Validators' });
    const names = async (account: typeof mine, kinds: string) => {
      const { data } = await account.graphql(`{ search(query: "ünique", kinds: [${kinds}]) { text } }`);
      return texts(data.search);
    };
    for (let times = 0; times < 3; times += 1) {
      expect(await names(mine, 'OPERATOR, PRIVATE_SET')).toEqual(['Ünique Validators']);
      expect(await names(other, 'OPERATOR, PRIVATE_SET')).toEqual([]);
    }
    for (let times = 0; times < 3; times += 1) await names(mine, 'OPERATOR'); // compiled by then
    cached.statements.length = 0;
    expect(await names(other, 'OPERATOR')).toEqual([]);
    expect(cached.statements).toEqual([]);
  });
});

describe('search', () => {
  it('takes each kind alone, and all kinds without `kinds`', async () => {
    for (const kind of searchKinds) {
      const name = kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      for (const hit of await search({ query: 'sam', kinds: [name] })) expect(hit.kind).toBe(name);
    }
    const all = await search({ query: 'exchange', first: 50 });
    expect(new Set(all.map((hit) => hit.kind)).size).toBeGreaterThan(1);
    expect(new Set(all.map((hit) => hit.id)).size).toBe(all.length);
  });

  it('gives 20 hits, or as many as `first` asks for', async () => {
    expect(await search({ query: 'alder l' })).toHaveLength(20);
    for (const first of [1, 49, 50]) expect(await search({ query: 'alder l', first })).toHaveLength(first);
    const fifty = await search({ query: 'alder l', first: 50 });
    expect(await search({ query: 'alder l', first: 7 })).toEqual(fifty.slice(0, 7));
  });

  it('costs 5 units and one for each hit', async () => {
    const { json } = await gateway.graphql('{ search(query: "alder l", first: 50) { text } }');
    expect(json.extensions.cost).toMatchObject({ estimated: 55, charged: 55 });
    const few = await gateway.graphql('{ search(query: "alder") { text } }');
    expect(few.json.extensions.cost.estimated).toBe(25);
    expect(few.json.extensions.cost.charged).toBe(5 + few.data.search.length);
  });

  it.each([5, 50])('reads %i hits of each kind in as few statements as one', async (first) => {
    const names = { query: 'alder l', kinds: publicKinds, first };
    await search(names);
    expect(gateway.statements.length).toBeLessThanOrEqual(5);
    gateway.statements.length = 0;
    await search({ query: '0x8', kinds: ['OPERATOR', 'VALIDATOR', 'BLOCK'], first });
    expect(gateway.statements.filter((name) => name === 'validatorsByIndex').length).toBeLessThanOrEqual(1);
    expect(gateway.statements.length).toBeLessThanOrEqual(8);
  });

  it('reads no object that is not asked for', async () => {
    const { data } = await gateway.graphql(
      '{ search(query: "alder l", kinds: OPERATOR) { kind text score } }',
    );
    expect(data.search).toHaveLength(20);
    expect(gateway.statements).toEqual(['namesByBeginning']);
  });

  it.each([
    [{ query: '' }, 'query is empty; 1 to 100 characters are needed.'],
    [{ query: ' \t ' }, 'query is empty; 1 to 100 characters are needed.'],
    [{ query: 'x'.repeat(101) }, 'query has 101 characters; 1 to 100 are needed.'],
    [{ query: 'a\u0007b' }, 'query is "a\\u0007b"; it has a control character or half of a character.'],
    [{ query: 'a\ud800' }, '$query is "a\\ud800", which contains half of a character.'],
    [{ query: 'a\0b' }, '$query is "a\\u0000b", which contains a NUL character.'],
    [{ query: 'x', first: 0 }, 'first is 0; an integer from 1 to 50 is needed.'],
    [{ query: 'x', first: -1 }, 'first is -1; an integer from 1 to 50 is needed.'],
    [{ query: 'x', first: 51 }, 'first is 51; an integer from 1 to 50 is needed.'],
    [{ query: 'x', kinds: [] }, 'kinds is empty; leave it out to search all kinds.'],
  ])('refuses %j by name', async (variables, message) => {
    const { errors } = await gateway.graphql(
      'query ($query: String!, $kinds: [SearchKind!], $first: Int) { search(query: $query, kinds: $kinds, first: $first) { text } }',
      variables,
    );
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });

  it.each([
    'query: 1',
    'query: null',
    'kinds: OPERATOR',
    'query: "x", kinds: WHALE',
    'query: "x", network: GOERLI',
  ])('refuses the wrong type in search(%s)', async (args) => {
    const { errors } = await gateway.graphql(`{ search(${args}) { text } }`);
    expect(errors).toHaveLength(1);
  });

  it('takes 100 characters', async () => {
    expect(await search({ query: 'x'.repeat(100), kinds: publicKinds })).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf, mutated } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let account: Account;
let known: { index: number; pubkey: string }[];
beforeAll(async () => {
  gateway = await startGateway();
  account = await accountOf(gateway);
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index, validator_pubkey as pubkey from validators where network = 'hoodi'
      order by 1 limit 5`,
    values: [],
  });
  known = rows as typeof known;
});
afterAll(() => gateway.close());

const run = (field: string, input: object, select: string, owner = account) =>
  mutated(owner, field, input, select);
const index = (at: number) => ({ index: known[at]?.index });
const pubkey = (at: number) => ({ pubkey: known[at]?.pubkey });
const made = async (...validators: object[]): Promise<string> =>
  (await run('createPrivateSet', { name: 'x', network: 'HOODI', validators }, 'privateSet { setId }'))
    .privateSet.setId;
const members = 'privateSet { validators { nodes { validatorIndex } } }';
const indices = (payload: any) => payload.privateSet.validators.nodes.map((row: any) => row.validatorIndex);

describe('mutations of private sets', () => {
  it('create, rename and delete one, and change its validators', async () => {
    const created = await run(
      'createPrivateSet',
      { name: 'Mine', network: 'HOODI', validators: [index(0), pubkey(1)] },
      'privateSet { setId name network account createdBy validators { totalCount } }',
    );
    expect(created.userErrors).toEqual([]);
    const { setId } = created.privateSet;
    expect(created.privateSet).toMatchObject({
      ...{ name: 'Mine', network: 'HOODI', account: account.id, createdBy: 'a token' },
      validators: { totalCount: 2 },
    });
    const validators = [pubkey(1), index(2), pubkey(3)];
    const added = await run('addPrivateSetValidators', { setId, validators }, `pubkeysAdded ${members}`);
    expect(added.pubkeysAdded).toEqual([known[2]?.pubkey, known[3]?.pubkey]);
    expect(indices(added)).toEqual([0, 1, 2, 3].map((at) => known[at]?.index));
    const gone = { setId, validators: [index(0), pubkey(2)] };
    const removed = await run('removePrivateSetValidators', gone, members);
    expect(indices(removed)).toEqual([1, 3].map((at) => known[at]?.index));
    const renamed = await run('renamePrivateSet', { setId, name: 'Ours' }, 'privateSet { id name }');
    expect(renamed.privateSet.name).toBe('Ours');
    expect(await run('deletePrivateSet', { setId }, 'deletedId deletedSetId')).toEqual({
      deletedId: renamed.privateSet.id,
      deletedSetId: setId,
      userErrors: [],
    });
    const { data } = await account.graphql(`{ privateSet(setId: "${setId}") { id } }`);
    expect(data.privateSet).toBeNull();
  });

  it('tell every fault of an input with its field, and change nothing', async () => {
    const setId = await made(index(0), index(1));
    const select = 'privateSet { setId }';
    const faults = async (field: string, input: object) =>
      (await run(field, input, select)).userErrors.map((error: any) => [
        error.code,
        error.field,
        error.message,
      ]);
    expect(
      await faults('createPrivateSet', { name: ' ', validators: [{ pubkey: 'x' }, { index: -1 }] }),
    ).toEqual([
      ['BAD_INPUT', ['name'], expect.stringContaining('name must be a text')],
      ['BAD_INPUT', ['validators', '0'], expect.stringContaining('must be an index, or a public key')],
      ['BAD_INPUT', ['validators', '1'], expect.stringContaining('must be an index, or a public key')],
    ]);
    expect(
      await faults('addPrivateSetValidators', { setId, validators: [index(2), { index: 999_999_999 }] }),
    ).toEqual([
      ['BAD_INPUT', ['validators', '1'], 'validators.1 is 999999999; hoodi has no such validator here.'],
    ]);
    expect(await faults('addPrivateSetValidators', { setId: 'x', validators: [] })).toEqual([
      ['BAD_INPUT', ['setId'], 'setId is "x"; a UUID is needed.'],
      ['BAD_INPUT', ['validators'], 'validators must have 1 to 1000 entries.'],
    ]);
    expect(await faults('removePrivateSetValidators', { setId, validators: [index(0), index(3)] })).toEqual([
      [
        'NOT_FOUND',
        ['validators', '1'],
        `Validator "${known[3]?.index}" was not found in private set "${setId}".`,
      ],
    ]);
    expect(
      await faults('removePrivateSetValidators', { setId, validators: [{ pubkey: 'zz' }] }),
    ).toMatchObject([['BAD_INPUT', ['validators', '0'], expect.any(String)]]);
    const { data } = await account.graphql(`{ privateSet(setId: "${setId}") { validators { totalCount } } }`);
    expect(data.privateSet.validators.totalCount).toBe(2);
  });

  it('refuse a validator that is named twice or not at all before they run', async () => {
    for (const by of ['{}', '{ index: 1, pubkey: "x" }', '{ index: null }']) {
      const { data, errors } = await account.graphql(
        `mutation { createPrivateSet(input: { name: "x", validators: [${by}] }) { userErrors { code } } }`,
      );
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
    }
  });
});

describe('privateSets', () => {
  it('are paged in both directions', async () => {
    for (let count = 0; count < 3; count += 1) await made(index(count));
    const page = async (args: string) => {
      const select =
        'totalCount nodes { id name } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
      const { data } = await account.graphql(`{ privateSets(network: HOODI, ${args}) { ${select} } }`);
      return data.privateSets;
    };
    const first = await page('first: 2');
    expect(first.nodes).toHaveLength(2);
    const rest = await page(`first: 200, after: "${first.pageInfo.endCursor}"`);
    expect([...first.nodes, ...rest.nodes]).toEqual((await page('first: 200')).nodes);
    expect(first.totalCount).toBe(2 + rest.nodes.length);
    expect((await page(`last: 2, before: "${rest.pageInfo.startCursor}"`)).nodes).toEqual(first.nodes);
    expect((await page('last: 1')).nodes).toEqual(rest.nodes.slice(-1));
  });

  it('have validators that node finds for their account alone, many in one statement', async () => {
    const setId = await made(index(0), index(1), index(2));
    const select = 'id setId network validatorIndex validatorPubkey addedAt';
    const { data } = await account.graphql(
      `{ privateSet(setId: "${setId}") { validators { nodes { ${select} } } } }`,
    );
    const { nodes } = data.privateSet.validators;
    expect(nodes[0]).toMatchObject({ setId, network: 'HOODI', validatorIndex: known[0]?.index });
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on PrivateSetValidator { ${select} } } }`;
    const ids = nodes.map(({ id }: any) => id);
    gateway.statements.length = 0;
    expect((await account.graphql(query, { ids })).data.nodes).toEqual(nodes);
    expect(gateway.statements).toEqual(['membersByKey']);
    expect((await gateway.graphql(query, { ids })).data.nodes).toEqual([null, null, null]);
    await run('removePrivateSetValidators', { setId, validators: [index(0)] }, 'privateSet { id }');
    expect((await account.graphql(query, { ids })).data.nodes[0]).toBeNull();
  });

  it.each(['x:1', '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01', '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01:2147483648'])(
    'have no validator of the global id %s',
    async (inner) => {
      const id = Buffer.from(`PrivateSetValidator:${inner}`).toString('base64url');
      const { data } = await account.graphql('query ($id: ID!) { node(id: $id) { id } }', { id });
      expect(data).toEqual({ node: null });
    },
  );
});

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
    text: `select validator_index as index, validator_pubkey as pubkey from validators where network = 'mainnet' limit 5`,
    values: [],
  });
  known = rows as typeof known;
});
afterAll(() => gateway.close());

const run = (field: string, input: object, select: string, owner = account) =>
  mutated(owner, field, input, select);

describe('mutations', () => {
  it('make, rename and delete a tag, and change its validators, as REST does', async () => {
    const made = await run(
      'createPrivateSet',
      { name: 'Mine', validators: [{ index: known[0]?.index }, { pubkey: known[1]?.pubkey }] },
      'privateSet { setId name network createdBy validators { totalCount } }',
    );
    expect(made.userErrors).toEqual([]);
    expect(made.privateSet).toMatchObject({
      name: 'Mine',
      network: 'MAINNET',
      createdBy: 'a token',
      validators: { totalCount: 2 },
    });
    const { setId } = made.privateSet;
    expect((await account.get(`/v1/eth/tags/${setId}`)).json).toMatchObject({ id: setId, name: 'Mine' });
    const added = await run(
      'addPrivateSetValidators',
      { setId, validators: [{ pubkey: known[1]?.pubkey }, { index: known[2]?.index }] },
      'pubkeysAdded privateSet { validators { totalCount } }',
    );
    expect(added).toEqual({
      pubkeysAdded: [known[2]?.pubkey],
      privateSet: { validators: { totalCount: 3 } },
      userErrors: [],
    });
    const removed = await run(
      'removePrivateSetValidators',
      { setId, validators: [{ pubkey: known[0]?.pubkey }] },
      'privateSet { validators { nodes { validatorPubkey } } }',
    );
    expect(removed.privateSet.validators.nodes.map((row: any) => row.validatorPubkey).sort()).toEqual(
      [known[1]?.pubkey, known[2]?.pubkey].sort(),
    );
    const renamed = await run('renamePrivateSet', { setId, name: 'Ours' }, 'privateSet { name }');
    expect(renamed.privateSet.name).toBe('Ours');
    const { id } = (await account.graphql(`{ privateSet(setId: "${setId}") { id } }`)).data.privateSet;
    expect(await run('deletePrivateSet', { setId }, 'deletedId deletedSetId')).toEqual({
      deletedId: id,
      deletedSetId: setId,
      userErrors: [],
    });
    expect((await account.get(`/v1/eth/tags/${setId}`)).status).toBe(404);
  });

  it('see in one document what those before them did', async () => {
    const { setId } = (await run('createPrivateSet', { name: 'x' }, 'privateSet { setId }')).privateSet;
    const add = (at: number) =>
      `addPrivateSetValidators(input: { setId: "${setId}", validators: [{ index: ${known[at]?.index} }] }) { privateSet { validators { totalCount } } }`;
    const { data } = await account.graphql(`mutation { a: ${add(0)} b: ${add(1)} c: ${add(2)} }`);
    expect([data.a, data.b, data.c].map((payload) => payload.privateSet.validators.totalCount)).toEqual([
      1, 2, 3,
    ]);
  });

  it('tell every fault of an input with its field, and change nothing', async () => {
    const none = 'privateSet { setId }';
    const unknown = [{ pubkey: 'x' }, { index: 0 }];
    expect(await run('createPrivateSet', { name: ' ', validators: unknown }, none)).toEqual({
      privateSet: null,
      userErrors: [
        {
          field: ['name'],
          message:
            'name must be a text of 1 to 100 characters, not all of them blank, without control characters.',
          code: 'BAD_INPUT',
        },
        {
          field: ['validators', '0'],
          message: 'validators.0 must be an index, or a public key of 96 hex digits, with or without 0x.',
          code: 'BAD_INPUT',
        },
      ],
    });
    const beyond = { name: 'x', validators: [{ index: 999_999_999 }] };
    expect((await run('createPrivateSet', beyond, none)).userErrors).toEqual([
      {
        field: ['validators', '0'],
        message: 'validators.0 is 999999999; mainnet has no such validator here.',
        code: 'BAD_INPUT',
      },
    ]);
    expect((await run('renamePrivateSet', { setId: 'x', name: 'y' }, none)).userErrors).toMatchObject([
      { field: ['setId'], code: 'BAD_INPUT' },
    ]);
    const { setId } = (await run('createPrivateSet', { name: 'x' }, none)).privateSet;
    const removed = async (validator: object) =>
      (await run('removePrivateSetValidators', { setId, validators: [validator] }, none)).userErrors;
    expect(await removed({ pubkey: 'x' })).toMatchObject([{ field: ['validators', '0'], code: 'BAD_INPUT' }]);
    expect(await removed({ index: 1 })).toEqual([
      {
        field: ['validators', '0'],
        message: `Validator "1" was not found in private set "${setId}".`,
        code: 'NOT_FOUND',
      },
    ]);
  });

  it('tell what the tier allows', async () => {
    const build = await accountOf(gateway, 'build');
    const { data } = await build.graphql(
      `mutation { ${[1, 2, 3, 4, 5].map((at) => `t${at}: createPrivateSet(input: { name: "x" }) { privateSet { name } userErrors { field code message } }`).join(' ')} }`,
    );
    expect([1, 2, 3, 4].map((at) => data[`t${at}`].privateSet?.name)).toEqual(['x', 'x', 'x', 'x']);
    expect(data.t5).toEqual({
      privateSet: null,
      userErrors: [
        {
          field: null,
          code: 'FORBIDDEN',
          message:
            'The build tier has at most 4 private sets, and the account has 4: delete one, or a higher tier has more.',
        },
      ],
    });
  });

  it('do not run over GET', async () => {
    const before = (await account.graphql('{ privateSets { totalCount } }')).data.privateSets.totalCount;
    const query = encodeURIComponent(
      'mutation { createPrivateSet(input: { name: "x" }) { privateSet { name } } }',
    );
    const answer = await account.get(`/graphql?query=${query}`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(answer.json.errors[0].extensions.code).toBe('BAD_QUERY');
    expect((await account.graphql('{ privateSets { totalCount } }')).data.privateSets.totalCount).toBe(
      before,
    );
  });

  it('need a token', async () => {
    const body = JSON.stringify({
      query: 'mutation { createPrivateSet(input: { name: "x" }) { privateSet { name } } }',
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect((await gateway.fetch('/graphql', init)).status).toBe(401);
  });
});

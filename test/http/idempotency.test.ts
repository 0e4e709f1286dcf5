import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let account: Account;
let keys = 0;
beforeAll(async () => {
  gateway = await startGateway();
  account = await accountOf(gateway);
});
afterAll(() => gateway.close());

const nextKey = () => `key-${keys++}`;
const create = (key: string, body: object = { name: 'once' }, headers = {}, owner = account) =>
  owner.post('/v1/eth/tags', body, { 'idempotency-key': key, ...headers });
const count = async (owner = account) => (await owner.get('/v1/eth/tags?limit=200')).json.results.length;
const db = (text: string, values: unknown[] = []) => gateway.database.pool.query({ text, values });

describe('a POST with an Idempotency-Key', () => {
  it('asked again gets the first answer, marked, and does nothing', async () => {
    const before = await count();
    const key = nextKey();
    const first = await create(key);
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    for (const again of [await create(key), await create(`"${key}"`)]) {
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(await count()).toBe(before + 1);
  });

  it('asked many times at once is done once; the others get its answer or 409', async () => {
    const before = await count();
    const key = nextKey();
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(key)));
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status, headers, json } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, headers.get('retry-after')]).toEqual([409, '1']);
      expect(json.detail).toBe(
        'A request with this Idempotency-Key is being answered; try again for its answer.',
      );
    }
    expect(await count()).toBe(before + 1);
  });

  it('is 409 while the first is in flight', async () => {
    const key = nextKey();
    const held = await gateway.database.pool.withClient(async (client) => {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `idempotency ${account.id} ${key}`,
      ]);
      const answer = await create(key);
      await client.query('rollback');
      return answer;
    });
    expect(held.status).toBe(409);
    expect((await create(key)).status).toBe(201);
  });

  it('with another body, path or network under the same key is 400', async () => {
    const key = nextKey();
    const { json } = await create(key);
    const others = [
      await create(key, { name: 'other' }),
      await create(key, { name: 'once' }, { 'x-service-network': 'hoodi' }),
      await account.post('/v1/tags', { name: 'once' }, { 'idempotency-key': key }),
      await account.post(`/v1/tags/${json.id}/validators`, { pubkeys: ['1'] }, { 'idempotency-key': key }),
    ];
    for (const { status, json: body } of others) {
      expect([status, body.detail[0]]).toEqual([
        400,
        {
          loc: ['header', 'Idempotency-Key'],
          msg: 'Idempotency-Key was used for another request in the last 24 hours; a new request needs a new key.',
          type: 'conflict',
        },
      ]);
    }
  });

  it('that was refused keeps no key: it may be put right and asked again', async () => {
    const key = nextKey();
    expect((await create(key, { name: 'x', validators: ['999999999'] })).status).toBe(400);
    expect((await create(key, { name: 'x' })).status).toBe(201);
    const build = await accountOf(gateway, 'free');
    expect((await create(key, { name: 'x' }, {}, build)).status).toBe(403);
    expect((await db('select from idempotency_keys where account_id = $1', [build.id])).rows).toEqual([]);
  });

  it('is of its account alone', async () => {
    const key = nextKey();
    const other = await accountOf(gateway);
    const [mine, theirs] = [await create(key), await create(key, { name: 'once' }, {}, other)];
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(theirs.json.id).not.toBe(mine.json.id);
  });

  it('is refused by a mutation, and harms no query', async () => {
    const before = await count();
    const ask = async (query: string) => {
      const headers = { 'idempotency-key': nextKey() };
      const { json } = await account.post('/graphql', { query }, headers);
      return json;
    };
    const refused = await ask(
      'mutation { createPrivateSet(input: { name: "twice" }) { privateSet { setId } } }',
    );
    expect(refused.errors[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['header', 'Idempotency-Key'] }],
    });
    expect(refused.data).toBeUndefined();
    expect(await count()).toBe(before);
    expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });

  it('is forgotten after 24 hours, and then pruned', async () => {
    const key = nextKey();
    const first = await create(key);
    await db(`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`);
    const again = await create(key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(again.json.id).not.toBe(first.json.id);
    expect((await db('select count(*)::int as n from idempotency_keys')).rows[0]?.n).toBe(1);
  });

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    const { status, json } = await create(key);
    expect([status, json.detail[0].loc]).toEqual([400, ['header', 'Idempotency-Key']]);
  });

  it('is taken and refused below /v1/tags too, and where validators are added', async () => {
    const { json } = await account.post('/v1/tags', { name: 'x' }, { 'idempotency-key': nextKey() });
    for (const path of ['/v1/tags', `/v1/tags/${json.id}/validators`, `/v1/eth/tags/${json.id}/validators`]) {
      const body = path.endsWith('tags') ? { name: 'x' } : { pubkeys: [1] };
      const refused = await account.post(path, body, { 'idempotency-key': 'a b' });
      expect([refused.status, refused.json.detail[0].loc]).toEqual([400, ['header', 'Idempotency-Key']]);
    }
    const { rows } = await db(
      `select validator_index as index from validators where network = 'mainnet' limit 1`,
    );
    const add = { pubkeys: [rows[0]?.index] };
    const headers = { 'idempotency-key': nextKey() };
    const first = await account.post(`/v1/tags/${json.id}/validators`, add, headers);
    const again = await account.post(`/v1/tags/${json.id}/validators`, add, headers);
    expect([first.status, first.json.pubkeysAdded.length, again.text]).toEqual([201, 1, first.text]);
  });

  it('adds validators once', async () => {
    const { json } = await create(nextKey());
    const { rows } = await db(
      `select validator_index as index from validators where network = 'mainnet' limit 1`,
    );
    const key = nextKey();
    const add = () =>
      account.post(
        `/v1/eth/tags/${json.id}/validators`,
        { pubkeys: [rows[0]?.index] },
        { 'idempotency-key': key },
      );
    const [first, again] = [await add(), await add()];
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(first.json.pubkeysAdded).toHaveLength(1);
  });
});

describe('PATCH and DELETE', () => {
  it('look at no key: doing them again changes nothing', async () => {
    const { json } = await create(nextKey());
    for (const name of ['a', 'b'])
      expect(
        (await account.call('PATCH', `/v1/tags/${json.id}`, { name }, { 'idempotency-key': 'a b' })).json
          .name,
      ).toBe(name);
    expect(
      (await account.call('DELETE', `/v1/tags/${json.id}`, undefined, { 'idempotency-key': 'same' })).status,
    ).toBe(204);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
let now = new Date('2026-03-10T08:00:00Z');
let known: { index: number; pubkey: string }[];
let hoodi: number[];
beforeAll(async () => {
  gateway = await startGateway({ now: () => now });
  const read = async (network: string) => {
    const { rows } = await gateway.database.pool.query({
      text: `select validator_index as index, validator_pubkey as pubkey from validators
        where network = $1 order by 1 limit 1200`,
      values: [network],
    });
    return rows as typeof known;
  };
  known = await read('mainnet');
  hoodi = (await read('hoodi')).map((row) => row.index);
});
afterAll(() => gateway.close());

let account: Account;
beforeEach(async () => {
  account = await accountOf(gateway);
});

const bases = ['/v1/eth/tags', '/v1/tags'];
const make = async (body: object = { name: 'Mine' }, owner = account) => {
  const { status, json, text } = await owner.post('/v1/eth/tags', body);
  expect(status, text).toBe(201);
  return json;
};
const indices = async (id: string, owner = account) =>
  (await owner.get(`/v1/eth/tags/${id}/validators?limit=200`)).json.results.map(
    (row: any) => row.validatorIndex,
  );
const faultsOf = (json: any) => json.detail.map((fault: any) => [fault.loc.join('.'), fault.msg]);

describe('POST /v1/eth/tags', () => {
  it('makes a tag and answers it', async () => {
    const tag = await make({
      name: 'My validators',
      validators: [known[0]?.index, known[1]?.pubkey.toUpperCase().replace('0X', '0x')],
    });
    expect(Object.keys(tag)).toEqual([
      'id',
      'name',
      'network',
      'organizationId',
      'createdBy',
      'createdAt',
      'updatedAt',
    ]);
    expect(tag).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'My validators',
      network: 'mainnet',
      organizationId: account.id,
      createdBy: 'a token',
      createdAt: '2026-03-10T08:00:00Z',
      updatedAt: '2026-03-10T08:00:00Z',
    });
    expect(await indices(tag.id)).toEqual([known[0]?.index, known[1]?.index]);
  });

  it('makes it of the network of the header', async () => {
    const { json } = await account.post(
      '/v1/eth/tags',
      { name: 'x', validators: [hoodi[0]] },
      { 'x-service-network': 'hoodi' },
    );
    expect(json.network).toBe('hoodi');
    expect((await account.get('/v1/eth/tags')).json.results).toEqual([]);
    expect((await account.get('/v1/eth/tags', { 'x-service-network': 'hoodi' })).json.results).toEqual([
      json,
    ]);
  });

  it.each<[string, unknown, [string, string][]]>([
    ['no object', [], [['body', 'The body must be a JSON object.']]],
    ['empty', {}, [['body.name', 'name is required.']]],
    [
      'of a wrong kind',
      { name: 3, validators: 'x' },
      [
        ['body.name', 'name must be a text of 1 to 100 characters, not all of them blank.'],
        ['body.validators', 'validators must be a list.'],
      ],
    ],
    [
      'with a blank name',
      { name: ' ' },
      [['body.name', expect.stringContaining('not all of them blank') as never]],
    ],
    [
      'with a name too long',
      { name: 'x'.repeat(101) },
      [['body.name', expect.stringContaining('1 to 100 characters') as never]],
    ],
    ...['\u200b', '\u202e', '\u200d \u2060', 'safe\u202egpj.exe'].map(
      (name): [string, unknown, [string, string][]] => [
        'with a name that is invisible, or turns the direction of text',
        { name },
        [['body.name', expect.stringContaining('without control characters') as never]],
      ],
    ),
    [
      'with control characters',
      { name: 'a\u0000b' },
      [['body.name', expect.stringContaining('without control characters') as never]],
    ],
    ['mistyped', { name: 'x', validator: [1] }, [['body.validator', 'validator is not accepted here.']]],
    [
      'with no validators',
      { name: 'x', validators: [1.5, '0x12', -1] },
      [0, 1, 2].map((at) => [
        `body.validators.${at}`,
        `validators.${at} must be an index, or a public key of 96 hex digits, with or without 0x.`,
      ]),
    ],
  ])('refuses a body that is %s, for all its faults', async (_name, body, faults) => {
    const { status, json } = await account.post('/v1/eth/tags', body);
    expect([status, faultsOf(json)]).toEqual([400, faults]);
    expect((await account.get('/v1/eth/tags')).json.results).toEqual([]);
  });

  it('tells faults of header and body at once', async () => {
    const { json } = await account.post(
      '/v1/eth/tags',
      {},
      { 'x-service-network': 'x', 'idempotency-key': 'a b' },
    );
    expect(faultsOf(json).map(([loc]: [string]) => loc)).toEqual([
      'header.X-Service-Network',
      'body.name',
      'header.Idempotency-Key',
    ]);
  });

  it('refuses unknown validators, each by its place, and makes nothing', async () => {
    const pubkey = `0x${'1'.repeat(96)}`;
    const body = {
      name: 'x',
      validators: [known[0]?.index, 2_000_000_000, pubkey].map((one) =>
        one === 2_000_000_000 ? '123456789' : one,
      ),
    };
    const { status, json } = await account.post('/v1/eth/tags', body);
    expect([status, faultsOf(json)]).toEqual([
      400,
      [
        ['body.validators.1', 'validators.1 is 123456789; mainnet has no such validator here.'],
        ['body.validators.2', `validators.2 is ${pubkey}; mainnet has no such validator here.`],
      ],
    ]);
    expect((await account.get('/v1/eth/tags')).json.results).toEqual([]);
  });

  it.each([
    ['text/plain', 'name=x'],
    ['application/x-www-form-urlencoded', 'name=x'],
    ['text/csv', 'a'],
  ])('refuses %s with 415', async (type, body) => {
    expect((await account.post('/v1/eth/tags', body, { 'content-type': type })).status).toBe(415);
  });

  it('refuses what is no JSON, no body and too large a body', async () => {
    expect((await account.post('/v1/eth/tags', '{')).status).toBe(400);
    expect((await account.call('POST', '/v1/eth/tags')).json.detail[0].msg).toBe(
      'The body must be a JSON object.',
    );
    expect((await account.post('/v1/eth/tags', { name: 'x'.repeat(300_000) })).status).toBe(413);
  });

  it('needs a token before it looks at the body', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
    expect((await gateway.fetch('/v1/eth/tags', init)).status).toBe(401);
  });
});

/** Asks again while too many changes of the account are in progress. */
async function unlessMany<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 429) return answer;
    await sleep(20);
  }
}

describe('the number of tags', () => {
  slow.each([
    ['build', 4],
    ['growth', 20],
  ] as const)('of the %s tier is at most %i, also when asked at once', async (tier, most) => {
    const owner = await accountOf(gateway, tier);
    const answers = await Promise.all(
      Array.from({ length: most + 5 }, (_, at) =>
        unlessMany(() => owner.post(at % 2 ? '/v1/tags' : '/v1/eth/tags', { name: `t${at}` })),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(most);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.json.detail).toBe("You don't have permission to do that.");
    // The limit is for all networks together, and a deleted tag makes room.
    expect((await owner.post('/v1/eth/tags', { name: 'x' }, { 'x-service-network': 'hoodi' })).status).toBe(
      403,
    );
    const [first] = (await owner.get('/v1/eth/tags')).json.results;
    expect((await owner.call('DELETE', `/v1/eth/tags/${first.id}`)).status).toBe(204);
    expect((await owner.post('/v1/eth/tags', { name: 'x' })).status).toBe(201);
  });

  it.each(['free', 'starter'] as const)('of the %s tier is none', async (tier) => {
    const owner = await accountOf(gateway, tier);
    const { status, json } = await owner.post('/v1/eth/tags', { name: 'x' });
    expect([status, json.detail]).toEqual([403, "You don't have permission to do that."]);
  });

  it('of the enterprise tier is not limited', async () => {
    for (let at = 0; at < 21; at += 1) await make({ name: 'same' });
    expect((await account.get('/v1/eth/tags?limit=200')).json.results).toHaveLength(21);
  });
});

describe('tags of an account', () => {
  it.each(bases)('are listed below %s, oldest first, page by page', async (base) => {
    const made = [];
    for (let at = 0; at < 5; at += 1) made.push(await make({ name: `t${at}` }));
    now = new Date(now.getTime() + 1_000);
    const { json } = await account.get(`${base}?limit=2&offset=2`);
    expect(json.results).toHaveLength(2);
    expect([json.previous, json.next, json.pages]).toEqual([
      `${gateway.url}${base}?limit=2&offset=0`,
      `${gateway.url}${base}?limit=2&offset=4`,
      3,
    ]);
    const all = (await account.get(base)).json.results;
    expect(all.map((tag: any) => tag.id).sort()).toEqual(made.map((tag) => tag.id).sort());
    expect((await account.get(`${base}?offset=9`)).json).toMatchObject({ results: [], next: null, pages: 1 });
    expect((await account.get(`${base}?limit=201`)).status).toBe(400);
  });

  it.each(bases)('are found, renamed and deleted below %s', async (base) => {
    const tag = await make();
    expect((await account.get(`${base}/${tag.id.toUpperCase()}`)).json).toEqual(tag);
    now = new Date(now.getTime() + 60_000);
    const renamed = await account.call('PATCH', `${base}/${tag.id}`, { name: 'Other' });
    expect([renamed.status, renamed.json]).toEqual([
      200,
      { ...tag, name: 'Other', updatedAt: now.toISOString().replace('.000', '') },
    ]);
    expect((await account.call('PATCH', `${base}/${tag.id}`, { nam: 'x' })).status).toBe(400);
    const json = { 'content-type': 'application/json' }; // although the body is empty, as some clients send it
    const deleted = await account.call('DELETE', `${base}/${tag.id}`, undefined, json);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await account.get(`${base}/${tag.id}`)).json).toEqual({
      detail: `Private set "${tag.id}" was not found.`,
    });
    expect((await account.call('DELETE', `${base}/${tag.id}`)).status).toBe(404);
    expect((await account.get(`${base}/not-a-uuid`)).json.detail[0]).toMatchObject({
      loc: ['path', 'id'],
      msg: 'id is "not-a-uuid"; a UUID is needed.',
    });
  });

  it.each(bases)('are found by their id below %s, whatever network the header names', async (base) => {
    const hoodiTag = await account.post(
      base,
      { name: 'x', validators: [hoodi[0]] },
      { 'x-service-network': 'hoodi' },
    );
    expect([hoodiTag.status, hoodiTag.json.network]).toEqual([201, 'hoodi']);
    const { data } = await account.graphql('{ privateSets(network: HOODI) { nodes { setId } } }');
    expect(data.privateSets.nodes).toEqual([{ setId: hoodiTag.json.id }]);
    const header = { 'x-service-network': 'holesky' };
    const path = `${base}/${hoodiTag.json.id}`;
    const call = (method: string, more = '', body?: object) =>
      account.call(method, path + more, body, header);
    expect((await call('GET')).json).toEqual(hoodiTag.json);
    expect((await call('PATCH', '', { name: 'y' })).json.name).toBe('y');
    const added = await call('POST', '/validators', { pubkeys: [hoodi[1], hoodi[2]] });
    expect([added.status, added.json.pubkeysAdded.length]).toEqual([201, 2]);
    expect((await call('GET', '/validators?limit=1&offset=2')).json).toMatchObject({
      results: [{ validatorIndex: hoodi[2] }],
      previous: `${gateway.url}${path}/validators?limit=1&offset=1`,
      next: null,
      pages: 3,
    });
    expect((await call('DELETE', `/validators/${hoodi[1]}`)).status).toBe(204);
    expect((await call('DELETE')).status).toBe(204);
    for (const network of ['hoodi', 'mainnet'])
      expect((await account.get(base, { 'x-service-network': network })).json.results).toEqual([]);
  });

  it.each(bases)('refuse invalid bodies below %s', async (base) => {
    const { id } = await make();
    const loc = async (method: string, path: string, body: object) => {
      const { status, json } = await account.call(method, path, body);
      return [status, json.detail[0].loc.join('.')];
    };
    expect(await loc('POST', base, { name: 'x', validators: [-1] })).toEqual([400, 'body.validators.0']);
    expect(await loc('POST', base, { name: '' })).toEqual([400, 'body.name']);
    expect(await loc('PATCH', `${base}/${id}`, { name: 5 })).toEqual([400, 'body.name']);
    expect(await loc('POST', `${base}/${id}/validators`, { pubkeys: [] })).toEqual([400, 'body.pubkeys']);
  });

  it('tell what each path takes', async () => {
    const allow = async (path: string) => (await account.call('PUT', path, {})).headers.get('allow');
    expect(await allow('/v1/eth/tags')).toBe('GET, HEAD, POST');
    expect(await allow('/v1/tags/x')).toBe('GET, HEAD, PATCH, DELETE');
    expect(await allow('/v1/eth/tags/x/validators')).toBe('GET, HEAD, POST');
    expect(await allow('/v1/eth/tags/x/validators/1')).toBe('DELETE');
  });
});

describe('the validators of a tag', () => {
  it('are added by index or public key, each once, and listed by index', async () => {
    const { id } = await make({ name: 'x', validators: [known[5]?.index] });
    const pubkeys = [known[7]?.index, known[3]?.pubkey, String(known[7]?.index), known[5]?.pubkey];
    const { status, json } = await account.post(`/v1/tags/${id}/validators`, { pubkeys });
    expect([status, json.tag.id, json.pubkeysAdded]).toEqual([201, id, [known[3]?.pubkey, known[7]?.pubkey]]);
    const { results } = (await account.get(`/v1/eth/tags/${id}/validators?limit=2&offset=1`)).json;
    expect(results.map((row: any) => [row.validatorIndex, row.validatorPubkey])).toEqual(
      [5, 7].map((at) => [known[at]?.index, known[at]?.pubkey]),
    );
    expect(Object.keys(results[0])).toEqual(['validatorIndex', 'validatorPubkey', 'addedAt']);
  });

  slow('are removed one by one', async () => {
    const { id } = await make({ name: 'x', validators: known.slice(0, 3).map((one) => one.index) });
    const path = `/v1/eth/tags/${id}/validators`;
    expect((await account.call('DELETE', `${path}/${known[1]?.pubkey}`)).status).toBe(204);
    expect((await account.call('DELETE', `${path}/${known[0]?.index}`)).status).toBe(204);
    expect(await indices(id)).toEqual([known[2]?.index]);
    for (const gone of [known[0]?.index, known[9]?.pubkey, 123_456_789])
      expect((await account.call('DELETE', `${path}/${gone}`)).status).toBe(404);
    expect((await account.call('DELETE', `${path}/x`)).status).toBe(400);
    // Added again and removed again, also within a day
    for (let round = 0; round < 3; round += 1) {
      const again = await account.post(path, { pubkeys: [known[0]?.index] });
      expect([again.status, again.json.pubkeysAdded]).toEqual([201, [known[0]?.pubkey]]);
      expect((await account.call('DELETE', `${path}/${known[0]?.index}`)).status).toBe(204);
    }
  });

  slow('are at most 1,000 a call', async () => {
    const { id } = await make();
    const many = known.slice(0, 1_001).map((one) => one.index);
    const refused = await account.post(`/v1/eth/tags/${id}/validators`, { pubkeys: many });
    expect([refused.status, faultsOf(refused.json)]).toEqual([
      400,
      [['body.pubkeys', 'pubkeys must have at most 1000 entries; add more with further calls.']],
    ]);
    expect((await account.post(`/v1/eth/tags/${id}/validators`, { pubkeys: [] })).status).toBe(400);
    const added = await account.post(`/v1/eth/tags/${id}/validators`, { pubkeys: many.slice(1) });
    expect([added.status, added.json.pubkeysAdded.length]).toEqual([201, 1_000]);
  });

  slow('are at most 15,000 a tag', async () => {
    const { id } = await make();
    await gateway.database.pool.query({
      text: `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
        select $1, 100000000 + i, 'x', now(), '-infinity' from generate_series(1, 14999) i`,
      values: [id],
    });
    const path = `/v1/eth/tags/${id}/validators`;
    const refused = await account.post(path, { pubkeys: [known[0]?.index, known[1]?.index] });
    expect([refused.status, faultsOf(refused.json)]).toEqual([
      400,
      [['body.pubkeys', 'pubkeys would make it 15001 validators; a private set has at most 15000.']],
    ]);
    expect((await account.post(path, { pubkeys: [known[0]?.index] })).status).toBe(201);
  });

  it('changed more than eight times at once by one account are refused with 429, and those of another are not', async () => {
    const [{ id }, other] = [await make(), await accountOf(gateway)];
    const path = `/v1/eth/tags/${id}/validators`;
    const locker = new pg.Client(gateway.database.url);
    await locker.connect();
    await locker.query('begin; lock table private_set_members in access exclusive mode');
    const calls = Array.from({ length: 11 }, () => account.post(path, { pubkeys: [known[0]?.index] }));
    const refused = await Promise.any(calls);
    expect([refused.status, refused.headers.get('retry-after'), refused.json.detail]).toEqual([
      429,
      '1',
      '8 changes of private sets of this account are in progress; try again when they are done.',
    ]);
    expect((await other.post('/v1/eth/tags', { name: 'Mine' })).status).toBe(201);
    await locker.end();
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(8).fill(201), 429, 429, 429]);
  });

  it('added and removed at once end in one of the two states', async () => {
    const { id } = await make();
    const path = `/v1/eth/tags/${id}/validators`;
    const calls = Array.from({ length: 12 }, (_, at) =>
      unlessMany(() =>
        at % 2
          ? account.call('DELETE', `${path}/${known[0]?.index}`)
          : account.post(path, { pubkeys: [known[0]?.index] }),
      ),
    );
    for (const { status } of await Promise.all(calls)) expect([201, 204, 404]).toContain(status);
    const { rows } = await gateway.database.pool.query({
      text: 'select count(*)::int as n from private_set_members where set_id = $1 and removed_at is null',
      values: [id],
    });
    expect(rows[0]?.n).toBe((await indices(id)).length);
  });
});

import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

// Answers are cached under the revision of their data, never shared between callers, and charged as if they were not cached.

let gateway: Gateway;
let plain: Gateway;
beforeAll(async () => {
  [gateway, plain] = await Promise.all([
    startGateway({ settings: { CACHE: true } }),
    startGateway({ settings: { CACHE: false } }),
  ]);
  await eventually(() => expect(gateway.revisions.trusted()).toBe(true));
});
afterAll(() => Promise.all([gateway.close(), plain.close()]));

const PATH = '/v0/eth/operators?window=7d&idType=pool&size=40';

/** The bytes of an answer in an encoding, as they came. */
const raw = (of: Gateway, path: string, headers: Record<string, string>) =>
  new Promise<{ status: number; headers: Record<string, any>; body: Buffer }>((resolve, reject) => {
    const sent = { authorization: `Bearer ${of.token}`, ...headers };
    request(of.url + path, { headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('an answer that is given again', () => {
  it('is the same byte for byte, without a statement, and costs the same', async () => {
    const first = await gateway.get(PATH);
    gateway.statements.length = 0;
    const again = await gateway.get(PATH);
    expect(gateway.statements).toEqual([]);
    expect(again.text).toBe(first.text);
    expect(again.text).toBe((await plain.get(PATH)).text);
    expect(again.headers.get('x-service-compute-units')).toBe('45');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('is 304 to a caller that has it, at the base weight', async () => {
    const { headers } = await raw(gateway, PATH, {});
    const tag = headers.etag as string;
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    for (const value of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const { status, body, headers } = await raw(gateway, PATH, { 'if-none-match': value });
      expect([status, body.length, headers.etag]).toEqual([304, 0, tag]);
      expect(headers['x-service-compute-units']).toBe('5');
    }
    expect((await raw(gateway, PATH, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('has the tag of its bytes, also by the other name of gzip', async () => {
    const [known, other] = [
      await raw(gateway, PATH, { 'accept-encoding': 'gzip' }),
      await raw(gateway, PATH, { 'accept-encoding': 'x-gzip' }),
    ];
    expect(other.headers.etag).toBe(known.headers.etag);
    expect(other.body).toEqual(known.body);
    expect(known.headers.etag).not.toBe((await raw(gateway, PATH, {})).headers.etag);
  });

  it('says that it is for its caller alone, and what it depends on', async () => {
    const { headers } = await raw(gateway, PATH, {});
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers.vary.split(/, */)).toEqual(expect.arrayContaining(['Authorization', 'X-Service-Network']));
    const { refreshedAt } = gateway.revisions.current.get('operators') as { refreshedAt: string };
    expect(headers['last-modified']).toBe(new Date(refreshedAt).toUTCString());
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('has another strong tag for its bytes in %s', async (encoding, decode) => {
    const identity = await raw(gateway, PATH, {});
    for (const _time of [1, 2]) {
      const { headers, body } = await raw(gateway, PATH, { 'accept-encoding': encoding });
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers.etag).toBe(`${identity.headers.etag.slice(0, -1)}-${encoding}"`);
      expect(decode(body).equals(identity.body)).toBe(true);
    }
    const refused = await raw(gateway, PATH, { 'accept-encoding': `${encoding};q=0` });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it('is refused to whoever has no good token, whatever tag is shown', async () => {
    const { headers } = await raw(gateway, PATH, {});
    const answer = await raw(gateway, PATH, { authorization: '', 'if-none-match': headers.etag });
    expect(answer.status).toBe(401);
    const spent = await makeAccount(gateway, { unitAllowance: 0 });
    expect((await raw(gateway, PATH, { authorization: `Bearer ${spent.token}` })).status).toBe(402);
  });

  it('counts against the rate like any other', async () => {
    const slow = await makeAccount(gateway, { rateLimit: 1 });
    const authorization = `Bearer ${slow.token}`;
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await raw(gateway, PATH, { authorization })).status),
    );
    expect(statuses).toContain(429);
  });

  it('is told apart by network, host, parameters and their order of links', async () => {
    const bodies = await Promise.all(
      [
        gateway.get(PATH),
        gateway.get(PATH, { 'X-Service-Network': 'hoodi' }),
        gateway.get(PATH.replace('40', '39')),
        gateway.get('/v1/solana/delegators/stakeAuthorities?window=7d&x=1'),
        gateway.get('/v1/solana/delegators/stakeAuthorities?window=7d&x=2'),
      ].map(async (answer) => (await answer).text),
    );
    expect(new Set(bodies).size).toBe(bodies.length);
    const path = '/v1/solana/delegators/stakeAuthorities?window=7d';
    const other = await raw(gateway, path, { host: 'data.example' });
    expect(other.body.toString()).toContain('http://data.example/v1/');
    expect((await gateway.get(path)).text).not.toContain('data.example');
  });
});

describe('a query that comes again', () => {
  const query =
    '{ operators(window: SEVEN_DAYS, idType: POOL, first: 20) { totalCount nodes { id operatorId } } }';
  const ask = async (of: Gateway, headers = {}, text = query, variables = {}) =>
    of.graphql(text, variables, headers);

  it('is answered again byte for byte, without a statement, at the same cost', async () => {
    for (const _time of [1, 2]) await Promise.all([ask(gateway), ask(plain)]);
    gateway.statements.length = 0;
    const [again, made] = [await ask(gateway), await ask(plain)];
    expect(gateway.statements).toEqual([]);
    expect(again.text).toBe(made.text);
    for (const name of ['content-type', 'x-service-compute-units']) {
      expect(again.headers.get(name)).toBe(made.headers.get(name));
    }
  });

  it('tells each caller what is left of its own allowance, and refuses one that could not run it', async () => {
    for (const _time of [1, 2, 3]) await ask(gateway);
    const { authorization } = await makeAccount(gateway, { unitAllowance: 60 });
    gateway.statements.length = 0;
    const first = await ask(gateway, { authorization });
    expect(first.json.extensions.cost).toEqual({ estimated: 25, charged: 25, remaining: 35 });
    expect((await ask(gateway, { authorization })).json.extensions.cost.remaining).toBe(10);
    expect(gateway.statements).toEqual([]);
    const refused = await ask(gateway, { authorization });
    expect(refused.errors?.[0].extensions.code).toBe('COST_LIMIT');
    expect((await ask(gateway)).json.extensions.cost.remaining).toBeNull();
  });

  it('is told apart by variables, operation, network and media type', async () => {
    const text = `query A($n: Int!) { slashings(first: $n) { nodes { id } } }
      query B { slashings(first: 1) { totalCount } }`;
    const post = async (body: object, headers = {}) =>
      (
        await gateway.fetch('/graphql', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${gateway.token}`,
            'content-type': 'application/json',
            ...headers,
          },
          body: JSON.stringify({ query: text, ...body }),
        })
      ).text;
    const asked = [
      () => post({ operationName: 'A', variables: { n: 1 } }),
      () => post({ operationName: 'A', variables: { n: 2 } }),
      () => post({ operationName: 'B' }),
      () => post({ operationName: 'A', variables: { n: 2 } }, { 'x-service-network': 'hoodi' }),
    ];
    for (const _time of [1, 2, 3]) {
      const answers = await Promise.all(asked.map((one) => one()));
      expect(new Set(answers).size).toBe(asked.length);
    }
    const accept = 'application/graphql-response+json';
    for (const _time of [1, 2, 3]) {
      expect((await ask(gateway, { accept })).headers.get('content-type')).toContain(accept);
      expect((await ask(gateway)).headers.get('content-type')).toContain('application/json');
    }
  });

  it('is not given again to a body that is refused', async () => {
    for (const _time of [1, 2, 3]) await ask(gateway);
    const askWith = (of: Gateway, body: object) =>
      of.fetch('/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: {}, ...body }),
      });
    for (const body of [{ operationName: 5 }, { more: 1 }, { extensions: 'x' }, { variables: 'x' }]) {
      const [kept, made] = [await askWith(gateway, body), await askWith(plain, body)];
      expect([body, kept.status, kept.text]).toEqual([body, made.status, made.text]);
      expect(kept.json.errors).toBeDefined();
    }
  });

  it('is never kept where it asks of the caller, changes something or fails', async () => {
    const stranger = { authorization: (await makeAccount(gateway, { tier: 'build' })).authorization };
    for (const text of [
      '{ viewer { account } }',
      '{ viewer { usage { requests } } }',
      '{ privateSets { totalCount } }',
    ]) {
      for (const _time of [1, 2, 3]) await ask(gateway, {}, text);
      const [own, theirs] = [await ask(gateway, {}, text), await ask(gateway, stranger, text)];
      expect(theirs.json.data).not.toEqual(own.json.data);
    }
    const made = 'mutation { createPrivateSet(input: { name: "again" }) { privateSet { setId } } }';
    const ids = new Set();
    for (const _time of [1, 2, 3])
      ids.add((await ask(gateway, {}, made)).data.createPrivateSet.privateSet.setId);
    expect(ids.size).toBe(3);
  });
});

describe('what depends on its caller', () => {
  it('is never kept: private sets, and lists of them', async () => {
    const { json } = await gateway.get('/v1/eth/tags');
    const id = json.results[0].id;
    const stranger = (await makeAccount(gateway, {})).token;
    for (const path of [
      '/v1/eth/tags',
      `/v1/eth/tags/${id}`,
      `/v1/eth/sets/${id}/rewards`,
      '/v0/eth/operators?window=7d&idType=privateSet',
      `/v0/eth/operators/${id}/summary?window=7d&idType=privateSet`,
      `/v1/eth/entities/${id}/attestations?entityType=privateSet`,
    ]) {
      const own = await gateway.get(path);
      expect([own.status, own.headers.get('etag')]).toEqual([200, null]);
      const seen = await gateway.get(path, { authorization: `Bearer ${stranger}` });
      expect(seen.text).not.toBe(own.text);
      if (path.includes(id)) expect(seen.status).toBe(404);
    }
  });
});

describe('a change of the data', () => {
  slow('is seen at once, and only by answers that were made of it', async () => {
    const changed = await gatewayForTest({ template: 'empty', settings: { CACHE: true } });
    await eventually(() => expect(changed.revisions.trusted()).toBe(true));
    const load = (validatorCount: number) =>
      importText(changed, 'operators', JSON.stringify([operator('A', { validatorCount })]));
    await load(1);
    const count = async () => (await changed.get(PATH)).json.data[0]?.validatorCount;
    await eventually(async () => expect(await count()).toBe(1));
    await changed.get('/v0/eth/slashings');
    const before = await changed.get(PATH);
    for (let turn = 2; turn < 12; turn += 1) {
      await load(turn);
      await eventually(async () => expect(await count()).toBe(turn));
    }
    const after = await raw(changed, PATH, { 'if-none-match': before.headers.get('etag') as string });
    expect(after.status).toBe(200);
    changed.statements.length = 0;
    await changed.get('/v0/eth/slashings');
    expect(changed.statements).toEqual([]);
  });

  it('that comes while an answer is made keeps that answer from being given again', async () => {
    const changed = await gatewayForTest({ template: 'empty', settings: { CACHE: true } });
    await eventually(() => expect(changed.revisions.trusted()).toBe(true));
    const { pool } = changed.database;
    await pool.withClient(async (client) => {
      await client.query('begin; lock table slashings in access exclusive mode');
      const asked = changed.get('/v0/eth/slashings');
      const waits = `select from pg_locks where not granted and relation = 'slashings'::regclass`;
      await eventually(async () => expect((await client.query(waits)).rowCount).toBeGreaterThan(0));
      await pool.query({ text: `select raise_revision('slashings')`, values: [] });
      await eventually(() => expect(changed.revisions.current.get('slashings')?.revision).toBe(1));
      await client.query('commit');
      expect((await asked).status).toBe(200);
    });
    changed.statements.length = 0;
    await changed.get('/v0/eth/slashings');
    expect(changed.statements).not.toEqual([]);
  });

  slow(
    'that came with another database behind the same address is seen, though its revisions are the same',
    async () => {
      const changed = await gatewayForTest({ template: 'sample', settings: { CACHE: true } });
      await eventually(() => expect(changed.revisions.trusted()).toBe(true));
      const { pool } = changed.database;
      const penalty = async () =>
        (await changed.get('/v0/eth/slashings?size=1')).json.data[0].slashingPenalties;
      const before = await penalty();
      await pool.query({
        text: 'update slashings set balance_before_withdrawal = balance_before_withdrawal - 7, slashing_penalties = slashing_penalties + 7',
        values: [],
      });
      expect(await penalty()).toBe(before); // nobody has told of it
      await pool.query({
        text: `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'stakegraph listen' and datname = current_database()`,
        values: [],
      });
      await eventually(async () => expect(await penalty()).toBe(before + 7));
    },
  );

  it('is told by datasets, and by the revision of each answer of GraphQL', async () => {
    const { data } = await gateway.graphql('{ datasets { name revision refreshedAt } }');
    const known = new Map(data.datasets.map((row: any) => [row.name, row.revision]));
    const { json } = await gateway.graphql(
      '{ operators(window: SEVEN_DAYS, idType: POOL, first: 1) { nodes { validators(first: 1) { totalCount } } } }',
    );
    expect(json.extensions.revision).toEqual({
      operators: known.get('operators'),
      validators: known.get('validators'),
    });
  });
});

describe('the memory of kept answers', () => {
  slow('is bounded', async () => {
    const small = await gatewayForTest({ settings: { CACHE: true, CACHE_MB: 1 } });
    await eventually(() => expect(small.revisions.trusted()).toBe(true));
    for (let size = 1; size <= 200; size += 1) await small.get(`/v0/eth/operators?window=all&size=${size}`);
    const { text } = await small.fetch('/metrics');
    const metric = (name: string) =>
      Number(new RegExp(`^stakegraph_cache_${name} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(metric('bytes')).toBeLessThanOrEqual(1_000_000);
    expect(metric('entries')).toBeGreaterThan(0);
    expect(metric('entries')).toBeLessThan(200);
    expect(metric('misses_total')).toBe(200);
  });
});

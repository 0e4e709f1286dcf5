import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../src/accounts/token-format.ts';
import { createToken, revokeToken } from '../../src/accounts/tokens.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';

let gateway: Gateway;
let ahead = 0; // milliseconds that the gateway's clock runs ahead
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty', now: () => new Date(Date.now() + ahead) });
});
afterAll(() => gateway.close());
afterEach(async () => {
  ahead = 0;
  expect((await gateway.get('/v0/eth/slashings')).status).toBe(200); // still served, whatever was refused
});

const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ query: '{ __typename }' });
const apis: [string, string, RequestInit][] = [
  ['/v0', '/v0/eth/slashings', {}],
  ['/graphql over POST', '/graphql', { method: 'POST', headers: json, body }],
  ['/graphql over GET', '/graphql?query={__typename}', {}],
];
const ask = ([, path, init]: (typeof apis)[number], authorization?: string) =>
  gateway.fetch(path, { ...init, headers: { ...init.headers, ...(authorization ? { authorization } : {}) } });
const status = async (api: (typeof apis)[number], token: string) =>
  (await ask(api, `Bearer ${token}`)).status;

/** Any method, header or target, which `fetch` would refuse to send. */
const send = (method: string, path: string, headers: Record<string, string | string[]> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const call = request(gateway.url + path, { method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    call.on('error', reject).end();
  });

describe.each(apis)('a token on %s', (...api) => {
  const refuses = async (authorization?: string) => {
    const answer = await ask(api, authorization);
    expect([answer.status, answer.json]).toEqual([
      401,
      refusedBody(api[1], 'UNAUTHENTICATED', 'Not authenticated'),
    ]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  };

  it('is needed', () => refuses());

  it.each(['Bearer', 'Basic abc', 'Bearer abc', 'bearer: abc', 'Bearer sgt_', `Bearer ${'x'.repeat(9_000)}`])(
    'is refused when malformed: %s',
    (authorization) => refuses(authorization),
  );

  it('is refused when it is another one with a character changed, added or left out', async () => {
    const { token } = gateway;
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const wrong of [`${token.slice(0, -1)}${last}`, `${token}A`, token.slice(0, -1), token.slice(1)]) {
      await refuses(`Bearer ${wrong}`);
    }
    await refuses(`Bearer ${token} ${token}`);
    await refuses(token);
    await refuses(`Basic ${token}`);
  });

  it('is refused when unknown', () => refuses(`Bearer ${newToken()}`));

  it('is refused when revoked', async () => {
    const { token, row } = await createToken(gateway.database.pool, 'short-lived');
    await eventually(async () => expect(await status(api, token)).toBe(200));
    await revokeToken(gateway.database.pool, row.tokenId);
    await eventually(async () => expect(await status(api, token)).toBe(401));
    await refuses(`Bearer ${token}`);
  });

  it('is refused when expired', async () => {
    const { token } = await createToken(gateway.database.pool, 'hour', new Date(Date.now() + 3_600_000));
    await eventually(async () => expect(await status(api, token)).toBe(200));
    ahead = 3_600_001;
    await refuses(`Bearer ${token}`);
  });

  it('is taken with the scheme in any letter case', async () => {
    expect((await ask(api, `bearer ${gateway.token}`)).status).toBe(200);
    expect((await ask(api, `BEARER ${gateway.token}`)).status).toBe(200);
  });
});

describe('without a token', () => {
  it('a browser gets GraphiQL at /graphql, and programs do not', async () => {
    const page = await gateway.fetch('/graphql', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('GraphiQL');
    expect(page.text).not.toContain(gateway.token);
    const post = { method: 'POST', headers: { ...json, accept: 'text/html' }, body };
    expect((await gateway.fetch('/graphql', post)).status).toBe(401);
  });

  it.each(['/nope', '/v0', '/v0/eth/nope', '/v9/eth/slashings', '/graphql/x', '/%00', '/v0/eth/slashings/1'])(
    'the unknown path %s is 404, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await send(method, path);
        expect([method, answer.status, answer.text]).toEqual([method, 404, '{"detail":"Not found."}']);
      }
    },
  );

  const paths: [string, string][] = [
    ['/v0/eth/operators', 'GET, HEAD'],
    ['/v0/eth/operators/Somebody/summary', 'GET, HEAD'],
    ['/v0/eth/slashings', 'GET, HEAD'],
    ['/v1/eth/sets/x/rewards', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/health', 'GET, HEAD'],
  ];
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  it.each(paths)('another method on %s is 405 with Allow: %s', async (path, allow) => {
    for (const method of methods) {
      const answer = await send(method, path);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, allow]);
      expect(JSON.parse(answer.text).detail).toMatch(`${method} is not served here`);
    }
  });

  it('another method than GET and POST on /graphql is 405', async () => {
    for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await send(method, '/graphql');
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, POST']);
    }
  });

  it.each([
    ['not JSON', json, '{'],
    ['too large', json, `"${'x'.repeat(300_000)}"`],
    ['of another content type', { 'content-type': 'text/csv' }, 'a,b'],
  ])('a body that is %s changes nothing of 404 and 405', async (_name, headers, body) => {
    const post = { method: 'POST', headers, body };
    expect((await gateway.fetch('/v0/eth/slashings', post)).status).toBe(405);
    expect((await gateway.fetch('/nope', post)).status).toBe(404);
  });
});

describe('HEAD', () => {
  it.each([
    '/v0/eth/slashings',
    '/v0/eth/slashings?size=0',
    '/v0/eth/operators/nobody/summary?window=7d',
    '/health',
  ])('answers as GET does, without the body: %s', async (path) => {
    const authorization = `Bearer ${gateway.token}`;
    const [head, get] = [
      await send('HEAD', path, { authorization }),
      await send('GET', path, { authorization }),
    ];
    const kept = ({ date, 'x-request-id': _id, ...headers }: Record<string, unknown>) => headers;
    expect([head.status, kept(head.headers), head.text]).toEqual([get.status, kept(get.headers), '']);
  });

  it('needs the token too', async () => {
    expect((await send('HEAD', '/v0/eth/slashings')).status).toBe(401);
  });
});

describe('X-Request-Id', () => {
  const large = { method: 'POST', headers: json, body: `"${'x'.repeat(300_000)}"` };
  const answers: [number, string, RequestInit][] = [
    [200, '/v0/eth/slashings', {}],
    [200, '/health', {}],
    [400, '/v0/eth/slashings?size=0', {}],
    [400, '/v0/eth/operators/%zz/summary', {}],
    [401, '/v0/eth/slashings', { headers: { authorization: 'Bearer x' } }],
    [404, '/nope', {}],
    [405, '/v0/eth/slashings', { method: 'DELETE' }],
    [413, '/graphql', large],
    [415, '/graphql', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' }],
  ];
  const idOf = async (id: string | undefined, [expected, path, init]: (typeof answers)[number]) => {
    const headers = new Headers({ authorization: `Bearer ${gateway.token}`, ...(init.headers as object) });
    if (id !== undefined) headers.set('x-request-id', id);
    const answer = await gateway.fetch(path, { ...init, headers });
    expect(answer.status).toBe(expected);
    return answer.headers.get('x-request-id') ?? '';
  };

  it.each(answers)('of the caller comes back on a %i of %s', async (...answer) => {
    expect(await idOf('trace.1:a-B_9', answer)).toBe('trace.1:a-B_9');
    expect(await idOf(undefined, answer)).toMatch(/^[\w.:-]{16,128}$/);
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', '<script>', 'a;b', '"a"', 'a,b', 'ü'])(
    'that is not sane is replaced: %s',
    async (id) => {
      const given = await idOf(id, answers[0] as (typeof answers)[number]);
      expect(given).not.toBe(id);
      expect(given).toMatch(/^[\w.:-]{16,128}$/);
    },
  );

  it('that is given twice is replaced', async () => {
    expect((await send('GET', '/nope', { 'x-request-id': ['a', 'b'] })).headers['x-request-id']).toMatch(
      /^.{16,}$/,
    );
  });

  it('differs from request to request', async () => {
    const given = await Promise.all(answers.map((answer) => idOf(undefined, answer)));
    expect(new Set(given).size).toBe(answers.length);
  });
});

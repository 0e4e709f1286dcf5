import { describe, expect, it } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { accountOf } from '../support/account.ts';
import { makeAccount } from '../support/accounts.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { nginxWith, noNginx } from '../support/nginx.ts';
import { every, slow } from '../support/thorough.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const examples = [...new Set(routes.map(({ example }) => example))];
const query = '{ operators(window: SEVEN_DAYS, first: 1) { nodes { id } } }';
const others = [
  '/graphql',
  `/graphql?query=${encodeURIComponent(query)}`,
  '/v0/nothing',
  '/v1/eth/tags/00000000-0000-4000-8000-000000000000',
  '/v0/eth/operators?window=nonsense',
  '/v0/%zz',
];

function isPrivate(headers: Headers): boolean {
  const vary = (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/);
  const control = headers.get('cache-control');
  const kept = control === 'private, no-cache' && headers.get('etag') !== null;
  return vary.includes('authorization') && (kept || control === 'private, no-store');
}

describe.each([
  ['on', true],
  ['off', false],
])('with the cache %s', (_name, CACHE) => {
  slow(
    'every answer below /v0, /v1 and /graphql is private, by each method, with a token, without and with a wrong one',
    async () => {
      const gateway = await gatewayForTest({ settings: { CACHE, CORS_ORIGINS: ['https://a.example'] } });
      const open: string[] = [];
      const seen = new Set<number>();
      for (const path of [...(CACHE ? examples : every(5, examples)), ...others]) {
        for (const method of methods) {
          for (const token of [gateway.token, undefined, 'wrong', gateway.token]) {
            const answer = await gateway.fetch(path, {
              method,
              headers: {
                origin: 'https://a.example',
                'content-type': 'application/json',
                ...(token && { authorization: `Bearer ${token}` }),
              },
              ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: JSON.stringify({ query }) }),
            });
            seen.add(answer.status);
            if (!isPrivate(answer.headers)) open.push(`${method} ${path} ${answer.status}`);
          }
        }
      }
      expect(open).toEqual([]);
      for (const status of [200, 400, 401, 404, 405]) expect(seen).toContain(status);
    },
  );
});

slow('an answer of GraphQL as a stream is private too', async () => {
  const gateway = await gatewayForTest();
  for (const accept of ['text/event-stream', 'multipart/mixed']) {
    for (const url of ['/graphql', `/graphql?query=${encodeURIComponent(query)}`]) {
      const answer = await gateway.fetch(url, {
        method: url === '/graphql' ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', accept },
        ...(url === '/graphql' && { body: JSON.stringify({ query }) }),
      });
      expect([answer.status, isPrivate(answer.headers)], `${accept} ${url}`).toEqual([200, true]);
    }
  }
});

it('the answer to what is too large or not allowed is private too', async () => {
  const gateway = await gatewayForTest();
  const account = await accountOf(gateway, 'free');
  const large = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'x'.repeat(300_000) }),
  });
  const forbidden = await account.call('POST', '/v1/eth/tags', { name: 'x' });
  const { authorization } = await makeAccount(gateway, { tier: 'free' });
  const many = await Promise.all(
    [1, 2, 3, 4, 5].map(() => gateway.get('/v0/eth/slashings', { authorization })),
  );
  const limited = many.find(({ status }) => status === 429);
  expect([large.status, forbidden.status, limited?.status]).toEqual([413, 403, 429]);
  for (const answer of [large, forbidden, limited]) expect(isPrivate(answer?.headers as Headers)).toBe(true);
});

/** nginx in front of a gateway, which keeps whatever it may. */
const nginxBefore = ({ url }: Gateway) =>
  nginxWith(
    `location / {
      proxy_pass ${url}; proxy_cache all; proxy_cache_valid any 10m;
      add_header x-cache $upstream_cache_status always;
    }`,
    'proxy_cache_path cache keys_zone=all:1m;',
  );

describe.skipIf(noNginx)('behind nginx with proxy_cache', () => {
  slow.each([true, false])('an account never gets what another was answered (cache %s)', async (CACHE) => {
    const gateway = await gatewayForTest({ settings: { CACHE } });
    const [one, other] = await Promise.all([accountOf(gateway, 'build'), accountOf(gateway, 'growth')]);
    const front = await nginxBefore(gateway);
    await one.call('POST', '/v1/eth/tags', { name: 'of one alone' });
    const ask = async (path: string, token?: string) => {
      const answer = await fetch(front + path, {
        headers: token ? { authorization: `Bearer ${token}` } : {},
      });
      return { status: answer.status, cache: answer.headers.get('x-cache'), text: await answer.text() };
    };
    const graph = `/graphql?query=${encodeURIComponent('{ privateSets(first: 5) { nodes { name } } }')}`;
    for (const path of ['/v1/eth/tags', graph]) {
      for (let time = 0; time < 2; time += 1)
        expect((await ask(path, one.token)).text).toContain('of one alone');
      const theirs = await ask(path, other.token);
      expect([theirs.status, theirs.cache]).toEqual([200, 'MISS']);
      expect(theirs.text).not.toContain('of one alone');
      expect(await ask(path)).toMatchObject({ status: 401, cache: 'MISS' });
      expect((await ask(path, one.token)).text).toContain('of one alone'); // the 401 was not kept
    }
    const open = '/v0/eth/slashings?size=1';
    expect((await ask(open, one.token)).status).toBe(200);
    expect((await ask(open)).status).toBe(401);
  });
});

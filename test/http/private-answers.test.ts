import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { accountOf } from '../support/account.ts';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { every } from '../support/thorough.ts';

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
  it('every answer below /v0, /v1 and /graphql is private, by each method, with a token, without and with a wrong one', async () => {
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
  });
});

it('an answer of GraphQL as a stream is private too', async () => {
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

const NGINX = '/usr/sbin/nginx';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** nginx in front of a gateway, which keeps whatever it may. */
async function nginxBefore({ url }: Gateway): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-nginx-'));
  for (const name of ['body', 'proxy', 'cache']) mkdirSync(join(folder, name));
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; worker_processes 1;
events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/proxy; uwsgi_temp_path ${folder}/proxy; scgi_temp_path ${folder}/proxy;
  proxy_cache_path ${folder}/cache keys_zone=all:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${url}; proxy_cache all; proxy_cache_valid any 10m;
      add_header x-cache $upstream_cache_status always;
    }
  }
}`,
  );
  const nginx = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const front = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${front}/health`)).status).toBe(200));
  return front;
}

describe.runIf(existsSync(NGINX))('behind nginx with proxy_cache', () => {
  it.each([true, false])('an account never gets what another was answered (cache %s)', async (CACHE) => {
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
    const graph = `/graphql?query=${encodeURIComponent('{ tags(first: 5) { nodes { name } } }')}`;
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

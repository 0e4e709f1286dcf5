import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { type Gateway, gatewayForTest, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const OPERATORS = '/v0/eth/operators?window=7d&idType=pool&size=2';
const AUTHORITIES = '/v1/solana/delegators/stakeAuthorities?window=1d&limit=1&offset=1';
const DEPRECATED = '/v0/solana/delegators/stakeAuthorities?window=1d&size=1';
const HTML = { accept: 'text/html' };

const assetsOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]*assets\/[^"]+)"/g)].map(([, path]) => path as string);

/** All that a gateway says of its own address, asked by a path. */
async function saidBy({ get, fetch }: Gateway, path: string, headers: Record<string, string> = {}) {
  const csv = await get(path + OPERATORS, { ...headers, accept: 'text/csv' });
  const openApi = await fetch(`${path}/openapi.json`, { headers });
  const deprecated = await get(path + DEPRECATED, headers);
  const refused = await fetch(path + DEPRECATED, { headers });
  return {
    v0: (await get(path + OPERATORS, headers)).json.next.split('?')[0],
    v1: (await get(path + AUTHORITIES, headers)).json.next.split('?')[0],
    csv: csv.headers.get('link')?.split('?')[0],
    successor: deprecated.headers.get('link'),
    successorWhenRefused: [refused.status, refused.headers.get('link')],
    servers: openApi.json.servers.map(({ url }: { url: string }) => url),
    places: (await fetch(`${path}/`, { headers })).json.graphql,
  };
}

const below = (path: string, url: string) => ({
  v0: `${path}/v0/eth/operators`,
  v1: `${url}/v1/solana/delegators/stakeAuthorities`,
  csv: `<${path}/v0/eth/operators`,
  successor: `<${path}/v1/solana/delegators/stakeAuthorities>; rel="successor-version"`,
  successorWhenRefused: [401, `<${path}/v1/solana/delegators/stakeAuthorities>; rel="successor-version"`],
  servers: [path || '/'],
  places: `${path}/graphql`,
});

describe.each([true, false])('below the path of PUBLIC_URL (CACHE %s)', (CACHE) => {
  const gateway = useGateway({ settings: { CACHE, PUBLIC_URL: 'https://host.example/a/stake' } });

  it.each([
    ['that the proxy removes', ''],
    ['that the proxy passes on', '/a/stake'],
  ])('everything is on the path %s, also from the cache', async (_name, path) => {
    for (let time = 0; time < 3; time += 1)
      expect(await saidBy(gateway, path)).toEqual(below('/a/stake', 'https://host.example/a/stake'));
  });

  it('PUBLIC_URL has precedence over X-Forwarded-Prefix', async () => {
    const headers = { 'x-forwarded-prefix': '/other' };
    expect((await gateway.get(OPERATORS, headers)).json.next).toMatch(/^\/a\/stake\/v0\//);
  });

  it('other paths are 404, and a path that only begins alike', async () => {
    for (const path of ['/a', '/a/stakes/docs', '/a/stake2/health', '/b/stake/health', '/a/stake/none'])
      expect((await gateway.fetch(path)).status, path).toBe(404);
  });

  it('the path alone is the root, and keeps its query', async () => {
    for (const path of ['/a/stake', '/a/stake/', '/a/stake?x=1'])
      expect((await gateway.fetch(path)).json, path).toMatchObject({ docs: '/a/stake/docs' });
  });

  it.each<[string, (base: string, url: string, next: string) => string]>([
    ['resolves it against the URL of the page', (_base, url, next) => new URL(next, url).href],
    ['appends it to the base URL', (base, _url, next) => base + next],
  ])('`next` of v0 gives every row to a client that %s', async (_name, follow) => {
    const found: string[] = [];
    const base = `${gateway.url}/a/stake`;
    for (let url = `${base}/v0/eth/operators?window=7d&idType=pool&size=10`; ; ) {
      const { status, json } = await gateway.get(url.slice(gateway.url.length));
      expect(status).toBe(200);
      found.push(...json.data.map(({ id }: { id: string }) => id));
      if (json.next === null) break;
      url = follow(base, url, json.next);
    }
    const whole = await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=100');
    expect(found.length).toBeGreaterThan(20);
    expect(found).toEqual(whole.json.data.map(({ id }: { id: string }) => id));
  });

  it('/metrics is not there, in whatever way it is written', async () => {
    expect((await gateway.fetch('/metrics')).text).toContain('stakegraph_');
    for (const name of ['metrics', 'metrics/', 'metrics?x', '%6detrics', '/metrics', './metrics'])
      for (const path of ['/a/stake/', '/a/stake/a/stake/', '/a/stake/a/stake/a/stake/']) {
        const { status, text } = await gateway.fetch(path + name);
        expect([status, text.includes('stakegraph_')], path + name).toEqual([404, false]);
      }
  });

  slow('pages name their files on the path', async () => {
    for (const page of ['/', '/explore/operators/pool/A%20b', '/graphql', '/docs'])
      for (const path of ['', '/a/stake']) {
        const files = assetsOf((await gateway.fetch(path + page, { headers: HTML })).text);
        expect(files.length, page).toBeGreaterThan(1);
        for (const file of files) {
          expect(file).toMatch(/^\/a\/stake\/assets\//);
          expect((await gateway.fetch(file)).status, file).toBe(200);
        }
      }
  });
});

describe('below the path of X-Forwarded-Prefix', () => {
  const prefixed = (prefix: string) => ({
    'x-forwarded-prefix': prefix,
    'x-forwarded-host': 'host.example',
    'x-forwarded-proto': 'https',
  });

  slow.each([true, false])('everything is on it if the proxy is trusted (CACHE %s)', async (CACHE) => {
    const gateway = await gatewayForTest({ settings: { CACHE, TRUST_PROXY: ['10.0.0.0/8', '127.0.0.1'] } });
    const expected = below('/stake', 'https://host.example/stake');
    for (const path of ['', '/stake', ''])
      for (const prefix of ['/stake', '/stake/'])
        expect(await saidBy(gateway, path, prefixed(prefix)), path + prefix).toEqual(expected);
    expect(await saidBy(gateway, '')).toEqual(below('', gateway.url));
    expect((await gateway.fetch('/stake/health')).status).toBe(404);
  });

  slow.each([
    ['that TRUST_PROXY does not name', { TRUST_PROXY: ['10.0.0.0/8'] }],
    ['without TRUST_PROXY', {}],
  ])('nothing changes for a client %s', async (_name, settings) => {
    const gateway = await gatewayForTest({ settings });
    expect(await saidBy(gateway, '', { 'x-forwarded-prefix': '/stake' })).toEqual(below('', gateway.url));
    expect((await gateway.fetch('/stake/health', { headers: prefixed('/stake') })).status).toBe(404);
  });

  slow('what is no clean path is ignored', async () => {
    const gateway = await gatewayForTest({ settings: { TRUST_PROXY: ['127.0.0.1'] } });
    const bad = ['//evil.example', '/a//b', '/a/../b', '/..', '/.', 'stake', 'https://evil.example', '/', ''];
    bad.push(
      '/a"><script>',
      '/a b',
      '/a?b',
      '/a#b',
      '/a\\b',
      '/%2e%2e',
      '/a, /b',
      '/v0',
      '/assets/x',
      '/graphql',
    );
    bad.push(`/${'a'.repeat(300)}`);
    for (const prefix of bad) {
      const headers = { 'x-forwarded-prefix': prefix };
      expect((await gateway.get(OPERATORS, headers)).json.next, prefix).toMatch(/^\/v0\/eth/);
      const { text } = await gateway.fetch('/docs', { headers });
      for (const file of assetsOf(text)) expect(file, prefix).toMatch(/^\.\/assets\//);
    }
  });
});

describe('a page whose path the gateway is not told', () => {
  const gateway = useGateway({ template: 'empty' });

  it('names its files relative to itself', async () => {
    for (const page of [
      '/',
      '/explore',
      '/explore/operators/pool/A%20b?x=/y',
      '/graphql',
      '/docs',
      '/docs/',
    ]) {
      const { text } = await gateway.fetch(page, { headers: HTML });
      for (const file of assetsOf(text)) {
        const { pathname } = new URL(file, `https://host.example/stake${page}`);
        expect(pathname, page).toMatch(/^\/stake\/assets\//);
        expect((await gateway.fetch(pathname.slice('/stake'.length))).status, pathname).toBe(200);
      }
    }
  });
});

describe('PUBLIC_URL', () => {
  const given = (url: string) => readSettings({ PUBLIC_URL: url }).PUBLIC_URL;

  it.each([
    ['https://host.example/', 'https://host.example'],
    ['http://127.0.0.1:8080/a/b.c~d-e_f/', 'http://127.0.0.1:8080/a/b.c~d-e_f'],
    ['https://host.example/v0x', 'https://host.example/v0x'],
  ])('%s is taken', (url, taken) => expect(given(url)).toBe(taken));

  it.each([
    'a b',
    'a%20b',
    'a//b',
    'é',
    'a;b',
    'v0',
    'v12/x',
    'graphql',
    'docs/x',
    'assets',
    'explore',
    'metrics',
  ])('with the path /%s is refused, and the message says what is needed', (path) => {
    expect(() => given(`https://host.example/${path}`)).toThrow(
      /PUBLIC_URL: its path needs segments of letters, digits/,
    );
  });
});

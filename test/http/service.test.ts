import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { buildServer } from '../../src/http/server.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { freePort } from '../support/redis.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  await gateway.database.pool.query({
    text: `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
        balance_before_slashing, balance_before_withdrawal, slashing_penalties)
      select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), i, i + 8192, 32000000000, 31000000000, 1000000000
      from generate_series(1, 100) i`,
    values: [],
  });
});
afterAll(() => gateway.close());

const preflight = (from: Gateway, path: string, origin: string) =>
  from.fetch(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-service-network',
    },
  });

describe('CORS', () => {
  it.each(['/v0/eth/slashings', '/graphql'])('answers the preflight of %s without a token', async (path) => {
    const { status, headers, text } = await preflight(gateway, path, 'https://app.example');
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*PATCH.*DELETE/);
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('x-request-id')).not.toBeNull();
  });

  it('lets pages of every origin read answers and errors, and their ids', async () => {
    const headers = { origin: 'https://app.example' };
    for (const path of ['/v0/eth/slashings', '/v0/eth/slashings?size=0', '/nope']) {
      const answer = await gateway.get(path, headers);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')).toMatch(/X-Request-Id.*Retry-After/);
    }
    const refused = await gateway.fetch('/v0/eth/slashings', { headers });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });

  it('lets only pages of CORS_ORIGINS read them when that is set', async () => {
    const settings = { CACHE: true, CORS_ORIGINS: ['https://a.example', 'https://b.example'] };
    const other = await gatewayForTest({ template: 'empty', settings });
    await eventually(() => expect(other.revisions.trusted()).toBe(true));
    const allowed = async (origin: string) => {
      const { headers } = await other.get('/v0/eth/slashings', { origin });
      expect(headers.get('vary')).toMatch(/\bauthorization\b.*\borigin\b/i);
      const before = (await preflight(other, '/graphql', origin)).headers.get('access-control-allow-origin');
      expect(before).toBe(headers.get('access-control-allow-origin'));
      return before;
    };
    expect(await allowed('https://b.example')).toBe('https://b.example');
    expect(await allowed('https://c.example')).toBeNull();
  });
});

describe('security headers', () => {
  it.each(['/v0/eth/slashings', '/nope', '/', '/graphql', '/openapi.json', '/health'])(
    'are on %s',
    async (path) => {
      const { headers } = await gateway.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
    },
  );

  it.each(['/', '/docs', '/graphql'])(
    'include a content security policy and no caching on the page %s',
    async (path) => {
      const { headers } = await gateway.fetch(path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe|https?:/);
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );
});

describe('an answer of more than 1 kB', () => {
  const encoded = async (path: string, encoding: string) => {
    const answer = await gateway.get(path, { 'accept-encoding': encoding });
    return {
      coding: answer.headers.get('content-encoding'),
      text: answer.text,
      vary: answer.headers.get('vary'),
    };
  };

  it.each(['/v0/eth/slashings?size=100', '/openapi.json'])('is compressed as asked: %s', async (path) => {
    const plain = await encoded(path, 'identity');
    expect(plain.coding).toBeNull();
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0.0', null],
    ]) {
      const answer = await encoded(path, String(accepted));
      expect([accepted, answer.coding]).toEqual([accepted, coding]);
      expect(answer.text).toBe(plain.text);
      if (coding) expect(answer.vary).toMatch(/accept-encoding/i);
    }
  });

  it('of GraphQL is compressed too', async () => {
    const query = '{ slashings(first: 100) { nodes { validatorPubkey } } }';
    const { headers, data } = await gateway.graphql(query, {}, { 'accept-encoding': 'gzip' });
    expect([headers.get('content-encoding'), data.slashings.nodes.length]).toEqual(['gzip', 100]);
  });

  it('of less is not', async () => {
    expect((await encoded('/v0/eth/slashings?size=1', 'gzip')).coding).toBeNull();
  });
});

describe('/openapi.json', () => {
  it('has an ETag, by which it is not sent again', async () => {
    const first = await gateway.fetch('/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.json.openapi).toBe('3.1.0');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await gateway.fetch('/openapi.json', {
        headers: { 'accept-encoding': 'gzip', 'if-none-match': known },
      });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': '"other"' };
    expect((await gateway.fetch('/openapi.json', { headers })).status).toBe(200);
  });

  it('has another ETag for another encoding', async () => {
    const tags = ['identity', 'gzip', 'br'].map(async (encoding) =>
      (await gateway.fetch('/openapi.json', { headers: { 'accept-encoding': encoding } })).headers.get(
        'etag',
      ),
    );
    expect(new Set(await Promise.all(tags)).size).toBe(3);
  });
});

describe('/health, /ready and /', () => {
  it('answer without a token', async () => {
    expect((await gateway.fetch('/health')).json).toEqual({ status: 'ok' });
    expect((await gateway.fetch('/ready')).json).toEqual({ status: 'ready' });
    expect((await gateway.fetch('/')).json).toMatchObject({ graphql: '/graphql', openapi: '/openapi.json' });
  });

  it('say 503 and why when not ready, and health stays', async () => {
    const app = await buildServer({
      settings: readSettings({}),
      log: pino({ level: 'silent' }),
      pool: gateway.database.pool,
      primary: gateway.database.pool,
      meter: gateway.meter,
      revisions: gateway.revisions,
      tokens: { find: () => undefined, byId: () => undefined, stop: async () => undefined },
      readiness: async () => ({ ready: false, reason: 'draining' }),
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const ready = await fetch(`${url}/ready`);
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await ready.json()).toEqual({ status: 'not ready', reason: 'draining' });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await app.close();
  });
});

describe('/metrics', () => {
  it('counts by the pattern of a route, and holds no id, query, unknown path or token', async () => {
    await gateway.get('/v0/eth/operators/Somebody42/summary?window=7d&x=Value42');
    await gateway.get('/Nowhere42');
    await gateway.graphql('query Named42 { __typename }');
    const route = 'route="/v0/eth/operators/:operator_id/summary",method="GET",status="404"';
    const { status, headers, text } = await eventually(async () => {
      const answer = await gateway.fetch('/metrics');
      expect(answer.text).toContain('route="/graphql",method="POST",status="200"'); // the last one is counted
      return answer;
    });
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=/),
    ]);
    expect(text).toContain(`stakegraph_http_request_seconds_count{${route}} 1`);
    expect(text).toMatch(/seconds_count\{route="none",method="GET",status="404"\} \d/);
    expect(text).toMatch(/stakegraph_db_connections_idle \d/);
    expect(text).not.toMatch(/Somebody|Value42|Nowhere|Named42/);
    expect(text).not.toContain(gateway.token);
  });

  slow(
    'tells of each dataset how often and when it was changed last, and whether changes are heard',
    async () => {
      const metrics = async () => (await gateway.fetch('/metrics')).text;
      const of = (text: string, name: string) =>
        Number(new RegExp(`^stakegraph_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
      await eventually(async () => expect(of(await metrics(), 'changes_heard')).toBe(1));
      const before = await metrics();
      const changed = Math.floor(Date.now() / 1000);
      await gateway.database.pool.query({ text: `select raise_revision('operators')`, values: [] });
      await eventually(async () => {
        const text = await metrics();
        const revision = 'dataset_revision{dataset="operators"}';
        expect(of(text, revision)).toBe(of(before, revision) + 1);
        expect(of(text, 'dataset_refreshed_timestamp_seconds{dataset="operators"}')).toBeGreaterThanOrEqual(
          changed,
        );
      });
    },
  );

  slow('is made once a second at the most, however many ask', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    const ask = async () => (await own.fetch('/metrics')).text;
    const began = performance.now();
    const texts = new Set(await Promise.all(Array.from({ length: 50 }, ask)));
    const seconds = Math.floor((performance.now() - began) / 1000);
    expect(texts.size).toBeLessThanOrEqual(1 + seconds); // each new response would have another time and another use of memory
    // Not toContain, which takes seconds to say what it found.
    await eventually(async () => expect(texts.has(await ask())).toBe(false));
  });

  it('has a port of its own with METRICS_PORT, and is nothing known on the other', async () => {
    const port = await freePort();
    const own = await startGateway({ template: 'empty', settings: { METRICS_PORT: port } });
    const beside = `http://127.0.0.1:${port}`;
    const metrics = await fetch(`${beside}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=/),
    ]);
    expect(metrics.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await metrics.text()).toMatch(/stakegraph_http_connections \d/);
    expect((await fetch(`${beside}/metrics/`)).status).toBe(200);
    const posted = await fetch(`${beside}/metrics`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/v0/eth/slashings', '/ready', '/']) {
      const other = await fetch(beside + path);
      expect([other.status, await other.json()]).toEqual([404, { detail: 'Not found.' }]);
    }
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, json } = await own.fetch('/metrics', { method });
      expect([method, status, json]).toEqual([method, 404, { detail: 'Not found.' }]);
    }
    expect((await own.fetch('/')).json).not.toHaveProperty('metrics');
    expect((await own.get('/v0/eth/slashings')).status).toBe(200);
    await own.close();
    await expect(fetch(`${beside}/metrics`)).rejects.toThrow();
  });
});

import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';
import { slow } from '../support/thorough.ts';

// A cache hit is sent before Fastify sees the request. Except for the time, a caller cannot see the difference.

let gateway: Gateway;
const handled = vi.fn(); // every request that reaches a handler of Fastify
beforeAll(async () => {
  gateway = await startGateway({ settings: { CACHE: true } });
  await eventually(() => expect(gateway.revisions.trusted()).toBe(true));
  subscribe('tracing:fastify.request.handler:start', handled);
});
afterAll(() => gateway.close());

type Asked = {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  parts?: (string | Buffer)[];
  agent?: Agent;
};
type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };

/** Asks with the token, and sends the body in these parts, each some time after the other. */
const ask = (of: Gateway, { method = 'GET', path = '/graphql', headers = {}, parts = [], agent }: Asked) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(
      of.url + path,
      { method, agent, headers: { authorization: `Bearer ${of.token}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks) });
        });
      },
    );
    sent.on('error', reject);
    void (async () => {
      for (const [index, part] of parts.entries()) {
        if (index > 0) await setTimeout(20);
        sent.write(part);
      }
      sent.end();
    })();
  });

const query = (text: string, headers: OutgoingHttpHeaders = {}, parts = 1): Asked => {
  const body = JSON.stringify({ query: text });
  const size = Math.ceil(body.length / parts);
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
    parts: Array.from({ length: parts }, (_, index) => body.slice(index * size, (index + 1) * size)),
  };
};

const PATH = '/v1/solana/delegators/stakeAuthorities?window=7d&limit=20';
const TEXT =
  '{ operators(window: SEVEN_DAYS, idType: POOL, first: 20) { nodes { operatorId displayName } } }';

/** The parts of an answer that do not depend on the time or on the request. */
const lasting = ({ status, headers: { date, 'x-request-id': id, ...headers }, body }: Answer) => {
  expect([date, id]).toEqual([expect.any(String), expect.any(String)]);
  return { status, headers, body: body.toString('latin1') };
};

/** Asks until the answer is a cache hit, for which no handler runs. */
async function askedAgain(of: Gateway, asked: Asked): Promise<Answer> {
  for (const _time of [1, 2, 3]) await ask(of, asked);
  handled.mockClear();
  const answer = await ask(of, asked);
  expect(handled).not.toHaveBeenCalled();
  return answer;
}

describe('an answer that is given again at once', () => {
  it.each<[string, Asked]>([
    ['a page', { path: PATH }],
    ['a page in gzip', { path: PATH, headers: { 'accept-encoding': 'gzip' } }],
    ['a page in x-gzip', { path: PATH, headers: { 'accept-encoding': 'x-gzip' } }],
    ['a page in br', { path: PATH, headers: { 'accept-encoding': 'br, gzip;q=0.5' } }],
    ['a page to another origin', { path: PATH, headers: { origin: 'https://app.example' } }],
    ['304', { path: PATH, headers: { 'if-none-match': '*' } }],
    [
      'a page with a deprecated parameter',
      { path: '/v0/eth/operators?window=7d&parentEntity=x&idType=pool' },
    ],
    ['a query', query(TEXT)],
    ['a query in gzip', query(TEXT, { 'accept-encoding': 'gzip' })],
    ['a query with another media type', query(TEXT, { accept: 'application/graphql-response+json' })],
  ])('has the bytes and headers that Fastify sends: %s', async (_name, asked) => {
    const path = asked.path?.replace('parentEntity=x', 'parentEntity=Alder%20Liquid');
    const own = { ...asked, ...(path && { path }) };
    const [made, kept] = [await ask(gateway, own), await ask(gateway, own)];
    const again = await askedAgain(gateway, own);
    expect(lasting(again)).toEqual(lasting(kept));
    expect(again.status).toBe(made.status);
    expect(again.headers['x-request-id']).not.toBe(kept.headers['x-request-id']);
  });

  it('has the id that the caller gives', async () => {
    const { headers } = await askedAgain(gateway, { path: PATH, headers: { 'x-request-id': 'mine' } });
    expect(headers['x-request-id']).toBe('mine');
  });

  it('has the rate of its caller, and counts what it cost', async () => {
    await askedAgain(gateway, { path: PATH });
    await askedAgain(gateway, query(TEXT));
    const { name, authorization } = await makeAccount(gateway, { rateLimit: 1_000 });
    handled.mockClear();
    const page = await ask(gateway, { path: PATH, headers: { authorization } });
    const answered = await ask(gateway, query(TEXT, { authorization }));
    expect(handled).not.toHaveBeenCalled();
    expect(page.headers.ratelimit).toMatch(/^"persecond";r=99\d;t=1$/);
    expect(answered.headers.ratelimit).toMatch(/^"persecond";r=99\d;t=1$/);
    const units = [page, answered].map(({ headers }) => Number(headers['x-service-compute-units']));
    await gateway.meter.flush();
    expect(await storedUsage(gateway, name)).toEqual({
      units: (units[0] as number) + (units[1] as number),
      requests: 2,
    });
  });

  slow('is logged and counted like any other', async () => {
    const count = async () => {
      await setTimeout(1_100); // they are made once a second
      const { text } = await gateway.fetch('/metrics');
      const route = 'route="/v1/solana/delegators/stakeAuthorities",method="GET",status="200"';
      return Number(new RegExp(`seconds_count\\{${route}\\} (\\d+)`).exec(text)?.[1]);
    };
    await askedAgain(gateway, { path: PATH });
    const before = await count();
    await ask(gateway, { path: PATH });
    expect(await count()).toBe(before + 1);
  });

  it('stays on a connection that is kept alive, between others', async () => {
    await askedAgain(gateway, query(TEXT));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const other = query('{ slashings(first: 1) { nodes { id } } }');
    for (const asked of [query(TEXT), other, { path: PATH }, query(TEXT), other]) {
      expect((await ask(gateway, { ...asked, agent })).status).toBe(200);
    }
    agent.destroy();
  });
});

describe('what is not just the same is answered in the whole way', () => {
  it('a token that is not good, also with a body of which a part is on its way', async () => {
    await askedAgain(gateway, query(TEXT));
    await askedAgain(gateway, { path: PATH });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const bad = { authorization: 'Bearer nothing' };
    for (const asked of [
      { path: PATH, headers: bad },
      query(TEXT, bad),
      query(TEXT, bad, 3),
      query(TEXT, bad, 2),
    ]) {
      expect((await ask(gateway, { ...asked, agent })).status).toBe(401);
    }
    expect((await ask(gateway, { ...query(TEXT), agent })).status).toBe(200);
    agent.destroy();
  });

  it('a body that is not UTF-8, where one that is has the same text', async () => {
    const text = `${TEXT} # \ufffd`;
    await askedAgain(gateway, query(text));
    const body = Buffer.from(JSON.stringify({ query: text }));
    const at = body.indexOf('\ufffd');
    const parts = [Buffer.concat([body.subarray(0, at), Buffer.of(0xff), body.subarray(at + 3)])];
    const headers = { 'content-type': 'application/json', 'content-length': body.length - 2 };
    expect((await ask(gateway, { method: 'POST', headers, parts })).status).toBe(400);
  });

  it('a body in parts, of another length, too long, or none', async () => {
    const whole = lasting(await askedAgain(gateway, query(TEXT)));
    expect(lasting(await ask(gateway, query(TEXT, {}, 3)))).toEqual(whole);
    const { 'content-length': _, ...chunked } = query(TEXT).headers as OutgoingHttpHeaders;
    expect(lasting(await ask(gateway, { ...query(TEXT), headers: chunked }))).toEqual(whole);
    const long = query(`${TEXT} #${'x'.repeat(30_000)}`);
    expect((await ask(gateway, long)).body.toString()).toContain('"data"');
    expect((await ask(gateway, query(`{ a }${' '.repeat(300_000)}`))).status).toBe(413);
    expect(
      (await ask(gateway, { method: 'POST', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(400);
  });

  it('a caller over its rate or allowance', async () => {
    await askedAgain(gateway, { path: PATH });
    await askedAgain(gateway, query(TEXT));
    const slow = await makeAccount(gateway, { rateLimit: 1 });
    const spent = await makeAccount(gateway, { unitAllowance: 0 });
    for (const asked of [{ path: PATH }, query(TEXT)]) {
      const by = ({ authorization }: { authorization: string }) =>
        ask(gateway, { ...asked, headers: { ...asked.headers, authorization } });
      const answers = await Promise.all([by(slow), by(slow), by(slow), by(slow)]);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused[0]?.headers['retry-after']).toBe('1');
      expect(JSON.parse(refused[0]?.body.toString() as string)).toEqual(
        refusedBody(asked.path ?? '/graphql', 'RATE_LIMITED', 'Too many requests'),
      );
      expect((await by(spent)).status).toBe(402);
    }
  });

  it('headers that are too long to be kept', async () => {
    const asked = { path: PATH, headers: { 'if-none-match': `"${'x'.repeat(300)}"` } };
    for (const _time of [1, 2, 3]) await ask(gateway, asked);
    handled.mockClear();
    expect((await ask(gateway, asked)).status).toBe(200);
    expect(handled).toHaveBeenCalled();
  });

  it.each([
    '*',
    'GZIP',
    'x-gzip',
    'gzip;x=1',
    'gzip ; q=1',
    'identity;q=0',
    'deflate',
    'gzip;q=0, *',
    'br;q=0.000, gzip',
  ])('but the same in the end, whatever is accepted: %s', async (accepted) => {
    const plain = (await ask(gateway, { path: PATH })).body;
    const read = { br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync };
    for (const _time of [1, 2, 3, 4]) {
      const { headers, body } = await ask(gateway, { path: PATH, headers: { 'accept-encoding': accepted } });
      const decode = read[headers['content-encoding'] as keyof typeof read];
      expect((decode ? decode(body) : body).equals(plain)).toBe(true);
    }
  });

  it('HEAD, which has no body', async () => {
    const { headers } = await askedAgain(gateway, { path: PATH });
    const { status, headers: same, body } = await ask(gateway, { method: 'HEAD', path: PATH });
    expect([status, same.etag, body.length]).toEqual([200, headers.etag, 0]);
  });

  slow('another host, told by a proxy that is trusted', async () => {
    const proxied = await gatewayForTest({ settings: { CACHE: true, TRUST_PROXY: ['127.0.0.1'] } });
    await eventually(() => expect(proxied.revisions.trusted()).toBe(true));
    const hosts = ['a.example', 'b.example', undefined, 'a.example', undefined, 'b.example', undefined];
    for (const host of hosts) {
      const { body } = await ask(proxied, { path: PATH, headers: host ? { 'x-forwarded-host': host } : {} });
      expect(JSON.parse(body.toString()).next).toContain(host ? `http://${host}/v1/` : proxied.url);
    }
  });
});

describe('a failure after the answer was found', () => {
  slow('is logged, ends that connection, and leaves the gateway serving', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const of = await gatewayForTest({ settings: { CACHE: true }, log });
    await eventually(() => expect(of.revisions.trusted()).toBe(true));
    const asked = query('{ operators(window: ONE_DAY, first: 1) { totalCount } }');
    await askedAgain(of, asked);
    const { admit } = of.meter;
    of.meter.admit = async (caller) =>
      Object.assign(await admit(caller), {
        charge() {
          throw new Error('no unit is left to count with');
        },
      });
    await ask(of, asked).catch(() => undefined); // the answer may have been sent before the connection ended
    await eventually(() => expect(lines.join()).toContain('A cached response could not be sent.'));
    of.meter.admit = admit;
    expect((await ask(of, { ...asked, agent: new Agent() })).status).toBe(200);
  });
});

describe('a token that is not good', () => {
  it.each([
    ['on', true],
    ['off', false],
  ])('is refused before the body comes, with the cache %s', async (_name, CACHE) => {
    const of = CACHE ? gateway : await gatewayForTest({ settings: { CACHE: false } });
    const socket = connect(Number(new URL(of.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const lines = [
      'POST /graphql HTTP/1.1',
      'host: localhost',
      'authorization: Bearer nothing',
      'content-type: application/json',
      'content-length: 100',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 /);
  });
});

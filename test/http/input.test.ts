import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, gatewayForTest, startGateway, useGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
afterEach(async () => {
  expect((await gateway.get('/v0/eth/slashings')).status).toBe(200);
});

const open = ({ url }: Gateway = gateway) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
};
/** Bytes as they are; the answer is everything until the gateway closes the connection. */
const sendRaw = (text: string) => {
  const { socket, answer } = open();
  socket.write(text, 'latin1');
  return answer;
};
const parse = (text: string) => {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  return { status: Number(head.split(' ')[1]), header, json: body && JSON.parse(body) };
};
const faultsOf = async (path: string) => {
  const { status, json } = await gateway.get(path);
  return [status, json.detail.map?.((fault: any) => [...fault.loc, fault.type].join('.')) ?? json.detail];
};

const summary = (id: string) => `/v0/eth/operators/${id}/summary?window=7d`;
const list = (id: string) => `/v0/eth/operators?window=7d&parentId=${id}`;

describe('a body', () => {
  const send = (path: string, body: Buffer, type = 'application/json') =>
    gateway.fetch(path, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': type, authorization: `Bearer ${gateway.token}` },
    });

  it.each(['/graphql', '/v1/eth/tags'])('that is not UTF-8 or not JSON is refused, of %s', async (path) => {
    const broken = await send(path, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    const fault = (msg: string) => {
      const faults = [{ loc: ['body'], msg, type: 'value_error' }];
      const errors = [{ message: msg, extensions: { code: 'BAD_INPUT', faults } }];
      return { detail: faults, ...(path === '/graphql' && { errors }) };
    };
    expect([broken.status, broken.json]).toEqual([400, fault('The body is not UTF-8 text.')]);
    const cut = await send(path, Buffer.from('{'));
    expect([cut.status, cut.json]).toEqual([400, fault('The body is not valid JSON.')]);
    const other = await send(path, Buffer.from('{}', 'utf16le'), 'application/json; charset=utf-16');
    const detail = 'The charset is not accepted; send UTF-8.';
    expect([other.status, other.json]).toEqual([415, refusedBody(path, 'UNSUPPORTED_MEDIA_TYPE', detail)]);
    const named = await send(path, Buffer.from('{}'), 'application/json; charset="UTF-8"');
    expect([named.status, named.json.detail[0].loc[0]]).toEqual([400, 'body']); // of what is missing in it
  });
});

describe('a path or query value', () => {
  it('with a NUL byte is refused where it stands', async () => {
    expect(await faultsOf(summary('a%00b'))).toEqual([400, ['path.operator_id.nul']]);
    expect(await faultsOf(list('a%00b'))).toEqual([400, ['query.parentId.nul']]);
    expect(await faultsOf('/v0/eth/slashings?size=1%00')).toEqual([400, ['query.size.int_parsing']]);
  });

  it('of 256 characters is looked up, and of 257, 300 or 10,000 refused', async () => {
    for (const place of [summary, list]) expect((await gateway.get(place('x'.repeat(256)))).status).toBe(404);
    for (const length of [257, 300, 10_000]) {
      const id = 'x'.repeat(length);
      expect(await faultsOf(summary(id))).toEqual([400, ['path.operator_id.too_long']]);
      expect(await faultsOf(list(id))).toEqual([400, ['query.parentId.too_long']]);
    }
  });

  it('never comes back at full length', async () => {
    const { text } = await gateway.get(`/v0/eth/slashings?size=${'9'.repeat(10_000)}`);
    expect(text.length).toBeLessThan(400);
  });

  it.each([summary, list])('of 1 MB is 413 with the documented body', async (place) => {
    const headers = `Host: x\r\nAuthorization: Bearer ${gateway.token}\r\n`;
    for (let round = 0; round < 5; round += 1) {
      const { status, header, json } = parse(
        await sendRaw(`GET ${place('x'.repeat(1_000_000))} HTTP/1.1\r\n${headers}\r\n`),
      );
      expect([status, json]).toEqual([413, { detail: 'The request is too large.' }]);
      expect(header('content-type')).toBe('application/json; charset=utf-8');
      expect(header('x-request-id')).toMatch(/^[\w-]{36}$/);
    }
  });

  it('in invalid percent-encoding is refused in a path, and taken as it stands in a query', async () => {
    for (const id of ['%zz', '%', '%E0%A4%A', '%ff']) {
      expect(await faultsOf(summary(id))).toEqual([400, ['path.value_error']]);
      expect(await faultsOf(`/v0/eth/slashings?size=${id}`)).toEqual([400, ['query.size.int_parsing']]);
    }
  });

  it('of a parameter that is not documented is ignored', async () => {
    const { text } = await gateway.get('/v0/eth/slashings');
    for (const query of [
      'x=1',
      'x=1&x=2',
      '__proto__=1',
      'constructor=1',
      '=',
      '&&',
      'SIZE=0',
      '%00=%00',
      '?size=0',
    ]) {
      const answer = await gateway.get(`/v0/eth/slashings?${query}`);
      expect([query, answer.status, answer.text]).toEqual([query, 200, text]);
    }
  });
});

describe('a request that Node would refuse without a body', () => {
  it.each([
    ['no Host', 400, /^Host is missing/, 'GET /health HTTP/1.1\r\n\r\n'],
    ['two Hosts', 400, /^Host is given 2 times/, 'GET /health HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
    ['two equal Hosts', 400, /given 2 times/, 'GET /health HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n'],
    [
      'an Expect of something else',
      417,
      /^The Expect header is not accepted/,
      'POST /graphql HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}',
    ],
  ])('says why in detail: %s', async (_name, expected, detail, text) => {
    const { status, header, json } = parse(await sendRaw(text));
    expect(status).toBe(expected);
    expect(json).toEqual({ detail: expect.stringMatching(detail) });
    expect(header('content-type')).toBe('application/json; charset=utf-8');
    expect(header('x-request-id')).toBeTruthy();
    expect(header('cache-control')).toBe('private, no-store');
  });

  it.each([
    ['HTTP/1.0 has no Host', 'GET /health HTTP/1.0\r\n\r\n'],
    [
      '100-continue is expected',
      'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n',
    ],
  ])('but is answered where %s', async (_name, text) => {
    expect(await sendRaw(text)).toContain(' 200 OK\r\n');
  });
});

describe('a request that is not HTTP', () => {
  it.each([
    ['nothing of it', 'GARBAGE\r\n\r\n'],
    ['an unknown method of no path', 'FETCH nowhere HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in the target', 'GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n'],
    ['two lengths', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('is 400: %s', async (_name, text) => {
    const { status, json } = parse(await sendRaw(text));
    expect([status, json]).toEqual([400, { detail: 'Bad request.' }]);
  });

  it('is 400 also behind a request that is good', async () => {
    const text = await sendRaw(
      'GET /health HTTP/1.1\r\nHost: x\r\n\r\nFETCH /health HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(text).toContain('{"detail":"Bad request."}');
    expect(text).not.toContain('is not served here');
  });

  it.each([
    ['/v0/eth/slashings?size=1', 'GET, HEAD'],
    ['/v1/eth/tags', 'GET, HEAD, POST'],
    ['/graphql', 'GET, POST'],
  ])('but for a method that nobody knows is 405, with the methods of %s', async (path, allow) => {
    const text = await sendRaw(`FETCH ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const { status, json } = parse(text);
    expect([status, json]).toEqual([405, { detail: `FETCH is not served here; use ${allow}.` }]);
    expect(text).toContain(`allow: ${allow}\r\n`);
  });

  it('but for such a method is 404 of an unknown path', async () => {
    const { status, json } = parse(await sendRaw('FETCH /nope HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect([status, json]).toEqual([404, { detail: 'Not found.' }]);
  });

  it('is 413 when its headers pass 16 kB', async () => {
    const text = `GET / HTTP/1.1\r\nHost: x\r\n${'X-Filler: y\r\n'.repeat(2_000)}\r\n`;
    expect(parse(await sendRaw(text)).status).toBe(413);
  });
});

describe('a caller', () => {
  const head = (length: number) =>
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
  const body = '{"query":"{ __typename }"}';

  it('that sends slowly is answered all the same', async () => {
    const { socket, answer } = open();
    for (const part of (head(body.length) + body).match(/.{1,40}/gs) ?? []) {
      socket.write(part);
      await wait(20);
    }
    expect(parse(await answer)).toMatchObject({ status: 200, json: { data: { __typename: 'Query' } } });
  });

  it('that sends two requests at once gets both answers in order', async () => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const text = await sendRaw(get('/health') + get('/nope', 'Connection: close\r\n'));
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it.each([
    ['headers', () => 'GET /health HTTP/1.1\r\nHost: x\r\n'],
    ['body', () => head(1_000) + body],
  ])('that never ends its %s is 408', async (_name, text) => {
    const impatient = await gatewayForTest({ template: 'empty', requestTimeoutMs: 200 });
    const { socket, answer } = open(impatient);
    socket.write(text().replace(gateway.token, impatient.token));
    const { status, json } = parse(await answer);
    expect([status, json]).toEqual([408, { detail: 'The request took too long to come.' }]);
  });

  it('that goes away in the middle of its body takes nobody with it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { socket } = open();
      await new Promise<void>((sent) => socket.write(head(1_000) + body, () => sent()));
      socket.resetAndDestroy();
    }
  });

  it('that goes away before its answer takes nobody with it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { socket } = open();
      await new Promise<void>((sent) => socket.write(head(body.length) + body, () => sent()));
      socket.destroy();
    }
  });

  slow(
    'that does not hang up after a refusal is hung up on, so that closing does not wait for it',
    async () => {
      const other = await startGateway({ template: 'empty' });
      const socket = connect({
        port: Number(new URL(other.url).port),
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      socket.on('error', () => undefined);
      socket.write(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      await other.close();
      socket.destroy();
    },
    10_000,
  ); // closing that waits for the caller takes longer
});

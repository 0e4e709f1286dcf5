import zlib, { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ settings: { CACHE: true } });

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
const post = (body: unknown, headers: Record<string, string> = {}, path = '/graphql') =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': JSON_TYPE, ...headers },
    body: body instanceof Uint8Array ? (body as never) : JSON.stringify(body),
  });
const get = (parameters: Record<string, unknown>, headers = {}) => {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return gateway.get(`/graphql?${new URLSearchParams(texts)}`, headers);
};

const query = 'query ($first: Int!) { slashings(first: $first) { nodes { id } } }';
const persistedQuery = { version: 1, sha256Hash: 'a'.repeat(64) };

describe('a persisted query', () => {
  it.each([JSON_TYPE, RESPONSE_TYPE, '*/*'])(
    'without its text is PersistedQueryNotSupported, of POST and GET, to Accept: %s',
    async (accept) => {
      const extensions = { persistedQuery };
      const variables = { first: 1 };
      for (const answer of [
        await post({ operationName: 'A', variables, extensions }, { accept }),
        await post({ query: null, variables, extensions }, { accept }),
        await get({ variables, extensions }, { accept }),
      ]) {
        expect(answer.status).toBe(200);
        expect(answer.json.errors).toEqual([
          { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
        ]);
        expect(answer.json).not.toHaveProperty('data');
        expect(answer.headers.get('x-service-compute-units')).toBe('1');
      }
    },
  );

  it('with its text is answered as without the extension', async () => {
    const body = { query, variables: { first: 2 } };
    for (let time = 0; time < 3; time += 1) {
      const plain = await post(body);
      expect(plain.json.data.slashings.nodes).toHaveLength(2);
      expect((await post({ ...body, extensions: { persistedQuery } })).json).toEqual(plain.json);
      expect((await get({ ...body, extensions: { persistedQuery } })).json).toEqual(plain.json);
    }
  });

  it('is not asked for by an extension of another name', async () => {
    const { status, json } = await post({ extensions: { other: {} } });
    expect([status, json.detail[0].loc]).toEqual([400, ['body', 'query']]);
    expect((await get({ extensions: { other: {} } })).json.detail[0].loc).toEqual(['query', 'query']);
  });
});

describe('a wrong variable that is used', () => {
  const documents: [string, string, object][] = [
    ['of a wrong type', query, { first: 'x' }],
    ['missing', query, {}],
    ['null', query, { first: null }],
    ['no enum value', 'query ($w: TimeWindow!) { operators(window: $w) { totalCount } }', { w: 'WEEK' }],
    ['no date', 'query ($d: Date) { chainDailyRewards(fromDate: $d) { totalCount } }', { d: 'x' }],
    ['with a NUL', 'query ($id: String!) { operator(operatorId: $id) { id } }', { id: '\0' }],
    [
      'no input',
      'mutation ($input: CreatePrivateSetInput!) { createPrivateSet(input: $input) { userErrors { code } } }',
      { input: {} },
    ],
  ];

  it.each(documents)(
    'is 200 with errors as application/json, and else 400: %s',
    async (_name, text, variables) => {
      for (let time = 0; time < 3; time += 1) {
        for (const accept of [JSON_TYPE, '*/*', RESPONSE_TYPE]) {
          const answer = await post({ query: text, variables }, { accept });
          expect([accept, answer.status]).toEqual([accept, accept === RESPONSE_TYPE ? 400 : 200]);
          expect(answer.json.errors[0].extensions.code).toMatch(/^BAD_(QUERY|INPUT)$/);
          expect(answer.json).not.toHaveProperty('data');
          if (text.startsWith('mutation')) continue;
          const { status } = await get({ query: text, variables }, { accept });
          expect(status).toBe(answer.status);
        }
      }
    },
  );

  it('is the same where right ones have made the query compiled', async () => {
    for (let time = 0; time < 3; time += 1) await post({ query, variables: { first: 1 } });
    for (const [accept, status] of [
      [JSON_TYPE, 200],
      [RESPONSE_TYPE, 400],
    ] as const) {
      for (let time = 0; time < 3; time += 1)
        expect((await post({ query, variables: { first: 'x' } }, { accept })).status).toBe(status);
    }
  });
});

describe('a refusal of /graphql', () => {
  const body = { query: '{ __typename }' };
  it.each([
    [401, 'UNAUTHENTICATED', body, { authorization: 'Bearer x' }],
    [413, 'TOO_LARGE', { query: '#'.repeat(300_000) }, {}],
    [415, 'UNSUPPORTED_MEDIA_TYPE', body, { 'content-type': 'text/plain' }],
    [415, 'UNSUPPORTED_MEDIA_TYPE', body, { 'content-type': 'application/json; charset=latin1' }],
    [415, 'UNSUPPORTED_MEDIA_TYPE', body, { 'content-encoding': 'rot13' }],
  ])('with %i has errors beside detail, of the code %s', async (status, code, given, headers) => {
    const answer = await post(given, headers as Record<string, string>);
    const { detail } = answer.json;
    expect([answer.status, typeof detail]).toEqual([status, 'string']);
    expect(answer.json).toEqual({ detail, errors: [{ message: detail, extensions: { code } }] });
    const rest = await post(given, headers as Record<string, string>, '/v1/eth/tags');
    expect([rest.status, rest.json]).toEqual([status, { detail }]);
  });
});

describe('Accept', () => {
  it.each([
    [`${JSON_TYPE};q=0.1, ${RESPONSE_TYPE}`, RESPONSE_TYPE],
    [`${RESPONSE_TYPE};q=0.1, ${JSON_TYPE}`, JSON_TYPE],
    [`${RESPONSE_TYPE};q=0.1, ${JSON_TYPE};q=0.2`, JSON_TYPE],
    [`${RESPONSE_TYPE}, ${JSON_TYPE};q=0.9`, RESPONSE_TYPE],
    [`${JSON_TYPE};q=0.9, ${RESPONSE_TYPE}`, RESPONSE_TYPE],
    [`${JSON_TYPE};q=0, */*`, RESPONSE_TYPE],
    ['*/*;q=0.1', JSON_TYPE],
    [`multipart/mixed;deferSpec=20220824, ${JSON_TYPE}`, JSON_TYPE],
    [`multipart/mixed; boundary="a,b", ${RESPONSE_TYPE}, ${JSON_TYPE};q=0.9`, RESPONSE_TYPE],
    [`text/event-stream;q=0.5, ${JSON_TYPE};q=0.9`, JSON_TYPE],
    [`text/event-stream, ${JSON_TYPE};q=0.9`, 'text/event-stream'],
    [`${JSON_TYPE};charset=UTF-8`, JSON_TYPE],
  ])('of %s is answered as %s', async (accept, type) => {
    for (let time = 0; time < 3; time += 1) {
      for (const answer of [
        await post({ query: `{ slashings { totalCount } }`, variables: { time } }, { accept }),
        await get({ query: '{ slashings { totalCount } }' }, { accept }),
      ]) {
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')?.split(';')[0]).toBe(type);
      }
    }
  });

  it.each([`${JSON_TYPE};q=0`, '*/*;q=0', 'application/json;charset=latin1', 'application/xml'])(
    'of %s is 406',
    async (accept) => {
      for (let time = 0; time < 3; time += 1) {
        const answer = await post({ query: '{ slashings { totalCount } }' }, { accept });
        expect([answer.status, typeof answer.json.detail]).toEqual([406, 'string']);
        expect(answer.headers.get('x-service-compute-units')).toBe('1');
      }
    },
  );

  it('with a page of a smaller q than JSON gets JSON', async () => {
    const asked = { query: '{ slashings { totalCount } }' };
    expect((await get(asked, { accept: `text/html;q=0.5, ${JSON_TYPE}` })).json.data).toBeDefined();
    expect((await get(asked, { accept: 'text/html, */*;q=0.8' })).text).toContain('<!doctype html>');
  });
});

describe('a compressed body', () => {
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const bodyOf = (size: number) => {
    const text = JSON.stringify({ query: '{ __typename }', variables: { x: '' } });
    return Buffer.from(text.replace('""', `"${'x'.repeat(size - text.length)}"`));
  };
  const LIMIT = 256 * 1024;

  it.each(Object.entries(codings))('in %s is read on both APIs, up to 256 kB', async (coding, compress) => {
    const headers = { 'content-encoding': coding };
    const { json } = await post(compress(bodyOf(LIMIT)), headers);
    expect(json.data).toEqual({ __typename: 'Query' });
    expect((await post(compress(bodyOf(LIMIT + 1)), headers)).status).toBe(413);
    const tag = await post(compress(Buffer.from(JSON.stringify({ name: coding }))), headers, '/v1/eth/tags');
    expect([tag.status, tag.json.name]).toEqual([201, coding]);
    expect((await post(compress(bodyOf(LIMIT + 1)), headers, '/v1/eth/tags')).status).toBe(413);
    expect((await post(compress(bodyOf(50)).subarray(0, 20), headers)).status).toBe(400);
  });

  const SIZE = 1_000_000_000;
  let bomb = Buffer.alloc(0);
  beforeAll(() => {
    bomb = brotliCompressSync(Buffer.alloc(SIZE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  });
  it.each(['/graphql', '/v1/eth/tags'])('that is a bomb is 413 of %s, and is not read on', async (path) => {
    expect(bomb.length).toBeLessThan(LIMIT);
    let read = 0;
    const { prototype } = (zlib as any).BrotliDecompress;
    const { push } = prototype;
    onTestFinished(() => {
      delete prototype.push;
    });
    prototype.push = function (chunk: Buffer | null, ...more: unknown[]) {
      read += chunk?.length ?? 0;
      return push.call(this, chunk, ...more);
    };
    const { status } = await post(bomb, { 'content-encoding': 'br' }, path);
    expect(status).toBe(413);
    await new Promise((done) => setTimeout(done, 500));
    const before = read;
    await new Promise((done) => setTimeout(done, 200));
    expect(read).toBe(before);
    expect(read).toBeGreaterThan(LIMIT);
    expect(read).toBeLessThan(SIZE);
  });
});

import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const query = '{ __typename }';
afterEach(async () => {
  expect((await gateway.graphql(query)).data).toEqual({ __typename: 'Query' });
});

const post = (body: BodyInit | undefined, headers: Record<string, string> = {}) =>
  gateway.fetch('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
const postJson = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  post(body, { 'content-type': 'application/json', ...headers });

const refusedWith = (msg: string) => {
  const faults = [{ loc: ['body'], msg, type: 'value_error' }];
  return { detail: faults, errors: [{ message: msg, extensions: { code: 'BAD_INPUT', faults } }] };
};

describe('a POST to /graphql', () => {
  it.each([
    ' ',
    '{',
    '{oops}',
    '{ __typename }',
    '{"query":"{ __typename }"',

    '{"query":"\u0001"}',
  ])('that is not JSON is 400: %j', async (body) => {
    const { status, json } = await postJson(body);
    expect([status, json]).toEqual([400, refusedWith('The body is not valid JSON.')]);
  });

  it.each(['null', '5', 'true', '"x"', '[]', '["x"]', `[{"query":"${query}"}]`])(
    'that is not one JSON object is 400: %s',
    async (body) => {
      const { status, json } = await postJson(body);
      expect([status, json.detail[0].loc, json.errors[0].extensions]).toEqual([
        ...[400, ['body']],
        { code: 'BAD_INPUT', faults: json.detail },
      ]);
    },
  );

  it.each([undefined, null, 5, true, {}, [query]])('whose query is %j is 400', async (given) => {
    const { status, json } = await postJson(JSON.stringify({ query: given, variables: {} }));
    expect([status, json.detail[0].loc]).toEqual([400, ['body', 'query']]);
  });

  it.each([
    ['variables', 'x'],
    ['variables', [1]],
    ['variables', 5],
    ['extensions', 'x'],
    ['operationName', 5],
    ['operationName', 'Nobody'],
    ['other', 1],
  ])('whose %s is %j is 400', async (name, value) => {
    const { status, json } = await postJson(JSON.stringify({ query, [name]: value }));
    expect([status, json.errors[0].extensions]).toEqual([400, { code: 'BAD_QUERY' }]);
  });

  it('without a body is 400', async () => {
    expect((await post(undefined)).status).toBe(400);
    const { status, json } = await postJson('');
    expect([status, json]).toEqual([400, refusedWith('The body is empty; send JSON.')]);
  });

  it('whose Content-Encoding is not accepted is 415, and 400 where it is not true', async () => {
    const body = JSON.stringify({ query });
    for (const coding of ['gzip', 'GZIP']) // names of codings ignore case
      expect((await postJson(gzipSync(body), { 'content-encoding': coding })).status).toBe(200);
    const other = await postJson(body, { 'content-encoding': 'rot13' });
    const detail = 'The Content-Encoding is not accepted; send gzip, br, deflate or none.';
    expect([other.status, other.json]).toEqual([
      415,
      refusedBody('/graphql', 'UNSUPPORTED_MEDIA_TYPE', detail),
    ]);
    const untrue = await postJson(body, { 'content-encoding': 'gzip' });
    expect([untrue.status, untrue.json]).toEqual([
      400,
      refusedWith('The body is not what Content-Encoding says.'),
    ]);
  });

  it.each(['text/plain', 'application/graphql', 'application/x-www-form-urlencoded', 'application/xml', 'x'])(
    'of content type %s is 415',
    async (type) => {
      const { status, json } = await post(JSON.stringify({ query }), { 'content-type': type });
      expect(status).toBe(415);
      const detail = 'The content type is not accepted; send application/json.';
      expect(json).toEqual(refusedBody('/graphql', 'UNSUPPORTED_MEDIA_TYPE', detail));
    },
  );

  it('of a form with files is 415', async () => {
    const form = new FormData();
    form.set('operations', JSON.stringify({ query }));
    form.set('map', '{}');
    expect((await post(form)).status).toBe(415);
  });

  it('is taken up to 256 kB, and is 413 from one byte more', async () => {
    const bodyOf = (size: number) => {
      const body = JSON.stringify({ query, variables: { filler: '' } });
      return body.replace('""', `"${'x'.repeat(size - body.length)}"`);
    };
    expect((await postJson(bodyOf(256 * 1024))).json.data).toEqual({ __typename: 'Query' });
    const { status, json } = await postJson(bodyOf(256 * 1024 + 1));
    expect([status, json]).toEqual([413, refusedBody('/graphql', 'TOO_LARGE', 'The body is too large.')]);
  });

  slow('nested 100,000 levels deep is answered', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect((await postJson(`{"query":"${query}","variables":{"x":${deep}}}`)).status).toBe(200);
  });
});

describe('a GET of /graphql', () => {
  const get = (parameters: Record<string, string>) =>
    gateway.get(`/graphql?${new URLSearchParams(parameters)}`);

  it('answers a query with its variables', async () => {
    const { json } = await get({
      query: 'query ($index: Int!) { slashing(by: { index: $index }) { id } }',
      variables: '{"index": 1}',
    });
    expect(json.data).toEqual({ slashing: null });
  });

  it('without a query, or with two, is 400', async () => {
    for (const path of ['/graphql', '/graphql?query=', '/graphql?query={a}&query={b}']) {
      const { status, json } = await gateway.get(path);
      expect([status, json.detail?.[0].loc]).toEqual([400, ['query', 'query']]);
    }
  });

  it.each(['x', '[]', '5', '{', '"x"'])('with variables or extensions %s is 400', async (text) => {
    for (const name of ['variables', 'extensions']) {
      const { status, json } = await get({ query, [name]: text });
      expect([status, json.detail[0].loc]).toEqual([400, ['query', name]]);
    }
  });
});

describe('the answer', () => {
  it.each([
    [undefined, 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
  ])('to Accept: %s is %s', async (accept, type) => {
    const { status, headers } = await postJson(JSON.stringify({ query }), accept ? { accept } : {});
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  });

  it.each(['multipart/mixed', 'text/event-stream'])('to Accept: %s ends too', async (accept) => {
    const { status, text } = await postJson(JSON.stringify({ query }), { accept });
    expect(status).toBe(200);
    expect(text).toContain('{"data":{"__typename":"Query"},"extensions":');
  });

  it.each(['multipart/mixed', 'text/event-stream', 'text/event-stream, application/json'])(
    'to Accept: %s is whole, also where it is large',
    async (accept) => {
      const fields = 'id operatorId displayName operatorTags { name path idType }';
      const page = `operators(window: SEVEN_DAYS, idType: POOL, first: 200) { nodes { ${fields} } }`;
      const large = `{ ${Array.from({ length: 10 }, (_, n) => `page${n}: ${page}`).join(' ')} }`;
      const { status, text } = await postJson(JSON.stringify({ query: large }), { accept });
      expect(status).toBe(200);
      expect(text).toContain('"page9":{"nodes":[]}},"extensions":{');
    },
  );

  it('is 406 to an Accept that asks for something else', async () => {
    const { status, json } = await postJson(JSON.stringify({ query }), { accept: 'application/xml' });
    expect([status, typeof json.detail]).toEqual([406, 'string']);
  });

  it.each(['{', '{ nope }', '{ slashings(first: "x") { totalCount } }', 'subscription { x }'])(
    'to the bad query %s has the code BAD_QUERY, and is 400 as application/graphql-response+json',
    async (bad) => {
      const { status, json } = await postJson(JSON.stringify({ query: bad }), {
        accept: 'application/graphql-response+json',
      });
      expect(status).toBe(400);
      expect(json.errors[0]).toMatchObject({
        message: expect.any(String),
        extensions: { code: 'BAD_QUERY' },
      });
      expect(Object.keys(json.errors[0].extensions)).toEqual(['code']);
      expect(json).not.toHaveProperty('data');
    },
  );

  it('says where the query is wrong', async () => {
    for (const [bad, column] of [
      ['{', 2],
      ['{ nope }', 3],
      ['{ slashings(first: "x") { totalCount } }', 20],
    ]) {
      const { errors } = await gateway.graphql(String(bad));
      expect(errors?.[0].locations).toEqual([{ line: 1, column }]);
    }
  });

  it('to a value of another form tells its place in faults, as a literal and in a variable', async () => {
    const literal = await gateway.graphql('{ slashings(fromDate: "x") { totalCount } }');
    const variable = await gateway.graphql(
      'query ($from: Date) { slashings(fromDate: $from) { totalCount } }',
      { from: 'x' },
    );
    for (const [{ errors }, loc] of [
      [literal, ['document']],
      [variable, ['variable', 'from']],
    ] as const) {
      const faults = [
        { loc, msg: expect.stringContaining('a date like 2024-03-31 is needed'), type: 'value_error' },
      ];
      expect(errors?.[0].extensions).toEqual({ code: 'BAD_INPUT', faults });
    }
    expect(literal.errors?.[0].locations).toEqual([{ line: 1, column: 23 }]);
  });

  it('to a text with a NUL is BAD_INPUT, as a literal and in a variable of any depth', async () => {
    const named = 'query ($id: String!) { operator(operatorId: $id) { id } }';
    const answers = [
      await gateway.graphql('{ operator(operatorId: "a\\u0000") { id } }'),
      await gateway.graphql(named, { id: 'a\0' }),
      await gateway.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', '\0'] }),
      await gateway.graphql(query, { unused: [{ x: ['\0'] }] }),
    ];
    for (const { errors } of answers) expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    expect(answers[1]?.errors?.[0].extensions.faults[0].loc).toEqual(['variable', 'id']);
    expect(answers[1]?.errors?.[0].message).toBe('$id is "a\\u0000", which contains a NUL character.');
    expect(answers[0]?.errors?.[0].extensions.faults[0].loc).toEqual(['argument', 'operatorId']);
    expect((await gateway.graphql(named, { id: '\\u0000' })).data).toEqual({ operator: null });
  });
});

import { expect, it } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { useGateway } from '../support/gateway.ts';
import { numbers, texts, unstorable } from '../support/hostile.ts';
import { hostileHeaderValues, rawRequest } from '../support/raw-request.ts';
import { every, slow } from '../support/thorough.ts';

// No body and no header makes the gateway fail: it takes the value, or names what cannot be taken.

const gateway = useGateway({ settings: { TRUST_PROXY: ['127.0.0.1', '::1'] } });

const INTERNAL = /INTERNAL|Internal server error|UNAVAILABLE|\bat .+:\d+:\d+|node_modules/;

const bodies = routes.flatMap(({ method = 'GET', path, example, exampleBody }) =>
  exampleBody === undefined || !path.startsWith('/v1/eth/')
    ? []
    : [{ method, example, body: exampleBody as object }],
);
type Body = (typeof bodies)[number];
const send = ({ method, example }: Body, body: string | Buffer) =>
  gateway.fetch(example, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: body as BodyInit,
  });

/** Where a body takes a value: the keys of the example, and the entries of its lists. */
const places = bodies.flatMap((route) =>
  Object.entries(route.body).flatMap(([name, value]) => {
    const own = (given: unknown) => ({ ...route.body, [name]: given });
    const [whole] = [{ route, name, loc: ['body', name], put: own }];
    if (!Array.isArray(value)) return [whole];
    return [
      whole,
      { route, name: `${name}[0]`, loc: ['body', name, 0], put: (given: unknown) => own([given]) },
    ];
  }),
);

it.each(
  places.map((place) => [`${place.route.method} ${place.route.example} ${place.name}`, place] as const),
)('of %s in a body, what cannot be taken is refused by its name', async (_name, { route, loc, put }) => {
  const values = [
    ...unstorable,
    ...every(3, [...texts, ...numbers, null, true, {}, [], [[]], { a: '\0' }, 'x'.repeat(100_000)]),
  ];
  for (const value of values) {
    const { status, text, json } = await send(route, JSON.stringify(put(value)));
    expect([value, status, text]).toEqual([
      value,
      expect.toSatisfy((code: number) => code < 500),
      expect.not.stringMatching(INTERNAL),
    ]);
    const isStorable = typeof value !== 'string' || !unstorable.includes(value);
    if (isStorable && status !== 422 && status !== 400) continue;
    expect([value, status]).toEqual([value, 400]);
    expect(json.detail.map((fault: { loc: unknown[] }) => fault.loc.slice(0, loc.length))).toContainEqual(
      loc,
    );
  }
});

const bytes: [string, string | Buffer][] = [
  ['nothing', ''],
  ['a NUL', '\0'],
  ['a NUL in a text', '{"name":"a\0b"}'],
  ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  [
    'a surrogate as UTF-8',
    Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
  ],
  ['UTF-16', Buffer.from('\ufeff{"name":"x"}', 'utf16le')],
  ['a number past doubles', '{"name":1e400}'],
  ['a number of many digits', `{"name":${'9'.repeat(10_000)}}`],
  ['a key of objects', '{"__proto__":{"name":"x"},"constructor":1}'],
  ['a key that is no character', '{"\\ud800":1}'],
  ['a deep list', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['a deep object', '{"a":'.repeat(20_000)],
  ['a text', '"x"'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a long text', `{"name":"${'x'.repeat(200_000)}"}`],
  ['control characters', '{"name":"\u0001\u001f"}'],
];
const targets: Body[] = [...bodies, { method: 'POST', example: '/graphql', body: {} }];

it.each(bytes)('a body that is %s is refused as the body, or as what it has', async (_name, body) => {
  for (const target of targets) {
    const { status, text, json } = await send(target, body);
    expect([target.example, status, text]).toEqual([
      target.example,
      expect.toSatisfy((code: number) => code === 400 || code === 413),
      expect.not.stringMatching(INTERNAL),
    ]);
    if (status === 400)
      expect([target.example, JSON.stringify(json)]).toEqual([
        target.example,
        expect.stringMatching(/body|name|query|JSON/i),
      ]);
  }
});

const headers = [
  ...[
    'authorization',
    'accept',
    'accept-encoding',
    'if-none-match',
    'x-network',
    'x-rated-network',
    'idempotency-key',
  ],
  ...[
    'content-type',
    'content-encoding',
    'content-length',
    'transfer-encoding',
    'host',
    'origin',
    'expect',
    'range',
  ],
  ...[
    'access-control-request-method',
    'access-control-request-headers',
    'traceparent',
    'tracestate',
    'baggage',
  ],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-prefix',
    'x-request-id',
    'x-http-method-override',
  ],
];
const asked: [method: string, path: string, body?: string][] = [
  ['GET', '/v0/eth/operators?window=7d&idType=pool&size=1'],
  ['POST', '/v1/eth/tags', '{"name":"x"}'],
  ['POST', '/graphql', '{"query":"{ datasets { name } }"}'],
  ['GET', '/graphql?query=%7Bdatasets%7Bname%7D%7D'],
  ['OPTIONS', '/graphql'],
  ['GET', '/ready'],
  ['GET', '/openapi.json'],
  ['GET', '/'],
];
/** How a 400 names the header that it refuses; other headers are refused with a status of their own. */
const named: Record<string, RegExp> = {
  'idempotency-key': /Idempotency-Key/,
  'x-service-network': /X-Service-Network/,
};

it.each(headers)('no value of the header %s makes the gateway fail', async (name) => {
  for (const value of every(name === 'host' ? 1 : 15, hostileHeaderValues, headers.indexOf(name)))
    for (const [method, path, body] of asked) {
      const { status, text } = await rawRequest(gateway, method, path, { [name]: value }, body);
      const what = [method, path, name, value.slice(0, 60), status];
      // A value that no header may have ends the connection without an answer at most.
      expect([...what, text.slice(0, 2_000)]).toEqual([
        ...what.slice(0, 4),
        expect.toSatisfy((code: number) => code < 500 || (code === 501 && name === 'transfer-encoding')),
        expect.not.stringMatching(INTERNAL),
      ]);
      if (status === 400 && named[name] && text.includes('"header"'))
        expect(text).toMatch(named[name] as RegExp);
    }
  expect((await gateway.get('/v0/eth/slashings?size=1')).status).toBe(200);
});

slow(
  'A whole list is read to its end whatever the Host, which is in the address of its next page',
  async () => {
    const path = '/v1/solana/delegators/stakeAuthorities?window=7d&all=true';
    for (const host of ['localhost', '[::', 'x:99999', '\u00ff']) {
      const { status, text } = await rawRequest(gateway, 'GET', path, { host, accept: 'text/csv' });
      expect([host, status]).toEqual([host, 200]);
      expect(text.split('\n').length).toBeGreaterThan(1_000);
    }
  },
);

import { describe, expect, it } from 'vitest';
import { networks } from '../../src/chain/networks.ts';
import { paramDocument } from '../../src/kernel/params.ts';
import { routes } from '../../src/resources/index.ts';
import { useGateway } from '../support/gateway.ts';
import { every } from '../support/thorough.ts';

/** What every path does with its parameters, taken from how they are documented: no path and no parameter is left out. */
const gateway = useGateway();

type Route = (typeof routes)[number];
type Document = { type?: string | string[]; [key: string]: any };
const reads = routes.filter(({ method }) => !method);
const nameOf = ({ method = 'GET', path }: Route) => `${method} ${path}`;

const queryParameters = reads.flatMap((route) =>
  Object.entries(route.query.shape).map(([name, type]) => {
    const { schema, required } = paramDocument(type as never) as { schema: Document; required: boolean };
    return [`${nameOf(route)} ?${name}`, { route, name, schema, required }] as const;
  }),
);
const pathParameters = routes.flatMap((route) =>
  Object.entries(route.params.shape).map(([name, type]) => {
    const schema = paramDocument(type as never)?.schema as Document;
    return [`${nameOf(route)} ${name}`, { route, name, schema }] as const;
  }),
);

/** The example of a path with these values of one parameter and no other of it. */
function asked({ route, name }: { route: Route; name: string }, ...values: string[]): string {
  const [path, query] = route.example.split('?');
  const search = new URLSearchParams(query);
  search.delete(name);
  // The type and the id of an entity need each other.
  if (name === 'entityType' && 'entityId' in route.query.shape) search.set('entityId', 'nobody');
  for (const value of values) search.append(name, value);
  return `${path}?${search}`;
}
const rowsOf = ({ json }: { json: any }) => json.data ?? json.results ?? json;

async function refused(path: string, loc: string[], types: string[]) {
  const { status, json } = await gateway.get(path);
  const faults = (json.detail as { loc: string[]; type: string }[]).map?.(({ loc, type }) => [...loc, type]);
  expect([path, status, faults]).toEqual([
    path,
    400,
    [[...loc, expect.toSatisfy((type: string) => types.includes(type))]],
  ]);
  expect(json.detail[0].msg.startsWith(`${loc[1]} `)).toBe(true);
  return json.detail[0].msg as string;
}

/** Values that the document allows, and values that it does not. */
function values({ type, ...schema }: Document): { right: string[]; wrong: string[] } {
  const kind = [type].flat()[0];
  const enumerated = schema.enum?.filter((value: unknown) => value !== null);
  if (enumerated)
    return {
      right: enumerated.map(String),
      wrong: ['nonsense', ...(kind === 'boolean' ? ['0'] : [`${enumerated[0]}`.toUpperCase(), ' day'])],
    };
  if (kind === 'boolean')
    return { right: ['true', 'false', 'True', 'FALSE'], wrong: ['1', '0', 'yes', 't', 'true '] };
  if (kind === 'integer') {
    const { minimum, maximum } = schema;
    const beyond = [minimum - 1, maximum + 1, '99999999999999999999'].map(String);
    const malformed = ['1.5', '1.0', '1e1', '+1', ' 1', '1 ', '0x1', '１', 'x', 'NaN', '-0', '1,2'];
    return { right: [minimum, maximum].map(String), wrong: [...beyond, ...malformed] };
  }
  if (schema.format === 'date')
    return {
      right: ['2025-06-01', '2024-02-29', '0001-01-01', '9999-12-31'],
      wrong: ['2025-02-29', '2025-6-1', '2025-06-01T00:00:00Z', '01.06.2025', 'today', '5', '2025-13-01'],
    };
  const examples = (schema.examples ?? []).map(String);
  const wrong = ['x\0'];
  return { right: examples, wrong: schema.maxLength ? [...wrong, 'x'.repeat(schema.maxLength + 1)] : wrong };
}
const FORM = [
  'int_parsing',
  'out_of_range',
  'enum',
  'bool_parsing',
  'format',
  'too_short',
  'too_long',
  'nul',
];

const locOf = ({ name }: { name: string }) => ['query', name];
const only = (picked: (parameter: (typeof queryParameters)[number][1]) => boolean) =>
  queryParameters.filter(([, parameter]) => picked(parameter));

const sorted = reads.filter(({ query: { shape } }) => 'offset' in shape && 'sortBy' in shape);

describe('a page past the end', () => {
  it.each(sorted.map((route) => [nameOf(route), route] as const))(
    'of %s is empty at the last offset, in every order',
    async (_name, route) => {
      const { shape } = route.query;
      const [limit, sortBy] = [shape.limit, shape.sortBy].map((type) => paramDocument(type as never)?.schema);
      for (const field of (sortBy?.enum ?? []) as string[]) {
        const path = new URL(asked({ route, name: 'sortBy' }, field), 'http://localhost');
        path.searchParams.set('offset', String(2 ** 31 - 1));
        path.searchParams.set('limit', String(limit?.maximum));
        const { status, json } = await gateway.get(path.pathname + path.search);
        expect([field, status, json.results, json.next]).toEqual([field, 200, [], null]);
      }
    },
  );
});

describe('the query parameter', () => {
  it.each(queryParameters)('%s is refused twice, also with the same value', async (_name, parameter) => {
    const [value = 'x'] = values(parameter.schema).right;
    for (const other of [value, 'other'])
      await refused(asked(parameter, value, other), locOf(parameter), ['repeated']);
  });

  it.each(every(2, queryParameters))('%s takes each documented value and bound', async (_name, parameter) => {
    for (const value of values(parameter.schema).right) {
      const { status, text, json } = await gateway.get(asked(parameter, value));
      // An entity may not exist, and a revision may be gone: neither is a fault of the value's form.
      if (status === 400) expect(FORM, text).not.toContain(json.detail[0].type);
      else expect([200, 404], `${value}: ${text}`).toContain(status);
    }
  });

  it.each(queryParameters)('%s refuses any other value, naming it', async (_name, parameter) => {
    const { schema, route, name } = parameter;
    // Each parameter gets another fifth of the wrong values, so that together they get all.
    for (const value of every(5, values(schema).wrong, route.path.length + name.length)) {
      const msg = await refused(asked(parameter, value), locOf(parameter), FORM);
      if (schema.maximum !== undefined) expect(msg).toContain(`${schema.minimum} to ${schema.maximum}`);
      for (const allowed of schema.enum ?? []) if (allowed !== null) expect(msg).toContain(`${allowed}`);
    }
  });

  it.each(only(({ required }) => required))('%s is required', async (_name, parameter) => {
    await refused(asked(parameter), locOf(parameter), ['missing']);
  });

  it.each(only(({ schema }) => schema.default !== undefined))(
    '%s has its default when absent',
    async (_name, parameter) => {
      const [absent, given] = [asked(parameter), asked(parameter, String(parameter.schema.default))];
      expect(rowsOf(await gateway.get(given))).toEqual(rowsOf(await gateway.get(absent)));
    },
  );

  it.each(every(2, queryParameters, 1))(
    '%s is absent when empty or null if it may be null, which is refused elsewhere',
    async (_name, parameter) => {
      const { schema } = parameter;
      const nullable = [schema.type].flat().includes('null');
      const absent = await gateway.get(asked(parameter));
      for (const value of ['', 'null']) {
        if (!nullable) await refused(asked(parameter, value), locOf(parameter), FORM);
        else expect(rowsOf(await gateway.get(asked(parameter, value)))).toEqual(rowsOf(absent));
      }
    },
  );
});

const ranged = reads.filter(({ query }) => 'toDate' in query.shape);

describe('values that do not go together', () => {
  const pairs: [string, string, string[]][] = [
    ...ranged.map((route): [string, string, string[]] => [
      route.example,
      'fromDate=2025-02-02&toDate=2025-02-01&limit=0',
      ['limit', 'fromDate'],
    ]),
    [
      '/v1/eth/validators/consolidations',
      'fromDay=2&toDay=1&entityId=x&sortBy=x',
      ['sortBy', 'fromDay', 'entityType'],
    ],
    ['/v0/eth/operators', 'window=1w&parentId=a&parentEntity=b', ['window', 'parentEntity']],
  ];

  it.each(pairs)('are told with the other faults of %s?%s', async (path, query, names) => {
    const { status, json } = await gateway.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    expect([status, json.detail.map((fault: any) => fault.loc)]).toEqual([
      400,
      names.map((name) => ['query', name]),
    ]);
  });

  it.each([
    ['toDate=x&fromDate=2025-02-02', 'toDate'],
    ['toDay=-1&fromDay=5', 'toDay'],
    ['entityType=x&entityId=a', 'entityType'],
  ])('are not told of one that is wrong by itself: %s', async (query, name) => {
    await refused(`/v1/eth/validators/consolidations?${query}`, ['query', name], FORM);
  });
});

describe.each(pathParameters)('the path parameter %s', (_name, { route, name, schema }) => {
  const at = (value: string) => {
    const index = route.path.split('/').indexOf(`:${name}`);
    return route.example.replace(/^[^?]+/, (path) =>
      path.split('/').with(index, encodeURIComponent(value)).join('/'),
    );
  };
  const ask = (value: string) =>
    gateway.fetch(at(value), {
      method: route.method ?? 'GET',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      ...(route.body ? { body: JSON.stringify(route.exampleBody) } : {}),
    });

  it('is refused in any other form than the documented one, naming it', async () => {
    const { right, wrong } = values(schema);
    const malformed = schema.format === 'uuid' ? ['x', '1', '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e0'] : wrong;
    for (const value of malformed) {
      const { status, json } = await ask(value);
      expect([value, status, json.detail[0].loc]).toEqual([value, 400, ['path', name]]);
      expect(FORM).toContain(json.detail[0].type);
    }
    if (!route.method) for (const value of right) expect([200, 404]).toContain((await ask(value)).status);
  });
});

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
  const method = route.method ?? 'GET';
  const ask = (headers: Record<string, string>, as = method) =>
    gateway.fetch(route.example, {
      method: as,
      headers: { ...headers, ...(route.body ? { 'content-type': 'application/json' } : {}) },
      ...(route.body && as === method ? { body: JSON.stringify(route.exampleBody) } : {}),
    });
  const authorization = () => `Bearer ${gateway.token}`;

  it('refuses an unknown network on paths of Ethereum, and ignores the header on all others', async () => {
    const answer = await ask({ authorization: authorization(), 'x-service-network': 'goerli' });
    if (route.networkHeader === false) return expect(answer.status).toBe(200);
    expect([answer.status, answer.json.detail.map((fault: any) => fault.loc)]).toEqual([
      400,
      [['header', 'X-Service-Network']],
    ]);
    if (method !== 'GET') return;
    for (const network of networks) {
      const { status, text } = await ask({ authorization: authorization(), 'x-service-network': network });
      expect([200, 404], text).toContain(status); // not every entity is on every network
    }
  });

  it('needs a token, and tells any other method without one', async () => {
    expect((await ask({})).status).toBe(401);
    const served = routes.filter(({ path }) => path === route.path).map(({ method = 'GET' }) => method);
    const allow = served.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
    for (const other of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (one) => !served.includes(one as never),
    )) {
      const { status, headers, json } = await ask({}, other as never);
      expect([other, status, headers.get('allow')]).toEqual([other, 405, allow]);
      expect(json).toEqual({ detail: `${other} is not served here; use ${allow}.` });
    }
  });
});

it.each(reads.map((route) => [route.path, route] as const))(
  'HEAD %s is answered as GET, without the body',
  async (_path, { example }) => {
    const own = { authorization: `Bearer ${gateway.token}`, 'accept-encoding': 'identity' };
    const passing = ['date', 'x-request-id', 'connection', 'keep-alive'];
    for (const headers of [own, { ...own, authorization: '' }, { ...own, 'x-service-network': 'x' }]) {
      const ask = async (method: string) => {
        const { status, text, headers: answered } = await gateway.fetch(example, { method, headers });
        return { status, text, kept: [...answered].filter(([name]) => !passing.includes(name)) };
      };
      const [get, head] = [await ask('GET'), await ask('HEAD')];
      expect(head).toEqual({ ...get, text: '' });
    }
  },
);

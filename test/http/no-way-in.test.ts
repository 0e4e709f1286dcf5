import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newToken } from '../../src/accounts/token-format.ts';
import { createToken, revokeToken } from '../../src/accounts/tokens.ts';
import { routes } from '../../src/resources/index.ts';
import { makeAccount } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { refusedBody } from '../support/refused.ts';
import { rootQueries } from '../support/schema-queries.ts';

// Nothing is listed by hand: a path or a field that is added is walked too.

const HOUR = 3_600_000;
let gateway: Gateway;
let lines = '';
/** Invalid tokens, by what is wrong with them. */
const wrong: Record<string, () => string | undefined> = {
  'no token': () => undefined,
  'a malformed token': () => `Bearer ${gateway.token.slice(0, -1)}`,
  'an unknown token': () => `Bearer ${newToken()}`,
  'a revoked token': () => `Bearer ${revoked}`,
  'an expired token': () => `Bearer ${expired}`,
};
let [revoked, expired, slow, spent] = ['', '', '', ''];
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void (lines += line) });
  // The gateway's clock is ahead: a token that is still valid for the database has expired for the gateway.
  gateway = await startGateway({ template: 'empty', log, now: () => new Date(Date.now() + 2 * HOUR) });
  const pool = gateway.database.pool;
  expired = (await createToken(pool, 'expired', new Date(Date.now() + HOUR))).token;
  const made = await createToken(pool, 'revoked');
  revoked = made.token;
  await revokeToken(pool, made.row.tokenId);
  slow = (await makeAccount(gateway, { rateLimit: 1 })).token;
  spent = (await makeAccount(gateway, { unitAllowance: 0 })).token;
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.statements.length = 0;
});

type Ask = (authorization?: string, more?: string) => ReturnType<Gateway['fetch']>;
const withQuery = (path: string, more: string) => `${path}${more && (path.includes('?') ? '&' : '?')}${more}`;
const json = { 'content-type': 'application/json' };

/** Every way to ask: each path by its example, and each root field with the arguments that it needs. */
const ways: [string, Ask][] = [
  ...routes.map((route): [string, Ask] => {
    const { method = 'GET' } = route as { method?: string };
    const body = method === 'POST' || method === 'PATCH' ? { body: '{}' } : {};
    return [
      `${method} ${route.path}`,
      (authorization, more = '') =>
        gateway.fetch(withQuery(route.example, more), {
          method,
          headers: { ...(body.body ? json : {}), ...(authorization ? { authorization } : {}) },
          ...body,
        }),
    ];
  }),
  ...rootQueries.map(([name, query]): [string, Ask] => [
    name,
    (authorization, more = '') =>
      gateway.fetch(withQuery('/graphql', more), {
        method: 'POST',
        headers: { ...json, ...(authorization ? { authorization } : {}) },
        body: JSON.stringify({ query }),
      }),
  ]),
  ...rootQueries
    .filter(([, query]) => query.startsWith('query'))
    .map(([name, query]): [string, Ask] => [
      `${name} over GET`,
      (authorization, more = '') =>
        gateway.fetch(withQuery(`/graphql?query=${encodeURIComponent(query)}`, more), {
          headers: authorization ? { authorization } : {},
        }),
    ]),
];

describe.each(ways)('%s', (name, ask) => {
  const path = /^[A-Z]+ (\/.*)/.exec(name)?.[1] ?? '/graphql';
  const notAuthenticated = refusedBody(path, 'UNAUTHENTICATED', 'Not authenticated');

  it('lets a good token in', async () => {
    const { status, json } = await ask(`Bearer ${gateway.token}`);
    expect([401, 402, 403, 429, 500, 503]).not.toContain(status);
    for (const { extensions } of json?.errors ?? [])
      expect(['BAD_INPUT', 'NOT_FOUND']).toContain(extensions.code);
  });

  it.each(Object.keys(wrong))('refuses %s, and asks the database nothing', async (what) => {
    const { status, json, headers } = await ask(wrong[what]?.());
    expect([status, json]).toEqual([401, notAuthenticated]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(gateway.statements).toEqual([]);
  });

  it('refuses an account over its rate', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => ask(`Bearer ${slow}`)));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json).toEqual(refusedBody(path, 'RATE_LIMITED', 'Too many requests'));
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('refuses an account whose allowance is used up, and asks the database nothing', async () => {
    const { status, json } = await ask(`Bearer ${spent}`);
    expect([status, json.detail]).toEqual([402, expect.stringContaining('0 of 0 compute units')]);
    expect(gateway.statements).toEqual([]);
  });

  it('refuses a token in its URL, whoever asks, and logs nothing of it', async () => {
    const unknown = await ask(undefined, `access_token=${gateway.token}`);
    expect([unknown.status, unknown.json]).toEqual([401, notAuthenticated]);
    const { status, json, text } = await ask(`Bearer ${gateway.token}`, `access_token=${gateway.token}`);
    expect([status, json.detail[0].loc]).toEqual([400, ['url']]);
    expect(json.detail[0].msg).toMatch(/Authorization: Bearer.*revoke/);
    expect(text).not.toContain(gateway.token);
    expect(gateway.statements).toEqual([]);
    expect(lines).not.toContain(gateway.token);
  });
});

// Another account's object is walked in the same manner in test/resources/private-sets-security.test.ts.

describe('a token in a URL', () => {
  const token = () => gateway.token;
  it.each([
    ['under token', () => `/v0/eth/slashings?token=${token()}`],
    ['under another name', () => `/v0/eth/slashings?size=1&cursor=${token()}`],
    ['that is mistyped', () => `/v0/eth/slashings?key=${token().slice(0, -2)}`],
    ['within a value', () => `/v0/eth/slashings?auth=Bearer%20${token()}`],
    ['in percent-encoding', () => `/v0/eth/slashings?x=%73%67t_${token().slice(4)}`],
    ['beside a broken encoding', () => `/v0/eth/slashings?y=%zz&x=%73gt_${token().slice(4)}`],
    ['as a name', () => `/v0/eth/slashings?${token()}`],
    ['in the path', () => `/v0/eth/operators/${token()}/summary?window=7d`],
    ['of GraphQL', () => `/graphql?token=${token()}`],
  ] as [string, () => string][])('%s is refused, and never logged', async (_how, path) => {
    const { status, headers, json, text } = await gateway.get(path());
    expect([status, json.detail[0].loc, json.detail[0].type]).toEqual([400, ['url'], 'token_in_url']);
    expect(headers.get('x-service-compute-units')).toBe('1');
    expect(text).not.toContain(token().slice(4, -2));
    // The token in the URL does not authenticate a caller without another one.
    expect((await gateway.fetch(path())).status).toBe(401);
    expect(lines).not.toContain(token().slice(4, -2));
  });

  it('of the page of GraphiQL is refused', async () => {
    const { status, json } = await gateway.fetch(`/graphql?token=${token()}`, {
      headers: { accept: 'text/html' },
    });
    expect([status, json.detail[0].type]).toEqual([400, 'token_in_url']);
  });

  it('is not what merely looks a little like one', async () => {
    for (const value of ['sgt_', 'sgt_short', 'tokens', `0x${'a'.repeat(96)}`]) {
      for (const name of ['x', 'token', 'access_token']) {
        expect((await gateway.get(`/v0/eth/slashings?${name}=${value}`)).status).toBe(200);
      }
    }
  });
});

describe('a token in a wrong place', () => {
  it('is in no answer', async () => {
    const { token } = gateway;
    const header = await gateway.get('/v0/eth/slashings', { 'x-service-network': token });
    expect([header.status, header.json.detail[0].msg]).toEqual([
      400,
      'X-Service-Network is "sgt_…"; one of mainnet, hoodi, holesky, sepolia is needed.',
    ]);
    const body = await gateway.fetch('/v1/eth/tags', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', [token]: 1 }),
    });
    expect([body.status, body.json.detail]).toEqual([
      400,
      [{ loc: ['body', 'sgt_…'], msg: 'sgt_… is not accepted here.', type: 'unknown' }],
    ]);
    const name = token.replaceAll('-', '_');
    for (const query of [
      `{ slashings(fromDate: "${token}") { totalCount } }`,
      `{ ${name} }`,
      `{ operators(window: ALL, after: "${token}") { totalCount } }`,
      `{ consolidations(by: { pubkey: "${token}" }) { totalCount } }`,
    ]) {
      const { errors } = await gateway.graphql(query);
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors)).not.toContain(token.slice(4));
      expect(JSON.stringify(errors)).not.toContain(name.slice(4));
    }
  });
});

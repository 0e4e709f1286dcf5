import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeUnits } from '../../src/accounts/compute-units.ts';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let pool: string;
beforeAll(async () => {
  gateway = await startGateway();
  pool = (await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=1')).json.data[0].id;
});
afterAll(() => gateway.close());

const unitsOf = ({ headers }: { headers: Headers }) => {
  expect(headers.get('x-service-compute-units')).toMatch(/^\d+$/);
  return Number(headers.get('x-service-compute-units'));
};
const rest = async (path: string) => unitsOf(await gateway.get(path));

describe('X-Service-Compute-Units', () => {
  const { base, item } = computeUnits.listOperators;

  it('is the base of the path and its weight for each row answered', async () => {
    for (const size of [1, 7]) {
      expect(await rest(`/v0/eth/operators?window=7d&idType=pool&size=${size}`)).toBe(base + item * size);
    }
    const { json, headers } = await gateway.get(
      '/v0/eth/operators?window=7d&idType=pool&poolType=cex&size=200',
    );
    expect(json.data.length).toBeLessThan(200);
    expect(unitsOf({ headers })).toBe(base + item * json.data.length);
  });

  it('counts the results of v1, the entries of a bare array, and one object as one row', async () => {
    const list = computeUnits.listEntityAttestations;
    const path = `/v1/eth/entities/${encodeURIComponent(pool)}/attestations?entityType=pool&limit=6`;
    expect(await rest(path)).toBe(list.base + 6 * list.item);
    const overview = computeUnits.getSolanaNetworkOverview;
    expect(await rest('/v0/solana/network/overview')).toBe(overview.base + 4 * overview.item);
    const one = computeUnits.getOperatorSummary;
    expect(await rest(`/v0/eth/operators/${encodeURIComponent(pool)}/summary?window=7d`)).toBe(
      one.base + one.item,
    );
  });

  it('is the base for a page without rows', async () => {
    expect(await rest('/v0/eth/operators?window=7d&from=100000')).toBe(base);
  });

  it('is the same for HEAD', async () => {
    const head = await gateway.fetch('/v0/eth/slashings?size=3', {
      method: 'HEAD',
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    expect(unitsOf(head)).toBe(await rest('/v0/eth/slashings?size=3'));
  });

  it('is 1 for errors of the caller', async () => {
    expect(await rest('/v0/eth/operators?window=1y')).toBe(1);
    expect(await rest('/v0/eth/operators/nobody/summary?window=7d')).toBe(1);
    for (const [body, type] of [
      ['{', 'application/json'],
      ['{}', 'application/json'],
      [`"${'x'.repeat(300_000)}"`, 'application/json'],
      ['x', 'text/csv'],
    ] as const) {
      const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': type };
      const answer = await gateway.fetch('/graphql', { method: 'POST', headers, body });
      expect([answer.status >= 400 && answer.status < 500, unitsOf(answer)]).toEqual([true, 1]);
    }
  });

  it('is 0 where nothing was answered: 401, 402, 429, and faults of ours', async () => {
    expect(unitsOf(await gateway.fetch('/v0/eth/slashings'))).toBe(0);
    const { authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: 0 });
    const refused = await gateway.get('/v0/eth/slashings', { authorization });
    expect([refused.status, unitsOf(refused)]).toEqual([402, 0]);
    const slow = await makeAccount(gateway, { rateLimit: 1 });
    await gateway.get('/v0/eth/slashings', { authorization: slow.authorization });
    const over = await gateway.get('/v0/eth/slashings', { authorization: slow.authorization });
    expect([over.status, unitsOf(over)]).toEqual([429, 0]);

    const broken = await gatewayForTest({ template: 'empty' });
    await broken.database.pool.query({ text: 'alter table slashings rename to gone', values: [] });
    const fault = await broken.get('/v0/eth/slashings');
    expect([fault.status, unitsOf(fault)]).toEqual([500, 0]);
    const field = await broken.graphql('{ slashings { totalCount } }');
    expect([field.errors?.[0].extensions.code, unitsOf(field)]).toEqual(['INTERNAL', 0]);
    expect(field.json.extensions.cost.charged).toBe(0);
    const other = await broken.graphql('{ slashings { totalCount } operators(window: ALL) { totalCount } }');
    expect(unitsOf(other)).toBe(computeUnits.listOperators.base);
  });

  it('is not on what is not metered, and pages of other origins may read it', async () => {
    for (const path of ['/', '/docs', '/health', '/metrics', '/openapi.json', '/nope']) {
      expect((await gateway.get(path)).headers.get('x-service-compute-units')).toBeNull();
    }
    const { headers } = await gateway.get('/v0/eth/slashings', { origin: 'https://app.example' });
    expect(headers.get('access-control-expose-headers')).toContain('X-Service-Compute-Units');
  });

  it('is what the account is charged', async () => {
    const { name, authorization } = await makeAccount(gateway);
    let units = 0;
    for (const path of [
      '/v0/eth/slashings',
      '/v0/eth/slashings?size=0',
      '/v0/eth/operators?window=7d&size=200',
    ]) {
      units += unitsOf(await gateway.get(path, { authorization }));
    }
    units += unitsOf(
      await gateway.graphql('{ slashings(first: 3) { nodes { id } } }', {}, { authorization }),
    );
    await gateway.meter.flush();
    expect(await storedUsage(gateway, name)).toEqual({ units, requests: 4 });
  });
});

describe('extensions.cost', () => {
  const cost = async (query: string, headers?: Record<string, string>, variables = {}) =>
    (await gateway.graphql(query, variables, headers)).json.extensions.cost;

  it('tells what was estimated, charged and is left, which is null without a limit', async () => {
    const { base, item } = computeUnits.listSlashings;
    const query = '{ slashings(first: 5) { nodes { id } } }';
    const units = base + 5 * item;
    expect(await cost(query)).toEqual({ estimated: units, charged: units, remaining: null });
    const { authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: 1_000 });
    for (const times of [1, 2]) {
      const remaining = 1_000 - times * units;
      expect(await cost(query, { authorization })).toEqual({ estimated: units, charged: units, remaining });
    }
  });

  it('is on every answer, also of queries that are refused, which cost 1', async () => {
    const one = { estimated: 1, charged: 1, remaining: null };
    for (const query of ['{', '{ nobody }', '{ slashings }', `{ ${'__typename '.repeat(31)} }`]) {
      expect(await cost(query)).toEqual(one);
    }
    expect(await cost('query ($n: Int!) { slashings(first: $n) { totalCount } }')).toMatchObject({
      charged: 1,
    });
    expect(await cost('{ __typename }')).toEqual({ estimated: 0, charged: 0, remaining: null });
    const many =
      '{ operators(window: ALL, first: 200) { nodes { poolShares(window: ALL, first: 200) { nodes { id } } } } }';
    expect(await cost(many)).toMatchObject({ charged: 1 });
  });
});

describe('a query that may cost more than is left', () => {
  const { base, item } = computeUnits.listSlashings;
  let authorization: string;
  beforeAll(async () => {
    ({ authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: 40 }));
  });
  beforeEach(() => {
    gateway.statements.length = 0;
  });

  it.each([
    ['as a literal', '{ slashings(first: 100) { nodes { id } } }', {}, base + 100 * item],
    [
      'as a variable',
      'query ($n: Int) { slashings(first: $n) { nodes { id } } }',
      { n: 100 },
      base + 100 * item,
    ],
    [
      "as a variable's default",
      'query ($n: Int = 150) { slashings(last: $n) { nodes { id } } }',
      {},
      base + 150 * item,
    ],
    [
      'under aliases',
      '{ a: slashings(first: 30) { nodes { id } } b: slashings(first: 30) { nodes { id } } }',
      {},
      2 * (base + 30 * item),
    ],
    [
      'in a fragment',
      'fragment F on Query { a: slashings(first: 60) { totalCount } } { ...F }',
      {},
      base + 60 * item,
    ],
    ['as global ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: Array(50).fill('x') }, 100],
    [
      'by the default size of its list',
      '{ a: slashings { totalCount } b: slashings { totalCount } }',
      {},
      2 * (base + 20 * item),
    ],
  ])('is refused before it runs, asked %s', async (_how, query, variables, estimate) => {
    const { authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: 40 });
    const { data, errors, json } = await gateway.graphql(query, variables, { authorization });
    expect(data).toBeUndefined();
    expect(errors?.[0].extensions).toEqual({ code: 'COST_LIMIT', estimate, limit: 40 });
    expect(errors?.[0].message).toContain(`${estimate} compute units`);
    expect(json.extensions.cost).toEqual({ estimated: estimate, charged: 1, remaining: 39 });
    expect(gateway.statements).toEqual([]);
  });

  it('is 400 in the media type of GraphQL over HTTP', async () => {
    const { status } = await gateway.graphql(
      '{ slashings(first: 100) { nodes { id } } }',
      {},
      { authorization, accept: 'application/graphql-response+json' },
    );
    expect(status).toBe(400);
  });

  it('is answered when it fits exactly', async () => {
    const { authorization } = await makeAccount(gateway, { tier: 'build', unitAllowance: base + 3 * item });
    const answer = await gateway.graphql('{ slashings(first: 3) { nodes { id } } }', {}, { authorization });
    expect(answer.errors).toBeUndefined();
    expect(answer.json.extensions.cost.remaining).toBe(0);
    expect((await gateway.get('/v0/eth/slashings', { authorization })).status).toBe(402);
  });
});

describe('viewer', () => {
  const query = `{ viewer { account tier rateLimit { requestsPerSecond remaining }
    usage { period unitsUsed unitsAllowed unitsRemaining resetsAt requests } } }`;

  it('tells who asks, the rate and what is left, and costs nothing', async () => {
    const { name, authorization } = await makeAccount(gateway, { tier: 'build', used: 250 });
    const { data, headers } = await gateway.graphql(query, {}, { authorization });
    expect(data.viewer).toEqual({
      account: name,
      tier: 'BUILD',
      rateLimit: { requestsPerSecond: 10, remaining: 9 },
      usage: {
        period: 'MONTH',
        unitsUsed: '250',
        unitsAllowed: '1000000',
        unitsRemaining: '999750',
        resetsAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00Z$/),
        requests: '1',
      },
    });
    expect(unitsOf({ headers })).toBe(0);
  });

  it('has no limits for an account without any, and no end of a life', async () => {
    const { data } = await gateway.graphql(query);
    expect(data.viewer).toMatchObject({ account: 'default', tier: 'ENTERPRISE', rateLimit: null });
    expect(data.viewer.usage).toMatchObject({ unitsAllowed: null, unitsRemaining: null });
    const { authorization } = await makeAccount(gateway, { tier: 'free', used: 7 });
    const free = await gateway.graphql(query, {}, { authorization });
    expect(free.data.viewer.usage).toMatchObject({ period: 'LIFE', resetsAt: null, unitsRemaining: '99993' });
  });
});

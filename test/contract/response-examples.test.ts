import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { type Account, accountOf } from '../support/account.ts';
import { makeAccount } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { document, operations as documented } from '../support/interface-page.ts';

type Shown = Awaited<ReturnType<Gateway['fetch']>>;

const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const OWNER = '0b7e6f1a-4c55-4f0e-8f0a-3f0f5b1d7c11';
const PUBKEY = `0x${'8'.repeat(96)}`;
let validators: number[];
const PAGE = '/v0/eth/operators?window=7d&idType=pool&size=1';

let gateway: Gateway;
let account: Account;
const operations: Record<string, unknown> = {};
const errors: Record<string, unknown> = {};

beforeAll(async () => {
  gateway = await startGateway({ settings: { PUBLIC_URL: 'https://stakegraph.example' } });
  account = await accountOf(gateway);
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index from validators where network = 'mainnet' order by 1 limit 3`,
    values: [],
  });
  validators = rows.map((row) => Number(row.validator_index));
});
afterAll(() => gateway.close());

const createSet = (owner = account, headers = {}) =>
  owner.post('/v1/eth/tags', { name: 'My validators', validators: validators.slice(0, 2) }, headers);

/** Replaces what differs from run to run. */
const settled = (text: string): unknown =>
  JSON.parse(
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => (id === account.id ? OWNER : SET))
      .replace(/"(createdAt|updatedAt|addedAt)":"[^"]+"/g, '"$1":"2026-11-01T09:30:00Z"'),
  );

describe('the examples of responses in openapi.json', () => {
  it.each(routes.map((route) => [route.operationId, route] as const))(
    'have what %s answers',
    async (operationId, route) => {
      const set = (await createSet()).json.id;
      const url = new URL(route.example.replace(SET, set).replace(PUBKEY, `${validators[0]}`), gateway.url);
      for (const name of ['size', 'limit']) if (name in route.query.shape) url.searchParams.set(name, '2');
      const body =
        route.exampleBody && JSON.stringify(route.exampleBody).replaceAll(PUBKEY, `${validators[2]}`);
      const { status, text } = await account.call(route.method ?? 'GET', url.pathname + url.search, body);
      expect(status, text).toBe(route.status ?? 200);
      if (status !== 204) operations[operationId] = settled(text);
    },
  );

  const refusals: [status: number, ask: () => Promise<Shown>][] = [
    [400, () => gateway.get('/v0/eth/operators?window=9d&size=0')],
    [401, () => gateway.fetch(PAGE)],
    [
      402,
      async () => {
        const limits = { tier: 'starter', used: 100_000 } as const;
        const { authorization } = await makeAccount(gateway, limits);
        return gateway.get(PAGE, { authorization });
      },
    ],
    [403, async () => createSet(await accountOf(gateway, 'free'))],
    [404, () => gateway.get('/v0/eth/blocks/1')],
    [
      409,
      () =>
        gateway.database.pool.withClient(async (client) => {
          const key = randomUUID();
          await client.query('begin');
          await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
            `idempotency ${account.id} ${key}`,
          ]);
          const held = await createSet(account, { 'idempotency-key': key });
          await client.query('rollback');
          return held;
        }),
    ],
    [413, () => account.post('/v1/eth/tags', { name: 'x'.repeat(5_000_000) })],
    [415, () => account.post('/v1/eth/tags', 'name=x', { 'content-type': 'text/plain' })],
    [
      429,
      async () => {
        const { authorization } = await makeAccount(gateway, { rateLimit: 1 });
        const all = await Promise.all([1, 2, 3, 4].map(() => gateway.get(PAGE, { authorization })));
        return all.find(({ status }) => status === 429) as Shown;
      },
    ],
    [
      503,
      async () => {
        const name = new URL(gateway.database.url).pathname.slice(1);
        const admin = new pg.Client({ connectionString: inject('serverUrl') });
        await admin.connect();
        await admin.query(`alter database ${name} allow_connections false`);
        await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          name,
        ]);
        await admin.end();
        return gateway.get('/v0/eth/slashings');
      },
    ],
  ];
  it.each(refusals)('have what is answered with %s', async (status, ask) => {
    const answer = await ask();
    expect(answer.status, answer.text).toBe(status);
    errors[status] = JSON.parse(
      answer.text.replace(/\d{4}-\d{2}-01T00:00:00Z/, '2026-12-01T00:00:00Z'), // the next month
    );
  });

  it('are up to date; npm run examples writes them', async () => {
    const written = `${JSON.stringify({ operations, errors }, null, 2)}\n`;
    await expect(written).toMatchFileSnapshot('../../src/http/rest/response-examples.json');
  });

  it('are there for each operation and status', () => {
    const replies = documented.flatMap(({ responses }) => Object.values(responses));
    const contents = [...replies, ...Object.values(document.components.responses)].flatMap(({ content }) =>
      content ? [content['application/json']] : [],
    );
    expect(contents.length).toBeGreaterThan(50);
    for (const json of contents) expect(json?.example).toBeDefined();
  });
});
